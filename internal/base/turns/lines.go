package turns

import (
	"slices"
	"sync"
)

// Lines are callers that wait for things named by K, for each thing in the order in which they came. Unlike with Turns, a caller
// can wait in several lines, and do other work meanwhile. The zero value has no callers. It is safe for concurrent use.
type Lines[K comparable] struct {
	mu     sync.Mutex
	places map[K][]*Place[K] // without the things for which no caller waits
}

// Place is a caller's place in a line.
type Place[K comparable] struct {
	Key   K
	woken chan struct{}
}

// Join takes the last place of a line. When the place becomes the first by another's leaving, woken gets a value if it has room.
func (l *Lines[K]) Join(key K, woken chan struct{}) *Place[K] {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.places == nil {
		l.places = map[K][]*Place[K]{}
	}
	p := &Place[K]{key, woken}
	l.places[key] = append(l.places[key], p)
	return p
}

// Woken gets a value when the place, or another one with the same channel, becomes the first of its line.
func (p *Place[K]) Woken() <-chan struct{} { return p.woken }

// First says whether a place is the first of its line.
func (l *Lines[K]) First(p *Place[K]) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.places[p.Key][0] == p
}

// Leave gives up a place, once.
func (l *Lines[K]) Leave(p *Place[K]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	rest := slices.DeleteFunc(l.places[p.Key], func(other *Place[K]) bool { return other == p })
	if len(rest) == 0 {
		delete(l.places, p.Key)
		return
	}
	l.places[p.Key] = rest
	select {
	case rest[0].woken <- struct{}{}:
	default:
	}
}

// Len is how many things have a line.
func (l *Lines[K]) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.places)
}
