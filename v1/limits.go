package v1

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"sync"
	"time"

	"sellerd/v1/refusal"

	"entgo.io/ent/dialect"
	"github.com/throttled/throttled/v2"
)

// accountLimits are an account's own limits; a missing one means the service's default.
type accountLimits struct{ requests, open, daily sql.Null[int64] }

func (l accountLimits) openItems(s *Service) int { return int(orDefault(l.open, s.config.OpenItems)) }

func (l accountLimits) newItemsPerDay(s *Service) int {
	return int(orDefault(l.daily, s.config.NewItemsPerDay))
}

func (l accountLimits) rate(s *Service) int { return int(orDefault(l.requests, s.config.RateLimit)) }

func orDefault(own sql.Null[int64], otherwise int) int64 {
	if own.Valid {
		return own.V
	}
	return int64(otherwise)
}

// failedAuthPerMinute is how many failed authentications one address may make a minute, at once or spread.
const failedAuthPerMinute = 20

// charge charges one request to the caller's budget, and refuses it with rate_limited when there is none left.
func (s *Service) charge(ctx context.Context, c *Call) error {
	limit := c.limits.rate(s)
	state, err := s.limiter.take(ctx, ownerLimiter(c.Owner), limit, 1)
	if err != nil {
		return fmt.Errorf("rate limit: %w", err)
	}
	c.Meta.Rate = &state.RateState
	if state.limited {
		return refusal.Later(RateLimited, state.retryAfter)
	}
	return nil
}

// refund returns a request, because a replay costs nothing.
func (s *Service) refund(ctx context.Context, c *Call) {
	state, err := s.limiter.take(ctx, ownerLimiter(c.Owner), c.limits.rate(s), -1)
	if err == nil {
		c.Meta.Rate = &state.RateState
	}
}

func ownerLimiter(o Owner) string { return "owner/" + strconv.FormatInt(int64(o), 36) }

// ChargeAddress counts one failed authentication of an address (of this process), and returns rate_limited instead of the
// failure itself after too many. Valid keys behind the same address are not affected.
func (s *Service) ChargeAddress(ctx context.Context, address string) error {
	state, err := s.limiter.local.take(ctx, "address/"+address, failedAuthPerMinute, 1)
	if err != nil {
		return fmt.Errorf("address limit: %w", err)
	}
	if state.limited {
		refused := refusal.Later(RateLimited, state.retryAfter)
		refused[0].Message = "Too many wrong keys from this address. A valid key is still accepted."
		return refused
	}
	return nil
}

type limiterState struct {
	RateState
	limited    bool
	retryAfter time.Duration
}

// limiter is the generic cell rate algorithm. On PostgreSQL it uses a shared table, because several processes count
// together; on SQLite it uses memory, because one process owns the file.
type limiter struct {
	store  throttled.GCRAStoreCtx
	local  *limiter
	byRate sync.Map // requests a minute → *throttled.GCRARateLimiterCtx
}

func newLimiter(store Store, clock Clock) *limiter {
	local := &limiter{store: newMemoryWindows(clock)}
	local.local = local
	if store.Dialect() != dialect.Postgres {
		return local
	}
	return &limiter{store: &sharedWindows{store, clock}, local: local}
}

func (l *limiter) take(ctx context.Context, key string, perMinute, n int) (limiterState, error) {
	if perMinute == 0 {
		return limiterState{}, nil
	}
	gcra, err := l.of(perMinute)
	if err != nil {
		return limiterState{}, err
	}
	limited, result, err := gcra.RateLimitCtx(ctx, key, n)
	if err != nil {
		return limiterState{}, err
	}
	return limiterState{
		RateState: RateState{Limit: result.Limit, Remaining: max(0, min(result.Remaining, perMinute)), ResetAfter: max(0, result.ResetAfter)},
		limited:   limited, retryAfter: result.RetryAfter,
	}, nil
}

func (l *limiter) of(perMinute int) (*throttled.GCRARateLimiterCtx, error) {
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

// memoryWindows keeps limiters in memory. Expired entries are dropped when the map has doubled.
type memoryWindows struct {
	clock   Clock
	mu      sync.Mutex
	windows map[string]memoryWindow
	sweepAt int
}

type memoryWindow struct {
	value   int64
	expires time.Time
}

func newMemoryWindows(clock Clock) *memoryWindows {
	return &memoryWindows{clock: clock, windows: map[string]memoryWindow{}, sweepAt: 1024}
}

// GetWithTime returns a limiter's state, -1 when there is none, and the time.
func (m *memoryWindows) GetWithTime(_ context.Context, key string) (int64, time.Time, error) {
	now := m.clock.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	w, ok := m.windows[key]
	if !ok || !w.expires.After(now) {
		return -1, now, nil
	}
	return w.value, now, nil
}

// SetIfNotExistsWithTTL stores a state unless there is one.
func (m *memoryWindows) SetIfNotExistsWithTTL(_ context.Context, key string, value int64, ttl time.Duration) (bool, error) {
	now := m.clock.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	if w, ok := m.windows[key]; ok && w.expires.After(now) {
		return false, nil
	}
	m.put(key, value, now, ttl)
	return true, nil
}

// CompareAndSwapWithTTL replaces a state that is still the expected one.
func (m *memoryWindows) CompareAndSwapWithTTL(_ context.Context, key string, old, value int64, ttl time.Duration) (bool, error) {
	now := m.clock.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	if w, ok := m.windows[key]; !ok || w.value != old {
		return false, nil
	}
	m.put(key, value, now, ttl)
	return true, nil
}

func (m *memoryWindows) put(key string, value int64, now time.Time, ttl time.Duration) {
	m.windows[key] = memoryWindow{value, now.Add(max(ttl, time.Second))}
	if len(m.windows) < m.sweepAt {
		return
	}
	for key, w := range m.windows {
		if !w.expires.After(now) {
			delete(m.windows, key)
		}
	}
	m.sweepAt = max(1024, 2*len(m.windows))
}

// sharedWindows keeps limiters in a table, so that all processes on one PostgreSQL count together. Each step is one
// statement of its own; the compare-and-swap makes a transaction unnecessary.
type sharedWindows struct {
	store Store
	clock Clock
}

// GetWithTime returns a limiter's state, -1 when there is none, and the time.
func (w *sharedWindows) GetWithTime(ctx context.Context, key string) (int64, time.Time, error) {
	now := w.clock.Now()
	rows, err := w.store.Reader().QueryContext(ctx, `SELECT tat FROM rate_windows WHERE id = $1 AND expires_at > $2`, key, now.UnixMicro())
	if err != nil {
		return 0, now, err
	}
	defer rows.Close()
	value := int64(-1)
	if rows.Next() {
		err = rows.Scan(&value)
	}
	return value, now, cmp.Or(err, rows.Err())
}

// SetIfNotExistsWithTTL stores a state unless there is one.
func (w *sharedWindows) SetIfNotExistsWithTTL(ctx context.Context, key string, value int64, ttl time.Duration) (bool, error) {
	now := w.clock.Now()
	return w.affected(ctx, `INSERT INTO rate_windows (id, tat, expires_at) VALUES ($1, $2, $3)
 ON CONFLICT (id) DO UPDATE SET tat = excluded.tat, expires_at = excluded.expires_at WHERE rate_windows.expires_at <= $4`,
		key, value, now.Add(max(ttl, time.Second)).UnixMicro(), now.UnixMicro())
}

// CompareAndSwapWithTTL replaces a state that is still the expected one.
func (w *sharedWindows) CompareAndSwapWithTTL(ctx context.Context, key string, old, value int64, ttl time.Duration) (bool, error) {
	return w.affected(ctx, `UPDATE rate_windows SET tat = $1, expires_at = $2 WHERE id = $3 AND tat = $4`,
		value, w.clock.Now().Add(max(ttl, time.Second)).UnixMicro(), key, old)
}

func (w *sharedWindows) affected(ctx context.Context, query string, args ...any) (bool, error) {
	result, err := w.store.Reader().ExecContext(ctx, query, args...)
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n == 1, err
}

// knownLimitsTime bounds the query for limits, which an answer can also omit.
const knownLimitsTime = time.Second

// KnownLimits are the limits for an answer that does not come from its call, as after a panic: those of the caller, or none
// if no caller was admitted. The call's changes of the store's limits may have been rolled back, so these limits are read
// again.
func (s *Service) KnownLimits(ctx context.Context) (known Meta) {
	trace := TraceFrom(ctx)
	if trace.call == nil || trace.call.Meta.Rate == nil {
		return known
	}
	known.Rate = trace.call.Meta.Rate
	if trace.operation == nil {
		return known
	}
	defer func() { _ = recover() }() // the cause of the panic may cause another one, and then the answer has no limits
	ctx, cancel := context.WithTimeout(ctx, knownLimitsTime)
	defer cancel()
	call := Call{Caller: trace.call.Caller}
	s.tellStoreLimits(ctx, trace.operation, &call)
	known.Store = call.Meta.Store
	return known
}
