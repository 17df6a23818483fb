package bridge

import (
	"container/list"
	"sync"
)

// lru is a map that forgets what was not used for the longest time when it is full. It is safe for concurrent use.
type lru[K comparable, V any] struct {
	most   int
	mu     sync.Mutex
	order  *list.List // of entries, the last used first
	places map[K]*list.Element
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

func newLRU[K comparable, V any](most int) *lru[K, V] {
	return &lru[K, V]{most: most, order: list.New(), places: map[K]*list.Element{}}
}

func (l *lru[K, V]) get(key K) (value V, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.places[key]
	if at == nil {
		return value, false
	}
	l.order.MoveToFront(at)
	return at.Value.(*entry[K, V]).value, true
}

func (l *lru[K, V]) put(key K, value V) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at := l.places[key]; at != nil {
		at.Value.(*entry[K, V]).value = value
		l.order.MoveToFront(at)
		return
	}
	l.places[key] = l.order.PushFront(&entry[K, V]{key, value})
	if l.order.Len() > l.most {
		last := l.order.Back()
		delete(l.places, l.order.Remove(last).(*entry[K, V]).key)
	}
}
