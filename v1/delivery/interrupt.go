package delivery

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"

	"sellerd/ent"
	"sellerd/ent/dispatch"
	"sellerd/ent/event"
	"sellerd/internal/base/wrap"
	"sellerd/v1/lease"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// This file ends attempts whose outcome is not known and will not be: their workers are gone, or never learned that they
// had them. Whether the receiver got the event is not known, so another attempt follows.

var lostColumns = `SELECT ` + columns("d", dispatch.FieldID, dispatch.FieldDeliveryID, dispatch.FieldWebhookID, dispatch.FieldEventID, dispatch.FieldOwner,
	dispatch.FieldLease, dispatch.FieldAttempts, dispatch.FieldFailures, dispatch.FieldTrigger, dispatch.FieldResource, dispatch.FieldSequence,
	dispatch.FieldExpiresAt) + `, coalesce(e.` + event.FieldCreatedAt + `, 0)
 FROM ` + dispatch.Table + ` d LEFT JOIN ` + event.Table + ` e ON e.` + event.FieldID + ` = d.` + dispatch.FieldEventID + `
 WHERE d.` + dispatch.FieldStatus + ` = '` + DispatchLeased + `'`

// lostDeliveries are the attempts whose leases have run out. A lease that ends later than any can was made before
// the clock was set back. When it ends is not known, so it counts as ended. Arguments: now, and until when a lease may last.
var lostDeliveries = lostColumns + ` AND (d.` + dispatch.FieldDueAt + ` <= $1 OR d.` + dispatch.FieldDueAt + ` > $2)
 ORDER BY ` + columns("d", dispatch.FieldDueAt, dispatch.FieldID) + ` LIMIT ` + strconv.Itoa(slotsInAll)

// unansweredDeliveries are those of claims whose commits were not answered, whose tokens are added to it. They were not
// sent.
var unansweredDeliveries = lostColumns + ` AND d.` + dispatch.FieldLease + ` IN (`

// InterruptLost ends attempts whose leases have run out.
func (e *Engine) InterruptLost(ctx context.Context) error {
	now := e.now()
	return errors.Join(e.interruptUnanswered(ctx), e.interrupt(ctx, lostDeliveries, int64(now), int64(now.Add(longestLease))))
}

// interruptUnanswered ends attempts that were claimed without an answer. The log shows them as interrupted, for they were
// on it as sending.
func (e *Engine) interruptUnanswered(ctx context.Context) error {
	tokens := e.unanswered.Due(e.config.Uptime())
	if len(tokens) == 0 {
		return nil
	}
	return e.interrupt(ctx, unansweredDeliveries+rows.NumberList(tokens)+")")
}

// interrupt ends the attempts that a query finds.
func (e *Engine) interrupt(ctx context.Context, query string, args ...any) error {
	var lost []*Attempt
	err := rows.Query(ctx, e.config.Store.Reader(), query, args, func(rows *sql.Rows) error {
		a := &Attempt{result: result{errorCode: codeInterrupted, lost: true}}
		lost = append(lost, a)
		return rows.Scan(&a.Dispatch, &a.delivery, &a.webhook, &a.event, &a.owner, &a.token, &a.Number, &a.failures, &a.trigger, &a.resource,
			&a.sequence, &a.expires,
			&a.eventCreated)
	})
	if err != nil {
		return fmt.Errorf("find lost deliveries: %w", err)
	}
	return e.Settle(ctx, lost)
}

// Release is what an engine does last: what was committed of claims that were not answered need not wait for the end of
// its lease.
func (e *Engine) Release(ctx context.Context) error {
	ctx, cancel := lease.Detached(ctx)
	defer cancel()
	e.unanswered.Hurry()
	return e.interruptUnanswered(ctx)
}

// resumeLeases ends the leases that last beyond an instant.
const resumeLeases = `UPDATE ` + dispatch.Table + ` SET ` + dispatch.FieldDueAt + ` = $1
 WHERE ` + dispatch.FieldStatus + ` = '` + DispatchLeased + `' AND ` + dispatch.FieldDueAt + ` > $1`

// Resume ends all leases: the program knows that the only process which could have them was killed. The client is a
// transaction's.
func (e *Engine) Resume(ctx context.Context, client *ent.Client, now wire.Time) error {
	_, err := client.ExecContext(ctx, resumeLeases, int64(now))
	return wrap.Err(err, "resume deliveries")
}
