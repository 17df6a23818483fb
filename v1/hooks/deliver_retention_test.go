package hooks_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/delivery"
	"sellerd/v1/probe"
)

const day = 24 * time.Hour

func TestWhatIsKeptForHowLong(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := servertest.NewReceiver(t)
		r.AnswersStatus(200)
		hook := w.Subscribe(t, object{"url": r.URL})
		w.List(t, servertest.FixedPrice())
		servertest.DeliverAll(t, w.Service)
		plantest.Fill(t, w, "UPDATE deliveries SET response_body = 'thanks' WHERE started_at > 0")
		w.PatchWebhook(t, hook.ID, object{"status": "paused"})
		w.List(t, servertest.FixedPrice())
		state := func() string {
			w.Purge(t)
			return fmt.Sprintf("%d events, %d attempts, %d bodies, %d held", w.Count(t, "events", "1 = 1"), w.Count(t, "deliveries", "1 = 1"),
				w.Count(t, "deliveries", "response_body <> ''"), w.Count(t, "dispatches", "1 = 1"))
		}
		got := []string{state()}
		for _, wait := range []time.Duration{7*day - time.Second, 2 * time.Second, 23*day - 3*time.Second, 4 * time.Second} {
			w.Clock.Advance(wait)
			got = append(got, state())
		}
		want := []string{
			"2 events, 2 attempts, 1 bodies, 1 held", "2 events, 2 attempts, 1 bodies, 1 held", "2 events, 2 attempts, 0 bodies, 1 held",
			"2 events, 2 attempts, 0 bodies, 1 held", "0 events, 0 attempts, 0 bodies, 0 held",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("at once, before and after 7 days, before and after 30 (-want +got):\n%s", diff)
		}
	})
}

func TestWhatWasHeldForTooLongSaysSo(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Key = w.LiveKey
		r := servertest.NewReceiver(t)
		r.AnswersStatus(500)
		hook := w.Subscribe(t, object{"url": r.URL})
		w.List(t, servertest.FixedPrice())
		for range 8 {
			servertest.DeliverAll(t, w.Service)
			w.Clock.Advance(6 * time.Hour)
		}
		made := w.Count(t, "deliveries", "status = 'failed'")
		w.PatchWebhook(t, hook.ID, object{"status": "paused"})
		w.Clock.Advance(29 * day) // the event is too old by now, its last attempts are not
		w.Purge(t)
		log := w.Attempts(t, "")
		last := log[len(log)-1]
		if last.Status != "cancelled" || !last.Final || last.Attempt != made+1 || w.Count(t, "dispatches", "1 = 1") != 0 {
			t.Errorf("the last of %d attempts: %v", len(log), last)
		}
	})
}

func TestManyOldRowsGoInChunks(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		owner := v1.OwnerOf(w.Account, true)
		plantest.FillDispatches(t, w, owner, plantest.FillWebhooks(t, w, owner, 1), 2500, "held")
		plantest.Fill(t, w, "UPDATE deliveries SET status = 'succeeded', started_at = created_at, response_body = 'thanks'", "DELETE FROM dispatches")
		config := w.Config
		counted := &countedWrites{Store: w.Store}
		config.Store = counted
		service, err := v1.New(config)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, wait := range []time.Duration{8 * day, 23 * day} {
			w.Clock.Advance(wait)
			changed, err := service.PurgeOnce(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%d changed in %d transactions, %d events", changed, counted.n.Swap(0), w.Count(t, "events", "1 = 1")))
		}
		want := []string{"2500 changed in 3 transactions, 2500 events", "5000 changed in 6 transactions, 0 events"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after 8 days and after 31 (-want +got):\n%s", diff)
		}
	})
}

// countedWrites is a store that counts the transactions that write.
type countedWrites struct {
	v1.Store
	n atomic.Int64
}

func (s *countedWrites) Write(ctx context.Context, fn func(context.Context, *ent.Client) error) error {
	s.n.Add(1)
	return s.Store.Write(ctx, fn)
}

func TestAgeIsToldByInstantsAndNotByIDs(t *testing.T) {
	const year = int64(365*day/time.Millisecond) << 22 // as far as a wrong clock moves ids
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		hook := w.Subscribe(t, object{"url": servertest.NewReceiver(t).URL, "status": "paused"})
		w.List(t, servertest.FixedPrice())
		plantest.Fill(t, w, // made when the clock was a year ahead, before it was set right
			fmt.Sprintf("UPDATE events SET id = id + %d", year), fmt.Sprintf("UPDATE dispatches SET id = id + %d, event_id = event_id + %[1]d, delivery_id = "+
				"delivery_id + %[1]d", year),
			fmt.Sprintf("UPDATE deliveries SET id = id + %d, event_id = event_id + %[1]d, dispatch_id = dispatch_id + %[1]d", year))
		w.Clock.Advance(31 * day)
		w.List(t, servertest.FixedPrice())
		plantest.Fill(t, w, // made by another process whose clock was a year behind, and which took the owner's instant from its row
			fmt.Sprintf("UPDATE events SET id = id - %d WHERE id < %d", year, year), fmt.Sprintf("UPDATE dispatches SET id = id - %d WHERE id < %d", year, year))
		w.Purge(t)
		young := fmt.Sprintf("created_at >= %d", w.Clock.Now().Add(-time.Hour).UnixMicro())
		for _, table := range []string{"events", "deliveries", "dispatches"} {
			if all, left := w.Count(t, table, "1 = 1"), w.Count(t, table, young); all != 1 || left != 1 {
				t.Errorf("%d of %s are left, %d of them young; want the young one", all, table, left)
			}
		}
		if log := w.Attempts(t, "webhook_id="+hook.ID); len(log) != 1 || log[0].Status != "scheduled" {
			t.Errorf("the log is %v", log)
		}
	})
}

func TestYoungRowsAtTheHeadKeepNoOldOnes(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		owner := v1.OwnerOf(w.Account, true)
		plantest.FillDispatches(t, w, owner, plantest.FillWebhooks(t, w, owner, 1), 2500, "held")
		w.Clock.Advance(31 * day)
		now := w.Clock.Now().UnixMicro()
		for _, table := range []string{"events", "deliveries", "dispatches"} {
			plantest.Fill(t, w, fmt.Sprintf("UPDATE %s SET created_at = %d WHERE id <= 1500", table, now))
		}
		w.Purge(t)
		for _, table := range []string{"events", "deliveries", "dispatches"} {
			if n, young := w.Count(t, table, "1 = 1"), w.Count(t, table, "id <= 1500"); n != 1500 || young != 1500 {
				t.Errorf("%d of %s are left, and %d of the 1500 young ones", n, table, young)
			}
		}
	})
}

func TestAResponseIsKeptForAWeekFromItsAttempt(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := servertest.NewReceiver(t)
		r.Answers(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "thanks") })
		hook := w.Subscribe(t, object{"url": r.URL, "status": "paused"})
		w.List(t, servertest.FixedPrice())
		body := func() string {
			t.Helper()
			w.Purge(t)
			return w.Attempts(t, "")[0].Response.Body
		}
		w.Clock.Advance(8 * day) // held
		w.Purge(t)
		w.PatchWebhook(t, hook.ID, object{"status": "active"})
		servertest.DeliverAll(t, w.Service)
		got := []string{body()}
		for _, wait := range []time.Duration{7 * day, time.Second} {
			w.Clock.Advance(wait)
			got = append(got, body())
		}
		if diff := cmp.Diff([]string{"thanks", "thanks", ""}, got); diff != "" {
			t.Errorf("at once, after 7 days and a second later (-want +got):\n%s", diff)
		}
	})
}

func TestWhatIsInFlightKeepsWhatItNeeds(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Key = w.LiveKey
		r := servertest.NewReceiver(t)
		hook := w.Subscribe(t, object{"url": r.URL, "status": "paused"})
		w.List(t, servertest.FixedPrice())
		w.Clock.Advance(30 * day)
		w.PatchWebhook(t, hook.ID, object{"status": "active"})
		claimed, err := probe.Claim(w.Service, t.Context())
		if err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(time.Second)
		w.Purge(t)
		if err := probe.SendAndSettle(w.Service, t.Context(), claimed); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"1 succeeded final"}, w.AttemptsInShort(t)); diff != "" || len(r.Take()) != 1 {
			t.Errorf("log (-want +got):\n%s", diff)
		}
		w.Purge(t)
		if n := w.Count(t, "events", "1 = 1") + w.Count(t, "deliveries", "1 = 1"); n != 0 {
			t.Errorf("%d rows are left afterwards", n)
		}
	})
}

func TestAnEventNoLongerWaitsForOneThatWasGivenUp(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Key = w.LiveKey
		r := servertest.NewReceiver(t)
		r.AnswersStatus(500)
		hook := w.Subscribe(t, object{"url": r.URL, "status": "paused"})
		item := w.List(t, servertest.Auction())
		w.Clock.Advance(6 * day)
		w.Do(t, servertest.Request{Method: "POST", Path: "/v1/items/" + item + "/close", Body: object{}})
		w.Clock.Advance(24*day - time.Hour)
		w.PatchWebhook(t, hook.ID, object{"status": "active"})
		for range 4 { // until the next attempt is hours away, and the second event waits for it
			servertest.DeliverAll(t, w.Service)
			w.Clock.Advance(10 * time.Second)
			servertest.DeliverAll(t, w.Service)
			w.Clock.Advance(40 * time.Minute)
		}
		w.Purge(t)
		r.Answers(nil)
		r.Take()
		if n := servertest.DeliverAll(t, w.Service); n != 1 || len(r.Take()) != 1 {
			t.Errorf("%d attempts; want the item's second event", n)
		}
	})
}

func TestAJumpOfTheClockCostsNothing(t *testing.T) {
	const hour, year = time.Hour, 365 * day
	for _, jump := range []time.Duration{hour, -hour, day, -day, year, -year} {
		t.Run(jump.String(), func(t *testing.T) {
			servertest.Each(t, func(t *testing.T, w *servertest.World) {
				w.Key = w.LiveKey
				r := servertest.NewReceiver(t)
				w.Subscribe(t, object{"url": r.URL})
				w.List(t, servertest.FixedPrice())
				servertest.DeliverAll(t, w.Service) // one has arrived
				w.List(t, servertest.FixedPrice())
				claimOne(t, w) // one is in flight, and its worker dies
				r.AnswersStatus(500)
				w.List(t, servertest.FixedPrice())
				w.DeliverOnce(t) // one has failed once
				before := w.Count(t, "events", "1 = 1")
				r.Take()

				w.Clock.Advance(jump)
				if _, err := w.Service.PurgeOnce(t.Context()); (err != nil) != (jump.Abs() > day) {
					t.Errorf("purge: %v", err)
				}
				if _, err := w.Service.SweepOnce(t.Context()); (err != nil) != (jump.Abs() > day) {
					t.Errorf("sweep: %v", err)
				}
				for range 2 * 60 { // two minutes later, second by second
					w.DeliverOnce(t)
					w.Clock.Advance(time.Second)
				}
				if n := w.Count(t, "events", "1 = 1"); n != before {
					t.Errorf("%d of %d events are left", n, before)
				}
				if n := w.Count(t, "deliveries", "status = 'interrupted'"); n != 1 {
					t.Error("the lease did not end")
				}
				if n := len(r.Take()); n > 4 {
					t.Errorf("%d attempts in two minutes", n)
				}
				if n := w.Count(t, "dispatches", "status = 'pending'"); n != 2 {
					t.Errorf("%d of 2 events are still to come", n)
				}
				r.Answers(nil)
				w.Clock.Advance(2*day - jump) // set right again
				for range 3 {
					servertest.DeliverAll(t, w.Service)
					w.Clock.Advance(hour)
				}
				if n := w.Count(t, "dispatches", "1 = 1"); n != 0 {
					t.Errorf("%d events are stuck", n)
				}
				if n := w.Count(t, "deliveries", "status = 'succeeded'"); n != 3 {
					t.Errorf("%d of 3 events arrived", n)
				}
			}, func(c *v1.Config) { c.Uptime = func() time.Duration { return 0 } })
		})
	}
}

func TestTheBacklogTellsWhatWaits(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := servertest.NewReceiver(t)
		w.Subscribe(t, object{"url": r.URL})
		resting := servertest.NewReceiver(t)
		resting.AnswersStatus(503)
		w.Subscribe(t, object{"url": resting.URL})
		paused := w.Subscribe(t, object{"url": r.URL + "/paused"})
		w.List(t, servertest.FixedPrice())
		servertest.DeliverAll(t, w.Service)
		w.PatchWebhook(t, paused.ID, object{"status": "paused"})
		w.List(t, servertest.FixedPrice())
		w.Clock.Advance(30 * time.Second)
		got, err := w.Service.WebhookBacklog(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(delivery.Backlog{Waiting: 3, Held: 1, OldestDue: 30 * time.Second}, got); diff != "" {
			t.Errorf("backlog (-want +got):\n%s", diff)
		}
		servertest.DeliverAll(t, w.Service)
		if got, err = w.Service.WebhookBacklog(t.Context()); err != nil || got.OldestDue != 0 {
			t.Errorf("backlog with nothing due: %+v, %v", got, err)
		}
	})
}
