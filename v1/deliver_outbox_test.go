package v1_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

func TestEveryEventIsOnItsWayToWhoeverWantsIt(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := servertest.NewReceiver(t)
		wanted := map[string][]string{
			"/all":      {"*"},
			"/items":    {"item.*"},
			"/sales":    {"sale.*"},
			"/sold":     {"item.sold", "sale.cancelled"},
			"/payments": {"payment.received"},
			"/both":     {"item.*", "item.sold"},
		}
		paths := map[string]string{}
		for path, events := range wanted {
			paths[w.Subscribe(t, object{"url": r.URL + path, "events": events}).ID] = path
		}
		_, otherKey, _ := w.Seller(t, "bert")
		for path, key := range map[string]string{"/other-mode": w.LiveKey, "/other-account": otherKey} {
			made := w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: object{"url": r.URL + path}, Key: key})
			paths[servertest.Into[servertest.Webhook](t, made).ID] = path
		}
		m := marketOf(t, w)
		sale := m.sold(w.List(t, servertest.FixedPrice(pieces(2))), "karl")
		m.decide(sale.ID, "accept")

		got := map[string][]string{}
		rows, err := w.Store.Reader().Delivery.Query().All(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			path := row.URL[len(r.URL):]
			got[path] = append(got[path], row.EventType)
			if row.Status != "scheduled" || row.Attempt != 1 || row.Trigger != "automatic" {
				t.Errorf("delivery: %v", row)
			}
		}
		for _, types := range got {
			slices.Sort(types)
		}
		want := map[string][]string{
			"/all":   {"item.published", "item.sold", "sale.cancelled"},
			"/items": {"item.published", "item.sold"},
			"/sales": {"sale.cancelled"},
			"/sold":  {"item.sold", "sale.cancelled"},
			"/both":  {"item.published", "item.sold"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("deliveries (-want +got):\n%s", diff)
		}
		if n := w.Count(t, "dispatches", "status = 'pending' AND due_at = created_at"); n != 10 {
			t.Errorf("%d of 10 dispatches are due", n)
		}
	})
}

func TestAChangeThatIsRefusedTellsNobody(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Subscribe(t, object{"url": servertest.NewReceiver(t).URL})
		item := w.List(t, servertest.FixedPrice(pieces(2)))
		m := marketOf(t, w)
		m.sold(item, "karl")
		count := func() []int {
			return []int{w.Count(t, "events", "1 = 1"), w.Count(t, "dispatches", "1 = 1"), w.Count(t, "deliveries", "1 = 1")}
		}
		before := count()
		for _, got := range []servertest.Response{
			m.buy(item, "lena", pieces(5)),
			m.post("/v1/items/"+item+"/restart", nil),
			w.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/items/" + item, Body: object{"sale_type": "auction"}}),
			w.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/items/" + item, Body: object{"title": "Another"}, Header: map[string]string{"If-Match": `"old"`}}),
		} {
			if got.Status < 400 {
				t.Errorf("not refused: %s", got.Body)
			}
		}
		if diff := cmp.Diff(before, count()); diff != "" {
			t.Errorf("events, dispatches, deliveries (-before +after):\n%s", diff)
		}
	})
}

func TestAnEventOfAWebhookThatIsSwitchedOffMeanwhileIsHeld(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := servertest.NewReceiver(t)
		hook := w.Subscribe(t, object{"url": r.URL})
		w.List(t, servertest.FixedPrice())
		// A settlement disables the webhook while a change that still saw it active dispatches an event.
		fill(t, w, "UPDATE webhooks SET status = 'disabled'")
		if n := servertest.DeliverAll(t, w.Service); n != 0 || w.Count(t, "dispatches", "status = 'pending'") != 1 {
			t.Errorf("%d attempts at a webhook that is off", n)
		}
		w.PatchWebhook(t, hook.ID, object{"status": "active"})
		if n := servertest.DeliverAll(t, w.Service); n != 1 {
			t.Errorf("%d attempts after it came back", n)
		}
	})
}

func TestWhatIsSentByHandGoesPastRestsAndPauses(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := servertest.NewReceiver(t)
		hook := w.Subscribe(t, object{"url": r.URL})
		r.AnswersStatus(503, "Retry-After", "3600")
		w.List(t, servertest.FixedPrice())
		servertest.DeliverAll(t, w.Service)
		r.AnswersStatus(500)
		test := func() { w.Do(t, servertest.Request{Method: "POST", Path: "/v1/webhooks/" + hook.ID + "/test"}) }
		test()
		if n := servertest.DeliverAll(t, w.Service); n != 1 {
			t.Errorf("%d attempts while the endpoint rests", n)
		}
		w.PatchWebhook(t, hook.ID, object{"status": "paused"})
		test()
		claimBy(t, w.Service)
		w.Clock.Advance(time.Minute) // its worker is gone, and another attempt follows at once
		if n := servertest.DeliverAll(t, w.Service); n != 1 {
			t.Errorf("%d attempts while the webhook is paused", n)
		}
		got := []string{}
		for _, a := range w.Attempts(t, "") {
			got = append(got, fmt.Sprintf("%s %v", a.Trigger, a))
		}
		want := []string{
			"automatic 1 failed http_status", "automatic 2 scheduled", "test 1 failed http_status final",
			"test 1 interrupted interrupted", "test 2 failed http_status final",
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("log (-want +got):\n%s", diff)
		}
		if w.Count(t, "webhooks", "failures = 1") != 1 {
			t.Error("what failed by hand counts against the endpoint")
		}
	})
}
