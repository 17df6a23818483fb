package ratelimit

import (
	"context"
	"sync"
	"time"
)

// leases spend requests of shared limits in this process. A process takes some of a limit's requests at once, and counts them down in
// memory: otherwise each read of a seller would be a commit.
//
// What is leased is charged, so all processes together never admit more than the limit and what they had leased before. A lease is used
// only while the limit is in use. When all requests would have come back, it is given back, and so one process alone counts to the request.
type leases struct {
	clock   Clock
	mu      sync.Mutex
	byKey   map[string]*lease
	sweepAt int
}

// lease is a process's share of one limit.
type lease struct {
	turn      chan struct{} // held by who uses the lease
	perMinute int
	left      int       // requests that are charged and not made yet
	tat       time.Time // when all requests are back, those that are left included
	tight     time.Time // until then the limit has not enough for a lease
}

// leasedShare is the share of a limit that a process leases at most: a tenth. Limits below twenty a minute are counted one by one.
const leasedShare = 10

func newLeases(clock Clock) *leases {
	return &leases{clock: clock, byKey: map[string]*lease{}, sweepAt: 1024}
}

// of is the lease of a key, which the caller has until it calls end.
func (s *leases) of(ctx context.Context, key string) (l *lease, end func(), err error) {
	s.mu.Lock()
	l = s.byKey[key]
	if l == nil {
		l = &lease{turn: make(chan struct{}, 1)}
		s.byKey[key] = l
		s.sweep()
	}
	s.mu.Unlock()
	select {
	case l.turn <- struct{}{}:
		return l, func() { <-l.turn }, nil
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
}

// sweep drops leases whose requests have all come back, when there are twice as many as after the last time.
func (s *leases) sweep() {
	if len(s.byKey) < s.sweepAt {
		return
	}
	now := s.clock.Now()
	for key, l := range s.byKey {
		select {
		case l.turn <- struct{}{}:
			if l.left == 0 || !l.tat.After(now) {
				delete(s.byKey, key)
			}
			<-l.turn
		default: // it is in use
		}
	}
	s.sweepAt = max(1024, 2*len(s.byKey))
}

// back is the time in which one request comes back.
func (l *lease) back() time.Duration { return Window / time.Duration(l.perMinute) }

// resetAfter is the time until all requests are back that were made.
func (l *lease) resetAfter(now time.Time) time.Duration {
	return l.tat.Sub(now) - time.Duration(l.left)*l.back()
}

// state is the state of the limit, as far as this process knows it.
func (l *lease) state(now time.Time) State {
	reset := max(0, l.resetAfter(now))
	return State{Limit: l.perMinute, Remaining: max(0, int((Window-reset)/l.back())), ResetAfter: reset}
}

// takeLeased is Take of a shared limit.
func (l *Limiter) takeLeased(ctx context.Context, key string, perMinute, n int) (Result, error) {
	mine, end, err := l.leases.of(ctx, key)
	if err != nil {
		return Result{}, err
	}
	defer end()
	now := l.leases.clock.Now()
	if mine.perMinute == perMinute && mine.left >= n && mine.left > 0 && mine.resetAfter(now) > 0 {
		mine.left -= n
		return Result{State: mine.state(now)}, nil
	}
	if mine.left > 0 {
		back := mine.left
		mine.left = 0
		if _, err := l.takeShared(ctx, key, mine.perMinute, -back); err != nil {
			return Result{}, err
		}
	}
	mine.perMinute = perMinute
	most := perMinute / leasedShare
	if n < 1 || most <= n || now.Before(mine.tight) {
		return l.takeShared(ctx, key, perMinute, n)
	}
	result, err := l.takeShared(ctx, key, perMinute, most)
	if err != nil {
		return Result{}, err
	}
	if result.Limited {
		mine.tight = now.Add(time.Duration(most) * mine.back())
		return l.takeShared(ctx, key, perMinute, n)
	}
	mine.left, mine.tat = most-n, now.Add(result.ResetAfter)
	return Result{State: mine.state(now)}, nil
}
