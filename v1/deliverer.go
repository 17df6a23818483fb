package v1

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// The deliverer sends events to webhooks: claim.go takes what can start now, send.go sends it, and this file runs the
// two side by side, settling the outcomes in groups (settle.go). Any number of processes may do so on one database.

// deliveryWaits are the schedule: after the first failure 5 s, and so on; ten attempts over 75 h 35 min. Each wait is made
// longer by a random part of a fifth at most, never shorter, so that receivers do not see what failed together come
// back together.
var deliveryWaits = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// testAttempts is how often an event of test data is sent at most.
const testAttempts = 4

// mostAttempts is how often an event is sent by itself.
func mostAttempts(owner Owner, trigger string) int {
	switch {
	case trigger != triggerAutomatic:
		return 1
	case owner.Test():
		return testAttempts
	default:
		return len(deliveryWaits) + 1
	}
}

// deliveryWait is how long after a dispatch's nth failure its next attempt is due.
func (s *Service) deliveryWait(failures int) (time.Duration, error) {
	wait := deliveryWaits[min(failures, len(deliveryWaits))-1]
	luck, err := rand.Int(s.Random, big.NewInt(int64(wait/5)+1))
	if err != nil {
		return 0, fmt.Errorf("random: %w", err)
	}
	return wait + time.Duration(luck.Int64()), nil
}

// DeliverOnce claims what is due, sends it and settles the outcomes; it says how many attempts it made.
func (s *Service) DeliverOnce(ctx context.Context) (int, error) {
	if err := cmp.Or(s.interruptLost(ctx), s.adoptHeld(ctx)); err != nil {
		return 0, err
	}
	took, err := s.claimDeliveries(ctx, newFlights())
	for err == nil && len(took.attempts) == 0 && took.again { // some were put aside; perhaps there are others behind them
		took, err = s.claimDeliveries(ctx, newFlights())
	}
	if err != nil {
		return 0, err
	}
	var wg sync.WaitGroup
	for _, a := range took.attempts {
		wg.Go(func() { s.send(ctx, a) })
	}
	wg.Wait()
	return len(took.attempts), s.settleWhileLeased(ctx, took.attempts)
}

// Outcomes are settled in groups: as many as are there after settleGap, or settleMost at once.
const (
	settleGap  = 5 * time.Millisecond
	settleMost = 32
)

// The pace of sending. After a claim, and after each burst of what it took, comes a gap, so that a backlog leaves the
// processor to others between: readers of the API would feel hundreds of attempts that start at once.
const (
	launchBurst = 6
	launchGap   = 3 * time.Millisecond
)

// deliver keeps claiming, sending and settling until the context ends. Then it waits for what is in flight, which is cut
// short after a moment: an attempt without an answer is settled as interrupted and made again.
func (s *Service) deliver(ctx context.Context) {
	flying := newFlights()
	outcomes := make(chan *attempt, slotsInAll)
	sending, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	var settled, flights sync.WaitGroup
	for range settlers {
		settled.Go(func() { s.settleAll(sending, outcomes, flying) })
	}

	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	looked := -pollEvery // when leases that ran out were looked for, by the uptime
	for ctx.Err() == nil {
		var lost error
		if up := s.Uptime(); up-looked >= pollEvery {
			looked, lost = up, errors.Join(s.interruptLost(ctx), s.adoptHeld(ctx))
		}
		again, err := s.launch(ctx, sending, flying, &flights, outcomes)
		if err := errors.Join(lost, err); err != nil && ctx.Err() == nil {
			s.Logger.Error("worker step failed", "worker", "deliverer", "error", err)
		}
		if again {
			pause(ctx, launchGap)
			continue
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		case <-s.woken[delivererWorker]:
		}
	}
	grace := time.AfterFunc(deliveryGrace, cut)
	defer grace.Stop()
	flights.Wait()
	close(outcomes)
	settled.Wait()
}

// deliveryGrace is how long attempts in flight may take when the program ends.
const deliveryGrace = 10 * time.Second

// launch claims what can start now and starts it. It says whether there may be more.
func (s *Service) launch(ctx, sending context.Context, flying *flights, running *sync.WaitGroup, outcomes chan<- *attempt) (bool, error) {
	took, err := s.claimDeliveries(ctx, flying)
	if err != nil {
		return false, err
	}
	for i, a := range took.attempts {
		if i > 0 && i%launchBurst == 0 {
			pause(ctx, launchGap)
		}
		flying.start(a)
		running.Go(func() {
			s.send(sending, a)
			outcomes <- a
		})
	}
	return took.again || len(took.attempts) > 0, nil
}

// settlers is how many groups are settled at the same time. While one waits for its commit the next ones join it, or the
// one after it.
const settlers = 4

// settleAll settles outcomes as they come, in groups, and frees their slots. When the context ends it waits for no
// database any more.
func (s *Service) settleAll(ctx context.Context, outcomes <-chan *attempt, flying *flights) {
	for first := range outcomes {
		group := gatherOutcomes(first, outcomes, flying)
		if err := s.settleWhileLeased(ctx, group); err != nil {
			// Their leases run out, and they are made again as interrupted ones.
			s.Logger.Error("worker step failed", "worker", "deliverer", "error", err)
		}
		for _, a := range group {
			flying.end(a)
		}
		s.wake(delivererWorker)
	}
}

// gatherOutcomes waits for a group to fill up, but not when nothing else is in flight.
func gatherOutcomes(first *attempt, outcomes <-chan *attempt, flying *flights) []*attempt {
	group := []*attempt{first}
	gap := time.NewTimer(settleGap)
	defer gap.Stop()
	for len(group) < min(settleMost, flying.inAll()) {
		select {
		case a, open := <-outcomes:
			if !open {
				return group
			}
			group = append(group, a)
		case <-gap.C:
			return group
		}
	}
	return group
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// attempt is one delivery in hand: what was claimed, and what became of it.
type attempt struct {
	dispatch, delivery, webhook, event int64
	owner                              Owner
	lease                              int64
	claimed                            time.Duration // when, by the uptime
	number, failures                   int           // from 1; how many of those before it failed
	lost                               bool          // its worker is gone, and what it learned with it
	trigger, resource                  string
	sequence                           int64 // of the event in its resource
	eventCreated, expires              Time

	url, format string
	kind, body  string   // the body as the webhook is told it
	contentType string   // "" for JSON
	untold      bool     // its format is not spoken any more
	secrets     []string // newest first

	headers    http.Header
	sentAt     Time
	took       time.Duration
	status     int // of the answer, 0 without one
	answer     []byte
	truncated  bool
	errorCode  string // "" for success
	unread     bool   // what is to be sent could not be read
	retryAfter time.Duration
	settled    bool
}

func (a *attempt) succeeded() bool { return a.errorCode == "" }

const lostColumns = `SELECT d.id, d.delivery_id, d.webhook_id, d.event_id, d.owner, d.lease, d.attempts, d.failures, d.trigger, d.resource, d.sequence, d.expires_at, coalesce(e.created_at, 0)
 FROM dispatches d LEFT JOIN events e ON e.id = d.event_id
 WHERE d.status = 'leased'`

// lostDeliveries are the attempts whose leases have run out. One that is to last for longer than any was made before the
// clock was set back, and has ended as well: it cannot be told when.
var lostDeliveries = lostColumns + ` AND (d.due_at <= $1 OR d.due_at > $2) ORDER BY d.due_at, d.id LIMIT ` + strconv.Itoa(slotsInAll)

// unansweredDeliveries are those of claims whose commits were not answered, whose tokens are added to it. They were not
// sent.
const unansweredDeliveries = lostColumns + ` AND d.lease IN (`

// interruptLost ends attempts whose leases have run out: their workers are gone, and nobody knows whether the receiver
// got the event, so another attempt follows.
func (s *Service) interruptLost(ctx context.Context) error {
	now := s.now()
	return errors.Join(s.interruptUnanswered(ctx), s.interrupt(ctx, lostDeliveries, int64(now), int64(now.Add(longestLease))))
}

// interruptUnanswered ends attempts that were claimed without an answer. The log shows them as interrupted, for they were
// on it as sending.
func (s *Service) interruptUnanswered(ctx context.Context) error {
	tokens := s.lostDeliveries.Due(s.Uptime())
	if len(tokens) == 0 {
		return nil
	}
	return s.interrupt(ctx, unansweredDeliveries+numberList(tokens)+")")
}

// interrupt ends the attempts that a query finds.
func (s *Service) interrupt(ctx context.Context, query string, args ...any) error {
	var lost []*attempt
	err := queryRows(ctx, s.store.Reader(), query, args, func(rows *sql.Rows) error {
		a := &attempt{errorCode: deliveryInterrupted, lost: true}
		lost = append(lost, a)
		return rows.Scan(&a.dispatch, &a.delivery, &a.webhook, &a.event, &a.owner, &a.lease, &a.number, &a.failures, &a.trigger, &a.resource, &a.sequence, &a.expires,
			&a.eventCreated)
	})
	if err != nil {
		return fmt.Errorf("find lost deliveries: %w", err)
	}
	return s.settle(ctx, lost)
}

// deliveryInterrupted is the error of an attempt whose outcome is unknown.
const deliveryInterrupted = "interrupted"
