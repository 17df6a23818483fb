package delivery

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"sellerd/ent"
	"sellerd/ent/delivery"
	"sellerd/ent/event"
	"sellerd/v1/rows"
)

// This file empties what receivers answered, in the log of deliveries.

// responsesAbout finds what receivers answered to the events of some objects, unless the event is there and tells nothing
// about what is marked. Receivers may repeat what they are sent.
var responsesAbout = rows.NewSet(`SELECT v.`+delivery.FieldID+` FROM given JOIN `+delivery.Table+` v ON v.`+delivery.FieldOwner+` = given.owner AND v.`+
	delivery.FieldResourceID+` = given.resource
 WHERE v.`+delivery.FieldResponseBody+` <> '' AND NOT EXISTS (SELECT 1 FROM `+event.Table+` e WHERE e.`+event.FieldID+` = v.`+delivery.FieldEventID+
	` AND e.`+event.FieldBody+` NOT LIKE given.mark)`,
	delivery.FieldOwner+bigint, "resource"+text, "mark"+text)

// responseRow is a resource of an owner, with the mark as a pattern.
type responseRow struct {
	owner          int64
	resource, mark string
}

func (r responseRow) appendTo(set []any) []any { return append(set, r.owner, r.resource, r.mark) }

var emptyResponses = rows.NewSets(`UPDATE `+delivery.Table+` SET `+delivery.FieldResponseBody+` = '' FROM given WHERE `+rows.Each(delivery.Table)+` AND `+
	delivery.FieldResponseBody+` <> ''`, delivery.FieldID+bigint)

// responseChunk is how many answers are emptied in one transaction.
const responseChunk = 1000

// EmptyResponses empties what receivers answered to an owner's events about some resources, and says how many answers that
// were. Answers stay if their event is kept and does not contain the mark, which must have no pattern of LIKE in it.
func (e *Engine) EmptyResponses(ctx context.Context, owner int64, resources []string, mark string) (emptied int, err error) {
	given := make([]responseRow, len(resources))
	for i, resource := range resources {
		given[i] = responseRow{owner: owner, resource: resource, mark: "%" + mark + "%"}
	}
	var found []int64
	err = responsesAbout.Query(ctx, e.config.Store.Reader(), setOf(given), func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		found = append(found, id)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("look for responses: %w", err)
	}
	slices.Sort(found)
	found = slices.Compact(found)
	for chunk := range slices.Chunk(found, responseChunk) {
		err := e.config.Store.Write(ctx, func(ctx context.Context, client *ent.Client) error {
			return e.on(emptyResponses).Exec(ctx, client, rows.IDs(chunk))
		})
		if err != nil {
			return emptied, err
		}
		emptied += len(chunk)
	}
	return emptied, nil
}
