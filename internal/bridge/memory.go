package bridge

import (
	"container/list"
	"sync"
)

// This file bounds what is remembered of lists.

// maxMarks is how many segments are remembered, and maxLists of how many lists.
const (
	maxMarks = 10_000
	maxLists = 3000
)

// memory is the marks of lists, by name. When it is full, it forgets the list that was not used for the longest time; of a
// single list that fills it, it forgets every second mark. It is safe for concurrent use.
type memory struct {
	most   int // segments
	mu     sync.Mutex
	order  *list.List // of remembered lists, the last used first
	places map[string]*list.Element
	total  int
}

type remembered struct {
	name  string
	marks *marks
	size  int // segments, as counted in the total
}

func newMemory(most int) *memory {
	return &memory{most: most, order: list.New(), places: map[string]*list.Element{}}
}

// of returns the marks of a list.
func (m *memory) of(name string) *marks {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := m.places[name]
	if at == nil {
		at = m.order.PushFront(&remembered{name: name, marks: newMarks()})
		m.places[name] = at
		if m.order.Len() > maxLists {
			m.drop(m.order.Back())
		}
	}
	m.order.MoveToFront(at)
	return at.Value.(*remembered).marks
}

func (m *memory) drop(at *list.Element) {
	gone := m.order.Remove(at).(*remembered)
	delete(m.places, gone.name)
	m.total -= gone.size
}

// settle counts the marks of a list again, and makes room. The caller has entered the list.
func (m *memory) settle(name string, changed *marks) {
	changed.tidy()
	m.mu.Lock()
	defer m.mu.Unlock()
	at := m.places[name]
	if at == nil || at.Value.(*remembered).marks != changed {
		return // it was forgotten meanwhile
	}
	own := at.Value.(*remembered)
	m.resize(own)
	for m.total > m.most && m.order.Back() != at {
		m.drop(m.order.Back())
	}
	if m.total > m.most {
		changed.thin(m.most)
		m.resize(own)
	}
}

func (m *memory) resize(r *remembered) {
	m.total += len(r.marks.segments) - r.size
	r.size = len(r.marks.segments)
}
