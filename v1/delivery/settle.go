package delivery

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"sellerd/ent"
	"sellerd/internal/base/crash"
	"sellerd/internal/base/tracing"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// This file settles attempts: what an outcome means for the dispatch, which is delivered, tried again or given up. What
// it means for the endpoint is in endpoint_health.go.

// Settle stores outcomes, a group at a time. What belongs to a lease that is no longer ours is dropped: another worker
// has taken over. A group that cannot be stored is stored one by one, so that one outcome cannot take others with it.
func (e *Engine) Settle(ctx context.Context, outcomes []*Attempt) error {
	if len(outcomes) == 0 {
		return nil
	}
	if err := e.config.PrepareIDs(ctx); err != nil {
		return err
	}
	var failed error
	for group := range slices.Chunk(outcomes, settleMost) {
		err := e.settleGroup(ctx, group)
		if err != nil && len(group) > 1 && ctx.Err() == nil && !e.config.Retrier.WillPass(err) {
			err = nil
			for i := range group {
				err = errors.Join(err, e.settleGroup(ctx, group[i:i+1]))
			}
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// SettleWhileLeased is Settle that does not let go of what is known at the database's first hiccup, but tries again for
// as long as the leases last or the context does.
func (e *Engine) SettleWhileLeased(ctx context.Context, group []*Attempt) error {
	return e.config.Retrier.Offer(ctx, func(ctx context.Context) error { return e.Settle(ctx, group) }, func() bool {
		now := e.config.Uptime()
		group = slices.DeleteFunc(slices.Clone(group), func(a *Attempt) bool { return a.settled || now-a.claimedUptime >= leaseTime })
		return len(group) > 0
	})
}

// settleGroup stores a group of outcomes in one transaction.
func (e *Engine) settleGroup(ctx context.Context, group []*Attempt) error {
	var s *settlement
	err := e.config.Store.Write(ctx, func(ctx context.Context, client *ent.Client) error {
		s = &settlement{
			e: e, client: client, now: e.now(), clockRight: e.clockRight(),
			outcomes: make([]any, 0, 10*len(group)), ended: make([]any, 0, len(group)), // ten columns each
		}
		return s.settle(ctx, group)
	})
	if err != nil {
		return fmt.Errorf("settle deliveries: %w", err)
	}
	crash.At(crash.AfterSettle)
	for _, a := range group {
		a.settled = true
	}
	e.config.Stored(s.delivered, s.failed, s.stale)
	return nil
}

// settlement is a group of outcomes while its transaction runs.
type settlement struct {
	e          *Engine
	client     *ent.Client
	now        wire.Time
	clockRight bool

	stale, delivered, failed int64

	// The rows that the statements are given.
	outcomes, again, rescheduled []any
	ended                        []any // dispatches that are delivered, or given up
	unblocked                    []any
}

// settle decides about each outcome and writes what was decided.
func (s *settlement) settle(ctx context.Context, group []*Attempt) error {
	endpoints, err := s.lockEndpoints(ctx, group)
	if err != nil {
		return err
	}
	held, err := s.heldLeases(ctx, group)
	if err != nil {
		return fmt.Errorf("check leases: %w", err)
	}
	for _, a := range group {
		h := endpoints[a.webhook]
		if token, leased := held[a.Dispatch]; h == nil || !leased || token != a.token { // deleted meanwhile, or taken over
			s.stale++
			continue
		}
		if err := s.add(a, h); err != nil {
			return fmt.Errorf("delivery %d: %w", a.delivery, err)
		}
		crash.At(crash.MidSettle)
	}
	return rows.ExecAll(s.e.config.Store.Late(ctx), s.client, []rows.For{
		{Statement: s.e.on(endDeliveries), Set: s.outcomes},
		{Statement: s.e.on(nextDeliveries), Set: s.again},
		{Statement: s.e.on(rescheduleDispatches), Set: s.rescheduled},
		{Statement: s.e.on(dropDispatches), Set: s.ended},
		{Statement: s.e.wakeNext(), Set: s.unblocked},
		{Statement: saveHealth, Set: changedHealth(endpoints, s.now)},
	})
}

// heldLeases are the leases that are still the group's: the tokens of dispatches. They are ended under a lock on their webhook only, which
// we have.
func (s *settlement) heldLeases(ctx context.Context, group []*Attempt) (map[int64]int64, error) {
	leases := make([]any, 0, 2*len(group))
	for _, a := range group {
		leases = append(leases, a.Dispatch, a.token)
	}
	held := make(map[int64]int64, len(group))
	return held, s.e.on(liveLeases).Query(ctx, s.client, leases, func(rows *sql.Rows) error {
		var dispatch, token int64
		err := rows.Scan(&dispatch, &token)
		held[dispatch] = token
		return err
	})
}

// add decides what an outcome leads to.
func (s *settlement) add(a *Attempt, h *health) error {
	outcome, failures := Succeeded, a.failures // the transaction may run again, so the attempt stays as it is
	switch a.errorCode {
	case "":
		s.delivered++
	case codeInterrupted:
		outcome = Interrupted
	default:
		s.failed++
		failures++
		outcome = Failed
	}
	if err := allowMove(Sending, outcome); err != nil {
		return err
	}
	next, err := s.next(a, failures)
	if err != nil {
		return err
	}
	if next.again {
		id, due := s.e.config.NextID(), next.due
		if byHand(a.trigger) && a.retryAfter == 0 {
			due = 0 // by hand goes before everything, again
		}
		s.again = append(s.again, a.delivery, id, h.row.URL, tracing.Headers(a.trace), int64(next.due), int64(s.now))
		s.rescheduled = append(s.rescheduled, a.Dispatch, int64(due), id, failures)
	} else {
		s.ended = append(s.ended, a.Dispatch)
		if a.resource != "" {
			s.unblocked = append(s.unblocked, a.webhook, a.resource, a.sequence, int64(s.now))
		}
	}
	s.outcomes = append(s.outcomes, a.delivery, outcome, !next.again, headersAsJSON(a.headers), nullUnless(a.status != 0, a.status),
		storableText(a.answer), a.truncated, nullUnless(a.errorCode != "", a.errorCode), nullUnless(!a.lost, a.took.Milliseconds()),
		nullUnless(next.again, int64(next.due)))
	h.note(a, s.now, s.clockRight)
	return nil
}

// following is what an outcome leads to: nothing more, or another attempt.
type following struct {
	again bool
	due   wire.Time
}

// next decides what becomes of a dispatch. Attempts that may or may not have arrived do not count, and nothing
// is given up for its age while the clock is not trusted.
func (s *settlement) next(a *Attempt, failures int) (following, error) {
	due := s.now
	switch {
	case a.succeeded():
		return following{}, nil
	case a.errorCode == codeInterrupted:
		due = due.Add(a.retryAfter)
	case failures >= s.e.mostAttempts(a.owner, a.trigger):
		return following{}, nil
	default:
		wait, err := s.e.wait(failures)
		if err != nil {
			return following{}, err
		}
		due = due.Add(max(wait, a.retryAfter))
	}
	if due > a.expires && s.clockRight {
		return following{}, nil
	}
	return following{again: true, due: due}, nil
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
		b = wire.AppendString(b, strings.Join(h[name], ", ")) // not by Get, which finds no name that is spelled otherwise
	}
	return string(append(b, '}'))
}

// storableText is an answer's beginning as text that both databases take.
func storableText(b []byte) string {
	return strings.ReplaceAll(strings.ToValidUTF8(string(b), "\ufffd"), "\x00", "\ufffd")
}
