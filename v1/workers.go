package v1

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Workers keep the background steps going until the context ends. They return when every step in hand is done; what
// they had claimed and not finished is claimed again after its lease.
func (s *Service) Workers(ctx context.Context) {
	if err := s.resumeClaims(ctx); err != nil {
		s.Logger.Error("claims of an earlier process must wait for their leases to end", "error", err)
	}
	var wg sync.WaitGroup
	for _, loop := range []struct {
		name  string
		step  func(context.Context) (int, error)
		every time.Duration
		woken chan struct{}
	}{
		{"closer", s.CloseDueOnce, time.Second, s.woken[closerWorker]},
		{"images", s.RefreshImagesOnce, time.Second, nil},
		{"keys", s.TouchKeysOnce, 5 * time.Second, nil},
		{"sweeper", s.SweepOnce, time.Minute, nil},
	} {
		wg.Go(func() { s.loop(ctx, loop.name, loop.step, loop.every, loop.woken) })
	}
	wg.Go(func() { s.publishLoop(ctx) })
	wg.Wait()
}

// loop runs a step again at once while it finds work, else after a tick or when woken.
func (s *Service) loop(ctx context.Context, name string, step func(context.Context) (int, error), every time.Duration, woken chan struct{}) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for ctx.Err() == nil {
		n, err := step(ctx)
		if err != nil && !errors.Is(err, context.Canceled) {
			s.Logger.Error("worker step failed", "worker", name, "error", err)
		}
		if n > 0 && err == nil {
			continue
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		case <-woken:
		}
	}
}

const (
	publishSets      = 16  // claimed sets in flight in one process
	ownerInFlight    = 200 // claimed submissions of one owner, beyond which it is passed over
	publishPollEvery = time.Second
)

// publishGap is how long submissions gather after a claim that took all there were. One that comes to an idle publisher
// is claimed at once; under load, sets of some hundred cost a fraction of as many small ones.
const publishGap = 50 * time.Millisecond

func gather(ctx context.Context) {
	gap := time.NewTimer(publishGap)
	defer gap.Stop()
	select {
	case <-ctx.Done():
	case <-gap.C:
	}
}

// publishLoop claims sets of submissions and lets each go its way, so that one seller's slow images hold up nobody
// else. An owner with many submissions in flight is passed over until some are done.
func (s *Service) publishLoop(ctx context.Context) {
	var (
		wg       sync.WaitGroup
		mu       sync.Mutex
		inFlight = map[Owner]int{}
		sets     = make(chan struct{}, publishSets)
		tick     = time.NewTicker(publishPollEvery)
	)
	defer tick.Stop()
	defer wg.Wait()
	count := func(claim submissionClaim, by int) {
		mu.Lock()
		defer mu.Unlock()
		for _, row := range claim.rows {
			if inFlight[Owner(row.Owner)] += by; inFlight[Owner(row.Owner)] == 0 {
				delete(inFlight, Owner(row.Owner))
			}
		}
	}
	busy := func() (owners []Owner) {
		mu.Lock()
		defer mu.Unlock()
		for owner, n := range inFlight {
			if n >= ownerInFlight {
				owners = append(owners, owner)
			}
		}
		return owners
	}
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			return
		case sets <- struct{}{}:
		}
		claim, err := s.claimSubmissions(ctx, busy())
		if err != nil && !errors.Is(err, context.Canceled) {
			s.Logger.Error("worker step failed", "worker", "publisher", "error", err)
		}
		if err == nil && len(claim.rows) > 0 {
			count(claim, 1)
			wg.Go(func() {
				defer func() { count(claim, -1); <-sets; s.wake(publisherWorker) }()
				if err := s.publish(ctx, claim); err != nil && !errors.Is(err, context.Canceled) {
					s.Logger.Error("publication failed", "error", err)
				}
			})
			if len(claim.rows) < publishClaim {
				gather(ctx)
			}
			continue
		}
		<-sets
		select {
		case <-ctx.Done():
		case <-tick.C:
		case <-s.woken[publisherWorker]:
		}
	}
}
