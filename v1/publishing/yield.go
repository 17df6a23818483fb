package publishing

import (
	"context"
	"errors"
	"time"

	"sellerd/internal/base/turns"
	"sellerd/v1/core"
)

// This file lets sellers' requests go before the publisher's work on the same owner. On PostgreSQL every change of an owner
// locks the owner's row, and PostgreSQL serves those that wait for it in their order. A set of items would hold up the
// requests behind it, and several processes publish at once. So a publisher takes the row only when it is free, or after
// YieldAtMost, and each process works on one set of an owner at a time. On SQLite one writer serves all in turn.

// How long a publisher waits before it looks again whether an owner's row is free, at first and at last, and how long it
// yields at most: an owner whose requests never pause is published as well.
const (
	yieldFirst  = 2 * time.Millisecond
	yieldLast   = 16 * time.Millisecond
	YieldAtMost = 300 * time.Millisecond

	yieldToOwn = time.Second // to other work of this process, which wakes it when it ends
)

// place is that of some work on an owner in the owner's line.
type place struct {
	*turns.Place[core.Owner]
	inLine  bool          // whether those before it go first, as they always do on PostgreSQL
	yielded time.Duration // to transactions that had the owner's row
}

// lines are the lines of owners in which work of this process waits for its turn.
type lines struct {
	core *core.Core
	turns.Lines[core.Owner]
}

// join takes the last place of an owner's line. It is given up with Leave.
func (l *lines) join(owner core.Owner, woken chan struct{}, inLine bool) *place {
	return &place{Place: l.Join(owner, woken), inLine: inLine}
}

// attempt is AsOwner for a worker: it fails with ErrOwnerTaken while the owner's own requests, or work in an earlier place,
// have the owner's row.
func (l *lines) attempt(ctx context.Context, p *place, fn func(ctx context.Context, tx *core.Change) error) error {
	if !l.mayAttempt(p) {
		return core.ErrOwnerTaken
	}
	if !l.core.Store.ManyWriters() {
		return l.core.AsOwner(ctx, p.Key, 0, fn)
	}
	err := l.core.AsOwnerWith(ctx, core.Entry{Yields: p.yielded < YieldAtMost}, p.Key, 0, fn)
	if l.core.Store.Busy(err) { // the row was not had in time: work on other owners comes before the next attempt
		return core.ErrOwnerTaken
	}
	return err
}

// mayAttempt says whether no work in an earlier place comes first. This stays so until the place is given up.
func (l *lines) mayAttempt(p *place) bool {
	return !p.inLine || l.First(p.Place)
}

// yield waits before work in these places, which share woken, is attempted again: until one becomes the first, or, if one is the
// first already, for a time that grows with each round in vain.
func (l *lines) yield(ctx context.Context, times int, places ...*place) {
	wait := min(yieldFirst<<min(times, 8), yieldLast)
	var first []*place
	for _, p := range places {
		if l.First(p.Place) {
			first = append(first, p)
		}
	}
	if len(first) == 0 {
		wait = yieldToOwn
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-places[0].Woken():
	case <-timer.C:
		for _, p := range first {
			p.yielded += wait
		}
	}
}

// asWorker is AsOwner for a worker that waits until the owner's own requests have gone.
func (l *lines) asWorker(ctx context.Context, owner core.Owner, fn func(ctx context.Context, tx *core.Change) error) error {
	p := l.join(owner, make(chan struct{}, 1), l.core.Store.ManyWriters())
	defer l.Leave(p.Place)
	for times := 0; ; times++ {
		if err := l.attempt(ctx, p, fn); !errors.Is(err, core.ErrOwnerTaken) {
			return err
		}
		if l.yield(ctx, times, p); ctx.Err() != nil {
			return ctx.Err()
		}
	}
}
