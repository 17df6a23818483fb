package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// pagedList is a list of the large seller's, as both sides page through it.
type pagedList struct {
	group  string // of the cases that need it
	path   string // with the first part of its query
	lookUp string // a row's sort key by its id
	long   bool   // only for cases of -long
}

// The lists that are paged through.
var (
	itemList        = pagedList{"page", "/v1/items?", "SELECT created_at FROM items WHERE id = ", false}
	openList        = pagedList{"filter", "/v1/items?sale_type=fixed_price&status=open&", "SELECT created_at FROM items WHERE id = ", false}
	salesList       = pagedList{"sales", "/v1/sales?", "SELECT sold_at FROM sales WHERE id = ", false}
	eventList       = pagedList{"events", "/v1/events?", "SELECT created_at FROM events WHERE id = ", false}
	newestSalesList = pagedList{"sales", "/v1/sales?sort=sold_at_desc&", "SELECT sold_at FROM sales WHERE id = ", true}
)

// walkedList names the cursors of a list on a database. The limit has its own.
type walkedList struct {
	url, path string
	limit     bool
}

// cursorStep is how many rows lie between two cursors that the cases use: the largest page of the service.
const cursorStep = 200

// findCursors walks the lists that the cases need through the service, like any client, and looks up the sort keys of the
// same rows for the limit, whose cursors are the sort key and the id. The rows are also in the file given, whatever the
// database.
func (b *bench) findCursors(ctx context.Context, d dataset, file string) error {
	lists := slices.DeleteFunc([]pagedList{itemList, openList, salesList, newestSalesList, eventList}, func(list pagedList) bool {
		return !slices.Contains(b.options.cases, list.group) || list.long && !b.long
	})
	if len(lists) == 0 {
		return nil
	}
	server, err := b.start(ctx, side{shipped, b.builds[0]}, d)
	if err != nil {
		return err
	}
	defer server.stop()
	if _, err := server.await(ctx, d.getRequest(nil, 7)); err != nil {
		return err
	}
	db, err := sql.Open("sqlite3", "file:"+file+"?mode=ro")
	if err != nil {
		return err
	}
	defer db.Close()
	for _, list := range lists {
		if err := b.walk(ctx, d, server.address, db, list); err != nil {
			return fmt.Errorf("walk %s: %w", list.path, err)
		}
	}
	return nil
}

func (b *bench) walk(ctx context.Context, d dataset, address string, db *sql.DB, list pagedList) error {
	var page struct {
		Data struct {
			Results []struct {
				ID string `json:"id"`
			} `json:"results"`
			NextCursor *string `json:"next_cursor"`
			HasMore    *bool   `json:"has_more"` // of the feed, which always has a cursor
		} `json:"data"`
	}
	ours, limits := walkedList{d.url, list.path, false}, walkedList{d.url, list.path, true}
	path := fmt.Sprintf("GET %slimit=%d", list.path, cursorStep)
	for after := ""; ctx.Err() == nil; {
		status, body, err := ask(address, d.endHead([]byte(path+after)))
		if err != nil || status != 200 {
			return errors.Join(fmt.Errorf("status %d", status), err)
		}
		page.Data.Results, page.Data.NextCursor, page.Data.HasMore = nil, nil, nil
		if err := json.Unmarshal(body, &page); err != nil {
			return err
		}
		if page.Data.NextCursor == nil || page.Data.HasMore != nil && !*page.Data.HasMore {
			return nil
		}
		last := strings.TrimPrefix(page.Data.Results[len(page.Data.Results)-1].ID, "evt_")
		var key int64
		if err := db.QueryRowContext(ctx, list.lookUp+last).Scan(&key); err != nil {
			return err
		}
		b.cursors[ours] = append(b.cursors[ours], *page.Data.NextCursor)
		b.cursors[limits] = append(b.cursors[limits], fmt.Sprintf("%d.%s", key, last))
		after = "&after=" + *page.Data.NextCursor
	}
	return ctx.Err()
}
