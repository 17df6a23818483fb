package v1

import (
	"maps"
	"sync"
)

// How much is in flight at once, in each process.
const (
	slotsInAll       = 256
	slotsForRetries  = slotsInAll * 3 / 4 // the rest is kept for first attempts
	slotsPerOwner    = 32
	slotsPerEndpoint = 4
)

// flights counts what this process has in flight.
type flights struct {
	mu         sync.Mutex
	all        int
	retries    int
	byOwner    map[Owner]int
	byEndpoint map[int64]int
}

func newFlights() *flights {
	return &flights{byOwner: map[Owner]int{}, byEndpoint: map[int64]int{}}
}

// copy is how things stand, for a claim to reckon with.
func (f *flights) copy() *flights {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &flights{all: f.all, retries: f.retries, byOwner: maps.Clone(f.byOwner), byEndpoint: maps.Clone(f.byEndpoint)}
}

func (f *flights) inAll() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.all
}

// room is how many attempts may start at an endpoint, and how many of them may be retries.
func (f *flights) room(e *dueEndpoint) (all, retries int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	most := slotsPerEndpoint
	if e.probing {
		most = 1
	}
	all = min(slotsInAll-f.all, slotsPerOwner-f.byOwner[e.owner], most-max(f.byEndpoint[e.id], e.inFlight))
	return max(0, all), max(0, min(all, slotsForRetries-f.retries))
}

func (f *flights) start(a *attempt) { f.count(a, 1) }
func (f *flights) end(a *attempt)   { f.count(a, -1) }

func (f *flights) count(a *attempt, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all += n
	if a.number > 1 {
		f.retries += n
	}
	if f.byOwner[a.owner] += n; f.byOwner[a.owner] == 0 {
		delete(f.byOwner, a.owner)
	}
	if f.byEndpoint[a.webhook] += n; f.byEndpoint[a.webhook] == 0 {
		delete(f.byEndpoint, a.webhook)
	}
}
