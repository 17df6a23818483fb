package v1

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"sellerd/v1/rows"
)

// PretendAttempts are attempts that a receiver answered with a status: of the dispatches from an id on, as many as asked
// for, each with the delivery of the same id, leased with the token 1, round the webhooks given.
func PretendAttempts(owner Owner, first int64, n int, webhooks []int64, status int) []*attempt {
	header := http.Header{
		"Content-Type": {"application/json"}, "User-Agent": {"sellerd-webhooks/1"}, "Webhook-Id": {EventID(first).String()},
		"Webhook-Timestamp": {"1795262400"}, "Webhook-Signature": {"v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="},
	}
	attempts := make([]*attempt, n)
	for i := range attempts {
		id := first + int64(i)
		attempts[i] = &attempt{
			claimedDispatch: claimedDispatch{
				dispatch: id, delivery: id, event: id, webhook: webhooks[id%int64(len(webhooks))], owner: int64(owner), token: 1, number: 1,
				trigger: triggerAutomatic, resource: "item/" + strconv.FormatInt(id, 10),
			},
			result: result{status: status, headers: header, answer: []byte(`{"ok":true}`), took: 5 * time.Millisecond},
		}
		if status != http.StatusOK {
			attempts[i].errorCode = "http_status"
		}
	}
	return attempts
}

// Settle settles attempts.
func (s *Service) Settle(ctx context.Context, attempts []*attempt) error {
	return s.deliverer.Settle(ctx, attempts)
}

// Deliver is the deliverer's loop.
func (s *Service) Deliver(ctx context.Context) { s.deliverer.Run(ctx) }

// ClaimedDeliveries are what one claim took.
type ClaimedDeliveries []*attempt

// Claim claims deliveries as a worker with nothing in flight.
func (s *Service) Claim(ctx context.Context) (ClaimedDeliveries, error) {
	attempts, _, err := s.deliverer.Claim(ctx, newSlots())
	return attempts, err
}

// ClaimAll claims as the loop does, with what was claimed in flight, until there is nothing more to look for.
func (s *Service) ClaimAll(ctx context.Context) (all ClaimedDeliveries, err error) {
	flying := newSlots()
	for {
		attempts, again, err := s.deliverer.Claim(ctx, flying)
		for _, a := range attempts {
			flying.take(a)
		}
		all = append(all, attempts...)
		if err != nil || len(attempts) == 0 && !again {
			return all, err
		}
	}
}

// ClaimBeside claims once while so many retries are in flight, and says whether the loop would look again at once.
func (s *Service) ClaimBeside(ctx context.Context, retries int) (attempts ClaimedDeliveries, again bool, err error) {
	flying := newSlots()
	flying.all, flying.retries = retries, retries
	return s.deliverer.Claim(ctx, flying)
}

// MostRetries is how many retries may be in flight.
const MostRetries = slotsForRetries

// BacklogChunk is how many dispatches of a backlog are changed at once.
const BacklogChunk = backlogChunk

// Settlers is how many groups of outcomes are stored at the same time.
const Settlers = settlers

// PauseBy sets what the service does between two tries.
func (s *Service) PauseBy(pause func(context.Context, time.Duration)) { s.retrier.Pause = pause }

// Dispatches are the claimed dispatches' ids.
func (c ClaimedDeliveries) Dispatches() (ids []int64) {
	for _, a := range c {
		ids = append(ids, a.dispatch)
	}
	return ids
}

// SendAndSettle does what is left to do with claimed deliveries.
func (s *Service) SendAndSettle(ctx context.Context, claimed ClaimedDeliveries) error {
	for _, a := range claimed {
		s.deliverer.Send(ctx, a)
	}
	return s.deliverer.SettleWhileLeased(ctx, claimed)
}

// InterruptLost ends attempts whose leases have run out.
func (s *Service) InterruptLost(ctx context.Context) error { return s.deliverer.InterruptLost(ctx) }

// ResumeClaims is what the workers do first.
func (s *Service) ResumeClaims(ctx context.Context) error { return s.resumeClaims(ctx) }

// WebhookNumber is the number behind a webhook's id.
func WebhookNumber(id string) int64 {
	var number WebhookID
	if err := number.UnmarshalText([]byte(id)); err != nil {
		panic(err)
	}
	return int64(number)
}

// EngineStatements are the statements of claims and settlements that must not look at more rows than they need, each
// with arguments.
func EngineStatements(webhook int64, now Time) map[string]Statement {
	first := func(set *rows.Set, row ...any) Statement {
		text, args, _ := set.Next(row)
		return Statement{text, args}
	}
	return map[string]Statement{
		"due webhooks":    {allPending.endpoints, []any{int64(now), int64(now.Add(mostRest))}},
		"due dispatches":  {allPending.dispatches, []any{webhook, int64(now)}},
		"first webhooks":  {firstPending.endpoints, []any{int64(now), int64(now.Add(mostRest))}},
		"first attempts":  {firstPending.dispatches, []any{webhook, int64(now)}},
		"recall strayed":  {recallStrayed, []any{int64(now), webhook, int64(now)}},
		"recall first":    {recallFirst, []any{int64(now), webhook, int64(now)}},
		"recall held":     {recallHeld, []any{int64(now), webhook, int64(now), int64(now)}},
		"lost deliveries": {lostDeliveries, []any{int64(now), int64(now.Add(longestLease))}},
		"in flight":       first(countLeased, webhook),
		"lease":           first(leaseDispatches, int64(1), int64(1), int64(1), int64(1), int64(0), int64(1)),
		"start":           first(startDeliveries, int64(1), int64(1), "https://example.com"),
		"park":            first(parkDispatches, int64(1), int64(1)),
		"live leases":     first(liveLeases, int64(1), int64(1)),
		"end":             first(endDeliveries, int64(1), "succeeded", true, "{}", int64(200), "", false, "x", int64(1), int64(1)),
		"next delivery":   first(nextDeliveries, int64(1), int64(2), "https://example.com", int64(1), int64(1)),
		"reschedule":      first(rescheduleDispatches, int64(1), int64(1), int64(1), int64(1)),
		"save health":     first(saveHealth, webhook, "active", int64(1), int64(1), int64(1), int64(1), int64(1), int64(0), "failing", int64(1)),
		"drop":            first(dropDispatches, int64(1)),
		"wake":            first(wakeNext, webhook, "item/1", int64(1), int64(now)),
	}
}

// Wake wakes the deliverer, as a change does.
func (s *Service) Wake() { s.wake(delivererWorker) }
