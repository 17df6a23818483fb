package v1

import (
	"maps"
	"sync"
)

// How many attempts are in flight at once, in each process.
const (
	slotsInAll       = 256
	slotsForRetries  = slotsInAll * 3 / 4 // the rest is kept for first attempts
	slotsPerOwner    = 32
	slotsPerEndpoint = 4
)

// slots counts the attempts that this process has in flight.
type slots struct {
	mu         sync.Mutex
	all        int
	retries    int
	byOwner    map[int64]int
	byEndpoint map[int64]int
}

func newSlots() *slots {
	return &slots{byOwner: map[int64]int{}, byEndpoint: map[int64]int{}}
}

// snapshot is how things stand, for a claim to reckon with.
func (s *slots) snapshot() *slots {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &slots{all: s.all, retries: s.retries, byOwner: maps.Clone(s.byOwner), byEndpoint: maps.Clone(s.byEndpoint)}
}

// inFlight is how many attempts there are.
func (s *slots) inFlight() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}

// free is how many attempts may start at an endpoint, and how many of them may be retries.
func (s *slots) free(e *dueEndpoint) (all, retries int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	most := slotsPerEndpoint
	if e.probing {
		most = 1
	}
	all = min(slotsInAll-s.all, slotsPerOwner-s.byOwner[e.owner], most-max(s.byEndpoint[e.id], e.leased))
	return max(0, all), max(0, min(all, slotsForRetries-s.retries))
}

func (s *slots) take(a *attempt)    { s.count(a, 1) }
func (s *slots) release(a *attempt) { s.count(a, -1) }

func (s *slots) count(a *attempt, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all += n
	if a.number > 1 {
		s.retries += n
	}
	if s.byOwner[a.owner] += n; s.byOwner[a.owner] == 0 {
		delete(s.byOwner, a.owner)
	}
	if s.byEndpoint[a.webhook] += n; s.byEndpoint[a.webhook] == 0 {
		delete(s.byEndpoint, a.webhook)
	}
}
