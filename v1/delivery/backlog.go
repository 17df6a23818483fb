package delivery

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"time"

	"sellerd/ent"
	"sellerd/ent/delivery"
	"sellerd/ent/dispatch"
	"sellerd/ent/webhook"
	"sellerd/internal/base/wrap"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// What concerns all that waits for a webhook, which may be a million dispatches, is done lazily or a chunk at a time, so
// that it holds the writer for a moment only. Pausing and disabling touch no dispatch: the webhook's state alone keeps
// them from being claimed. This file does the rest. What was held and was due at some later time is made due after a
// resumption (that it has its whole schedule before it again is seen to when it is claimed); what a clock that was set
// back has put off goes now; and what a deleted webhook leaves, or is too old, is cancelled.

// BacklogChunk is how many dispatches are changed in one transaction.
const BacklogChunk = 500

// chosen is the condition that a row is one of those that a query about rows d chooses. The query says %s where it names
// what it returns: their physical places on PostgreSQL, for the reason that rows.Sets gives, and their ids on SQLite.
func (e *Engine) chosen(query string) string {
	if e.postgres {
		return `ctid = ANY(ARRAY(` + fmt.Sprintf(query, `ctid`) + `))`
	}
	return dispatch.FieldID + ` IN (` + fmt.Sprintf(query, dispatch.FieldID) + `)`
}

// makeDue is a statement that makes a chunk of a webhook's dispatches due: those that would be due after $3 only.
// Arguments are numbered in the order in which they first appear, which is how SQLite's driver counts them.
func (e *Engine) makeDue(which, further string) string {
	return `UPDATE ` + dispatch.Table + ` SET ` + dispatch.FieldDueAt + ` = $1 WHERE ` +
		e.chosen(`SELECT d.%s FROM `+dispatch.Table+` d WHERE `+which+` AND d.`+dispatch.FieldWebhookID+` = $2 AND d.`+dispatch.FieldDueAt+` > $3`+further+
			` ORDER BY `+columns("d", dispatch.FieldDueAt, dispatch.FieldID)+` LIMIT `+strconv.Itoa(BacklogChunk))
}

func (e *Engine) recallStrayed() string { return e.makeDue(isPending, ``) }
func (e *Engine) recallFirst() string   { return e.makeDue(isFirstPending, ``) }
func (e *Engine) recallHeld() string {
	return e.makeDue(isPending, ` AND d.`+dispatch.FieldExpiresAt+` < $4`)
}

// endResuming notes that all that was held at a webhook is due.
const endResuming = `UPDATE ` + webhook.Table + ` SET ` + webhook.FieldResuming + ` = false WHERE ` + webhook.FieldID + ` = $1`

// recall makes due what waits at an endpoint for longer than it has to, a chunk of it.
func (c *claim) recall(ctx context.Context, e *dueEndpoint, resuming bool) error {
	now := int64(c.now)
	due := func(statement string, args ...any) (all bool, err error) {
		if c.recalled >= BacklogChunk { // of all endpoints together, for one claim
			c.again = true
			return false, nil
		}
		n, err := rows.Affect(ctx, c.client, statement, append([]any{now, e.id}, args...)...)
		if err != nil {
			return false, fmt.Errorf("make dispatches due: %w", err)
		}
		c.recalled += n
		c.again = c.again || n == BacklogChunk
		return n < BacklogChunk, nil
	}
	if e.strayed {
		if _, err := due(c.e.recallStrayed(), int64(c.now.Add(longestWait))); err != nil {
			return err
		}
		if _, err := due(c.e.recallFirst(), int64(c.now.Add(mostSkew))); err != nil {
			return err
		}
	}
	if !resuming {
		return nil
	}
	all, err := due(c.e.recallHeld(), now, int64(e.renewed))
	if err != nil || !all {
		return err
	}
	_, err = c.client.ExecContext(ctx, endResuming, e.id)
	return wrap.Err(err, "end resuming")
}

// dispatchHeld is the state in which a program from before this one has put dispatches aside.
const dispatchHeld = "held"

const anyHeld = `SELECT 1 FROM ` + dispatch.Table + ` WHERE ` + dispatch.FieldStatus + ` = '` + dispatchHeld + `' LIMIT 1`

func (e *Engine) adoption() string {
	return `UPDATE ` + dispatch.Table + ` SET ` + dispatch.FieldStatus + ` = '` + DispatchPending + `' WHERE ` +
		e.chosen(e.config.Store.SkipLocked(`SELECT d.%s FROM `+dispatch.Table+` d WHERE d.`+dispatch.FieldStatus+` = '`+dispatchHeld+`'
 ORDER BY `+columns("d", dispatch.FieldWebhookID, dispatch.FieldDueAt, dispatch.FieldID)+` LIMIT `+strconv.Itoa(BacklogChunk)))
}

// adoptHeld makes pending what a program from before this one has put aside as held, a chunk of it: servers are replaced
// one by one, and may go back.
func (e *Engine) adoptHeld(ctx context.Context) error {
	held := false
	err := rows.Query(ctx, e.config.Store.Reader(), anyHeld, nil, func(*sql.Rows) error { held = true; return nil })
	if err != nil || !held {
		return err
	}
	return e.config.Store.Write(ctx, func(ctx context.Context, client *ent.Client) error {
		_, err := client.ExecContext(ctx, e.adoption())
		return err
	})
}

// CancelOrphans ends a chunk of what was on its way to a webhook that is deleted, and first what is in flight, with an
// outcome that can be learned no more. It says whether there may be more. The client is that of the transaction in which
// the webhook is deleted, or of a later one.
func (e *Engine) CancelOrphans(ctx context.Context, client *ent.Client, webhook int64) (more bool, err error) {
	for _, of := range []struct {
		status string
		end    *rows.Sets
	}{{DispatchLeased, interruptDeliveries}, {DispatchPending, cancelDeliveries}} {
		var dispatches, deliveries []any
		// Another process may be at it, too.
		statement := e.config.Store.SkipLocked(`SELECT ` + columnNames(dispatch.FieldID, dispatch.FieldDeliveryID) +
			` FROM ` + dispatch.Table + ` WHERE ` + dispatch.FieldStatus + ` = '` + of.status + `' AND ` + dispatch.FieldWebhookID + ` = $1` +
			` ORDER BY ` + columnNames(dispatch.FieldDueAt, dispatch.FieldID) + ` LIMIT ` + strconv.Itoa(BacklogChunk))
		err := rows.Query(ctx, client, statement, []any{webhook}, func(rows *sql.Rows) error {
			var id, delivery int64
			err := rows.Scan(&id, &delivery)
			dispatches, deliveries = append(dispatches, id), append(deliveries, delivery)
			return err
		})
		if err == nil {
			err = rows.ExecAll(ctx, client,
				[]rows.For{{Statement: e.on(of.end), Set: deliveries}, {Statement: e.on(dropDispatches), Set: dispatches}})
		}
		if err != nil {
			return false, fmt.Errorf("cancel dispatches of webhook %d: %w", webhook, err)
		}
		more = more || len(dispatches) == BacklogChunk
	}
	return more, nil
}

// oldDispatches are those between two ids that are given up. Their webhooks come with them, because a dispatch is ended
// only under a lock on its webhook (claim.go).
var oldDispatches = `SELECT ` + columns("d", dispatch.FieldID, dispatch.FieldDeliveryID, dispatch.FieldWebhookID, dispatch.FieldResource, dispatch.FieldSequence) + `
 FROM ` + dispatch.Table + ` d JOIN ` + webhook.Table + ` w ON w.` + webhook.FieldID + ` = d.` + dispatch.FieldWebhookID +
	` JOIN ` + delivery.Table + ` v ON v.` + delivery.FieldID + ` = d.` + dispatch.FieldDeliveryID + `
 WHERE d.` + dispatch.FieldID + ` > $1 AND d.` + dispatch.FieldID + ` <= $2 AND d.` + dispatch.FieldCreatedAt + ` < $3 AND ` +
	`d.` + dispatch.FieldStatus + ` <> '` + DispatchLeased + `' ORDER BY d.` + dispatch.FieldID

// dropUnleased deletes the dispatches given, unless they are in flight.
var dropUnleased = rows.NewSets(`DELETE FROM `+dispatch.Table+` WHERE `+rows.Any(dispatch.Table)+` AND `+
	rows.Hidden(dispatch.FieldStatus)+` <> '`+DispatchLeased+`'`, dispatch.FieldID+bigint)

// giveUpOld cancels what was made before an instant, of the dispatches with an id after one and up to another, and says
// how many those were. A dispatch that is in flight is left to its worker. The client is a transaction's.
func (e *Engine) giveUpOld(ctx context.Context, client *ent.Client, after, until int64, before wire.Time) (int, error) {
	now := e.now()
	var given, cancelled, unblocked []any
	args := []any{after, until, int64(before)}
	err := rows.Query(ctx, client, e.config.Store.SkipLocked(oldDispatches), args, func(rows *sql.Rows) error {
		var id, delivery int64
		var webhook, sequence int64
		var resource string
		err := rows.Scan(&id, &delivery, &webhook, &resource, &sequence)
		given, cancelled = append(given, id), append(cancelled, delivery)
		if resource != "" {
			unblocked = append(unblocked, webhook, resource, sequence, int64(now))
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	return len(given), rows.ExecAll(ctx, client, []rows.For{
		{Statement: e.on(cancelDeliveries), Set: cancelled},
		{Statement: e.on(dropUnleased), Set: given},
		{Statement: e.wakeNext(), Set: unblocked},
	})
}

// Backlog is how the outbox stands, for the metrics.
type Backlog struct {
	Waiting   int           // dispatches that wait for a webhook that can take them, or are in flight
	Held      int           // those of paused and disabled webhooks
	OldestDue time.Duration // how long the oldest that could be sent has been due; 0 when none is
	Failing   int           // webhooks whose last attempts failed, so that they rest, and that have something waiting
}

// countDispatches counts by webhook first, which the index alone answers, and then looks at the few webhooks. What is sent
// by hand waits for nothing.
const countDispatches = `SELECT coalesce(sum(CASE WHEN ` + takesNow + ` THEN x.n ELSE x.by_hand END), 0),
 coalesce(sum(CASE WHEN ` + takesNow + ` THEN 0 ELSE x.n - x.by_hand END), 0),
 count(CASE WHEN w.` + webhook.FieldBreakerLevel + ` > 0 AND x.` + dispatch.FieldStatus + ` = '` + DispatchPending + `' THEN 1 END)
 FROM (SELECT ` + dispatch.FieldStatus + `, ` + dispatch.FieldWebhookID + `, count(*) AS n, count(CASE WHEN ` + dispatch.FieldDueAt + ` = 0 THEN 1 END) AS by_hand
 FROM ` + dispatch.Table + ` GROUP BY ` + dispatch.FieldStatus + `, ` + dispatch.FieldWebhookID + `) AS x
 JOIN ` + webhook.Table + ` w ON w.` + webhook.FieldID + ` = x.` + dispatch.FieldWebhookID

const takesNow = `w.` + webhook.FieldStatus + ` = '` + WebhookActive + `' OR x.` + dispatch.FieldStatus + ` = '` + DispatchLeased + `'`

// Backlog looks at the outbox. Endpoints that rest do not count as due.
func (e *Engine) Backlog(ctx context.Context) (Backlog, error) {
	var b Backlog
	now := e.now()
	err := rows.Query(ctx, e.config.Store.Reader(), countDispatches, nil, func(rows *sql.Rows) error { return rows.Scan(&b.Waiting, &b.Held, &b.Failing) })
	if err != nil {
		return b, fmt.Errorf("count dispatches: %w", err)
	}
	due, err := e.dueEndpoints(ctx, now, allPending)
	if err != nil {
		return b, err
	}
	for _, endpoint := range due.endpoints {
		if endpoint.firstDue > 0 {
			b.OldestDue = max(b.OldestDue, now.Sub(wire.Time(endpoint.firstDue)))
		}
	}
	return b, nil
}
