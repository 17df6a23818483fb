package v1_test

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/probe"
)

// fate is what becomes of one write.
type fate int

const (
	stored     fate = iota
	refused         // the database is away
	unanswered      // it is committed, and the connection is lost before the answer
	slow            // it runs out of time, and is undone
)

// fatedStore is a store whose next writes have these fates. Those after them are stored.
type fatedStore struct {
	v1.Store
	mu    *sync.Mutex
	fates *[]fate
}

func newFatedStore(s v1.Store) fatedStore { return fatedStore{s, new(sync.Mutex), new([]fate)} }

// meet sets the fates of the next writes.
func (s fatedStore) meet(fates ...fate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*s.fates = fates
}

func (s fatedStore) next() fate {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(*s.fates) == 0 {
		return stored
	}
	next := (*s.fates)[0]
	*s.fates = (*s.fates)[1:]
	return next
}

func (s fatedStore) Write(ctx context.Context, fn func(context.Context, *ent.Client) error) error {
	fate := s.next()
	switch fate {
	case refused:
		return errAway
	case slow:
		return context.DeadlineExceeded
	}
	err := s.Store.Write(ctx, fn)
	if fate == unanswered && err == nil {
		return errAway
	}
	return err
}

func (s fatedStore) Unavailable(err error) bool { return awayStore{Store: s.Store}.Unavailable(err) }

// outage repeats a fate.
func outage(n int) []fate {
	fates := make([]fate, n)
	for i := range fates {
		fates[i] = refused
	}
	return fates
}

// fatedWorker is a worker on a store with fates. It has published an item, so that it needs no write but those of the
// step that is tested.
func fatedWorker(t *testing.T, w *servertest.World) (*v1.Service, fatedStore, *[]time.Duration) {
	t.Helper()
	s := newFatedStore(w.Store)
	worker, waits := workerOn(t, w, s)
	submit(t, w)
	publishOnce(t, worker, 1)
	return worker, s, waits
}

func publishOnce(t *testing.T, worker *v1.Service, want int) {
	t.Helper()
	if n, err := worker.PublishOnce(t.Context()); n != want || err != nil {
		t.Fatalf("published %d, not %d: %v", n, want, err)
	}
}

// checkPublished fails unless a submission is published, as one item with one event.
func checkPublished(t *testing.T, w *servertest.World, path string) {
	t.Helper()
	got := readSubmission(t, w, path)
	if diff := cmp.Diff([]string{"published"}, got.outcome()); diff != "" {
		t.Fatalf("outcome (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"1 item.published"}, eventTypes(events(t, w, *got.ItemID))); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	checkOpenCount(t, w)
}

// picture is one that withPictures finds. On SQLite an item without pictures is published in the transaction of its lease.
const picture = "http://images.example/1.png"

func withPictures(c *v1.Config) { c.Images = &clockwork{func() {}} }

func TestAPublicationOutlivesAnOutage(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		worker, s, waits := fatedWorker(t, w)
		path := submit(t, w, picture)
		s.meet(append([]fate{stored}, outage(7)...)...)
		publishOnce(t, worker, 1)
		want := []time.Duration{
			100 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond, 800 * time.Millisecond, time.Second, time.Second, time.Second,
		}
		if diff := cmp.Diff(want, *waits); diff != "" {
			t.Errorf("waits (-want +got):\n%s", diff)
		}
		checkPublished(t, w, path)
	}, withPictures)
}

func TestAPublicationThatWasStoredWithoutAnAnswerIsNotDoubled(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		worker, s, _ := fatedWorker(t, w)
		path := submit(t, w, picture)
		s.meet(stored, unanswered)
		publishOnce(t, worker, 1)
		checkPublished(t, w, path)
	}, withPictures)
}

func TestAPublicationIsLetGoWhenItsLeaseEnds(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		worker, s, _ := fatedWorker(t, w)
		path := submit(t, w, picture)
		began := w.Clock.Now()
		s.meet(append([]fate{stored}, outage(1000)...)...)
		if _, err := worker.PublishOnce(t.Context()); err == nil {
			t.Error("published without a database")
		}
		if took := w.Clock.Now().Sub(began); took < 2*time.Minute || took > 2*time.Minute+time.Second {
			t.Errorf("it was let go after %v", took)
		}
		s.meet()
		publishOnce(t, worker, 1)
		checkPublished(t, w, path)
	}, withPictures)
}

func TestAClaimWhoseAnswerWasLostIsReleased(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		worker, s, _ := fatedWorker(t, w)
		path := submit(t, w, picture)
		s.meet(unanswered)
		if _, err := worker.PublishOnce(t.Context()); err == nil {
			t.Error("claimed without an answer")
		}
		other := submit(t, w, picture) // its claim by another process is none of ours
		second, err := v1.New(w.Config)
		if err != nil {
			t.Fatal(err)
		}
		if claimed, err := probe.ClaimSubmissions(second, t.Context()); claimed != 1 || err != nil {
			t.Fatalf("the second process claimed %d: %v", claimed, err)
		}
		s.meet(refused) // the release may fail, too
		if _, err := worker.PublishOnce(t.Context()); err == nil {
			t.Error("released without a database")
		}
		w.Clock.Advance(time.Second)
		publishOnce(t, worker, 1)
		checkPublished(t, w, path)
		if n := w.Count(t, "submissions", "status = 'processing'"); n != 1 || readSubmission(t, w, other).Status != "processing" {
			t.Errorf("%d submissions are in hand", n)
		}
	}, withPictures)
}

// A publication in the transaction of a lease whose answer was lost is not doubled, and one that failed is made later.
func TestAPublicationAtOnceIsMadeOnce(t *testing.T) {
	for _, f := range []fate{unanswered, refused} {
		w := servertest.New(t, servertest.SQLite(t))
		worker, s, _ := fatedWorker(t, w)
		path := submit(t, w)
		s.meet(f)
		if _, err := worker.PublishOnce(t.Context()); err == nil {
			t.Error("published without an answer")
		}
		for range 2 {
			if _, err := worker.PublishOnce(t.Context()); err != nil {
				t.Error(err)
			}
			w.Clock.Advance(time.Second)
		}
		checkPublished(t, w, path)
		if n := w.Count(t, "items", "true"); n != 2 {
			t.Errorf("%d items", n)
		}
	}
}

// A database that is too slow to publish in the transaction of a lease gets smaller transactions, for a minute.
func TestASlowDatabasePublishesInSmallerSets(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	worker, s, _ := fatedWorker(t, w)
	transactions := func(fates ...fate) uint64 {
		path := submit(t, w)
		before := w.Store.Stats().Writes
		s.meet(fates...)
		if _, err := worker.PublishOnce(t.Context()); (err != nil) != (len(fates) > 0) {
			t.Error(err)
		}
		if len(fates) > 0 {
			publishOnce(t, worker, 1)
		}
		checkPublished(t, w, path)
		return w.Store.Stats().Writes - before
	}
	got := []uint64{transactions(slow), transactions()}
	w.Clock.Advance(time.Minute)
	if diff := cmp.Diff([]uint64{2, 2, 1}, append(got, transactions())); diff != "" {
		t.Errorf("transactions of each publication (-want +got):\n%s", diff)
	}
}

// Small sets for which there was not enough time together are stored alone, at once.
func TestSmallSetsThatTakeTooLongGoAlone(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		worker, s, waits := fatedWorker(t, w)
		path := submit(t, w, picture)
		s.meet(stored, slow)
		publishOnce(t, worker, 1)
		checkPublished(t, w, path)
		if diff := cmp.Diff(0, len(*waits)); diff != "" {
			t.Errorf("waits (-want +got):\n%s", diff)
		}
	}, withPictures)
}

// lateStore commits one claim only when the test lets it. Its caller got the error of a lost connection long before, as
// from a database that stood still.
type lateStore struct {
	v1.Store
	hold *atomic.Bool
	late *func()
}

func (s lateStore) Write(ctx context.Context, fn func(context.Context, *ent.Client) error) error {
	if !s.hold.CompareAndSwap(true, false) {
		return s.Store.Write(ctx, fn)
	}
	begun, commit, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.Store.Write(context.WithoutCancel(ctx), func(ctx context.Context, tx *ent.Client) error {
			err := fn(ctx, tx)
			close(begun)
			<-commit
			return err
		})
	}()
	<-begun
	*s.late = func() { close(commit); <-ended }
	return errAway
}

func (s lateStore) Unavailable(err error) bool { return awayStore{Store: s.Store}.Unavailable(err) }

// Only PostgreSQL commits for a caller that is gone: SQLite's writer answers after the commit.
func TestAClaimThatIsCommittedLateIsReleased(t *testing.T) {
	w := servertest.New(t, servertest.Postgres(t))
	s := lateStore{w.Store, new(atomic.Bool), new(func())}
	worker, _ := workerOn(t, w, s)
	path := submit(t, w)
	s.hold.Store(true)
	if _, err := worker.PublishOnce(t.Context()); err == nil {
		t.Error("claimed without an answer")
	}
	for range 3 { // it looks, and finds nothing yet
		publishOnce(t, worker, 0)
		w.Clock.Advance(time.Second)
	}
	(*s.late)()
	publishOnce(t, worker, 1)
	checkPublished(t, w, path)
}

func TestWhatASteppingDownPublisherHasInHandIsReleased(t *testing.T) {
	images := map[string]*patientFetcher{"sqlite": {asked: make(chan struct{})}, "postgres": {asked: make(chan struct{})}}
	for name, url := range map[string]string{"sqlite": servertest.SQLite(t), "postgres": servertest.Postgres(t)} {
		t.Run(name, func(t *testing.T) {
			w := servertest.New(t, url, func(c *v1.Config) { c.Images = images[name] })
			path := submit(t, w, "http://images.example/1.png")
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() { defer close(ended); w.Service.Workers(ctx) }()
			servertest.Await(t, "the publication", images[name].asked)
			cancel()
			servertest.Await(t, "the workers' end", ended)
			if got := readSubmission(t, w, path); got.Status != "pending" || w.Count(t, "submissions", "attempts = 0 AND lease = 0") != 1 {
				t.Errorf("the submission in hand is %s", got.Status)
			}
			w.Publish(t)
			checkPublished(t, w, path)
		})
	}
}

// changeImages lists an item and gives it another picture, which is to be fetched.
func changeImages(t *testing.T, w *servertest.World) (path string) {
	t.Helper()
	path = "/v1/items/" + w.List(t, servertest.FixedPrice())
	item := w.Do(t, servertest.Request{Path: path})
	got := w.Do(t, servertest.Request{
		Method: "PATCH", Path: path, Header: map[string]string{"If-Match": item.Header.Get("ETag")},
		Body: object{"images": []string{"http://images.example/1.png"}},
	})
	if got.Status != 200 {
		t.Fatalf("change: %d %s", got.Status, got.Body)
	}
	return path
}

func imageStatus(t *testing.T, w *servertest.World, path string) string {
	t.Helper()
	item := servertest.Into[struct {
		Images []struct {
			Status string `json:"status"`
		} `json:"images"`
	}](t, w.Do(t, servertest.Request{Path: path}))
	return item.Images[0].Status
}

func TestPicturesOfAnItemOutliveAnOutage(t *testing.T) {
	for _, test := range []struct {
		name  string
		fates []fate
		errs  int
	}{
		{"the outcome is refused", append([]fate{stored}, outage(7)...), 0},
		{"the outcome is stored without an answer", []fate{stored, unanswered}, 0},
		{"the claim is stored without an answer", []fate{unanswered}, 1},
		{"the claim is stored without an answer, and its release is refused", []fate{unanswered, refused}, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			servertest.Each(t, func(t *testing.T, w *servertest.World) {
				worker, s, _ := fatedWorker(t, w)
				path := changeImages(t, w)
				began := w.Clock.Now()
				s.meet(test.fates...)
				for range test.errs {
					if _, err := worker.RefreshImagesOnce(t.Context()); err == nil {
						t.Error("claimed without an answer")
					}
					w.Clock.Advance(time.Second)
				}
				if n, err := worker.RefreshImagesOnce(t.Context()); n != 1 || err != nil {
					t.Errorf("claimed %d: %v", n, err)
				}
				if status, took := imageStatus(t, w, path), w.Clock.Now().Sub(began); status != "ready" || took > 5*time.Second {
					t.Errorf("the picture is %s after %v", status, took)
				}
			}, func(c *v1.Config) { c.Images = &clockwork{func() {}} })
		})
	}
}

func TestWhatAFetcherOfPicturesHasInHandIsReleased(t *testing.T) {
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		fetcher := &patientFetcher{asked: make(chan struct{})}
		w := servertest.New(t, database(t), func(c *v1.Config) { c.Images = fetcher })
		path := changeImages(t, w)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			if _, err := w.Service.RefreshImagesOnce(ctx); err == nil {
				t.Error("it did not say that it was cut off")
			}
		}()
		servertest.Await(t, "the fetch", fetcher.asked)
		cancel()
		servertest.Await(t, "the step's end", ended)
		if n, err := w.Service.RefreshImagesOnce(t.Context()); n != 1 || err != nil || imageStatus(t, w, path) != "ready" {
			t.Errorf("claimed %d: %v", n, err)
		}
	})
}

func TestADeliveryWhoseClaimIsNotAnsweredIsMadeAgainAtOnce(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := servertest.NewReceiver(t)
		worker, s, _ := fatedWorker(t, w)
		w.Subscribe(t, object{"url": r.URL})
		w.List(t, servertest.FixedPrice())
		s.meet(unanswered, refused)
		for range 2 { // the claim, and its release
			if _, err := worker.DeliverOnce(t.Context()); err == nil {
				t.Error("there was no answer")
			}
			w.Clock.Advance(time.Second)
		}
		servertest.DeliverAll(t, worker)
		want := []string{"1 interrupted interrupted", "2 succeeded final"}
		if diff := cmp.Diff(want, w.AttemptsInShort(t)); diff != "" || len(r.Take()) != 1 {
			t.Errorf("log (-want +got):\n%s", diff)
		}
	})
}

func TestTheEndOfTheWorkersReleasesClaimsWithoutAnAnswer(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		worker, s, _ := fatedWorker(t, w)
		path := submit(t, w)
		s.meet(unanswered)
		if _, err := worker.PublishOnce(t.Context()); err == nil {
			t.Error("claimed without an answer")
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		worker.Workers(ended)
		w.Publish(t) // by another process
		checkPublished(t, w, path)
	})
}

// TestAServerThatIsStoppedAtItsStartReportsNothing: its supervisor would take the line for an error.
func TestAServerThatIsStoppedAtItsStartReportsNothing(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		log := &servertest.Log{}
		config := w.Config
		config.Logger = slog.New(slog.NewJSONHandler(log, nil))
		service, err := v1.New(config)
		if err != nil {
			t.Fatal(err)
		}
		stopped, stop := context.WithCancel(t.Context())
		stop()
		service.Workers(stopped)
		if log.String() != "" {
			t.Errorf("it logged %s", log)
		}
	})
}
