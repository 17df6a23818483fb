package hooks_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
	"sellerd/internal/server"
	v1 "sellerd/v1"
	"sellerd/v1/probe"
)

// retitle sets an item's title.
func retitle(t *testing.T, w *servertest.World, item string, n int) {
	t.Helper()
	got := w.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/items/" + item, Body: object{"title": fmt.Sprintf("Title %d", n)}})
	if got.Status != http.StatusOK {
		t.Fatalf("retitle: %d %s", got.Status, got.Body)
	}
}

func TestTheEventsOfAnObjectArriveInOrderWhateverFails(t *testing.T) {
	const resources, each = 100, 8
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := servertest.NewReceiver(t)
		var mu sync.Mutex
		requests := 0
		r.Answers(func(rw http.ResponseWriter, _ *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			if requests++; requests%40 == 7 {
				rw.WriteHeader(500)
			}
		})
		w.Subscribe(t, object{"url": r.URL})
		var items []any
		for range resources {
			items = append(items, servertest.FixedPrice())
		}
		for n := range resources / 100 {
			w.Do(t, servertest.Request{Path: "/v1/item-batches", Body: object{"items": items[100*n : 100*n+100]}})
		}
		w.Publish(t)
		for _, item := range allItems(t, w) {
			for n := range each - 1 {
				retitle(t, w, item, n)
			}
		}

		arrived, accepted := map[string]int{}, 0
		for w.Count(t, "dispatches", "1 = 1") > 0 {
			servertest.DeliverAll(t, w.Service)
			for _, event := range sentEvents(t, r.Take()) {
				switch last := arrived[event.Resource.ID]; event.Resource.Sequence {
				case last: // once more, after a failure
				case last + 1:
					accepted++
				default:
					t.Fatalf("item %s: event %d after %d", event.Resource.ID, event.Resource.Sequence, last)
				}
				arrived[event.Resource.ID] = event.Resource.Sequence
			}
			w.Clock.Advance(7 * time.Second)
		}
		if accepted != resources*each {
			t.Errorf("%d of %d events arrived", accepted, resources*each)
		}
		if n := w.Count(t, "deliveries", "status = 'failed'"); n < resources*each/50 {
			t.Errorf("only %d attempts failed", n)
		}
	})
}

// allItems are the numbers of all items.
func allItems(t *testing.T, w *servertest.World) (items []string) {
	t.Helper()
	rows, err := w.Store.Reader().Item.Query().IDs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range rows {
		items = append(items, fmt.Sprint(id))
	}
	return items
}

func TestAnEventWaitsForTheOneBeforeIt(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := servertest.NewReceiver(t)
		r.AnswersStatus(500)
		w.Subscribe(t, object{"url": r.URL})
		item := w.List(t, servertest.FixedPrice())
		retitle(t, w, item, 1)
		retitle(t, w, item, 2)
		if n := servertest.DeliverAll(t, w.Service); n != 1 {
			t.Errorf("%d attempts while the first event has not arrived", n)
		}
		r.Answers(nil)
		w.Clock.Advance(6 * time.Second)
		if n := servertest.DeliverAll(t, w.Service); n != 3 {
			t.Errorf("%d attempts after it has", n)
		}
		want := []string{"1 item.published", "1 item.published", "2 item.updated", "3 item.updated"}
		if diff := cmp.Diff(want, eventTypes(t, r.Take())); diff != "" {
			t.Errorf("arrived (-want +got):\n%s", diff)
		}
		for _, a := range w.Attempts(t, "event_type=item.updated") {
			if a.String() != "1 succeeded final" {
				t.Errorf("waiting cost an attempt: %v", a)
			}
		}
	})
}

func TestAnEventThatNobodyWokeGoesByItself(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := servertest.NewReceiver(t)
		w.Subscribe(t, object{"url": r.URL})
		item := w.List(t, servertest.FixedPrice())
		retitle(t, w, item, 1)
		claimed, err := probe.Claim(w.Service, t.Context())
		if err != nil || len(claimed) != 1 {
			t.Fatalf("claimed %d: %v", len(claimed), err)
		}
		if n := servertest.DeliverAll(t, w.Service); n != 0 {
			t.Errorf("%d attempts while the first is in flight", n)
		}
		plantest.Fill(t, w, fmt.Sprintf("DELETE FROM dispatches WHERE id = %d", claimed.Dispatches()[0])) // it ends, and wakes no worker
		w.Clock.Advance(time.Minute)
		servertest.DeliverAll(t, w.Service)
		if diff := cmp.Diff([]string{"2 item.updated"}, eventTypes(t, r.Take())); diff != "" {
			t.Errorf("arrived (-want +got):\n%s", diff)
		}
	})
}

func TestAnEventThatIsGivenUpLetsTheNextOneGo(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := servertest.NewReceiver(t)
		r.AnswersStatus(500)
		w.Subscribe(t, object{"url": r.URL})
		item := w.List(t, servertest.FixedPrice())
		retitle(t, w, item, 1)
		for range 4 {
			servertest.DeliverAll(t, w.Service)
			w.Clock.Advance(time.Hour)
		}
		r.Take()
		r.Answers(nil)
		servertest.DeliverAll(t, w.Service)
		if diff := cmp.Diff([]string{"2 item.updated"}, eventTypes(t, r.Take())); diff != "" {
			t.Errorf("arrived (-want +got):\n%s", diff)
		}
	})
}

// besides is the same world seen through another process, whose ids are made of the clock as it is now.
func besides(t *testing.T, w *servertest.World) *servertest.World {
	t.Helper()
	service, err := v1.New(w.Config)
	if err != nil {
		t.Fatal(err)
	}
	made, err := server.New(server.Config{Service: service, Logger: w.Config.Logger, BaseURL: w.Config.BaseURL, Version: "test", OperatorToken: servertest.OperatorToken})
	if err != nil {
		t.Fatal(err)
	}
	return &servertest.World{
		Service: service, Store: w.Store, Clock: w.Clock, Config: w.Config, Account: w.Account, Key: w.Key, LiveKey: w.LiveKey, Server: made,
	}
}

func TestOrderDoesNotRestOnClocks(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := servertest.NewReceiver(t)
		w.Subscribe(t, object{"url": r.URL})
		item := w.List(t, servertest.FixedPrice())
		for n := range 3 { // each process's clock is behind that of the one before
			w.Clock.Advance(-10 * time.Second)
			retitle(t, besides(t, w), item, n)
		}
		if w.Count(t, "dispatches a JOIN dispatches b ON a.webhook_id = b.webhook_id", "a.sequence < b.sequence AND a.id > b.id") != 6 {
			t.Fatal("the ids are in order, which proves nothing")
		}
		requests := 0
		r.Answers(func(rw http.ResponseWriter, _ *http.Request) {
			if requests++; requests%2 == 1 {
				rw.WriteHeader(500)
			}
		})
		for w.Count(t, "dispatches", "1 = 1") > 0 {
			servertest.DeliverAll(t, w.Service)
			w.Clock.Advance(7 * time.Second)
		}
		want := []string{
			"1 item.published", "1 item.published", "2 item.updated", "2 item.updated",
			"3 item.updated", "3 item.updated", "4 item.updated", "4 item.updated",
		}
		if diff := cmp.Diff(want, eventTypes(t, r.Take())); diff != "" {
			t.Errorf("arrived, each at the second attempt (-want +got):\n%s", diff)
		}
	})
}
