package core

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// deadline is a context with a time limit. It makes its timer when something waits for its end. Most reads only ask whether the time is
// over, and a timer costs more than the JSON of an item.
type deadline struct {
	context.Context // of the request
	at              time.Time

	mu    sync.Mutex // makes the timer, or ends the context
	over  atomic.Bool
	made  atomic.Bool     // these two are set
	timed context.Context // the same with its timer
	stop  context.CancelFunc
}

// within is a context that ends after a time. Its end has to be called.
func within(ctx context.Context, limit time.Duration) *deadline {
	at := time.Now().Add(limit)
	if earlier, set := ctx.Deadline(); set && earlier.Before(at) {
		at = earlier
	}
	return &deadline{Context: ctx, at: at}
}

// end ends the context.
func (d *deadline) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over.Store(true)
	if d.made.Load() {
		d.stop()
	}
}

// wait makes the timer.
func (d *deadline) wait() context.Context {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.made.Load() {
		d.timed, d.stop = context.WithDeadline(d.Context, d.at)
		if d.over.Load() {
			d.stop()
		}
		d.made.Store(true)
	}
	return d.timed
}

// Deadline implements context.Context.
func (d *deadline) Deadline() (time.Time, bool) { return d.at, true }

// Done implements context.Context.
func (d *deadline) Done() <-chan struct{} { return d.wait().Done() }

// Err implements context.Context.
func (d *deadline) Err() error {
	if d.made.Load() {
		return d.timed.Err()
	}
	if err := d.Context.Err(); err != nil {
		return err
	}
	switch {
	case d.over.Load():
		return context.Canceled
	case !time.Now().Before(d.at):
		return context.DeadlineExceeded
	}
	return nil
}

// Value implements context.Context. By it package context finds the timer, and needs no goroutine for a context made of this one.
func (d *deadline) Value(key any) any {
	if d.made.Load() {
		return d.timed.Value(key)
	}
	return d.Context.Value(key)
}
