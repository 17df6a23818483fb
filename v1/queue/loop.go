package queue

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"sellerd/v1/lease"
)

const (
	ownerRows = 200  // leased rows of one owner, beyond which it is passed over
	allRows   = 4000 // leased rows of all owners, beyond which nothing is leased
	lookEvery = time.Second
)

// gatherGap is how long rows gather after a lease that took all there were. One that comes to an idle worker is leased at
// once; under load, sets of some hundred cost a fraction of as many small ones.
const gatherGap = 50 * time.Millisecond

// Loop leases sets of rows and lets each go its way, so that one owner's slow work holds up no other owner's: a set never
// waits for an earlier one. An owner with many rows in flight is passed over until some are done.
type Loop[R any] struct {
	Name   string // of the worker, in the log
	Claims *Claims[R]
	// Work does what is to be done with a set, and calls done with the owner of each row as the work on the row ends.
	Work   func(ctx context.Context, held Held[R], done func(owner int64)) error
	Woken  chan struct{} // wakes the loop before its tick; it has room for one, and the loop wakes itself as well
	Logger *slog.Logger
}

// Run runs until ctx ends and all work in hand is done.
func (l Loop[R]) Run(ctx context.Context) {
	var wg sync.WaitGroup
	defer wg.Wait()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	working := &workload{rows: map[int64]int{}, freed: l.wake}
	for ctx.Err() == nil {
		if busy, full := working.busy(); !full {
			held, more, err := l.Claims.Take(ctx, busy, true)
			l.log(err)
			if err == nil && len(held.Rows)+held.Finished > 0 {
				for _, row := range held.Rows {
					working.add(l.Claims.config.Owner(row))
				}
				if len(held.Rows) > 0 {
					wg.Go(func() { l.log(l.Work(ctx, held, working.done)) })
				}
				if !more {
					lease.Pause(ctx, gatherGap)
				}
				continue
			}
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		case <-l.Woken:
		}
	}
}

func (l Loop[R]) log(err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		l.Logger.Error("worker step failed", "worker", l.Name, "error", err)
	}
}

func (l Loop[R]) wake() {
	select {
	case l.Woken <- struct{}{}:
	default:
	}
}

// workload counts leased rows by owner.
type workload struct {
	mu    sync.Mutex
	rows  map[int64]int
	all   int
	freed func() // called when the rows of a busy owner, or any rows, can be claimed again
}

func (f *workload) add(owner int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rows[owner]++
	f.all++
}

func (f *workload) done(owner int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.rows[owner] == ownerRows || f.all == allRows {
		f.freed()
	}
	f.all--
	if f.rows[owner]--; f.rows[owner] == 0 {
		delete(f.rows, owner)
	}
}

// busy are the owners to pass over; full means that nothing should be leased at all.
func (f *workload) busy() (owners []int64, full bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for owner, n := range f.rows {
		if n >= ownerRows {
			owners = append(owners, owner)
		}
	}
	return owners, f.all >= allRows
}
