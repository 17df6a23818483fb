// Package probe is what tests look at inside the rooms: the plan of a list, a step of a worker, what waits in a line. Only tests
// import it. What it returns is not part of the API and may change with any commit.
package probe

import (
	"context"
	"strings"

	"sellerd/internal/base/each"
	v1 "sellerd/v1"
	"sellerd/v1/apikey"
	"sellerd/v1/core"
	"sellerd/v1/delivery"
	"sellerd/v1/items"
	"sellerd/v1/publishing"
	"sellerd/v1/wire"
)

// ForgedKey is a well-formed key that the service did not make.
func ForgedKey(mode, id string) string {
	return apikey.Assemble(id, mode, strings.Repeat("s", 32)).Text
}

// Remembers says whether the process remembers the row of a key.
func Remembers(s *v1.Service, key string) bool {
	parsed, _ := apikey.Parse(key)
	return s.RemembersKey(parsed.ID)
}

// NamesBuyer says whether an answer names the buyer whom it shows.
func NamesBuyer(out any) bool {
	_, ok := out.(core.ShowsBuyer)
	return ok
}

// SubmitsWaiting is how many single submissions wait or are being stored, in the lane of all owners and in that of one.
func SubmitsWaiting(s *v1.Service, owner core.Owner) (all, own int) {
	return s.Submits.Len(items.EveryOwner), s.Submits.Len(owner)
}

// LeaseStatements are the statements that claim submissions and items, each with arguments.
func LeaseStatements(s *v1.Service, owner core.Owner, now wire.Time) map[string]Statement {
	later := int64(now.Add(publishing.Lease))
	return map[string]Statement{
		"submissions":           {publishing.LeaseOfSubmissions(s.Store), []any{int64(owner), int64(now), int64(1), later}},
		"late_submissions":      {publishing.LeaseOfLateSubmissions(s.Store), []any{int64(now), int64(1), later}},
		"items":                 {publishing.LeaseOfImages(s.Store), []any{int64(owner), int64(now), int64(1), later}},
		"owners_of_submissions": {publishing.SubmissionQueue.Leap(), []any{int64(0)}},
		"owners_of_items":       {publishing.ImageQueue.Leap(), []any{int64(0)}},
	}
}

// ClaimSubmissions claims what is due, does nothing about it, and says how many it claimed.
func ClaimSubmissions(s *v1.Service, ctx context.Context, busy ...core.Owner) (int, error) {
	held, err := s.Publisher.Claim(ctx, each.Of(busy, func(owner core.Owner) int64 { return int64(owner) })...)
	return len(held.Rows), err
}

// YieldAtMost is how long a publisher yields to requests.
const YieldAtMost = publishing.YieldAtMost

// ClaimToPublish claims what is due. publish does the work on it.
func ClaimToPublish(s *v1.Service, ctx context.Context) (publish func(context.Context) error, err error) {
	held, err := s.Publisher.Claim(ctx)
	return func(ctx context.Context) error { return s.Publisher.Publish(ctx, held, func(int64) {}) }, err
}

// ClaimedDeliveries are what one claim took.
type ClaimedDeliveries []*delivery.Attempt

// Claim claims deliveries as a worker with nothing in flight.
func Claim(s *v1.Service, ctx context.Context) (ClaimedDeliveries, error) {
	attempts, _, err := s.Deliverer.Claim(ctx, delivery.NewSlots())
	return attempts, err
}

// ClaimAll claims as the loop does, with what was claimed in flight, until there is nothing more to look for.
func ClaimAll(s *v1.Service, ctx context.Context) (all ClaimedDeliveries, err error) {
	flying := delivery.NewSlots()
	for {
		attempts, again, err := s.Deliverer.Claim(ctx, flying)
		for _, a := range attempts {
			flying.Take(a)
		}
		all = append(all, attempts...)
		if err != nil || len(attempts) == 0 && !again {
			return all, err
		}
	}
}

// ClaimBeside claims once while so many retries are in flight, and says whether the loop would look again at once.
func ClaimBeside(s *v1.Service, ctx context.Context, retries int) (attempts ClaimedDeliveries, again bool, err error) {
	flying := delivery.NewSlots()
	for range retries {
		flying.Take(&delivery.Attempt{Claimed: delivery.Claimed{Number: 2}})
	}
	return s.Deliverer.Claim(ctx, flying)
}

// Dispatches are the claimed dispatches' ids.
func (c ClaimedDeliveries) Dispatches() (ids []int64) {
	for _, a := range c {
		ids = append(ids, a.Dispatch)
	}
	return ids
}

// SendAndSettle does what is left to do with claimed deliveries.
func SendAndSettle(s *v1.Service, ctx context.Context, claimed ClaimedDeliveries) error {
	for _, a := range claimed {
		s.Deliverer.Send(ctx, a)
	}
	return s.Deliverer.SettleWhileLeased(ctx, claimed)
}

// WebhookNumber is the number behind a webhook's id.
func WebhookNumber(id string) int64 {
	var number wire.WebhookID
	if err := number.UnmarshalText([]byte(id)); err != nil {
		panic(err)
	}
	return int64(number)
}
