package v1_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

func TestRestarting(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		restart := func(id string, body any) servertest.Response {
			return w.Do(t, servertest.Request{Method: "POST", Path: "/v1/items/" + id + "/restart", Body: body})
		}
		id := w.List(t, servertest.FixedPrice(map[string]any{"quantity": 5, "renewals": 2}))
		if got := restart(id, nil); got.Status != 409 || got.Codes()[0] != "item_not_restartable" {
			t.Errorf("an open item: %s", got.Body)
		}
		m := marketOf(t, w)
		m.sold(id, "buyer", pieces(2))
		w.Do(t, servertest.Request{Method: "POST", Path: "/v1/items/" + id + "/close"})
		got := restart(id, map[string]any{"price": map[string]any{"amount": "40.00", "currency": "EUR"}, "duration_days": 10, "renewals": 3})
		item := servertest.Into[itemView](t, got)
		want := item
		want.Status, want.RestartCount, want.Renewals, want.RenewalsLeft = "open", 1, 3, 3
		want.Price, want.CurrentPrice = &moneyView{"40.00", "EUR"}, &moneyView{"40.00", "EUR"}
		want.Quantity, want.Available, want.QuantitySold, want.EndsAt = 5, 3, 2, servertest.Start.AddDate(0, 0, 10)
		want.ClosedAt, want.CloseReason = nil, nil
		if diff := cmp.Diff(want, item); diff != "" {
			t.Errorf("restarted item (-want +got):\n%s", diff)
		}
		for name, want := range map[string]string{
			"X-StoreLimit-Used": "1", "X-StoreLimit-Limit": "3", "X-StoreLimit-Remaining": "2", "X-StoreLimit-Daily-Limit": "100",
			"X-StoreLimit-Daily-Remaining": "98",
		} {
			if value := got.Header.Get(name); value != want {
				t.Errorf("%s is %q, not %q", name, value, want)
			}
		}
		if diff := cmp.Diff([]string{"1 item.published", "2 item.sold", "3 item.closed", "4 item.restarted"}, eventTypes(events(t, w, id))); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}

		auction := w.List(t, servertest.Auction(map[string]any{"reserve_price": euros("60.00")}))
		m.ok(m.bid(auction, "bidder", "9.99"))
		m.ok(m.bid(auction, "other bidder", "50.00"))
		w.Clock.Advance(8 * 24 * 3600e9)
		w.PassDueDates(t)
		if got := restart(auction, `{"price":{"amount":"1.00","currency":"EUR"}}`); got.Status != 422 || got.Codes()[0] != "conflicting_fields price" {
			t.Errorf("a fixed price for an auction: %s", got.Body)
		}
		if item := servertest.Into[itemView](t, restart(auction, nil)); item.BidCount != 0 || item.CurrentPrice.Amount != "9.99" || item.FirstBidAt != nil {
			t.Errorf("the restarted auction has %d bids at %s", item.BidCount, item.CurrentPrice.Amount)
		}
		sold := w.List(t, servertest.FixedPrice())
		m.sold(sold, "buyer")
		if got := restart(sold, nil); got.Codes()[0] != "item_not_restartable" {
			t.Errorf("a sold item: %s", got.Body)
		}
	}, func(c *v1.Config) { c.OpenItems, c.NewItemsPerDay = 3, 100 })
}

func TestARestartNeedsRoomInTheStore(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id := w.List(t, servertest.FixedPrice())
		w.Do(t, servertest.Request{Method: "POST", Path: "/v1/items/" + id + "/close"})
		w.List(t, servertest.FixedPrice())
		got := w.Do(t, servertest.Request{Method: "POST", Path: "/v1/items/" + id + "/restart"})
		if diff := cmp.Diff([]string{"store_limit_reached"}, got.Codes()); diff != "" || got.Status != 409 {
			t.Errorf("%d (-want +got):\n%s", got.Status, diff)
		}
		if used := got.Header.Get("X-StoreLimit-Used"); used != "1" {
			t.Errorf("the refusal was charged: %s used", used)
		}
		checkOpenCount(t, w)
	}, func(c *v1.Config) { c.OpenItems = 1 })
}
