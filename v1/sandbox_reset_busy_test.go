package v1_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// This file resets sandboxes while other work goes on.

// TestResetWhileAllIsBusy lets sellers write, publishers publish and deliverers deliver while resets go on, in two processes.
// What was accepted after the last reset is whole, and nothing is left of what was before.
func TestResetWhileAllIsBusy(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		twin, err := v1.New(w.Config)
		if err != nil {
			t.Fatal(err)
		}
		w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: object{"url": "https://hooks.example.com/busy"}})
		var wg sync.WaitGroup
		ctx, stop := context.WithCancel(t.Context())
		for _, service := range []*v1.Service{w.Service, twin} {
			for name, step := range map[string]func(context.Context) (int, error){
				"publish": service.PublishOnce, "deliver": service.DeliverOnce, "reset": service.ResetOnce, "close": service.CloseDueOnce,
			} {
				wg.Go(func() {
					for ctx.Err() == nil {
						if _, err := step(context.WithoutCancel(ctx)); err != nil {
							t.Errorf("%s: %v", name, err)
							return
						}
					}
				})
			}
		}
		for range 6 {
			var writers sync.WaitGroup
			for range 4 {
				writers.Go(func() {
					for range 10 {
						r := w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice()})
						if r.Status != 202 && r.Status != 503 {
							t.Errorf("submit: %d %s", r.Status, r.Body)
						}
					}
				})
			}
			for range 2 {
				writers.Go(func() { reset(t, w, "") })
			}
			writers.Wait()
		}
		stop()
		wg.Wait()
		for range 2 {
			reset(t, w, "")
		}
		removeAll(t, twin)
		w.Publish(t)
		deliverAll(t, w.Service)
		owner := fmt.Sprintf("owner = %d", v1.OwnerOf(w.Account, true))
		for _, table := range []string{"items", "item_words", "submissions", "events", "dispatches", "deliveries", "list_positions"} {
			if n := w.Count(t, table, owner); n != 0 {
				t.Errorf("%d rows are left in %s", n, table)
			}
		}
		if n := w.Count(t, "owners", fmt.Sprintf("id = %d AND (open_count <> 0 OR bill_count <> 0 OR resetting_since IS NOT NULL)", v1.OwnerOf(w.Account, true))); n != 0 {
			t.Error("the owner's counters are wrong")
		}
	}, received(nil))
}

// interruptedImages is an image source that does something else first, once.
type interruptedImages struct {
	once   sync.Once
	during func()
}

func (i *interruptedImages) FetchAll(_ context.Context, urls []string) []v1.FetchedImage {
	i.once.Do(i.during)
	out := make([]v1.FetchedImage, len(urls))
	for n := range out {
		out[n] = v1.FetchedImage{Width: 10, Height: 10, ContentType: "image/png"}
	}
	return out
}

func TestResetWhileASubmissionIsPublished(t *testing.T) {
	for _, ended := range []bool{false, true} {
		t.Run(fmt.Sprintf("which has ended before the images are here: %t", ended), func(t *testing.T) {
			servertest.Each(t, func(t *testing.T, w *servertest.World) {
				_, bobs, _ := w.Seller(t, "bob")
				w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice(object{"images": []any{"https://images.example.com/a.png"}})})
				w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice()})
				w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice(), Key: bobs})
				w.Config.Images.(*interruptedImages).during = func() {
					reset(t, w, "")
					if ended {
						removeAll(t, w.Service)
					}
				}
				if _, err := w.Service.PublishOnce(t.Context()); err != nil {
					t.Errorf("publish: %v", err)
				}
				removeAll(t, w.Service)
				w.Publish(t)
				for _, table := range []string{"items", "submissions"} {
					if n := w.Count(t, table, "1 = 1"); n != 1 {
						t.Errorf("there are %d rows in %s, want the other seller's", n, table)
					}
				}
			}, func(c *v1.Config) { c.Images = &interruptedImages{} })
		})
	}
}

func TestResetWhileAnEventIsSent(t *testing.T) {
	var mu sync.Mutex
	during := map[string]func(){} // by the receiver's address
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		address := "https://hooks.example.com/" + w.Store.Dialect()
		mu.Lock()
		during[address] = sync.OnceFunc(func() {
			reset(t, w, "")
			removeAll(t, w.Service)
		})
		mu.Unlock()
		w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: object{"url": address}})
		w.List(t, servertest.FixedPrice())
		deliverAll(t, w.Service)
		for _, table := range []string{"items", "events", "dispatches", "deliveries"} {
			if n := w.Count(t, table, "1 = 1"); n != 0 {
				t.Errorf("%d rows are left in %s", n, table)
			}
		}
		w.List(t, servertest.FixedPrice()) // the webhook is still there
		deliverAll(t, w.Service)
		if n := w.Count(t, "deliveries", "status = 'succeeded'"); n != 1 {
			t.Errorf("%d events were delivered after the reset, want 1", n)
		}
	}, received(func(r *http.Request) {
		mu.Lock()
		f := during[r.URL.String()]
		mu.Unlock()
		f()
	}))
}

// TestResetHoldsUpNoOtherSeller has more due items in a sandbox that is being reset than the closer looks at in one step.
func TestResetHoldsUpNoOtherSeller(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for range 2 {
			items := make([]any, v1.MaxBatch)
			for i := range items {
				items[i] = servertest.FixedPrice(object{"duration_days": 7})
			}
			w.Do(t, servertest.Request{Path: "/v1/item-batches", Body: object{"items": items}})
		}
		w.Publish(t)
		w.Clock.Advance(time.Second)
		_, w.Key, _ = w.Seller(t, "bob")
		item := w.List(t, servertest.FixedPrice(object{"duration_days": 7}))
		bobs := w.Key
		w.Key = w.NewKey(t, w.Account, "test")
		w.Clock.Advance(8 * 24 * time.Hour)
		reset(t, w, "")
		w.PassDueDates(t)
		got := servertest.Into[object](t, w.Do(t, servertest.Request{Path: "/v1/items/" + item, Key: bobs}))
		if got["status"] != v1.ItemUnsold {
			t.Errorf("the other seller's item is %v", got["status"])
		}
	})
}
