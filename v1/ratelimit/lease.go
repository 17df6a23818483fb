package ratelimit

import (
	"context"
	"sync"
	"time"
)

// leases are the limits that this process counts. Of a limit that it shares with others, it takes some requests at once, and counts them
// in memory: otherwise each read of a seller would be a commit.
//
// GCRA keeps one time for a limit, at which all its requests will be back, and each request moves it on. A lease is a piece of that time:
// the table has its end, and the process moves from its beginning to its end. (A process that counts alone has no table.) So what is
// leased is charged, comes back by itself in six seconds if it is not used, and one process alone counts to the request. Together,
// processes never admit more than the limit and what they had leased before.
type leases struct {
	clock   Clock
	mu      sync.Mutex
	byKey   map[string]*lease
	sweepAt int
}

// lease is a process's share of one limit.
type lease struct {
	turn  chan struct{} // held by who uses the lease
	back  time.Duration // in which one request comes back
	spent time.Time     // when all requests are back that were made
	end   time.Time     // when those are back, too, that are leased; what the table has, if no other process has moved it on
}

// leasedShare is the share of a limit that a process leases at most: a tenth. Limits below twenty a minute are counted one by one.
const leasedShare = 10

// mostSwaps is how often a process tries to move a limit on while others do.
const mostSwaps = 1000

func newLeases(clock Clock) *leases {
	return &leases{clock: clock, byKey: map[string]*lease{}, sweepAt: 1024}
}

// of is the lease of a key, which the caller has until it calls end.
func (s *leases) of(ctx context.Context, key string) (l *lease, end func(), err error) {
	s.mu.Lock()
	l = s.byKey[key]
	if l == nil {
		s.sweep()
		l = &lease{turn: make(chan struct{}, 1)}
		s.byKey[key] = l
	}
	s.mu.Unlock()
	end = func() { <-l.turn }
	select {
	case l.turn <- struct{}{}: // most have to wait for nobody
		return l, end, nil
	default:
	}
	select {
	case l.turn <- struct{}{}:
		return l, end, nil
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
}

// sweep drops leases that have ended, when there are twice as many as after the last time.
func (s *leases) sweep() {
	if len(s.byKey) < s.sweepAt {
		return
	}
	now := s.clock.Now()
	for key, l := range s.byKey {
		select {
		case l.turn <- struct{}{}:
			if !l.end.After(now) {
				delete(s.byKey, key)
			}
			<-l.turn
		default: // it is in use
		}
	}
	s.sweepAt = max(1024, 2*len(s.byKey))
}

// renew gives back what is left of a lease, and takes a new one with n requests made, or as many requests as there are. It is not done if
// another process has moved the limit on meanwhile.
func (l *Limiter) renew(ctx context.Context, mine *lease, key string, perMinute, n int) (result Result, done bool, err error) {
	now, stored := l.leases.clock.Now(), int64(-1)
	from := later(mine.spent, now)
	if l.shared != nil {
		if stored, now, err = l.shared.get(ctx, key); err != nil {
			return Result{}, false, err
		}
		from = now
	}
	if stored >= 0 {
		unused := max(0, mine.end.Sub(later(mine.spent, now)))
		from = later(time.Unix(0, stored).Add(-unused), now)
	}
	back := Window / time.Duration(perMinute)
	room := int((time.Duration(perMinute)*back - from.Sub(now)) / back)
	if n > room {
		return Result{
			State: stateAt(now, from, perMinute), Limited: true, RetryAfter: from.Add(time.Duration(n-perMinute) * back).Sub(now),
		}, true, nil
	}
	spent := from.Add(time.Duration(n) * back)
	end := spent
	if n > 0 { // near the limit less is leased, so that other processes find some
		end = from.Add(time.Duration(max(n, min(perMinute/leasedShare, room/4))) * back)
	}
	if l.shared != nil {
		if done, err = l.shared.swap(ctx, key, stored, end.UnixNano(), end.Sub(now)); !done || err != nil {
			return Result{}, false, err
		}
	}
	mine.back, mine.spent, mine.end = back, spent, end
	return Result{State: stateAt(now, spent, perMinute)}, true, nil
}

// stateAt is the state of a limit whose requests will all be back at a time.
func stateAt(now, all time.Time, perMinute int) State {
	reset := max(0, all.Sub(now))
	remaining := int((Window/time.Duration(perMinute)*time.Duration(perMinute) - reset) / (Window / time.Duration(perMinute)))
	return State{Limit: perMinute, Remaining: max(0, min(remaining, perMinute)), ResetAfter: reset}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
