package probe

import (
	"context"

	v1 "sellerd/v1"
	"sellerd/v1/delivery"
	"sellerd/v1/wire"
)

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
