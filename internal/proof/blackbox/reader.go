package blackbox

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// readPace is the time between two requests of a Reader.
const readPace = 10 * time.Millisecond

// Reader asks for one thing again and again, at a steady pace, and keeps how long each answer took.
type Reader struct {
	mu    sync.Mutex
	times []time.Duration
	err   error // of the first request that failed
}

// Read begins to ask for a path, a hundred times a second, until stop is called. stop fails the test if a request had no
// answer or one other than 200.
func Read(tb testing.TB, c *Client, path string) (r *Reader, stop func()) {
	tb.Helper()
	r = &Reader{}
	var done atomic.Bool
	var reading sync.WaitGroup
	reading.Go(func() {
		tick := time.NewTicker(readPace)
		defer tick.Stop()
		for !done.Load() {
			<-tick.C
			r.readOnce(c, path)
		}
	})
	return r, func() {
		done.Store(true)
		reading.Wait()
		if r.err != nil {
			tb.Error(r.err)
		}
	}
}

func (r *Reader) readOnce(c *Client, path string) {
	began := time.Now()
	got, err := c.Do(http.MethodGet, path, "", nil)
	took := time.Since(began)
	if err == nil && got.Status != http.StatusOK {
		err = fmt.Errorf("GET %s: %d %s", path, got.Status, got.Errors)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.times = append(r.times, took)
	if r.err == nil {
		r.err = err
	}
}

// Take returns the times since its last call.
func (r *Reader) Take() []time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	times := r.times
	r.times = nil
	return times
}
