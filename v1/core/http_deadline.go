package core

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// deadline is a context that ends at a time, or when the request does. Its timer is made when somebody waits for that. Most reads only ask
// whether the time has come, and a timer with its place in the request's context costs as much as the answer of an item.
type deadline struct {
	context.Context // of the request
	at              time.Time

	timer atomic.Pointer[timer] // nil before somebody waits
	over  atomic.Bool
	mu    sync.Mutex // makes the timer, or ends the context
}

type timer struct {
	context.Context
	stop context.CancelFunc
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
	if t := d.timer.Load(); t != nil {
		t.stop()
	}
}

// wait makes the timer.
func (d *deadline) wait() *timer {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.timer.Load()
	if t == nil {
		t = &timer{}
		t.Context, t.stop = context.WithDeadline(d.Context, d.at)
		if d.over.Load() {
			t.stop()
		}
		d.timer.Store(t)
	}
	return t
}

// Deadline implements context.Context.
func (d *deadline) Deadline() (time.Time, bool) { return d.at, true }

// Done implements context.Context.
func (d *deadline) Done() <-chan struct{} { return d.wait().Done() }

// Err implements context.Context.
func (d *deadline) Err() error {
	if t := d.timer.Load(); t != nil {
		return t.Err()
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
	if t := d.timer.Load(); t != nil {
		return t.Value(key)
	}
	return d.Context.Value(key)
}
