package core

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

type valueKey struct{}

// A deadline behaves as context.WithTimeout does, with a timer and without one.
func TestADeadlineIsAContextWithATimeout(t *testing.T) {
	type ended struct {
		name string
		end  func(cancelRequest, cancel func())
		want error
	}
	for _, waits := range []bool{false, true} {
		for _, c := range []ended{
			{"not yet", func(_, _ func()) { time.Sleep(time.Second - 1) }, nil}, // all times here are those of the test's own clock
			{"by its time", func(_, _ func()) { time.Sleep(time.Second) }, context.DeadlineExceeded},
			{"by its end", func(_, cancel func()) { cancel() }, context.Canceled},
			{"by the request", func(cancelRequest, _ func()) { cancelRequest() }, context.Canceled},
		} {
			synctest.Test(t, func(t *testing.T) {
				request, cancelRequest := context.WithCancel(context.WithValue(t.Context(), valueKey{}, "kept"))
				defer cancelRequest()
				d := within(request, time.Second)
				defer d.end()
				var below context.Context
				if waits {
					var cancel context.CancelFunc
					below, cancel = context.WithCancel(d)
					defer cancel()
				}
				if at, set := d.Deadline(); !set || !at.Equal(time.Now().Add(time.Second)) {
					t.Errorf("%s: it ends at %v, %t", c.name, at, set)
				}
				early := d.Err()
				c.end(cancelRequest, d.end)
				synctest.Wait()
				if got := d.Err(); early != nil || got != c.want {
					t.Errorf("%s, waits %t: %v, then %v", c.name, waits, early, got)
				}
				if waits && (below.Err() != nil) != (c.want != nil) {
					t.Errorf("%s: a context below it says %v", c.name, below.Err())
				}
				select {
				case <-d.Done():
					if c.want == nil {
						t.Errorf("%s: it is done", c.name)
					}
				default:
					if c.want != nil {
						t.Errorf("%s: it is not done", c.name)
					}
				}
				if d.Value(valueKey{}) != "kept" {
					t.Errorf("%s: its values are lost", c.name)
				}
			})
		}
	}
}

// The time of the request counts if it ends earlier, as a caller within the program may have it.
func TestADeadlineIsNotLaterThanThatOfTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		request, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		d := within(request, time.Minute)
		defer d.end()
		if at, _ := d.Deadline(); !at.Equal(time.Now().Add(time.Second)) {
			t.Errorf("it ends at %v", at)
		}
	})
}
