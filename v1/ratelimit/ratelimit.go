// Package ratelimit counts requests by the generic cell rate algorithm (GCRA): a key has a number of requests a minute, which it may make at
// once or spread, and used requests come back evenly.
//
// With SQLite one process owns the file, and counts in memory. All processes on one PostgreSQL count together: each takes a piece of a limit
// from a table (shared.go), and counts it down in memory (lease.go).
package ratelimit

import (
	"context"
	"fmt"
	"time"

	"sellerd/ent"
	"sellerd/v1/rows"
)

// State is the state of a limit after a request was charged.
type State struct {
	Limit      int // requests a minute, at once or spread (GCRA): used requests come back evenly; 0 is no limit, and the other fields have no meaning
	Remaining  int
	ResetAfter time.Duration // until all requests are back
}

// Window is the time in which as many requests come back as a limit allows at once.
const Window = time.Minute

// NextAfter is the time until one more request is left than now, 0 if all are. For a request that was one too many it is
// the time after which it would pass. A limit of 0 has none.
func (s State) NextAfter() time.Duration {
	if s.Limit == 0 || s.ResetAfter == 0 {
		return 0
	}
	back := Window / time.Duration(s.Limit) // the time in which one request comes back
	return max(0, s.ResetAfter-time.Duration(s.Limit-s.Remaining-1)*back)
}

// Result is the answer to a charge.
type Result struct {
	State
	Limited    bool          // the request is one too many, and was not charged
	RetryAfter time.Duration // until the same charge would pass, if it is limited
}

// Store is the database as a Limiter needs it.
type Store interface {
	// Reader runs single statements.
	Reader() *ent.Client
	// Query runs single statements that read.
	Query(ctx context.Context, query string, args ...any) (rows.Rows, error)
	// ManyWriters says whether other processes count, too.
	ManyWriters() bool
}

// Clock is the clock of a Limiter.
type Clock interface{ Now() time.Time }

// Limiter counts requests. It is safe for concurrent use.
type Limiter struct {
	leases *leases
	shared *sharedWindows // nil where this process counts alone
	alone  *Limiter       // for what each process counts alone
}

// New makes a limiter for the processes on a database.
func New(store Store, clock Clock) *Limiter {
	alone := &Limiter{leases: newLeases(clock)}
	alone.alone = alone
	if !store.ManyWriters() {
		return alone
	}
	return &Limiter{leases: newLeases(clock), shared: &sharedWindows{store, clock}, alone: alone}
}

// MostPerMinute is the highest limit.
const MostPerMinute = 1_000_000

// Take charges n requests to a key that may make perMinute requests a minute, at once or spread, MostPerMinute at most; a negative n gives
// requests back. A limit of 0 is no limit.
func (l *Limiter) Take(ctx context.Context, key string, perMinute, n int) (Result, error) {
	if perMinute == 0 {
		return Result{}, nil
	}
	mine, end, err := l.leases.of(ctx, key)
	if err != nil {
		return Result{}, err
	}
	defer end()
	now, back := l.leases.clock.Now(), Window/time.Duration(perMinute)
	if next := later(mine.spent, now).Add(time.Duration(n) * back); mine.back == back && !next.After(mine.end) {
		mine.spent = next
		return Result{State: stateAt(now, next, perMinute)}, nil
	}
	for range mostSwaps {
		result, done, err := l.renew(ctx, mine, key, perMinute, n)
		if done || err != nil {
			return result, err
		}
	}
	return Result{}, fmt.Errorf("the limit %s was moved on %d times meanwhile", key, mostSwaps)
}

// TakeInProcess is Take, counted in this process alone.
func (l *Limiter) TakeInProcess(ctx context.Context, key string, perMinute, n int) (Result, error) {
	return l.alone.Take(ctx, key, perMinute, n)
}
