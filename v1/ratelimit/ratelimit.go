// Package ratelimit counts requests by the generic cell rate algorithm (GCRA): a key has a number of requests a minute,
// which it may make at once or spread, and used requests come back evenly. All processes on one PostgreSQL count together
// (shared.go), each by leases of a tenth of a limit (lease.go); with SQLite one process owns the file and counts in memory (memory.go).
package ratelimit

import (
	"context"
	"sync"
	"time"

	"github.com/throttled/throttled/v2"

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

// Limiter is the generic cell rate algorithm. On PostgreSQL it uses a shared table, because several processes count
// together; on SQLite it uses memory, because one process owns the file.
type Limiter struct {
	store  throttled.GCRAStoreCtx
	leases *leases // nil where requests are counted one by one
	local  *Limiter
	byRate sync.Map // requests a minute → *throttled.GCRARateLimiterCtx
}

// New makes a limiter for the processes on a database.
func New(store Store, clock Clock) *Limiter {
	local := &Limiter{store: newMemoryWindows(clock)}
	local.local = local
	if !store.ManyWriters() {
		return local
	}
	return &Limiter{store: &sharedWindows{store, clock}, leases: newLeases(clock), local: local}
}

// Take charges n requests to a key that may make perMinute requests a minute, at once or spread; a negative n gives
// requests back. A limit of 0 is no limit.
func (l *Limiter) Take(ctx context.Context, key string, perMinute, n int) (Result, error) {
	switch {
	case perMinute == 0:
		return Result{}, nil
	case l.leases != nil:
		return l.takeLeased(ctx, key, perMinute, n)
	}
	return l.takeShared(ctx, key, perMinute, n)
}

// takeShared is Take, counted in the store.
func (l *Limiter) takeShared(ctx context.Context, key string, perMinute, n int) (Result, error) {
	gcra, err := l.of(perMinute)
	if err != nil {
		return Result{}, err
	}
	limited, result, err := gcra.RateLimitCtx(ctx, key, n)
	if err != nil {
		return Result{}, err
	}
	return Result{
		State:   State{Limit: result.Limit, Remaining: max(0, min(result.Remaining, perMinute)), ResetAfter: max(0, result.ResetAfter)},
		Limited: limited, RetryAfter: result.RetryAfter,
	}, nil
}

// TakeInProcess is Take, counted in this process alone.
func (l *Limiter) TakeInProcess(ctx context.Context, key string, perMinute, n int) (Result, error) {
	return l.local.Take(ctx, key, perMinute, n)
}

// of is the algorithm with a limit.
func (l *Limiter) of(perMinute int) (*throttled.GCRARateLimiterCtx, error) {
	if gcra, ok := l.byRate.Load(perMinute); ok {
		return gcra.(*throttled.GCRARateLimiterCtx), nil
	}
	gcra, err := throttled.NewGCRARateLimiterCtx(l.store, throttled.RateQuota{MaxRate: throttled.PerMin(perMinute), MaxBurst: perMinute - 1})
	if err != nil {
		return nil, err
	}
	gcra.SetMaxCASAttemptsLimit(1000)
	actual, _ := l.byRate.LoadOrStore(perMinute, gcra)
	return actual.(*throttled.GCRARateLimiterCtx), nil
}
