package v1_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/hooks"
	"sellerd/v1/probe"
)

// stressFor is how long all of it runs at the same time.
const stressFor = 1500 * time.Millisecond

// TestStressOnTheEngineLeavesItsBooksInOrder lets all that changes webhooks, dispatches and deliveries run at the same
// time, on old rows and on new ones. No call fails, and PostgreSQL finds no deadlock.
func TestStressOnTheEngineLeavesItsBooksInOrder(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Key = w.LiveKey
		r := servertest.NewReceiver(t)
		r.AnswersStatus(500)
		subscriptions := make([]string, 4)
		for i := range subscriptions {
			subscriptions[i] = w.Subscribe(t, object{"url": fmt.Sprintf("%s/%d", r.URL, i)}).ID
		}
		carlsPurchases(t, w)
		for range 3 {
			w.DeliverOnce(t)
		}
		w.PatchWebhook(t, subscriptions[2], object{"status": "paused"})
		owner, backlog := v1.OwnerOf(w.Account, false), 3000
		plantest.FillDispatches(t, w, owner, []int64{probe.WebhookNumber(subscriptions[0])}, backlog, "pending")
		fill(t, w, // it reaches its age bit by bit
			fmt.Sprintf("UPDATE dispatches SET created_at = created_at + 20000 * id, expires_at = expires_at * 2 WHERE id <= %d", backlog),
			fmt.Sprintf("UPDATE dispatches SET webhook_id = %d WHERE id <= %d AND id %% 3 = 0", probe.WebhookNumber(subscriptions[1]), backlog),
			fmt.Sprintf("UPDATE dispatches SET webhook_id = %d WHERE id <= %d AND id %% 3 = 1", probe.WebhookNumber(subscriptions[2]), backlog))
		old := w.Clock.Now()
		w.Clock.Advance(hooks.EventRetention) // the events so far get old while the test runs
		items := make([]string, 10)
		for i := range items {
			items[i] = w.List(t, servertest.FixedPrice(map[string]any{"quantity": 50}))
		}

		var arrived atomic.Int64
		r.Answers(func(w http.ResponseWriter, _ *http.Request) {
			if arrived.Add(1)%3 == 0 {
				w.WriteHeader(500)
			}
		})

		until, stop := context.WithTimeout(t.Context(), stressFor)
		defer stop()
		var all sync.WaitGroup
		do := func(what string, step func(round int) error) {
			all.Go(func() {
				for round := 0; until.Err() == nil; round++ {
					if err := step(round); err != nil {
						t.Errorf("%s: %v", what, err)
						return
					}
				}
			})
		}
		ask := func(method, path string, body any, want int) error {
			got := w.Do(t, servertest.Request{Method: method, Path: path, Body: body})
			if got.Status != want {
				return fmt.Errorf("%s %s: %d %s", method, path, got.Status, got.Body)
			}
			return nil
		}
		deliver := func() error { _, err := w.Service.DeliverOnce(t.Context()); return err }
		do("deliver", func(int) error { return deliver() })
		for range 2 {
			do("purge", func(int) error { _, err := w.Service.PurgeOnce(t.Context()); return err })
		}
		do("time", func(int) error { w.Clock.Advance(time.Second); return deliver() })
		do("forget", func(int) error {
			_, err := w.Service.ForgetBuyer(t.Context(), 70001)
			if errors.Is(err, v1.ErrBuyerNeeded) {
				err = nil
			}
			return err
		})
		do("pause and resume", func(round int) error {
			hook := "/v1/webhooks/" + subscriptions[round%2]
			return errors.Join(ask(http.MethodPatch, hook, object{"status": "paused"}, 200), ask(http.MethodPatch, hook, object{"status": "active"}, 200))
		})
		do("subscribe and leave", func(round int) error {
			made := w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: object{"url": fmt.Sprintf("%s/more/%d", r.URL, round)}})
			if made.Status != 201 {
				return fmt.Errorf("subscribe: %d %s", made.Status, made.Body)
			}
			if round == 5 { // one with a log of its own
				if err := ask(http.MethodDelete, "/v1/webhooks/"+subscriptions[3], nil, 200); err != nil {
					return err
				}
			}
			return ask(http.MethodDelete, "/v1/webhooks/"+servertest.Into[servertest.Webhook](t, made).ID, nil, 200)
		})
		for buyer := range 2 {
			do("buy", func(round int) error {
				got := w.DoOperator(t, servertest.Request{
					Path: "/operator/items/" + items[round%len(items)] + "/purchases",
					Body: object{"buyer": object{"nickname": fmt.Sprintf("dora%d", buyer), "country": "FR"}},
				})
				if got.Status != 200 && got.Status != 409 {
					return fmt.Errorf("%d %s", got.Status, got.Body)
				}
				return nil
			})
		}
		all.Wait()
		// At other levels transactions also run again because they collided.
		level := "(SELECT current_setting('transaction_isolation') AS level) AS session"
		if n := w.Store.Stats().Retries; n != 0 && w.Count(t, level, "level = 'read committed'") == 1 {
			t.Errorf("%d transactions met a deadlock and were run again", n)
		}
		w.Purge(t) // an event whose dispatch was in flight goes one step later
		expectBooksInOrder(t, w)
		for _, table := range []string{"events", "dispatches", "deliveries"} {
			if n := w.Count(t, table, fmt.Sprintf("created_at < %d", old.UnixMicro())); n != 0 {
				t.Errorf("%d old %s are left", n, table)
			}
		}
		if n, sales := arrived.Load(), w.Count(t, "sales", "1 = 1"); n == 0 || sales == 0 {
			t.Errorf("%d attempts and %d sales are no stress", n, sales)
		}
	})
}

// expectBooksInOrder compares what is still to do with the log of it.
func expectBooksInOrder(t *testing.T, w *servertest.World) {
	t.Helper()
	for wrong, condition := range map[string]string{
		"deliveries without end and without a dispatch": `status IN ('scheduled', 'sending') AND id NOT IN (SELECT delivery_id FROM dispatches)`,
		"deliveries in flight of no lease":              `status = 'sending' AND id NOT IN (SELECT delivery_id FROM dispatches WHERE status = 'leased')`,
		"deliveries that wait under a lease":            `status = 'scheduled' AND id IN (SELECT delivery_id FROM dispatches WHERE status = 'leased')`,
		"final deliveries that go on":                   `final AND id IN (SELECT delivery_id FROM dispatches)`,
	} {
		if n := w.Count(t, "deliveries", condition); n != 0 {
			t.Errorf("%d %s", n, wrong)
		}
	}
	for wrong, condition := range map[string]string{
		"dispatches without a delivery": `delivery_id NOT IN (SELECT id FROM deliveries)`,
		"dispatches without an event":   `event_id NOT IN (SELECT id FROM events)`,
		"dispatches of no webhook":      `webhook_id NOT IN (SELECT id FROM webhooks)`,
	} {
		if n := w.Count(t, "dispatches", condition); n != 0 {
			t.Errorf("%d %s", n, wrong)
		}
	}
}
