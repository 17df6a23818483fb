// Package turns lets callers that would wait for the same thing go a few at a time. The others wait here and not there: a
// caller that waits for a locked row in a transaction has a connection meanwhile, which callers that wait for nothing
// need.
package turns

import (
	"context"
	"fmt"
	"sync"
)

// Turns gives turns for things named by K, to those that came first. It is safe for concurrent use.
type Turns[K comparable] struct {
	most   int
	mu     sync.Mutex
	places map[K]*places // of the things for which there is a turn or a caller that waits
}

// places are those for one thing.
type places struct {
	taken chan struct{}
	users int // that have a turn, or wait for one
}

// New makes turns, so many at the same time for each thing, 1 or more.
func New[K comparable](most int) *Turns[K] {
	return &Turns[K]{most: most, places: map[K]*places{}}
}

// Take waits for a turn until ctx ends, whose error it then returns. The caller ends its turn by calling end, once.
func (t *Turns[K]) Take(ctx context.Context, key K) (end func(), err error) {
	p := t.join(key)
	select {
	case p.taken <- struct{}{}:
		return func() { <-p.taken; t.leave(key, p) }, nil
	case <-ctx.Done():
		t.leave(key, p)
		return nil, fmt.Errorf("wait for a turn: %w", ctx.Err())
	}
}

// Len is how many callers have a turn for a thing or wait for one.
func (t *Turns[K]) Len(key K) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.places[key]; p != nil {
		return p.users
	}
	return 0
}

func (t *Turns[K]) join(key K) *places {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.places[key]
	if p == nil {
		p = &places{taken: make(chan struct{}, t.most)}
		t.places[key] = p
	}
	p.users++
	return p
}

func (t *Turns[K]) leave(key K, p *places) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p.users--; p.users == 0 {
		delete(t.places, key)
	}
}
