package hooks_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"entgo.io/ent/dialect"
	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/probe"
)

// claimOne claims the one delivery that is due.
func claimOne(t *testing.T, w *servertest.World) probe.ClaimedDeliveries {
	t.Helper()
	claimed, err := probe.Claim(w.Service, t.Context())
	if err != nil || len(claimed) != 1 {
		t.Fatalf("claimed %d: %v", len(claimed), err)
	}
	return claimed
}

func TestAWorkerThatWasOvertakenHasNoSay(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := servertest.NewReceiver(t)
		w.Subscribe(t, object{"url": r.URL})
		w.List(t, servertest.FixedPrice())
		slow := claimOne(t, w)
		if diff := cmp.Diff([]string{"1 sending"}, w.AttemptsInShort(t)); diff != "" {
			t.Errorf("claimed (-want +got):\n%s", diff)
		}
		w.Clock.Advance(time.Minute - time.Microsecond)
		if n := w.DeliverOnce(t); n != 0 {
			t.Error("overtaken before its lease ended")
		}
		w.Clock.Advance(time.Microsecond)
		if n := w.DeliverOnce(t); n != 1 {
			t.Error("its lease did not end")
		}
		r.AnswersStatus(500)
		if err := probe.SendAndSettle(w.Service, t.Context(), slow); err != nil {
			t.Errorf("settle: %v", err)
		}
		want := []string{"1 interrupted interrupted", "2 succeeded final"}
		if diff := cmp.Diff(want, w.AttemptsInShort(t)); diff != "" || w.Service.Counters().StaleLeases.Load() != 1 {
			t.Errorf("log (-want +got):\n%s", diff)
		}
		if n := servertest.DeliverAll(t, w.Service); n != 0 || w.Count(t, "webhooks", "failures = 0") != 1 {
			t.Error("the result that was dropped had consequences")
		}
	})
}

func TestAClaimOfAProcessThatWasKilled(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := servertest.NewReceiver(t)
		w.Subscribe(t, object{"url": r.URL})
		w.List(t, servertest.FixedPrice())
		claimOne(t, w)
		next, err := v1.New(w.Config)
		if err != nil {
			t.Fatal(err)
		}
		if err := next.ResumeLeases(t.Context()); err != nil {
			t.Fatal(err)
		}
		atOnce := 0
		if w.Store.Dialect() == dialect.SQLite { // one server owns the file, so the one before is dead
			atOnce = 1
		}
		if n := servertest.DeliverAll(t, next); n != atOnce {
			t.Errorf("%d attempts right after the restart", n)
		}
		w.Clock.Advance(time.Minute)
		servertest.DeliverAll(t, next)
		if diff := cmp.Diff([]string{"1 interrupted interrupted", "2 succeeded final"}, w.AttemptsInShort(t)); diff != "" || len(r.Take()) != 1 {
			t.Errorf("log (-want +got):\n%s", diff)
		}
	})
}

func TestInterruptionsDoNotUseUpTheSchedule(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := servertest.NewReceiver(t)
		w.Subscribe(t, object{"url": r.URL})
		w.List(t, servertest.FixedPrice())
		var want []string
		for n := range 6 {
			claimOne(t, w)
			w.Clock.Advance(time.Minute)
			deliverInterrupted(t, w)
			want = append(want, fmt.Sprintf("%d interrupted interrupted", n+1))
		}
		r.AnswersStatus(500)
		for n := range 4 {
			w.DeliverOnce(t)
			w.Clock.Advance(time.Hour)
			want = append(want, fmt.Sprintf("%d failed http_status", n+7))
		}
		want[9] += " final"
		if diff := cmp.Diff(want, w.AttemptsInShort(t)); diff != "" {
			t.Errorf("log (-want +got):\n%s", diff)
		}
		for i, wait := range []time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Minute} {
			a := w.Attempts(t, "")[6+i]
			if got := a.NextAttemptAt.Sub(*a.StartedAt); got < wait || got > wait+wait/5 {
				t.Errorf("after failure %d the wait is %v", i+1, got)
			}
		}
	})
}

// deliverInterrupted ends the leases that have run out, and sends nothing.
func deliverInterrupted(t *testing.T, w *servertest.World) {
	t.Helper()
	if err := w.Service.Deliverer.InterruptLost(t.Context()); err != nil {
		t.Fatalf("interrupt: %v", err)
	}
}

func TestWorkersClaimDisjointSets(t *testing.T) {
	w := servertest.New(t, servertest.Postgres(t))
	r := servertest.NewReceiver(t)
	const hooks, items = 8, 6
	for n := range hooks {
		w.Subscribe(t, object{"url": fmt.Sprintf("%s/%d", r.URL, n)})
	}
	for range items {
		w.List(t, servertest.FixedPrice())
	}
	workers := make([]*v1.Service, 4)
	for i := range workers {
		var err error
		if workers[i], err = v1.New(w.Config); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	claims := map[int64]int{}
	for _, worker := range workers {
		wg.Go(func() {
			for range 8 {
				claimed, err := probe.Claim(worker, t.Context())
				if err != nil {
					t.Errorf("claim: %v", err)
				}
				mu.Lock()
				for _, id := range claimed.Dispatches() {
					claims[id]++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for id, n := range claims {
		if n != 1 {
			t.Errorf("dispatch %d was claimed %d times", id, n)
		}
	}
	if len(claims) != 4*hooks || w.Count(t, "(SELECT webhook_id, count(*) AS n FROM dispatches WHERE status = 'leased' GROUP BY webhook_id) AS x", "n <> 4") != 0 {
		t.Errorf("%d are in flight at %d webhooks", len(claims), hooks)
	}
}

// failingStore is a store whose disk is full at times.
type failingStore struct {
	v1.Store
	full *atomic.Bool
}

func (s failingStore) Write(ctx context.Context, fn func(ctx context.Context, tx *ent.Client) error) error {
	if s.full.Load() {
		return errors.New("database or disk is full")
	}
	return s.Store.Write(ctx, fn)
}

func TestAnOutcomeThatCannotBeStoredIsAnInterruption(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := servertest.NewReceiver(t)
		w.Subscribe(t, object{"url": r.URL})
		w.List(t, servertest.FixedPrice())
		var full atomic.Bool
		config := w.Config
		config.Store = failingStore{w.Store, &full}
		worker, err := v1.New(config)
		if err != nil {
			t.Fatal(err)
		}
		claimed, err := probe.Claim(worker, t.Context())
		if err != nil || len(claimed) != 1 {
			t.Fatalf("claimed %d: %v", len(claimed), err)
		}
		full.Store(true)
		if err := probe.SendAndSettle(worker, t.Context(), claimed); err == nil {
			t.Error("an outcome was settled on a full disk")
		}
		if _, err := worker.DeliverOnce(t.Context()); err != nil {
			t.Errorf("nothing was due, and yet: %v", err)
		}
		full.Store(false)
		w.Clock.Advance(time.Minute)
		servertest.DeliverAll(t, worker)
		if diff := cmp.Diff([]string{"1 interrupted interrupted", "2 succeeded final"}, w.AttemptsInShort(t)); diff != "" || len(r.Take()) != 2 {
			t.Errorf("log (-want +got):\n%s", diff)
		}
	})
}
