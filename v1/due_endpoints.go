package v1

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"
)

// This file finds the webhooks for which something can be done now.

// No pending dispatch waits for longer than longestWait, no first attempt for longer than a few clocks differ, unless it
// is blocked, and no lease lasts longer than longestLease as another process's clock sees it. What seems to was written
// before the clock was set back.
const (
	longestWait  = 29 * time.Hour
	mostSkew     = time.Minute
	longestLease = 2 * deliveryLease
)

// dueEndpoint is a webhook with work.
type dueEndpoint struct {
	id       int64
	owner    Owner
	byHand   bool  // something was sent by hand, which goes past pauses and rests
	firstDue int64 // when the first of all else was due, 0 if nothing is that may be sent now
	inFlight int   // attempts, of all processes
	probing  bool  // its breaker is open, or was: one attempt at a time
	strayed  bool  // something is due absurdly late: the clock was set back

	// What follows is read under the lock.
	locked  bool
	latest  int64 // what is due until then may be sent
	renewed Time  // what waited already when it was resumed lives until then at least
	url     string
	format  string
	secrets []string
}

// attemptKind says which dispatches are asked for: all that are pending, or those that were never tried and are not blocked
// either, which have an index to themselves.
type attemptKind bool

const (
	anyAttempt   attemptKind = false
	firstAttempt attemptKind = true
)

// pending is the condition on dispatches d.
func (k attemptKind) pending() string {
	if k == firstAttempt {
		return pendingFirst
	}
	return `d.status = 'pending'`
}

const pendingFirst = `d.status = 'pending' AND d.attempts = 0 AND NOT d.blocked`

// dueEndpoints finds the webhooks with pending dispatches, by leaping through their index from webhook to webhook, so that
// one with a hundred thousand costs no more than one with a single one. Those that are paused, disabled or rest cost
// least: of them it is only asked whether something was sent by hand.
var dueEndpoints = map[attemptKind]string{anyAttempt: dueEndpointsOf(anyAttempt), firstAttempt: dueEndpointsOf(firstAttempt)}

func dueEndpointsOf(kind attemptKind) string {
	pending := kind.pending()
	return `WITH RECURSIVE waiting(id) AS (
 SELECT (SELECT min(d.webhook_id) FROM dispatches d WHERE ` + pending + `)
 UNION ALL
 SELECT (SELECT min(d.webhook_id) FROM dispatches d WHERE ` + pending + ` AND d.webhook_id > waiting.id) FROM waiting WHERE waiting.id IS NOT NULL),
 endpoints AS MATERIALIZED (SELECT waiting.id, w.id AS webhook, w.owner, w.breaker_level, w.resuming, coalesce(w.resumed_at, 0) AS resumed_at,
 w.status = 'active' AND (w.paused_until IS NULL OR w.paused_until <= $1 OR w.paused_until > $2) AS awake,
 (SELECT min(d.due_at) FROM dispatches d WHERE ` + pending + ` AND d.webhook_id = waiting.id) AS head
 FROM waiting LEFT JOIN webhooks w ON w.id = waiting.id WHERE waiting.id IS NOT NULL)
 SELECT x.id, x.webhook IS NULL, coalesce(x.owner, 0), coalesce(x.breaker_level, 0), coalesce(x.resuming, false), x.resumed_at, coalesce(x.awake, false), coalesce(x.head = 0, false),
 CASE WHEN NOT x.awake THEN NULL WHEN x.head > 0 THEN x.head ELSE (SELECT min(d.due_at) FROM dispatches d WHERE ` + pending + ` AND d.webhook_id = x.id AND d.due_at > 0) END,
 CASE WHEN x.awake THEN (SELECT max(d.due_at) FROM dispatches d WHERE d.status = 'pending' AND d.webhook_id = x.id) END,
 CASE WHEN x.awake THEN (SELECT max(d.due_at) FROM dispatches d WHERE ` + pendingFirst + ` AND d.webhook_id = x.id) END,
 (SELECT count(*) FROM dispatches d WHERE d.status = 'leased' AND d.webhook_id = x.id)
 FROM endpoints x WHERE x.webhook IS NULL OR x.awake OR x.head = 0`
}

// dueWork is what can be done now.
type dueWork struct {
	endpoints []dueEndpoint
	orphaned  []int64 // webhooks that are deleted, and have left dispatches
}

// dueEndpoints lists the webhooks that have something due and do not rest, longest due first.
func (s *Service) dueEndpoints(ctx context.Context, now Time, kind attemptKind) (due dueWork, err error) {
	args := []any{int64(now), int64(now.Add(mostRest))}
	err = queryRows(ctx, s.store.Reader(), dueEndpoints[kind], args, func(rows *sql.Rows) error {
		var e dueEndpoint
		var orphaned, resuming, awake bool
		var level int
		var resumed int64
		var first, last, lastFirst *int64
		if err := rows.Scan(&e.id, &orphaned, &e.owner, &level, &resuming, &resumed, &awake, &e.byHand, &first, &last, &lastFirst, &e.inFlight); err != nil {
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

// resting says whether an endpoint rests. A rest that is longer than any is one from before the clock was set back.
func resting(until, now Time) bool { return until > now && until <= now.Add(mostRest) }
