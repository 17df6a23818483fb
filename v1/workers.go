package v1

import (
	"context"
	"errors"
	"sync"
	"time"

	"sellerd/ent"
	"sellerd/v1/lease"
	"sellerd/v1/queue"
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
		{"sandbox", s.ResetOnce, 5 * time.Second, s.woken[sandboxWorker]},
		{"purger", s.PurgeOnce, time.Minute, nil},
		{"secret", s.CheckSecretOnce, time.Minute, nil},
		{"eraser", s.EraseOnce, time.Hour, nil},
	} {
		wg.Go(func() { s.loop(ctx, loop.name, loop.step, loop.every, loop.woken) })
	}
	publisher := queue.Loop[ent.Submission]{Name: "publisher", Claims: s.submissionClaims, Work: s.publish, Woken: s.woken[publisherWorker], Logger: s.config.Logger}
	images := queue.Loop[ent.Item]{Name: "images", Claims: s.imageClaims, Work: s.refreshAll, Woken: s.woken[imagesWorker], Logger: s.config.Logger}
	wg.Go(func() { publisher.Run(ctx) })
	wg.Go(func() { s.deliverer.Run(ctx) })
	wg.Go(func() { images.Run(ctx) })
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

// eraseLimit is how long a step of the eraser may take. While a reader is in its way, it holds up writers.
const eraseLimit = time.Second

// EraseOnce is the worker's step that removes from SQLite's log what the sweeper, the purger and a reset of test data have deleted. The
// next step comes soon enough if a reader is in its way. On PostgreSQL, where VACUUM does that, it does nothing. It returns 0, because
// the next step is never due at once.
func (s *Service) EraseOnce(ctx context.Context) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, eraseLimit)
	defer cancel()
	err := s.store.Erase(ctx, false)
	if errors.Is(err, context.DeadlineExceeded) {
		return 0, nil
	}
	return 0, err
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

// releaseAllLost is what workers do last. What it cannot reach waits for the end of its lease.
func (s *Service) releaseAllLost(ctx context.Context) error {
	ctx, cancel := lease.Detached(ctx)
	defer cancel()
	s.submissionClaims.Hurry()
	s.imageClaims.Hurry()
	return errors.Join(
		s.submissionClaims.ReleaseLost(ctx),
		s.imageClaims.ReleaseLost(ctx),
		s.deliverer.Release(ctx),
	)
}

// Workers that delete compare the service's clock, which can be set, with the time that the process has run.

// clockTolerance is how far the clock may have moved against the process's uptime before nothing is deleted any more: a
// wrong clock must not cost data.
const clockTolerance = 24 * time.Hour

// errClockMoved keeps everything until the clock is right or the process starts again.
var errClockMoved = errors.New("the clock moved by more than a day while the process ran: nothing is deleted until it is set right or the process starts anew")

// now is the current time.
func (s *Service) now() Time { return TimeOf(s.config.Clock.Now()) }

// trustClock fails when the clock moved while the process ran.
func (s *Service) trustClock() error {
	moved := s.now().Sub(s.started) - s.config.Uptime()
	if moved > clockTolerance || moved < -clockTolerance {
		return errClockMoved
	}
	return nil
}
