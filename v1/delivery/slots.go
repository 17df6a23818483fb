package delivery

import (
	"maps"
	"sync"
)

// How many attempts are in flight at once, in each process.
const (
	slotsInAll       = 256
	SlotsForRetries  = slotsInAll * 3 / 4 // the others are kept for first attempts
	SlotsPerOwner    = 32
	SlotsPerEndpoint = 4
)

// Slots counts the attempts that this process has in flight.
type Slots struct {
	mu         sync.Mutex
	all        int
	retries    int
	byOwner    map[int64]int
	byEndpoint map[int64]int
}

// NewSlots makes the slots of a process with nothing in flight.
func NewSlots() *Slots {
	return &Slots{byOwner: map[int64]int{}, byEndpoint: map[int64]int{}}
}

// snapshot is how things stand, for a claim to reckon with.
func (s *Slots) snapshot() *Slots {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &Slots{all: s.all, retries: s.retries, byOwner: maps.Clone(s.byOwner), byEndpoint: maps.Clone(s.byEndpoint)}
}

// inFlight is how many attempts there are.
func (s *Slots) inFlight() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}

// free is how many attempts may start at an endpoint, and how many of them may be retries.
func (s *Slots) free(e *dueEndpoint) (all, retries int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	most := SlotsPerEndpoint
	if e.probing {
		most = 1
	}
	all = min(slotsInAll-s.all, SlotsPerOwner-s.byOwner[e.owner], most-max(s.byEndpoint[e.id], e.leased))
	return max(0, all), max(0, min(all, SlotsForRetries-s.retries))
}

// Take counts an attempt that begins, and release one that is settled.
func (s *Slots) Take(a *Attempt)    { s.count(a, 1) }
func (s *Slots) release(a *Attempt) { s.count(a, -1) }

func (s *Slots) count(a *Attempt, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all += n
	if a.Number > 1 {
		s.retries += n
	}
	if s.byOwner[a.owner] += n; s.byOwner[a.owner] == 0 {
		delete(s.byOwner, a.owner)
	}
	if s.byEndpoint[a.webhook] += n; s.byEndpoint[a.webhook] == 0 {
		delete(s.byEndpoint, a.webhook)
	}
}
