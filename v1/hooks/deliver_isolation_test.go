package hooks_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/delivery"
	"sellerd/v1/probe"
)

// gate is a receiver's answer that waits, and counts the requests that wait.
type gate struct {
	mu            sync.Mutex
	waiting, most int
	changed       chan struct{} // closed and renewed at every arrival
	open          chan struct{}
}

func newGate(t *testing.T) *gate {
	g := &gate{changed: make(chan struct{}), open: make(chan struct{})}
	t.Cleanup(g.release)
	return g
}

// ServeHTTP answers when the gate is open, or the sender has given up.
func (g *gate) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	g.waiting++
	g.most = max(g.most, g.waiting)
	close(g.changed)
	g.changed = make(chan struct{})
	g.mu.Unlock()
	select {
	case <-g.open:
	case <-r.Context().Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting--
}

// release opens the gate for good.
func (g *gate) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.open:
	default:
		close(g.open)
	}
}

// await waits until n are waiting.
func (g *gate) await(t *testing.T, n int) {
	t.Helper()
	for {
		g.mu.Lock()
		waiting, changed := g.waiting, g.changed
		g.mu.Unlock()
		if waiting >= n {
			return
		}
		servertest.Await(t, fmt.Sprintf("attempt %d at once", n), changed)
	}
}

// awaitEvents waits until so many events arrived.
func awaitEvents(t *testing.T, n int, arrived <-chan struct{}) {
	t.Helper()
	for range n {
		servertest.Await(t, "an event's arrival", arrived)
	}
}

// deliverMeanwhile runs the deliverer's loop until the function it returns is called.
func deliverMeanwhile(t *testing.T, service *v1.Service) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); service.Deliverer.Run(ctx) }()
	stop = func() {
		cancel()
		servertest.Await(t, "the deliverer's end", ended)
	}
	t.Cleanup(stop)
	return stop
}

func TestASlowEndpointHoldsUpNobody(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		slow, healthy := servertest.NewReceiver(t), servertest.NewReceiver(t)
		g := newGate(t)
		slow.Answers(g.ServeHTTP)
		arrived := make(chan struct{}, 100)
		healthy.Answers(func(http.ResponseWriter, *http.Request) { arrived <- struct{}{} })
		w.Subscribe(t, object{"url": slow.URL})
		w.Subscribe(t, object{"url": healthy.URL})
		stop := deliverMeanwhile(t, w.Service)
		for range 12 {
			w.List(t, servertest.FixedPrice())
		}
		awaitEvents(t, 12, arrived)
		g.await(t, 4)
		g.release()
		for w.Count(t, "dispatches", "1 = 1") > 0 {
			w.Service.Deliverer.Wake()
		}
		stop()
		if len(slow.Take()) != 12 || g.most != 4 {
			t.Errorf("the slow endpoint had %d attempts at once", g.most)
		}
		if n := w.Count(t, "deliveries", "status = 'succeeded' AND attempt = 1 AND final"); n != 24 {
			t.Errorf("%d of 24 deliveries succeeded", n)
		}
	})
}

func TestAnAccountHasNoMoreThanItsShare(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		slow, other := servertest.NewReceiver(t), servertest.NewReceiver(t)
		g := newGate(t)
		slow.Answers(g.ServeHTTP)
		arrived := make(chan struct{}, 1)
		other.Answers(func(http.ResponseWriter, *http.Request) { arrived <- struct{}{} })
		for n := range 12 {
			w.Subscribe(t, object{"url": fmt.Sprintf("%s/%d", slow.URL, n)})
		}
		for range 5 {
			w.List(t, servertest.FixedPrice())
		}
		stop := deliverMeanwhile(t, w.Service)
		g.await(t, 32)
		_, w.Key, _ = w.Seller(t, "bert")
		w.Subscribe(t, object{"url": other.URL})
		w.List(t, servertest.FixedPrice())
		awaitEvents(t, 1, arrived)
		g.release()
		for w.Count(t, "dispatches", "1 = 1") > 0 {
			w.Service.Deliverer.Wake()
		}
		stop()
		if g.most != 32 || len(slow.Take()) != 60 {
			t.Errorf("%d attempts at once for one account", g.most)
		}
	})
}

func TestAQuarterOfTheSlotsIsKeptForFirstAttempts(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for account := range 10 {
			_, key, _ := w.Seller(t, fmt.Sprintf("seller-%d", account))
			w.Key = key
			for n := range 9 {
				w.Subscribe(t, object{"url": fmt.Sprintf("http://127.0.0.1:1/%d", n)})
			}
			for range 4 {
				w.List(t, servertest.FixedPrice())
			}
		}
		for _, test := range []struct {
			name          string
			retries       string
			all, attempts int
		}{
			{"first attempts may take all", "1 = 0", 256, 0},
			{"retries may take three quarters", "1 = 1", 192, 192},
		} {
			plantest.Fill(t, w, `UPDATE dispatches SET status = 'pending', lease = 0, due_at = 1, attempts = 0`,
				`UPDATE dispatches SET attempts = 1 WHERE `+test.retries,
				`UPDATE deliveries SET status = 'scheduled'`)
			claimed, err := probe.ClaimAll(w.Service, t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got := []int{len(claimed), w.Count(t, "dispatches", "status = 'leased' AND attempts > 1")}
			if diff := cmp.Diff([]int{test.all, test.attempts}, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.name, diff)
			}
			over := "(SELECT owner, count(*) AS n FROM dispatches WHERE status = 'leased' GROUP BY owner) AS x"
			if n := w.Count(t, over, "n > 32"); n != 0 {
				t.Errorf("%s: %d accounts have more than their share", test.name, n)
			}
		}
	})
}

func TestRetriesWithoutRoomHideNoFirstAttempt(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		const hooks, retries = 14, 20 // more than one claim looks at
		var last servertest.Webhook
		for n := range hooks {
			last = w.Subscribe(t, object{"url": fmt.Sprintf("http://127.0.0.1:1/%d", n)})
		}
		first := probe.WebhookNumber(last.ID)
		plantest.FillDispatches(t, w, v1.OwnerOf(w.Account, true), []int64{first}, retries, "pending")
		w.List(t, servertest.FixedPrice())
		plantest.Fill(t, w, fmt.Sprintf(`UPDATE dispatches SET attempts = 1, due_at = 1 WHERE webhook_id <> %d OR event_id <= %d`, first, retries))
		claimed, _, err := probe.ClaimBeside(w.Service, t.Context(), delivery.SlotsForRetries)
		if err != nil {
			t.Fatal(err)
		}
		if len(claimed) != 1 || w.Count(t, "dispatches", fmt.Sprintf("status = 'leased' AND attempts = 1 AND webhook_id = %d", first)) != 1 {
			t.Errorf("%d were claimed while retries have no room", len(claimed))
		}
		if again, err := noneBeside(t, w, delivery.SlotsForRetries); again || err != nil {
			t.Errorf("it would look again at once, for nothing: %v", err)
		}
	})
}

// noneBeside claims what must be nothing.
func noneBeside(t *testing.T, w *servertest.World, retries int) (again bool, err error) {
	t.Helper()
	claimed, again, err := probe.ClaimBeside(w.Service, t.Context(), retries)
	if len(claimed) != 0 {
		t.Errorf("%d were claimed", len(claimed))
	}
	return again, err
}

func TestAnEngineWithNothingToDoRests(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r, resting := servertest.NewReceiver(t), servertest.NewReceiver(t)
		resting.AnswersStatus(503)
		paused := w.Subscribe(t, object{"url": r.URL + "/paused"})
		w.Subscribe(t, object{"url": r.URL})
		w.Subscribe(t, object{"url": resting.URL})
		unsigned := w.Subscribe(t, object{"url": r.URL + "/unsigned"})
		// A secret opens only in the row that it was sealed for.
		plantest.Fill(t, w, fmt.Sprintf("UPDATE webhooks SET secret = (SELECT secret FROM webhooks WHERE id = %d) WHERE id = %d",
			probe.WebhookNumber(paused.ID), probe.WebhookNumber(unsigned.ID)))
		item := w.List(t, servertest.FixedPrice())
		w.PatchWebhook(t, paused.ID, object{"status": "paused"})
		servertest.DeliverAll(t, w.Service) // one arrives, one makes its endpoint rest
		retitle(t, w, item, 1)
		retitle(t, w, item, 2)
		w.Do(t, servertest.Request{Method: "POST", Path: "/v1/webhooks/" + unsigned.ID + "/test"})
		var steps []string
		for again := true; again; {
			claimed, more, err := probe.ClaimBeside(w.Service, t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			steps = append(steps, fmt.Sprint(len(claimed)))
			again = more || len(claimed) > 0
		}
		if diff := cmp.Diff([]string{"1", "0"}, steps); diff != "" { // with the first claim the other events of the item are put aside
			t.Errorf("claims until it rests (-want +got):\n%s", diff)
		}
		if again, err := noneBeside(t, w, 0); again || err != nil {
			t.Errorf("and then it looks again at once: %v", err)
		}
	})
}

func TestTheDelivererEndsInTime(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := servertest.NewReceiver(t)
		g := newGate(t)
		r.Answers(g.ServeHTTP)
		w.Subscribe(t, object{"url": r.URL})
		w.List(t, servertest.FixedPrice())
		stop := deliverMeanwhile(t, w.Service)
		g.await(t, 1)
		stop()
		if diff := cmp.Diff([]string{"1 interrupted interrupted", "2 scheduled"}, w.AttemptsInShort(t)); diff != "" {
			t.Errorf("what was cut short (-want +got):\n%s", diff)
		}
		g.release()
		servertest.DeliverAll(t, w.Service)
		if diff := cmp.Diff([]string{"1 interrupted interrupted", "2 succeeded final"}, w.AttemptsInShort(t)); diff != "" {
			t.Errorf("and then (-want +got):\n%s", diff)
		}
	})
}
