package v1

import (
	"context"
	"errors"
	"sync"
	"time"

	"sellerd/v1/lease"
)

// Workers keep the background steps going until the context ends. They return when every step in hand is done. What they
// had leased and do not finish is given back; only without the database it waits for the end of its lease.
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
		{"legacy usage", s.usage.Keep, 5 * time.Second, nil}, // sunset
		{"sweeper", s.SweepOnce, time.Minute, nil},
		{"purger", s.PurgeOnce, time.Minute, nil},
		{"secret", s.CheckSecretOnce, time.Minute, nil},
	} {
		wg.Go(func() { s.loop(ctx, loop.name, loop.step, loop.every, loop.woken) })
	}
	wg.Go(func() { s.leaseLoop(ctx, "publisher", publisherWorker, s.takeSubmissions) })
	wg.Go(func() { s.deliverer.Run(ctx) })
	wg.Go(func() { s.leaseLoop(ctx, "images", imagesWorker, s.takeImages) })
	wg.Wait()
	if err := s.releaseAllLost(ctx); err != nil {
		s.config.Logger.Error("claims must wait for their leases to end", "error", err)
	}
}

// resumeWhenStored resumes what an earlier process has leased, as soon as the database takes it: nothing can be leased
// before that either.
func (s *Service) resumeWhenStored(ctx context.Context) {
	for wait := lease.LeastWait; ; wait = min(2*wait, lease.MostWait) {
		err := s.resumeLeases(ctx)
		if err == nil {
			return
		}
		s.config.Logger.Error("claims of an earlier process cannot be resumed", "error", err)
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
			s.config.Logger.Error("worker step failed", "worker", name, "error", err)
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
	ownerRows = 200  // leased rows of one owner, beyond which it is passed over
	allRows   = 4000 // leased rows of all owners, beyond which nothing is leased
	lookEvery = time.Second
)

// publishGap is how long submissions gather after a lease that took all there were. One that comes to an idle publisher
// is leased at once; under load, sets of some hundred cost a fraction of as many small ones.
const publishGap = 50 * time.Millisecond

// leasedRows is a set of rows that a worker holds a lease on: whose they are, and the work on them, which calls done for
// each as it ends.
type leasedRows struct {
	owners []Owner
	full   bool // there may be more
	work   func(ctx context.Context, done func(Owner)) error
}

func (s *Service) takeSubmissions(ctx context.Context, busy []Owner) (leasedRows, error) {
	held, more, err := s.leaseSubmissions(ctx, busy)
	owners := make([]Owner, len(held.rows))
	for i, row := range held.rows {
		owners[i] = Owner(row.Owner)
	}
	return leasedRows{owners, more, func(ctx context.Context, done func(Owner)) error {
		return s.publish(ctx, held, done)
	}}, err
}

func (s *Service) takeImages(ctx context.Context, busy []Owner) (leasedRows, error) {
	held, more, err := s.leaseImages(ctx, busy)
	owners := make([]Owner, len(held.rows))
	for i, row := range held.rows {
		owners[i] = Owner(row.Owner)
	}
	return leasedRows{owners, more, func(ctx context.Context, done func(Owner)) error {
		return s.refreshAll(ctx, held, done)
	}}, err
}

// workload counts leased rows by owner.
type workload struct {
	mu    sync.Mutex
	rows  map[Owner]int
	all   int
	freed func() // called when the rows of a busy owner, or any rows, can be claimed again
}

func (f *workload) add(owners []Owner) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, owner := range owners {
		f.rows[owner]++
		f.all++
	}
}

func (f *workload) done(owner Owner) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.rows[owner] == ownerRows || f.all == allRows {
		f.freed()
	}
	f.all--
	if f.rows[owner]--; f.rows[owner] == 0 {
		delete(f.rows, owner)
	}
}

// busy are the owners to pass over; full means that nothing should be leased at all.
func (f *workload) busy() (owners []Owner, full bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for owner, n := range f.rows {
		if n >= ownerRows {
			owners = append(owners, owner)
		}
	}
	return owners, f.all >= allRows
}

// leaseLoop leases sets of rows and lets each go its way, so that one seller's slow images hold up no other seller's: a
// set never waits for an earlier one. An owner with many rows in flight is passed over until some are done.
func (s *Service) leaseLoop(ctx context.Context, name string, w worker, take func(context.Context, []Owner) (leasedRows, error)) {
	var wg sync.WaitGroup
	defer wg.Wait()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	working := &workload{rows: map[Owner]int{}, freed: func() { s.wake(w) }}
	for ctx.Err() == nil {
		if busy, full := working.busy(); !full {
			set, err := take(ctx, busy)
			if err != nil && !errors.Is(err, context.Canceled) {
				s.config.Logger.Error("worker step failed", "worker", name, "error", err)
			}
			if err == nil && len(set.owners) > 0 {
				working.add(set.owners)
				wg.Go(func() {
					if err := set.work(ctx, working.done); err != nil && !errors.Is(err, context.Canceled) {
						s.config.Logger.Error("worker step failed", "worker", name, "error", err)
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
