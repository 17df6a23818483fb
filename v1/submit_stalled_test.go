package v1_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/ent/submission"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/probe"
)

// replayOf is the outcome of a repeated request that was accepted.
var replayOf = seenOf{http.StatusAccepted, "", "", "true"}

func TestASubmissionThatComesLateIsNotRefusedWithTheFirst(t *testing.T) {
	t.Parallel() // it waits for a lock
	w := servertest.New(t, servertest.Postgres(t))
	owner := v1.OwnerOf(w.Account, true)
	requests := submits(2)
	w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice()}) // takes numbers from the database
	release := hold(t, w, touchOwner, int64(owner))
	answers := [2]chan servertest.Response{make(chan servertest.Response, 1), make(chan servertest.Response, 1)}
	for i := range answers {
		go func() { answers[i] <- w.Do(t, requests[i]) }()
		until(t, "it waits in the seller's lane", func() bool { _, own := probe.SubmitsWaiting(w.Service, owner); return own == i+1 })
		waitForLock(t, w)
	}
	if diff := cmp.Diff(unavailable, outcomeOf(<-answers[0])); diff != "" {
		t.Errorf("the first (-want +got):\n%s", diff)
	}
	release()
	if diff := cmp.Diff(accepted, outcomeOf(<-answers[1])); diff != "" {
		t.Errorf("the one that came late (-want +got):\n%s", diff)
	}
}

// failing is a store whose next transaction fails with an error.
type failing struct {
	v1.Store
	next atomic.Pointer[error]
}

func (s *failing) Write(ctx context.Context, fn func(ctx context.Context, tx *ent.Client) error) error {
	return s.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		err := fn(ctx, tx)
		if next := s.next.Swap(nil); next != nil {
			return *next
		}
		return err
	})
}

func TestAGroupThatFails(t *testing.T) {
	for name, test := range map[string]struct {
		failure error
		want    seenOf
	}{
		"for any reason is stored one by one":          {errors.New("one of them is odd"), accepted},
		"because the database is away is not repeated": {io.ErrUnexpectedEOF, unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			servertest.Each(t, func(t *testing.T, w *servertest.World) {
				store := w.Config.Store.(*failing)
				w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice()})
				release := stopSubmits(t, w)
				gathered := make(chan []servertest.Response, 1)
				go func() { gathered <- together(t, w, submits(10)...) }()
				until(t, "all wait", func() bool { all, _ := probe.SubmitsWaiting(w.Service, v1.OwnerOf(w.Account, true)); return all == 10 })
				store.next.Store(&test.failure)
				release()
				refused := 0
				for _, answer := range <-gathered {
					if got := outcomeOf(answer); got == unavailable && test.want == unavailable {
						refused++
					} else if got != accepted {
						t.Errorf("%d %s", answer.Status, answer.Body)
					}
				}
				if test.want == unavailable && refused == 0 {
					t.Error("the failure reached no caller")
				}
				if got := w.Count(t, "submissions", inTestMode); got != 11-refused {
					t.Errorf("%d submissions are stored, and %d were refused", got, refused)
				}
			}, func(c *v1.Config) { c.Store = &failing{Store: c.Store} })
		})
	}
}

// panicking is a store whose transactions panic at the end if they have made a submission with a certain reference.
type panicking struct{ v1.Store }

const culprit = "T-3"

func (s *panicking) Write(ctx context.Context, fn func(ctx context.Context, tx *ent.Client) error) error {
	return s.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		if err := fn(ctx, tx); err != nil {
			return err
		}
		found, err := tx.Submission.Query().Where(submission.PersonalReference(culprit)).Exist(ctx)
		if found {
			panic("it is " + culprit)
		}
		return err
	})
}

func TestAPanicInAGroupEndsTheRequestThatCausedIt(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		answers, _ := inOneGroup(t, w, submits(10)...)
		var got []int
		for _, answer := range answers {
			got = append(got, answer.Status)
		}
		if diff := cmp.Diff([]int{202, 202, 202, 500, 202, 202, 202, 202, 202, 202}, got); diff != "" {
			t.Errorf("answers (-want +got):\n%s", diff)
		}
		if w.Count(t, "submissions", inTestMode) != 9 || w.Count(t, "owners", "open_count = 9 AND day_count = 9") != 1 {
			t.Error("what is stored is not what was accepted")
		}
	}, func(c *v1.Config) { c.Store = &panicking{c.Store} })
}

func TestAReplayDoesNotWaitForABusySeller(t *testing.T) {
	w := servertest.New(t, servertest.Postgres(t))
	owner := v1.OwnerOf(w.Account, true)
	requests := submits(2)
	first := w.Do(t, requests[0])
	release := hold(t, w, touchOwner, int64(owner))
	waits := make(chan servertest.Response, 1)
	go func() { waits <- w.Do(t, requests[1]) }()
	until(t, "one waits in the seller's lane", func() bool { _, own := probe.SubmitsWaiting(w.Service, owner); return own == 1 })
	replay := w.Do(t, requests[0])
	if diff := cmp.Diff(replayOf, outcomeOf(replay)); diff != "" || replay.Body != first.Body {
		t.Errorf("the replay (-want +got):\n%s%s", diff, replay.Body)
	}
	if _, own := probe.SubmitsWaiting(w.Service, owner); own != 1 {
		t.Error("the replay waited for the seller's row")
	}
	release()
	<-waits
}

func TestAReplayDoesNotWaitForAGroupThatStalls(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		requests := submits(2)
		first := w.Do(t, requests[0])
		release := stopSubmits(t, w)
		waits := make(chan servertest.Response, 1)
		go func() { waits <- w.Do(t, requests[1]) }()
		until(t, "a group is being stored", func() bool { return w.Service.SubmitsSince.Load() != 0 })
		w.Clock.Advance(time.Second)
		replay := w.Do(t, requests[0])
		if diff := cmp.Diff(replayOf, outcomeOf(replay)); diff != "" || replay.Body != first.Body {
			t.Errorf("the replay (-want +got):\n%s%s", diff, replay.Body)
		}
		if all, _ := probe.SubmitsWaiting(w.Service, v1.OwnerOf(w.Account, true)); all != 1 {
			t.Error("the replay waited for the group")
		}
		release()
		if diff := cmp.Diff(accepted, outcomeOf(<-waits)); diff != "" {
			t.Errorf("the one that waited (-want +got):\n%s", diff)
		}
	})
}

func TestAReplayTakesNoNumber(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		requests := submits(2)
		number := func(r servertest.Request) int64 {
			t.Helper()
			answer := w.Do(t, r)
			n, err := strconv.ParseInt(strings.TrimPrefix(servertest.Into[object](t, answer)["id"].(string), "sub_"), 36, 64)
			if err != nil || answer.Status != http.StatusAccepted {
				t.Fatalf("%v: %d %s", err, answer.Status, answer.Body)
			}
			return n
		}
		first := number(requests[0])
		for range 5 {
			number(requests[0])
		}
		if next := number(requests[1]); next != first+1 {
			t.Errorf("after number %d and its replays comes %d", first, next)
		}
	})
}
