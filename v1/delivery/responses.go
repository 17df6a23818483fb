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

// about finds deliveries of the events of some objects, unless the event is there and tells nothing about what is marked. Receivers
// may repeat what they are sent.
func about(condition string) *rows.Set {
	return rows.NewSet(`SELECT v.`+delivery.FieldID+` FROM given JOIN `+delivery.Table+` v ON v.`+delivery.FieldOwner+` = given.owner AND v.`+
		delivery.FieldResourceID+` = given.resource
 WHERE `+condition+` AND NOT EXISTS (SELECT 1 FROM `+event.Table+` e WHERE e.`+event.FieldID+` = v.`+delivery.FieldEventID+
		` AND e.`+event.FieldBody+` NOT LIKE given.mark)`,
		delivery.FieldOwner+bigint, "resource"+text, "mark"+text)
}

var (
	responsesAbout = about(`v.` + delivery.FieldResponseBody + ` <> ''`)
	sendingAbout   = about(rows.Hidden(`v.`+delivery.FieldStatus) + ` = '` + Sending + `'`)
)

var (
	emptyResponses = rows.NewSets(`UPDATE `+delivery.Table+` SET `+delivery.FieldResponseBody+` = '' FROM given WHERE `+rows.Each(delivery.Table)+` AND `+
		delivery.FieldResponseBody+` <> ''`, delivery.FieldID+bigint)
	dropResponses = rows.NewSets(`UPDATE `+delivery.Table+` SET `+delivery.FieldResponseDropped+` = true FROM given WHERE `+rows.Each(delivery.Table)+` AND `+
		rows.Hidden(delivery.Table+`.`+delivery.FieldStatus)+` = '`+Sending+`'`, delivery.FieldID+bigint)
)

// responseChunk is how many answers are emptied in one transaction.
const responseChunk = 1000

// Forgotten is what ForgetResponses has done: how many answers it emptied, and how many attempts are under way whose answers will
// not be kept.
type Forgotten struct{ Emptied, UnderWay int }

// ForgetResponses empties what receivers answered to an owner's events about some resources. Call it when the events are
// rewritten. Answers stay if their event is kept and does not contain the mark, which must have no pattern of LIKE in it.
//
// An attempt that is under way may have sent the event as it was. Its row is marked before the answers are emptied, so what it
// stores is empty, or comes early enough to be emptied. Attempts that begin later send the event as it is now.
func (e *Engine) ForgetResponses(ctx context.Context, owner int64, resources []string, mark string) (done Forgotten, err error) {
	var given []any
	for _, resource := range resources {
		given = append(given, owner, resource, "%"+mark+"%")
	}
	for _, step := range []struct {
		find   *rows.Set
		change *rows.Sets
		count  *int
	}{
		{sendingAbout, dropResponses, &done.UnderWay},
		{responsesAbout, emptyResponses, &done.Emptied},
	} {
		found, err := e.findResponses(ctx, step.find, given)
		if err != nil {
			return done, err
		}
		for chunk := range slices.Chunk(found, responseChunk) {
			err := e.config.Store.Write(ctx, func(ctx context.Context, client *ent.Client) error {
				return e.on(step.change).Exec(ctx, client, rows.IDs(chunk))
			})
			if err != nil {
				return done, err
			}
			*step.count += len(chunk)
		}
	}
	return done, nil
}

func (e *Engine) findResponses(ctx context.Context, find *rows.Set, given []any) (found []int64, err error) {
	err = find.Query(ctx, e.config.Store.Reader(), given, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		found = append(found, id)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look for responses: %w", err)
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}
