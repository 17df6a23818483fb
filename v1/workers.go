package v1

import (
	"context"
	"errors"
	"sync"
	"time"

	"sellerd/v1/lease"
)

// Workers runs the background steps until the context ends, and returns when all running steps are done. Claims that are
// not finished are released; only if the database is away they wait for the end of their lease.
func (s *Service) Workers(ctx context.Context) {
	s.resumeWhenStored(ctx)
	var wg sync.WaitGroup
	for _, loop := range []struct {
		name  string
		step  func(context.Context) (int, error)
		every time.Duration
		woken chan struct{}
	}{
		{"closer", s.CloseDueOnce, time.Second, s.woken[closerWorker]},
		{"keys", s.TouchKeysOnce, 5 * time.Second, nil},
		{"statistics", s.refreshStatistics, statisticsEvery, nil},
		{"legacy usage", s.keepLegacyUsage, 5 * time.Second, nil}, // sunset
		{"sweeper", s.SweepOnce, time.Minute, nil},
		{"purger", s.PurgeOnce, time.Minute, nil},
		{"secret", s.CheckSecretOnce, time.Minute, nil},
	} {
		wg.Go(func() { s.loop(ctx, loop.name, loop.step, loop.every, loop.woken) })
	}
	wg.Go(func() { s.claimLoop(ctx, "publisher", publisherWorker, s.takeSubmissions) })
	wg.Go(func() { s.deliverer.Run(ctx) })
	wg.Go(func() { s.claimLoop(ctx, "images", imagesWorker, s.takeImages) })
	wg.Wait()
	if err := s.releaseAllLost(ctx); err != nil {
		s.Logger.Error("claims must wait for their leases to end", "error", err)
	}
}

// resumeWhenStored releases the claims of an earlier process as soon as the database accepts writes; before that, nothing
// can be claimed either.
func (s *Service) resumeWhenStored(ctx context.Context) {
	for wait := lease.LeastWait; ; wait = min(2*wait, lease.MostWait) {
		err := s.resumeClaims(ctx)
		if err == nil {
			return
		}
		s.Logger.Error("claims of an earlier process cannot be resumed", "error", err)
		if ctx.Err() != nil || !s.retrier.WillPass(err) {
			return
		}
		s.retrier.Pause(ctx, wait)
	}
}

// statisticsEvery is how often the growth of tables is checked.
const statisticsEvery = 5 * time.Second

// refreshStatistics is the worker's step. It returns 0, because the next step is never due at once.
func (s *Service) refreshStatistics(ctx context.Context) (int, error) {
	return 0, s.store.RefreshStatistics(ctx)
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
	ownerInFlight = 200  // claimed rows of one owner, beyond which its rows are not claimed
	allInFlight   = 4000 // claimed rows of all owners, beyond which nothing is claimed
	lookEvery     = time.Second
)

// publishGap is how long submissions collect after a claim that took all of them. An idle publisher claims a submission at
// once; under load, sets of about a hundred cost a fraction of many small ones.
const publishGap = 50 * time.Millisecond

// claimed is a set of rows that a worker holds a lease on: whose they are, and the work on them, which calls done for
// each as it ends.
type claimed struct {
	owners []Owner
	full   bool // there may be more
	work   func(ctx context.Context, done func(Owner)) error
}

func (s *Service) takeSubmissions(ctx context.Context, busy []Owner) (claimed, error) {
	claim, err := s.claimSubmissions(ctx, busy)
	owners := make([]Owner, len(claim.rows))
	for i, row := range claim.rows {
		owners[i] = Owner(row.Owner)
	}
	return claimed{owners, len(owners) == publishClaim, func(ctx context.Context, done func(Owner)) error {
		return s.publish(ctx, claim, done)
	}}, err
}

func (s *Service) takeImages(ctx context.Context, busy []Owner) (claimed, error) {
	claim, err := s.claimImages(ctx, busy)
	owners := make([]Owner, len(claim.rows))
	for i, row := range claim.rows {
		owners[i] = Owner(row.Owner)
	}
	return claimed{owners, len(owners) == imagesClaim, func(ctx context.Context, done func(Owner)) error {
		return s.refreshAll(ctx, claim, done)
	}}, err
}

// inFlight counts claimed rows by owner.
type inFlight struct {
	mu    sync.Mutex
	rows  map[Owner]int
	all   int
	freed func() // called when the rows of a busy owner, or any rows, can be claimed again
}

func (f *inFlight) add(owners []Owner) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, owner := range owners {
		f.rows[owner]++
		f.all++
	}
}

func (f *inFlight) done(owner Owner) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.rows[owner] == ownerInFlight || f.all == allInFlight {
		f.freed()
	}
	f.all--
	if f.rows[owner]--; f.rows[owner] == 0 {
		delete(f.rows, owner)
	}
}

// busy are the owners with too many claimed rows; full means that nothing should be claimed at all.
func (f *inFlight) busy() (owners []Owner, full bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for owner, n := range f.rows {
		if n >= ownerInFlight {
			owners = append(owners, owner)
		}
	}
	return owners, f.all >= allInFlight
}

// claimLoop claims sets of rows and works on each in a goroutine of its own, so that one seller's slow images do not hold
// up the others: a claim never waits for an earlier one. Rows of an owner with many rows in flight are not claimed until
// some are done.
func (s *Service) claimLoop(ctx context.Context, name string, w worker, take func(context.Context, []Owner) (claimed, error)) {
	var wg sync.WaitGroup
	defer wg.Wait()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	flying := &inFlight{rows: map[Owner]int{}, freed: func() { s.wake(w) }}
	for ctx.Err() == nil {
		if busy, full := flying.busy(); !full {
			set, err := take(ctx, busy)
			if err != nil && !errors.Is(err, context.Canceled) {
				s.Logger.Error("worker step failed", "worker", name, "error", err)
			}
			if err == nil && len(set.owners) > 0 {
				flying.add(set.owners)
				wg.Go(func() {
					if err := set.work(ctx, flying.done); err != nil && !errors.Is(err, context.Canceled) {
						s.Logger.Error("worker step failed", "worker", name, "error", err)
					}
				})
				if !set.full {
					lease.Pause(ctx, publishGap)
				}
				continue
			}
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		case <-s.woken[w]:
		}
	}
}
