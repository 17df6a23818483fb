package v1_test

import (
	"context"
	"crypto/rand"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
	"sellerd/internal/store"
	v1 "sellerd/v1"
	"sellerd/v1/probe"
	"sellerd/v1/rows"
)

// errAway is what awayStore answers.
var errAway = errors.New("the database is away")

// awayStore is a store that takes no writes for a number of tries, and shows nothing once unread is set.
type awayStore struct {
	v1.Store
	away   *atomic.Int64
	unread *ent.Client // shown after a write, if there is one
	wrote  *atomic.Bool
}

func (s awayStore) Write(ctx context.Context, fn func(context.Context, *ent.Client) error) error {
	if s.away.Add(-1) >= 0 {
		return errAway
	}
	err := s.Store.Write(ctx, fn)
	s.wrote.Store(true)
	return err
}

func (s awayStore) Reader() *ent.Client {
	if s.unread != nil && s.wrote.Load() {
		return s.unread
	}
	return s.Store.Reader()
}

func (s awayStore) Query(ctx context.Context, query string, args ...any) (rows.Rows, error) {
	if s.unread != nil && s.wrote.Load() {
		return rows.In{Tx: s.unread}.Query(ctx, query, args...)
	}
	return s.Store.Query(ctx, query, args...)
}

func (s awayStore) Unavailable(err error) bool {
	return errors.Is(err, errAway) || s.Store.Unavailable(err)
}

// workerOn makes a worker on a store of its own. Its waits move the clock.
func workerOn(t *testing.T, w *servertest.World, s v1.Store) (worker *v1.Service, waits *[]time.Duration) {
	t.Helper()
	config := w.Config
	config.Store = s
	worker, err := v1.New(config)
	if err != nil {
		t.Fatal(err)
	}
	waits = new([]time.Duration)
	worker.Retrier.Pause = func(_ context.Context, d time.Duration) {
		*waits = append(*waits, d)
		w.Clock.Advance(d)
	}
	return worker, waits
}

// claimBy claims the one delivery that is due.
func claimBy(t *testing.T, worker *v1.Service) probe.ClaimedDeliveries {
	t.Helper()
	claimed, err := probe.Claim(worker, t.Context())
	if err != nil || len(claimed) != 1 {
		t.Fatalf("claimed %d: %v", len(claimed), err)
	}
	return claimed
}

func TestAnOutcomeOutlivesAShortOutage(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Subscribe(t, object{"url": servertest.NewReceiver(t).URL})
		w.List(t, servertest.FixedPrice())
		var away atomic.Int64
		worker, waits := workerOn(t, w, awayStore{Store: w.Store, away: &away, wrote: new(atomic.Bool)})
		claimed := claimBy(t, worker)
		away.Store(8)
		if err := probe.SendAndSettle(worker, t.Context(), claimed); err != nil {
			t.Errorf("settle: %v", err)
		}
		want := []time.Duration{
			100 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond, 800 * time.Millisecond,
			time.Second, time.Second, time.Second, time.Second,
		}
		if diff := cmp.Diff(want, *waits); diff != "" {
			t.Errorf("waits (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"1 succeeded final"}, w.AttemptsInShort(t)); diff != "" {
			t.Errorf("log (-want +got):\n%s", diff)
		}
	})
}

func TestAnOutcomeIsLetGoWhenItsLeaseEnds(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Subscribe(t, object{"url": servertest.NewReceiver(t).URL})
		w.List(t, servertest.FixedPrice())
		var away atomic.Int64
		worker, _ := workerOn(t, w, awayStore{Store: w.Store, away: &away, wrote: new(atomic.Bool)})
		claimed := claimBy(t, worker)
		began := w.Clock.Now()
		away.Store(1000)
		if err := probe.SendAndSettle(worker, t.Context(), claimed); !errors.Is(err, errAway) {
			t.Errorf("settle: %v", err)
		}
		if took := w.Clock.Now().Sub(began); took < time.Minute || took > 61*time.Second {
			t.Errorf("it was let go after %v", took)
		}
		away.Store(0)
		servertest.DeliverAll(t, worker)
		if diff := cmp.Diff([]string{"1 interrupted interrupted", "2 succeeded final"}, w.AttemptsInShort(t)); diff != "" {
			t.Errorf("log (-want +got):\n%s", diff)
		}
	})
}

func TestEventsThatCannotBeReadAreInterruptions(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := servertest.NewReceiver(t)
		w.Subscribe(t, object{"url": r.URL})
		w.List(t, servertest.FixedPrice())
		closed, err := store.Open(t.Context(), store.Config{URL: servertest.SQLite(t)})
		if err != nil {
			t.Fatal(err)
		}
		if err := closed.Close(); err != nil {
			t.Fatal(err)
		}
		worker, _ := workerOn(t, w, awayStore{Store: w.Store, away: new(atomic.Int64), unread: closed.Reader(), wrote: new(atomic.Bool)})
		if err := probe.SendAndSettle(worker, t.Context(), claimBy(t, worker)); err != nil {
			t.Errorf("settle: %v", err)
		}
		if diff := cmp.Diff([]string{"1 interrupted interrupted", "2 scheduled"}, w.AttemptsInShort(t)); diff != "" || len(r.Take()) != 0 {
			t.Fatalf("log (-want +got):\n%s", diff)
		}
		if first := w.Attempts(t, "")[0]; first.NextAttemptAt.Sub(*first.StartedAt) != time.Second {
			t.Errorf("the next attempt is due at %v", first.NextAttemptAt)
		}
	})
}

func TestAWorkerThatStoodStillSendsNothing(t *testing.T) {
	for _, test := range []struct {
		name    string
		still   time.Duration
		arrived int
		want    []string
	}{
		{"there is time enough for an attempt", 40 * time.Second, 1, []string{"1 succeeded final"}},
		{"an attempt might outlast the lease", 40*time.Second + time.Microsecond, 0, []string{"1 interrupted interrupted", "2 scheduled"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			servertest.Each(t, func(t *testing.T, w *servertest.World) {
				r := servertest.NewReceiver(t)
				w.Subscribe(t, object{"url": r.URL})
				w.List(t, servertest.FixedPrice())
				up := new(atomic.Int64) // the clock shows nothing of it
				config := w.Config
				config.Uptime = func() time.Duration { return time.Duration(up.Load()) }
				worker, err := v1.New(config)
				if err != nil {
					t.Fatal(err)
				}
				claimed := claimBy(t, worker)
				up.Add(int64(test.still))
				if err := probe.SendAndSettle(worker, t.Context(), claimed); err != nil {
					t.Errorf("settle: %v", err)
				}
				if diff := cmp.Diff(test.want, w.AttemptsInShort(t)); diff != "" || len(r.Take()) != test.arrived {
					t.Errorf("log (-want +got):\n%s", diff)
				}
			})
		})
	}
}

var errNoLuck = errors.New("no luck is left")

// luck is a source of randomness that can run dry.
type luck struct{ dry *atomic.Bool }

func (l luck) Read(b []byte) (int, error) {
	if l.dry.Load() {
		return 0, errNoLuck
	}
	return rand.Read(b)
}

func TestAnOutcomeThatCannotBeStoredTakesNoOthersWithIt(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		well, failing := servertest.NewReceiver(t), servertest.NewReceiver(t)
		failing.AnswersStatus(500)
		w.Subscribe(t, object{"url": well.URL})
		w.Subscribe(t, object{"url": failing.URL})
		var dry atomic.Bool
		config := w.Config
		config.Random = luck{&dry}
		worker, err := v1.New(config)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			w.List(t, servertest.FixedPrice())
		}
		claimed, err := probe.Claim(worker, t.Context())
		if err != nil || len(claimed) != 6 {
			t.Fatalf("claimed %d: %v", len(claimed), err)
		}
		dry.Store(true) // there is no jitter for the next attempt of what failed
		if err := probe.SendAndSettle(worker, t.Context(), claimed); !errors.Is(err, errNoLuck) {
			t.Errorf("settle: %v", err)
		}
		got := map[string]int{"succeeded": w.Count(t, "deliveries", "status = 'succeeded'"), "sending": w.Count(t, "deliveries", "status = 'sending'")}
		if diff := cmp.Diff(map[string]int{"succeeded": 3, "sending": 3}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
