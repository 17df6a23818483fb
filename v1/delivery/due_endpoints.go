package delivery

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"sellerd/ent/dispatch"
	"sellerd/ent/webhook"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// This file finds the webhooks for which something can be done now.

// dueEndpoint is a webhook with work.
type dueEndpoint struct {
	id       int64
	owner    int64
	byHand   bool  // something was sent by hand, which goes past pauses and rests
	firstDue int64 // when the first of all else was due, 0 if nothing is that may be sent now
	leased   int   // attempts in flight, of all processes
	probing  bool  // its breaker is open, or was: one attempt at a time
	strayed  bool  // something is due absurdly late: the clock was set back

	// What follows is read under the lock.
	locked  bool
	latest  int64     // what is due until then may be sent
	renewed wire.Time // what waited already when it was resumed lives until then at least
	url     string
	format  string
	secrets []string
}

// queue is the pending dispatches that a claim asks for.
type queue struct {
	endpoints  string // finds the webhooks that have some
	dispatches string // finds those of one webhook
}

// The conditions on dispatches d that are pending, and on those among them that were never tried and are not blocked
// either, which have an index to themselves.
const (
	isPending      = `d.` + dispatch.FieldStatus + ` = '` + DispatchPending + `'`
	isFirstPending = isPending + ` AND d.` + dispatch.FieldAttempts + ` = 0 AND NOT d.` + dispatch.FieldBlocked
)

// isLeased is the condition on dispatches d that are in flight.
const isLeased = `d.` + dispatch.FieldStatus + ` = '` + DispatchLeased + `'`

// countOf counts a webhook's dispatches that meet a condition on their status. The order is that of the index that has the
// status first: without it, PostgreSQL would read all that waits for the webhook while it takes the table to be empty.
func countOf(condition, webhookID string) string {
	return `(SELECT count(*) FROM (SELECT d.` + dispatch.FieldID + ` FROM ` + dispatch.Table + ` d WHERE ` + condition +
		` AND d.` + dispatch.FieldWebhookID + ` = ` + webhookID + ` ORDER BY ` + columns("d", dispatch.FieldDueAt, dispatch.FieldID) + `) AS found)`
}

var (
	allPending   = newQueue(isPending)
	firstPending = newQueue(isFirstPending)
)

func newQueue(pending string) *queue {
	return &queue{endpoints: dueEndpoints(pending), dispatches: dueDispatches(pending)}
}

// dueEndpoints finds the webhooks with pending dispatches, by leaping through their index from webhook to webhook, so that
// one with a hundred thousand costs no more than one with a single one. Those that are paused, disabled or rest cost
// least: of them it is only asked whether something was sent by hand. Arguments: now, and until when a rest may last.
func dueEndpoints(pending string) string {
	// of is when a webhook's first or last dispatch that meets conditions is due.
	of := func(order, condition, webhookID, further string) string {
		return `(SELECT d.` + dispatch.FieldDueAt + ` FROM ` + dispatch.Table + ` d WHERE ` + condition + ` AND d.` + dispatch.FieldWebhookID + ` = ` + webhookID +
			further + ` ORDER BY d.` + dispatch.FieldDueAt + order + `, d.` + dispatch.FieldID + order + ` LIMIT 1)`
	}
	const (
		next = `SELECT (SELECT d.` + dispatch.FieldWebhookID + ` FROM ` + dispatch.Table + ` d WHERE `
		// The order is exactly that of the index: for a least value, PostgreSQL would read all of it while it takes the table to be empty.
		first = ` ORDER BY d.` + dispatch.FieldWebhookID + `, d.` + dispatch.FieldDueAt + `, d.` + dispatch.FieldID + ` LIMIT 1)`
		rests = `w.` + webhook.FieldPausedUntil
	)
	return `WITH RECURSIVE waiting(id) AS (
 ` + next + pending + first + `
 UNION ALL
 ` + next + pending + ` AND d.` + dispatch.FieldWebhookID + ` > waiting.id` + first + ` FROM waiting WHERE waiting.id IS NOT NULL),
 endpoints AS MATERIALIZED (SELECT waiting.id, w.` + webhook.FieldID + ` AS webhook,
 ` + columns("w", webhook.FieldOwner, webhook.FieldBreakerLevel, webhook.FieldResuming) + `, coalesce(w.` + webhook.FieldResumedAt + `, 0) AS resumed_at,
 w.` + webhook.FieldStatus + ` = '` + WebhookActive + `' AND (` + rests + ` IS NULL OR ` + rests + ` <= $1 OR ` + rests + ` > $2) AS awake,
 ` + of(``, pending, `waiting.id`, ``) + ` AS head
 FROM waiting LEFT JOIN ` + webhook.Table + ` w ON w.` + webhook.FieldID + ` = waiting.id WHERE waiting.id IS NOT NULL)
 SELECT x.id, x.webhook IS NULL, coalesce(x.` + webhook.FieldOwner + `, 0), coalesce(x.` + webhook.FieldBreakerLevel + `, 0),
 coalesce(x.` + webhook.FieldResuming + `, false), x.resumed_at, coalesce(x.awake, false), coalesce(x.head = 0, false),
 CASE WHEN NOT x.awake THEN NULL WHEN x.head > 0 THEN x.head ELSE ` + of(``, pending, `x.id`, ` AND d.`+dispatch.FieldDueAt+` > 0`) + ` END,
 CASE WHEN x.awake THEN ` + of(` DESC`, isPending, `x.id`, ``) + ` END,
 CASE WHEN x.awake THEN ` + of(` DESC`, isFirstPending, `x.id`, ``) + ` END,
 ` + countOf(isLeased, `x.id`) + `
 FROM endpoints x WHERE x.webhook IS NULL OR x.awake OR x.head = 0`
}

// dueWork is what can be done now.
type dueWork struct {
	endpoints []dueEndpoint
	orphaned  []int64 // webhooks that are deleted, and have left dispatches
}

// dueEndpoints lists the webhooks that have something due and do not rest, longest due first.
func (e *Engine) dueEndpoints(ctx context.Context, now wire.Time, queue *queue) (due dueWork, err error) {
	args := []any{int64(now), int64(now.Add(mostRest))}
	err = rows.Query(ctx, e.config.Store.Reader(), queue.endpoints, args, func(rows *sql.Rows) error {
		var e dueEndpoint
		var orphaned, resuming, awake bool
		var level int
		var resumed int64
		var first, last, lastFirst *int64
		if err := rows.Scan(&e.id, &orphaned, &e.owner, &level, &resuming, &resumed, &awake, &e.byHand, &first, &last, &lastFirst,
			&e.leased); err != nil {
			return err
		}
		if orphaned {
			due.orphaned = append(due.orphaned, e.id)
			return nil
		}
		e.probing = level > 0
		e.strayed = last != nil && *last > int64(now.Add(longestWait)) || lastFirst != nil && *lastFirst > int64(now.Add(mostSkew))
		if first != nil && *first <= int64(now) {
			e.firstDue = max(*first, min(resumed, int64(now))) // what was held is due since it is not any more
		}
		if e.byHand || e.firstDue > 0 || awake && (e.strayed || resuming) {
			due.endpoints = append(due.endpoints, e)
		}
		return nil
	})
	if err != nil {
		return dueWork{}, fmt.Errorf("find due webhooks: %w", err)
	}
	slices.SortFunc(due.endpoints, func(a, b dueEndpoint) int {
		return cmp.Or(cmp.Compare(a.since(), b.since()), cmp.Compare(a.id, b.id))
	})
	return due, nil
}

// since is the order in which endpoints have their turn.
func (e *dueEndpoint) since() int64 {
	if e.byHand {
		return 0
	}
	return e.firstDue
}
