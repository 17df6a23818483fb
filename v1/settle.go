package v1

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"sellerd/ent"
	"sellerd/internal/crash"
	"sellerd/v1/wire"
)

// This file settles attempts: what an outcome means for the dispatch, which is delivered, tried again or given up. What
// it means for the endpoint is in endpoint_health.go.

// settle stores outcomes, a group at a time. What belongs to a lease that is no longer ours is dropped: another worker
// has taken over. A group that cannot be stored is stored one by one, so that one outcome cannot take others with it.
func (s *Service) settle(ctx context.Context, outcomes []*attempt) error {
	if len(outcomes) == 0 {
		return nil
	}
	if err := s.ids.prepare(ctx); err != nil {
		return err
	}
	var failed error
	for group := range slices.Chunk(outcomes, settleMost) {
		err := s.settleGroup(ctx, group)
		if err != nil && len(group) > 1 && ctx.Err() == nil && !s.retrier.WillPass(err) {
			err = nil
			for i := range group {
				err = errors.Join(err, s.settleGroup(ctx, group[i:i+1]))
			}
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// settleWhileLeased is settle that does not let go of what is known at the database's first hiccup, but tries again for
// as long as the leases last or the context does.
func (s *Service) settleWhileLeased(ctx context.Context, group []*attempt) error {
	return s.retrier.Offer(ctx, func(ctx context.Context) error { return s.settle(ctx, group) }, func() bool {
		now := s.Uptime()
		group = slices.DeleteFunc(slices.Clone(group), func(a *attempt) bool { return a.settled || now-a.claimed >= deliveryLease })
		return len(group) > 0
	})
}

// settleGroup stores a group of outcomes in one transaction.
func (s *Service) settleGroup(ctx context.Context, group []*attempt) error {
	var w *settlement
	err := s.store.Write(ctx, func(ctx context.Context, client *ent.Client) error {
		w = &settlement{s: s, client: client, now: s.now(), clockRight: s.trustClock() == nil}
		return w.settle(ctx, group)
	})
	if err != nil {
		return fmt.Errorf("settle deliveries: %w", err)
	}
	crash.At(crash.AfterSettle)
	for _, a := range group {
		a.settled = true
	}
	s.counters.StaleLeases.Add(w.stale)
	s.counters.Delivered.Add(w.delivered)
	s.counters.DeliveryFailures.Add(w.failed)
	return nil
}

// settlement is a group of outcomes while its transaction runs.
type settlement struct {
	s          *Service
	client     *ent.Client
	now        Time
	clockRight bool

	stale, delivered, failed int64

	outcomes, ended, unblocked, again, rescheduled []any // rows for the statements
}

var (
	liveLeases = newRowSet(`SELECT d.id, d.lease FROM dispatches d JOIN given ON given.id = d.id
 WHERE d.lease = given.lease AND d.status = 'leased'`, "id bigint", "lease bigint")
	endDeliveries = newRowSet(`UPDATE deliveries SET status = given.outcome, final = given.final, request_headers = given.headers, response_status = given.code,
 response_body = given.body, response_truncated = given.truncated, error_code = given.error, duration_ms = given.took, next_attempt_at = given.next_at
 FROM given WHERE deliveries.id = given.id AND deliveries.status = '`+DeliverySending+`'`,
		"id bigint", "outcome text", "final boolean", "headers text", "code bigint", "body text", "truncated boolean", "error text", "took bigint", "next_at bigint")
	nextDeliveries = newRowSet(`INSERT INTO deliveries (id, owner, dispatch_id, webhook_id, event_id, event_type, resource_id, attempt, trigger, status, final, url,
 request_headers, response_body, response_truncated, scheduled_at, created_at)
 SELECT given.next_id, v.owner, v.dispatch_id, v.webhook_id, v.event_id, v.event_type, v.resource_id, v.attempt + 1, v.trigger, '`+DeliveryScheduled+`', false, given.url,
 '', '', false, given.scheduled_at, given.created_at FROM given JOIN deliveries v ON v.id = given.id`,
		"id bigint", "next_id bigint", "url text", "scheduled_at bigint", "created_at bigint")
	rescheduleDispatches = newRowSet(`UPDATE dispatches SET status = '`+dispatchPending+`', due_at = given.due_at, delivery_id = given.delivery_id, failures = given.failures, lease = 0
 FROM given WHERE dispatches.id = given.id`, "id bigint", "due_at bigint", "delivery_id bigint", "failures bigint")
	dropDispatches = newRowSet(`DELETE FROM dispatches WHERE id IN (SELECT id FROM given)`, "id bigint")

	// wakeNext lets the next event of the same resource go, once the one given does not stand before it any more.
	wakeNext = newRowSet(`UPDATE dispatches SET due_at = given.now, blocked = false FROM given
 WHERE dispatches.id = (SELECT n.id FROM dispatches n WHERE n.webhook_id = given.webhook_id AND n.resource = given.resource
 AND n.sequence > given.sequence ORDER BY n.sequence LIMIT 1)
 AND dispatches.blocked AND dispatches.status = 'pending'`,
		"webhook_id bigint", "resource text", "sequence bigint", "now bigint")
)

// settle decides about each outcome and writes what was decided.
func (w *settlement) settle(ctx context.Context, group []*attempt) error {
	endpoints, err := w.lockEndpoints(ctx, group)
	if err != nil {
		return err
	}
	held, err := w.heldLeases(ctx, group)
	if err != nil {
		return fmt.Errorf("check leases: %w", err)
	}
	for _, a := range group {
		e := endpoints[a.webhook]
		if e == nil || !held[[2]int64{a.dispatch, a.lease}] { // deleted meanwhile, or taken over
			w.stale++
			continue
		}
		if err := w.add(a, e); err != nil {
			return fmt.Errorf("delivery %d: %w", a.delivery, err)
		}
		crash.At(crash.MidSettle)
	}
	return execAll(ctx, w.client, []rowsFor{
		{endDeliveries, w.outcomes},
		{nextDeliveries, w.again},
		{rescheduleDispatches, w.rescheduled},
		{dropDispatches, w.ended},
		{wakeNext, w.unblocked},
		{saveHealth, changedHealth(endpoints, w.now)},
	})
}

// heldLeases are the leases that are still the group's. Nobody ends one without a lock on its webhook, which we have.
func (w *settlement) heldLeases(ctx context.Context, group []*attempt) (map[[2]int64]bool, error) {
	set := make([]any, 0, 2*len(group))
	for _, a := range group {
		set = append(set, a.dispatch, a.lease)
	}
	held := make(map[[2]int64]bool, len(group))
	return held, liveLeases.query(ctx, w.client, set, func(rows *sql.Rows) error {
		var lease [2]int64
		err := rows.Scan(&lease[0], &lease[1])
		held[lease] = true
		return err
	})
}

// add decides what an outcome leads to.
func (w *settlement) add(a *attempt, e *endpoint) error {
	outcome, failures := DeliverySucceeded, a.failures // the transaction may run again, so the attempt stays as it is
	switch a.errorCode {
	case "":
		w.delivered++
	case deliveryInterrupted:
		outcome = DeliveryInterrupted
	default:
		w.failed++
		failures++
		outcome = DeliveryFailed
	}
	if err := allow(DeliveryTransitions, DeliverySending, outcome); err != nil {
		return err
	}
	next, err := w.next(a, failures)
	if err != nil {
		return err
	}
	var code, failure, took, nextAt any
	if a.status != 0 {
		code = a.status
	}
	if a.errorCode != "" {
		failure = a.errorCode
	}
	if !a.lost {
		took = a.took.Milliseconds()
	}
	if next.again {
		nextAt = int64(next.due)
		id := w.s.ids.ordered()
		due := int64(next.due)
		if a.trigger != triggerAutomatic && a.retryAfter == 0 {
			due = 0 // by hand goes before everything, again
		}
		w.again = append(w.again, a.delivery, id, e.row.URL, nextAt, int64(w.now))
		w.rescheduled = append(w.rescheduled, a.dispatch, due, id, failures)
	} else {
		w.ended = append(w.ended, a.dispatch)
		if a.resource != "" {
			w.unblocked = append(w.unblocked, a.webhook, a.resource, a.sequence, int64(w.now))
		}
	}
	w.outcomes = append(w.outcomes, a.delivery, outcome, !next.again, headersAsJSON(a.headers), code, storableText(a.answer), a.truncated, failure, took, nextAt)
	e.note(a, w.now, w.clockRight)
	return nil
}

// following is what an outcome leads to: nothing more, or another attempt.
type following struct {
	again bool
	due   Time
}

// next decides what becomes of a dispatch. Attempts of which nobody knows whether they arrived do not count, and nothing
// is given up for its age while the clock is not trusted.
func (w *settlement) next(a *attempt, failures int) (following, error) {
	due := w.now
	switch {
	case a.succeeded():
		return following{}, nil
	case a.errorCode == deliveryInterrupted:
		due = due.Add(a.retryAfter)
	case failures >= mostAttempts(a.owner, a.trigger):
		return following{}, nil
	default:
		wait, err := w.s.deliveryWait(failures)
		if err != nil {
			return following{}, err
		}
		due = due.Add(max(wait, a.retryAfter))
	}
	if due > a.expires && w.clockRight {
		return following{}, nil
	}
	return following{true, due}, nil
}

// headersAsJSON renders request headers for the record.
func headersAsJSON(h http.Header) string {
	names := make([]string, 0, len(h))
	for name := range h {
		names = append(names, name)
	}
	slices.Sort(names)
	b := append(make([]byte, 0, 512), '{') // as long as they usually are
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(wire.AppendString(b, strings.ToLower(name)), ':')
		b = wire.AppendString(b, h.Get(name))
	}
	return string(append(b, '}'))
}

// storableText is an answer's beginning as text that both databases take.
func storableText(b []byte) string {
	return strings.ReplaceAll(strings.ToValidUTF8(string(b), "\ufffd"), "\x00", "\ufffd")
}
