package sunset

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"sellerd/v1/core"
)

// This file remembers what was read about drills.

// remembered is what was last read.
type remembered[T any] struct {
	what    string     // for the log
	reading sync.Mutex // held by the call that reads
	failing bool       // the last read failed; the mutex guards it
	last    atomic.Pointer[reading[T]]
}

// reading is a read at an uptime. After a read that failed the value is that of the one before.
type reading[T any] struct {
	at    time.Duration
	value T
}

// outdate has the next call read anew. What is known stays, for the case that the database does not answer.
func (r *remembered[T]) outdate() {
	if last := r.last.Load(); last != nil {
		r.last.Store(&reading[T]{at: -quietAge, value: last.value})
	}
}

// read returns what was read at most age ago. One call at a time reads. The read goes on if its caller leaves, because others wait
// for it. That reads fail is logged when it begins and when it ends, since there are many a second.
func read[T any](ctx context.Context, c core.Config, r *remembered[T], age time.Duration, from func(context.Context) (T, error)) T {
	if last := r.last.Load(); last != nil && c.Uptime()-last.at < age {
		return last.value
	}
	r.reading.Lock()
	defer r.reading.Unlock()
	before := r.last.Load()
	if before != nil && c.Uptime()-before.at < age { // another call has read it meanwhile
		return before.value
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readLimit)
	defer cancel()
	fresh := &reading[T]{at: c.Uptime()}
	var err error
	if fresh.value, err = from(ctx); err != nil {
		fresh.at = c.Uptime()
		var none T
		if fresh.value = none; before != nil {
			fresh.value = before.value
		}
	}
	switch failing := err != nil; {
	case failing && !r.failing:
		c.Logger.Error("drills of the deprecated interface cannot be read: those of the last read count", "what", r.what, "error", err)
	case !failing && r.failing:
		c.Logger.Info("drills of the deprecated interface can be read again", "what", r.what)
	}
	r.failing = err != nil
	r.last.Store(fresh)
	return fresh.value
}
