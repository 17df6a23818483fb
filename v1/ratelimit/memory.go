package ratelimit

import (
	"context"
	"sync"
	"time"
)

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
