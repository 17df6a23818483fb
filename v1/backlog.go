package v1

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"

	"sellerd/ent"
)

// What concerns all that waits for a webhook, which may be a million dispatches, is done lazily or a chunk at a time, so
// that nobody waits for the writer. Pausing and disabling touch no dispatch: the webhook's state alone keeps them from
// being claimed. This file does the rest: what was held and was due at some later time is made due after a resumption
// (that it has its whole schedule before it again is seen to when it is claimed), what a clock that was set back has
// put off goes now, and what a deleted webhook leaves is cancelled.

// backlogChunk is how many dispatches are changed in one transaction.
const backlogChunk = 500

// makeDue is a statement that makes a chunk of a webhook's dispatches due: those that would be due after $3 only.
// Arguments are numbered in the order in which they first appear, which is how SQLite's driver counts them.
func makeDue(which, further string) string {
	return `UPDATE dispatches SET due_at = $1 WHERE status = 'pending' AND id IN (SELECT d.id FROM dispatches d WHERE ` + which +
		` AND d.webhook_id = $2 AND d.due_at > $3` + further + ` ORDER BY d.due_at, d.id LIMIT ` + strconv.Itoa(backlogChunk) + `)`
}

var (
	recallStrayed = makeDue(anyAttempt.pending(), ``)
	recallFirst   = makeDue(firstAttempt.pending(), ``)
	recallHeld    = makeDue(anyAttempt.pending(), ` AND d.expires_at < $4`)
)

// recall makes due what waits at an endpoint for longer than it has to, a chunk of it.
func (w *claimWork) recall(ctx context.Context, e *dueEndpoint, resuming bool) error {
	now := int64(w.now)
	due := func(text string, args ...any) (all bool, err error) {
		if w.recalled >= backlogChunk { // of all endpoints together, for one claim
			w.again = true
			return false, nil
		}
		n, err := affect(ctx, w.client, text, append([]any{now, e.id}, args...)...)
		if err != nil {
			return false, fmt.Errorf("make dispatches due: %w", err)
		}
		w.recalled += n
		w.again = w.again || n == backlogChunk
		return n < backlogChunk, nil
	}
	if e.strayed {
		if _, err := due(recallStrayed, int64(w.now.Add(longestWait))); err != nil {
			return err
		}
		if _, err := due(recallFirst, int64(w.now.Add(mostSkew))); err != nil {
			return err
		}
	}
	if !resuming {
		return nil
	}
	all, err := due(recallHeld, now, int64(e.renewed))
	if err != nil || !all {
		return err
	}
	if _, err := w.client.ExecContext(ctx, `UPDATE webhooks SET resuming = false WHERE id = $1`, e.id); err != nil {
		return fmt.Errorf("end resuming: %w", err)
	}
	return nil
}

// adoptHeld makes pending what a program from before this one has put aside as held, a chunk of it: servers are replaced
// one by one, and may go back.
func (s *Service) adoptHeld(ctx context.Context) error {
	held := false
	err := queryRows(ctx, s.store.Reader(), `SELECT 1 FROM dispatches WHERE status = 'held' LIMIT 1`, nil, func(*sql.Rows) error { held = true; return nil })
	if err != nil || !held {
		return err
	}
	return s.store.Write(ctx, func(ctx context.Context, client *ent.Client) error {
		_, err := client.ExecContext(ctx, `UPDATE dispatches SET status = 'pending' WHERE status = 'held' AND id IN (
 SELECT id FROM dispatches WHERE status = 'held' ORDER BY webhook_id, due_at, id LIMIT `+strconv.Itoa(backlogChunk)+" "+s.store.SkipLocked()+`)`)
		return err
	})
}

var (
	dropDeliveries      = newRowSet(moveDeliveries(DeliveryScheduled, DeliveryCancelled, `final = true, next_attempt_at = NULL`), "id bigint")
	interruptDeliveries = newRowSet(moveDeliveries(DeliverySending, DeliveryInterrupted, `final = true, error_code = '`+deliveryInterrupted+`'`), "id bigint")
)

// cancelOrphans ends a chunk of what was on its way to a webhook that is deleted, and first what is in flight, of which
// nobody will learn the outcome. It says whether there may be more.
func (s *Service) cancelOrphans(ctx context.Context, client *ent.Client, webhook int64) (more bool, err error) {
	for _, of := range []struct {
		status string
		end    *rowSet
	}{{dispatchLeased, interruptDeliveries}, {dispatchPending, dropDeliveries}} {
		var dispatches, deliveries []any
		// Another process may be at it, too.
		text := `SELECT id, delivery_id FROM dispatches WHERE status = '` + of.status + `' AND webhook_id = $1 ORDER BY due_at, id LIMIT ` +
			strconv.Itoa(backlogChunk) + " " + s.store.SkipLocked()
		err := queryRows(ctx, client, text, []any{webhook}, func(rows *sql.Rows) error {
			var id, delivery int64
			err := rows.Scan(&id, &delivery)
			dispatches, deliveries = append(dispatches, id), append(deliveries, delivery)
			return err
		})
		if err == nil {
			err = execAll(ctx, client, []rowsFor{{of.end, deliveries}, {dropDispatches, dispatches}})
		}
		if err != nil {
			return false, fmt.Errorf("cancel dispatches of webhook %d: %w", webhook, err)
		}
		more = more || len(dispatches) == backlogChunk
	}
	return more, nil
}
