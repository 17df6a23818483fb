package bridge

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"sellerd/internal/base/turns"
)

// This file bounds what is remembered of lists.

// maxMarks is how many segments are remembered, and maxLists of how many lists.
const (
	maxMarks = 10_000
	maxLists = 3000
)

// memory is the marks of lists, by name. When it is full, it forgets the list that was not used for the longest time. It is safe for
// concurrent use.
type memory struct {
	turns *turns.Turns[string] // of the calls that read a list
	most  int                  // segments
	mu    sync.Mutex
	lists map[string]*marks
	total int // segments
	uses  int // so far
}

func newMemory(most int) *memory {
	return &memory{turns: turns.New[string](1), most: most, lists: map[string]*marks{}}
}

// of returns the marks of a list.
func (m *memory) of(name string) *marks {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.lists[name]
	if known == nil {
		if len(m.lists) == maxLists {
			m.drop()
		}
		known = &marks{}
		known.forget()
		m.lists[name] = known
	}
	m.uses++
	known.used = m.uses
	return known
}

// drop forgets the list that was not used for the longest time.
func (m *memory) drop() {
	oldest := slices.MinFunc(slices.Collect(maps.Keys(m.lists)), func(a, b string) int { return cmp.Compare(m.lists[a].used, m.lists[b].used) })
	m.total -= m.lists[oldest].counted
	delete(m.lists, oldest)
}

// settle counts the marks of a list again, and makes room: other lists are forgotten first. The caller has the turn of the list.
func (m *memory) settle(name string, changed *marks) {
	changed.tidy()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lists[name] != changed {
		return // it was forgotten meanwhile
	}
	m.count(changed)
	for m.total > m.most && len(m.lists) > 1 {
		m.drop()
		if m.lists[name] != changed {
			return // others were used since
		}
	}
	if m.total > m.most {
		changed.thin(m.most)
		m.count(changed)
	}
}

func (m *memory) count(changed *marks) {
	m.total += len(changed.segments) - changed.counted
	changed.counted = len(changed.segments)
}
