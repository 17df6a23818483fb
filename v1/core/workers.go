package core

import (
	"context"
	"errors"
	"sync"
	"time"

	"sellerd/ent"
	"sellerd/v1/lease"
	"sellerd/v1/wire"
)

// Workers keep the background steps going until the context ends. They return when every step in hand is done. What they
// had leased and do not finish is given back; only without the database it waits for the end of its lease.
func (s *Core) Workers(ctx context.Context) {
	s.resumeWhenStored(ctx)
	var wg sync.WaitGroup
	loops := []Loop{
		{"keys", s.TouchKeysOnce, 5 * time.Second, nil},
		{"statistics", s.refreshStatistics, statisticsEvery, nil},
		{"sweeper", s.SweepOnce, time.Minute, nil},
		{"secret", s.Secret.CheckOnce, time.Minute, nil},
		{"eraser", s.EraseOnce, time.Hour, nil},
	}
	for _, room := range s.rooms {
		loops = append(loops, room.Loops...)
		for _, run := range room.Engines {
			wg.Go(func() { run(ctx) })
		}
	}
	for _, l := range loops {
		wg.Go(func() { s.loop(ctx, l) })
	}
	wg.Wait()
	if err := s.releaseAllLost(ctx); err != nil {
		s.Config.Logger.Error("claims must wait for their leases to end", "error", err)
	}
}

// ResumeLeases makes due at once what a process has leased that was killed. Only SQLite can know that it was: one server
// owns the file. On PostgreSQL another process may be alive, and leases have to end by themselves.
func (s *Core) ResumeLeases(ctx context.Context) error {
	if s.Store.ManyWriters() {
		return nil
	}
	return s.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		now := s.Now()
		for _, room := range s.rooms {
			if room.Resume == nil {
				continue
			}
			if err := room.Resume(ctx, tx, now); err != nil {
				return err
			}
		}
		return nil
	})
}

// resumeWhenStored resumes what an earlier process has leased, as soon as the database takes it: nothing can be leased
// before that either.
func (s *Core) resumeWhenStored(ctx context.Context) {
	for wait := lease.LeastWait; ; wait = min(2*wait, lease.MostWait) {
		err := s.ResumeLeases(ctx)
		if err == nil || ctx.Err() != nil {
			return // a server that is stopped at its start has nothing to report
		}
		s.Config.Logger.Error("claims of an earlier process cannot be resumed", "error", err)
		if !s.Retrier.WillPass(err) {
			return
		}
		s.Retrier.Pause(ctx, wait)
	}
}

// eraseLimit is how long a step of the eraser may take. While a reader is in its way, it holds up writers.
const eraseLimit = time.Second

// EraseOnce is the worker's step that removes from SQLite's log what the sweeper, the purger and a reset of test data have deleted. The
// next step comes soon enough if a reader is in its way. On PostgreSQL it does nothing: Store.Erase says what
// stays there. It returns 0, because the next step is never due at once.
func (s *Core) EraseOnce(ctx context.Context) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, eraseLimit)
	defer cancel()
	err := s.Store.Erase(ctx, false)
	if errors.Is(err, context.DeadlineExceeded) {
		return 0, nil
	}
	return 0, err
}

// statisticsEvery is how often the growth of tables is checked.
const statisticsEvery = 5 * time.Second

// refreshStatistics is the worker's step. It returns 0, because the next step is never due at once.
func (s *Core) refreshStatistics(ctx context.Context) (int, error) {
	return 0, s.Store.RefreshStatistics(ctx)
}

// loop runs a step again at once while it finds work, else after a tick or when woken.
func (s *Core) loop(ctx context.Context, l Loop) {
	tick := time.NewTicker(l.Every)
	defer tick.Stop()
	for ctx.Err() == nil {
		n, err := l.Step(ctx)
		if err != nil && !errors.Is(err, context.Canceled) {
			s.Config.Logger.Error("worker step failed", "worker", l.Name, "error", err)
		}
		if n > 0 && err == nil {
			continue
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		case <-l.Woken:
		}
	}
}

// releaseAllLost is what workers do last. What it cannot reach waits for the end of its lease.
func (s *Core) releaseAllLost(ctx context.Context) error {
	ctx, cancel := lease.Detached(ctx)
	defer cancel()
	var failed []error
	for _, room := range s.rooms {
		if room.Release != nil {
			failed = append(failed, room.Release(ctx))
		}
	}
	return errors.Join(failed...)
}

// Workers that delete compare the service's clock, which can be set, with the time that the process has run.

// clockTolerance is how far the clock may have moved against the process's uptime before nothing is deleted any more: a
// wrong clock must not cost data.
const clockTolerance = 24 * time.Hour

// errClockMoved keeps everything until the clock is right or the process starts again.
var errClockMoved = errors.New("the clock moved by more than a day while the process ran: nothing is deleted until it is set right or the process starts anew")

// Now is the current time.
func (s *Core) Now() wire.Time { return wire.TimeOf(s.Config.Clock.Now()) }

// TrustClock fails when the clock moved while the process ran.
func (s *Core) TrustClock() error {
	moved := s.Now().Sub(s.started) - s.Config.Uptime()
	if moved > clockTolerance || moved < -clockTolerance {
		return errClockMoved
	}
	return nil
}
