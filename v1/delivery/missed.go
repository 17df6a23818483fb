package delivery

import (
	"context"
	"database/sql"
	"strconv"

	"sellerd/ent"
	entdelivery "sellerd/ent/delivery"
	"sellerd/ent/event"
	"sellerd/internal/base/wrap"
	"sellerd/v1/cause"
	"sellerd/v1/feed"
	"sellerd/v1/rows"
)

// missedRows is how many events a step of a recovery looks at, which bounds its transaction.
const missedRows = 1000

// Event is an event as a recovery looks at it.
type Event struct {
	cause.Event
	CreatedAt, ID   int64
	ResourceType    string
	Resource        int64
	Sequence        int64
	AcceptedOrWaits bool // the webhook has accepted it, or an attempt is planned or in flight
}

// eventsOf are the next events of an owner, and of each whether a webhook has accepted it or it still waits. As long as an
// event waits for a webhook, it has an attempt that is scheduled or in flight. Made-up events are of no webhook but their own.
// The order of the inner query is that of one index: without it, PostgreSQL would read all deliveries of the owner while it
// takes the table to be empty.
var eventsOf = `SELECT ` + columns("e", event.FieldCreatedAt, event.FieldID, event.FieldType, event.FieldResourceType, event.FieldResourceID, event.FieldSequence,
	event.FieldBody, event.FieldKeyID, event.FieldChanged) + `,
 (SELECT v.` + entdelivery.FieldID + ` FROM ` + entdelivery.Table + ` v WHERE v.` + entdelivery.FieldOwner + ` = e.` + event.FieldOwner + `
 AND v.` + entdelivery.FieldEventID + ` >= e.` + event.FieldID + ` AND v.` + entdelivery.FieldEventID + ` <= e.` + event.FieldID + `
 AND v.` + entdelivery.FieldWebhookID + ` + 0 = $1
 AND ` + rows.Hidden("v."+entdelivery.FieldStatus) + ` IN ('` + Succeeded + `', '` + Scheduled + `', '` + Sending + `')
 ORDER BY ` + columns("v", entdelivery.FieldEventID, entdelivery.FieldCreatedAt, entdelivery.FieldID) + ` LIMIT 1) IS NOT NULL
 FROM ` + event.Table + ` e WHERE e.` + event.FieldOwner + ` = $2 AND (e.` + event.FieldCreatedAt + `, e.` + event.FieldID + `) > ($3, $4)
 AND e.` + event.FieldCreatedAt + ` < $5 AND ` + rows.Hidden("e."+event.FieldResourceType) + ` <> '` + feed.SampleResource + `'
 ORDER BY ` + columns("e", event.FieldCreatedAt, event.FieldID) + ` LIMIT ` + strconv.Itoa(missedRows)

// NextEvents reads the next events of an owner before an instant, as one webhook has them, in the order of the feed: those
// behind the event given by its instant and id. There are no more if they are fewer than it looks at.
func NextEvents(ctx context.Context, tx *ent.Client, owner, webhook, afterAt, afterID, until int64) (found []Event, more bool, err error) {
	err = rows.Query(ctx, tx, eventsOf, []any{webhook, owner, afterAt, afterID, until}, func(r *sql.Rows) error {
		var e Event
		var key *string
		err := r.Scan(&e.CreatedAt, &e.ID, &e.Type, &e.ResourceType, &e.Resource, &e.Sequence, &e.Body, &key, &e.Changed, &e.AcceptedOrWaits)
		if key != nil {
			e.KeyID = *key
		}
		found = append(found, e)
		return err
	})
	return found, len(found) == missedRows, wrap.Err(err, "look for missed events")
}
