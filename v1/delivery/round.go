package delivery

import (
	"slices"
	"time"
)

// roundTime is how long the endpoints that a look found have their turns before there is another look.
const roundTime = 250 * time.Millisecond

// round is what a look for work found: endpoints that have their turns in several claims, one after another. A look reads
// an index at every webhook for which something waits, so where those are hundreds, a look for each claim would cost more
// than the claims. What becomes due meanwhile has its turn in the next round. An endpoint is read again, under its lock, when it
// has its turn.
type round struct {
	endpoints []dueEndpoint // whose turns are still to come, longest due first
	queue     *queue        // in which they were found
	ends      time.Duration // by the uptime
}

// goesOn says whether an endpoint's turn is still to come. An endpoint without a free slot has none in this round.
func (r *round) goesOn(queue *queue, uptime time.Duration, slots *Slots) bool {
	if r.queue != queue || uptime >= r.ends {
		r.endpoints = nil
	}
	r.endpoints = slices.DeleteFunc(r.endpoints, func(e dueEndpoint) bool {
		all, _ := slots.free(&e)
		return all == 0
	})
	return len(r.endpoints) > 0
}
