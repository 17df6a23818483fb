package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"

	v1 "sellerd/v1"
)

// benchCase is one case of the table: a request, and which side of a program answers it.
type benchCase struct {
	group     string // what -cases says
	name      string
	ours      role
	alone     bool // the limit has no part in it
	writes    bool
	status    int
	long      bool   // only with -long
	only      string // the only database that has the case, by its name in -databases
	items     int    // how many a request submits, if the case ends when all are on sale; the rate is in items a second then
	rateLimit int    // see setup
	pages     *pages // of a list
	requests  func(d dataset) maker
}

// pages are pages of a list that begin between two shares of it; 0 and 0 is the first page.
type pages struct {
	path     string // with the first part of its query
	size     int
	from, to float64
}

// loadCases are the cases in which all connections send the same kind of request for a time, and those in which workers publish.
func loadCases() []benchCase {
	one, many := submits(plainDraft, 1), submits(plainDraft, manySellers)
	rich, richMany := submits(richDraft, 1), batches(richDraft, 0)
	const open = "/v1/items?sale_type=fixed_price&status=open&"
	cases := []benchCase{
		{group: "get", name: "get one item", requests: gets},
		{group: "limited", name: "get one item, with a rate limit", only: "postgres", rateLimit: v1.MaxRequestsPerMinute, requests: gets},
		{group: "page", name: "page of 50, anywhere", pages: &pages{"/v1/items?", 50, 0, 1}},
		{group: "page", name: "page of 50, the first", long: true, pages: &pages{"/v1/items?", 50, 0, 0}},
		{group: "page", name: "page of 50, deep", long: true, pages: &pages{"/v1/items?", 50, 0.9, 0.92}},
		{group: "filter", name: "page of 50 with sale_type and status", pages: &pages{open, 50, 0, 1}},
		{group: "sales", name: "sales page of 50, anywhere", alone: true, pages: &pages{"/v1/sales?", 50, 0, 1}},
		{group: "events", name: "page of 200 events, anywhere", alone: true, pages: &pages{"/v1/events?", 200, 0, 1}},
		{group: "submit", name: "submit one", ours: accepting, writes: true, requests: one},
		{group: "submit", name: "submit one, 16 sellers", ours: accepting, writes: true, long: true, requests: submits(plainDraft, 16)},
		{group: "rich", name: "submit one with markup and six images", ours: accepting, writes: true, requests: rich},
		{group: "batch", name: "batch of 100", ours: accepting, writes: true, requests: batches(plainDraft, 0)},
		{group: "rich", name: "batch of 100 with markup and six images", ours: accepting, writes: true, long: true, requests: richMany},
		{group: "changes", name: "change of 100 prices", alone: true, ours: accepting, writes: true, status: 200, requests: changes},
		{group: "publish", name: "batches until published, by item", items: batchSize, requests: batches(plainDraft, 0)},
		{group: "pictures", name: "batches with one picture an item until published, by item", items: batchSize, requests: batches(plainDraft, 1)},
		{group: "pictures", name: "batches with three pictures an item until published, by item", items: batchSize, requests: batches(plainDraft, 3)},
		{group: "single", name: "submit one until published", items: 1, requests: one},
		{group: "single", name: "submit one until published, 16 sellers", items: 1, requests: submits(plainDraft, 16)},
		{group: "many", name: "submit one until published, 100 sellers", items: 1, requests: many},
		{
			group: "limited", name: "submit one until published, 100 sellers, with the default rate limit", only: "postgres",
			items: 1, rateLimit: -1, requests: many,
		},
	}
	for i := range cases {
		c := &cases[i]
		if c.items > 0 {
			c.ours, c.writes = shipped, true
		}
		c.status = cmp.Or(c.status, map[bool]int{false: http.StatusOK, true: http.StatusAccepted}[c.writes])
	}
	return cases
}

// chosenCases are those that the options ask for on a database.
func (o *options) chosenCases(database string) []benchCase {
	return slices.DeleteFunc(loadCases(), func(c benchCase) bool {
		return !slices.Contains(o.cases, c.group) || c.long && !o.long || c.only != "" && c.only != database
	})
}

// sidesOf are the sides that a case compares, the limit last if it has part in it.
func (b *bench) sidesOf(c *benchCase) (sides []side) {
	for _, made := range b.builds {
		sides = append(sides, side{c.ours, made})
	}
	if !c.alone {
		last := side{yardstick, &build{name: "limit"}}
		if c.items > 0 {
			last.role = publisher
		}
		sides = append(sides, last)
	}
	return sides
}

// makerOf makes the requests of a case. The cursors of its list are known.
func (b *bench) makerOf(c *benchCase, d dataset, s side) maker {
	if c.pages == nil {
		return c.requests(d)
	}
	cursors := b.cursors[walked{d.url, c.pages.path, s.role == yardstick}]
	low, high := int(c.pages.from*float64(len(cursors))), int(c.pages.to*float64(len(cursors)))
	return func(buffer []byte, random *rand.Rand, _, _ int) []byte {
		buffer = strconv.AppendInt(append(append(append(buffer, "GET "...), c.pages.path...), "limit="...), int64(c.pages.size), 10)
		if high > low {
			buffer = append(append(buffer, "&after="...), cursors[low+random.IntN(high-low)]...)
		}
		return d.endGet(buffer)
	}
}

// walked names the cursors of a list on a database. The limit has its own.
type walked struct {
	url, path string
	limit     bool
}

// cursorStep is how many rows lie between two cursors that the cases use: the largest page of the service.
const cursorStep = v1.MaxPageSize

// findCursors walks a list through the service, like any client. The limit's cursors are the creation time and the number of the
// same items.
func (b *bench) findCursors(ctx context.Context, db database, path string) error {
	d, err := db.reads(ctx)
	ours := walked{d.url, path, false}
	if err != nil || b.cursors[ours] != nil {
		return err
	}
	r, err := b.start(ctx, db, b.shippedSides()[0], setup{})
	if err != nil {
		return err
	}
	defer r.stop()
	limits := walked{d.url, path, true}
	for after := ""; ctx.Err() == nil; {
		body, err := ask(r.address, d.endGet(fmt.Appendf(nil, "GET %slimit=%d%s", path, cursorStep, after)), 200)
		if err != nil {
			return err
		}
		var page struct {
			Data struct {
				Results []struct {
					ID        string  `json:"id"`
					CreatedAt v1.Time `json:"created_at"`
				} `json:"results"`
				NextCursor *string `json:"next_cursor"`
				HasMore    *bool   `json:"has_more"` // of the feed, which always has a cursor
			} `json:"data"`
		}
		if err := json.Unmarshal(body, &page); err != nil {
			return err
		}
		if page.Data.NextCursor == nil || page.Data.HasMore != nil && !*page.Data.HasMore {
			return nil
		}
		last := page.Data.Results[len(page.Data.Results)-1]
		b.cursors[ours] = append(b.cursors[ours], *page.Data.NextCursor)
		b.cursors[limits] = append(b.cursors[limits], fmt.Sprintf("%d.%s", int64(last.CreatedAt), last.ID))
		after = "&after=" + *page.Data.NextCursor
	}
	return ctx.Err()
}
