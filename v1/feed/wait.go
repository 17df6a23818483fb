package feed

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// LongestWait is how long a reader may wait for events.
const LongestWait = 20 * time.Second

const (
	// askEvery is how often a process asks which of the awaited owners other processes have changed.
	askEvery = 250 * time.Millisecond
	// leastPause is the least time between two times that a reader is woken, which may be in vain: not every change is one
	// that the reader waits for.
	leastPause = 100 * time.Millisecond
	// askTimeout bounds the query. A reader that asks in vain leaves it to the next.
	askTimeout = 2 * time.Second
)

// AskLastChanges reads the instants of the last changes of owners. The owners' order means nothing.
type AskLastChanges func(ctx context.Context, owners []int64, each func(owner, at int64)) error

// Waiters are the readers of a process that wait. They are safe for concurrent use.
type Waiters struct {
	ask   AskLastChanges
	asker chan *time.Ticker // holds the ticker of the questions; the reader that has taken it asks for all
	ended context.Context   // of all waits
	end   context.CancelFunc

	mu      sync.Mutex
	owners  map[int64]*awaited
	waiting int // readers in Wait
}

// awaited is an owner that readers wait for.
type awaited struct {
	readers int
	changed chan struct{} // closed by a change, and made anew
	last    int64         // the last change that an answer of ask has shown, 0 before the first
}

// NewWaiters makes the waiters of a process. ask is nil where no other process changes the database.
func NewWaiters(ask AskLastChanges) *Waiters {
	w := &Waiters{ask: ask, asker: make(chan *time.Ticker, 1), owners: map[int64]*awaited{}}
	w.ended, w.end = context.WithCancel(context.Background())
	if ask != nil {
		w.asker <- time.NewTicker(askEvery) // which costs nothing while no reader waits for it
	}
	return w
}

// End ends every wait, now and from now on.
func (w *Waiters) End() { w.end() }

// Count is how many readers wait: they have read all there was, and are in Wait.
func (w *Waiters) Count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.waiting
}

// count adds readers to those that wait, or takes them away.
func (w *Waiters) count(readers int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting += readers
}

// Notify wakes the readers of an owner after a commit.
func (w *Waiters) Notify(owner int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if o := w.owners[owner]; o != nil {
		o.wake()
	}
}

// wake wakes an owner's readers. The lock is held.
func (o *awaited) wake() {
	close(o.changed)
	o.changed = make(chan struct{})
}

// Watch is one reader's wait for an owner's changes.
type Watch struct {
	w       *Waiters
	owner   int64
	changed <-chan struct{} // closed by the next change
	woken   bool            // before
}

// Watch begins to wait. What is committed from now on is noticed by Wait. Leave has to be called.
func (w *Waiters) Watch(owner int64) *Watch {
	w.mu.Lock()
	defer w.mu.Unlock()
	o := w.owners[owner]
	if o == nil {
		o = &awaited{changed: make(chan struct{})}
		w.owners[owner] = o
	}
	o.readers++
	return &Watch{w: w, owner: owner, changed: o.changed}
}

// Leave ends the reader's wait.
func (r *Watch) Leave() {
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	o := r.w.owners[r.owner]
	if o.readers--; o.readers == 0 {
		delete(r.w.owners, r.owner)
	}
}

// Wait waits until the owner has changed since Watch, or since the last Wait, and says whether it has. It returns false when
// the context or the service ends.
func (r *Watch) Wait(ctx context.Context) (changed bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(r.w.ended, cancel)()
	r.w.count(1)
	defer r.w.count(-1)
	if r.woken {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(leastPause):
		}
	}
	select {
	case <-ctx.Done():
		return false
	case <-r.changed:
	case ticker := <-r.w.asker:
		changed = r.askForAll(ctx, ticker.C)
		r.w.asker <- ticker
		if !changed {
			return false
		}
	}
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	r.woken, r.changed = true, r.w.owners[r.owner].changed
	return true
}

// askForAll is Wait of the reader that asks for all.
func (r *Watch) askForAll(ctx context.Context, tick <-chan time.Time) (changed bool) {
	for {
		select {
		case <-ctx.Done():
			return false
		case <-r.changed:
			return true
		case <-tick:
			r.w.askOnce(ctx)
		}
	}
}

// askOnce asks for the last changes of all owners that are awaited, and wakes the readers of those that have changed since it
// was last asked, and of those for which it is asked for the first time: their changes may be from before. If the database
// does not answer, the next round asks again.
func (w *Waiters) askOnce(ctx context.Context) {
	w.mu.Lock()
	owners := slices.Collect(maps.Keys(w.owners))
	w.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	_ = w.ask(ctx, owners, func(owner, at int64) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if o := w.owners[owner]; o != nil && o.last != at {
			o.last = at
			o.wake()
		}
	})
}
