package v1_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

// pieces is a change of a purchase, and a change of an item, that asks for a quantity.
func pieces(n int) map[string]any { return map[string]any{"quantity": n} }

func TestAPurchase(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		id := w.List(t, servertest.FixedPrice(pieces(3)))
		sale := m.sold(id, "karl", pieces(2))
		if sale.ItemID != id || sale.Quantity != 2 || sale.UnitPrice.Amount != "45.00" || sale.TotalPrice.Amount != "90.00" || sale.Status != "active" {
			t.Errorf("sale: %+v", sale)
		}
		if diff := cmp.Diff(m.sale(sale.ID), sale); diff != "" {
			t.Errorf("the answer is not the sale (-sale +answer):\n%s", diff)
		}
		item := readItem(t, w, id)
		if item.Status != "open" || item.Available != 1 || item.QuantitySold != 2 {
			t.Errorf("partly sold: %s, %d left of %d", item.Status, item.Available, item.Quantity)
		}
		bill := m.bill(sale.BillID)
		want := billView{
			ID: sale.BillID, Number: "2026-00001", Status: "to_invoice", Sales: []billedView{{sale.ID, 2, moneyView{"90.00", "EUR"}}},
			Subtotal: moneyView{"90.00", "EUR"}, Total: moneyView{"90.00", "EUR"}, ShippingModelID: bill.ShippingModelID,
			Payment: paymentView{Status: "pending"}, ShippingAddress: sale.ShippingAddress,
		}
		if diff := cmp.Diff(want, bill); diff != "" {
			t.Errorf("bill (-want +got):\n%s", diff)
		}

		last := m.sold(id, "karl")
		item = readItem(t, w, id)
		if item.Status != "sold" || item.Available != 0 || item.QuantitySold != 3 || item.ClosedAt == nil {
			t.Errorf("sold out: %+v", item)
		}
		all := events(t, w, id)
		if diff := cmp.Diff([]string{"1 item.published", "2 item.sold", "3 item.sold"}, eventTypes(all)); diff != "" {
			t.Fatalf("events (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(&item, all[2].Data.Item); diff != "" {
			t.Errorf("item.sold shows another item (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(&last, all[2].Data.Sale); diff != "" {
			t.Errorf("item.sold shows another sale (-want +got):\n%s", diff)
		}
		checkOpenCount(t, w)
	})
}

func TestPurchasesThatAreRefused(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		partly := w.List(t, servertest.FixedPrice(pieces(3)))
		m.sold(partly, "karl", pieces(2))
		soldOut := w.List(t, servertest.FixedPrice())
		m.sold(soldOut, "karl")
		closed := w.List(t, servertest.FixedPrice())
		m.ok(m.post("/v1/items/"+closed+"/close", nil))
		auction := w.List(t, servertest.Auction())
		scheduled := w.List(t, servertest.FixedPrice(map[string]any{"starts_at": "2026-12-01T12:00:00Z"}))
		over := w.List(t, servertest.FixedPrice(map[string]any{"ends_at": "2026-11-22T12:00:00Z"}))
		w.Clock.Advance(24 * time.Hour) // the closer has not come yet

		buy := func(item string, changes ...map[string]any) func() servertest.Response {
			return func() servertest.Response { return m.buy(item, "new buyer", changes...) }
		}
		m.check([]refusal{
			{"of more than is left", buy(partly, pieces(2)), 422, "out_of_range quantity", map[string]any{"quantity_available": 1.0}},
			{"of nothing", buy(partly, pieces(0)), 422, "out_of_range quantity", nil},
			{"of what is sold out", buy(soldOut), 409, "item_not_open", map[string]any{"status": "sold"}},
			{"of a closed item", buy(closed), 409, "item_not_open", map[string]any{"status": "closed"}},
			{"of a scheduled item", buy(scheduled), 409, "item_not_open", map[string]any{"status": "scheduled"}},
			{"of an auction", buy(auction), 409, "item_not_open", map[string]any{"sale_type": "auction"}},
			{"at the end, before the closer has come", buy(over), 409, "item_not_open", map[string]any{"status": "open"}},
			{"of an item that is not there", buy("999"), 404, "item_not_found", nil},
			{"to nowhere", buy(partly, map[string]any{"shipping_address": map[string]any{"city": "Ghent"}}), 422, "missing_field shipping_address.country", nil},
			{"by a buyer with two names", buy(partly, map[string]any{"buyer": map[string]any{"id": "1", "nickname": "x"}}), 422, "conflicting_fields buyer.nickname", nil},
		})
	})
}

func TestWhatABuyerBuysGoesOnOneBillUntilItIsInvoiced(t *testing.T) {
	elsewhere := map[string]any{"shipping_address": map[string]any{"name": "Office", "line1": "Rue Neuve 1", "city": "Brussels", "country": "BE"}}
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		item := w.List(t, servertest.FixedPrice(pieces(20)))
		other := w.List(t, servertest.FixedPrice(map[string]any{"price": euros("5.00")}))
		dollars := w.List(t, servertest.FixedPrice(pieces(2), map[string]any{"price": map[string]any{"amount": "7.00", "currency": "USD"}}))
		auction := w.List(t, servertest.Auction())

		first := m.sold(item, "karl")
		same := func(name string, got saleView) {
			t.Helper()
			if got.BillID != first.BillID {
				t.Errorf("%s is on bill %s, not on %s", name, got.BillID, first.BillID)
			}
		}
		seen := map[string]string{first.BillID: "the first purchase"}
		fresh := func(name string, got saleView) saleView {
			t.Helper()
			if before, there := seen[got.BillID]; there {
				t.Errorf("%s is on the bill of %s", name, before)
			}
			seen[got.BillID] = name
			return got
		}
		same("another item", m.sold(other, "karl"))
		m.ok(m.bid(auction, "karl", "9.99"))
		m.ok(m.end(auction))
		won := events(t, w, auction)[2].Data.Sale
		same("a won auction", *won)
		fresh("another buyer's purchase", m.sold(item, "lena"))
		inDollars := fresh("a purchase in another currency", m.sold(dollars, "karl"))
		if got := m.sold(dollars, "karl"); got.BillID != inDollars.BillID {
			t.Errorf("a second purchase in dollars is on bill %s, not on %s", got.BillID, inDollars.BillID)
		}
		sent := fresh("a purchase to another address", m.sold(item, "karl", elsewhere))
		if got := m.sold(item, "karl", elsewhere); got.BillID != sent.BillID {
			t.Errorf("a second purchase to the other address is on bill %s, not on %s", got.BillID, sent.BillID)
		}
		if sent.ShippingAddress["line1"] != "Rue Neuve 1" || first.ShippingAddress["line1"] == "Rue Neuve 1" {
			t.Errorf("one goes to %v, the other to %v", first.ShippingAddress, sent.ShippingAddress)
		}
		if bill := m.bill(first.BillID); bill.Subtotal.Amount != "59.99" || len(bill.Sales) != 3 || bill.Sales[2].ID != won.ID {
			t.Errorf("the first bill is over %s for %v", bill.Subtotal.Amount, bill.Sales)
		}
		m.ok(m.invoice(first.BillID, map[string]any{"shipping_cost": euros("4.00")}))
		fresh("a purchase to the first address after the first bill was invoiced", m.sold(item, "karl", map[string]any{"shipping_address": first.ShippingAddress}))

		t.Run("the numbers of bills have no gaps, whatever was refused between", func(t *testing.T) {
			m := market{t, w, m.key}
			if got := m.buy(item, "mona", pieces(2000)); got.Status != 422 {
				t.Errorf("too many: %d", got.Status)
			}
			last := fresh("the last purchase", m.sold(item, "mona"))
			for id := range seen {
				if got := m.bill(id).Number; got > fmt.Sprintf("2026-%05d", len(seen)) {
					t.Errorf("%d bills, one with number %s", len(seen), got)
				}
			}
			if got, want := m.bill(last.BillID).Number, fmt.Sprintf("2026-%05d", len(seen)); got != want {
				t.Errorf("the last bill has number %s, not %s", got, want)
			}
			account, key, _ := w.Seller(t, "bert")
			id := listFor(t, w, key, servertest.FixedPrice())
			m = market{t, w, key}
			if got := m.bill(m.sold(id, "karl").BillID).Number; got != "2026-00001" {
				t.Errorf("another seller, %d, begins with number %s", account, got)
			}
		})
	})
}

// listFor submits another seller's item, publishes it and returns its id.
func listFor(t testing.TB, w *servertest.World, key string, item map[string]any) string {
	t.Helper()
	submitted := w.Do(t, servertest.Request{Path: "/v1/items", Body: item, Key: key})
	if submitted.Status != 202 {
		t.Fatalf("submit: %d %s", submitted.Status, submitted.Body)
	}
	w.Publish(t)
	done := w.Do(t, servertest.Request{Path: submitted.Header.Get("Location"), Key: key})
	return servertest.Into[struct {
		ItemID string `json:"item_id"`
	}](t, done).ItemID
}

func TestWhatIsSaidOfAKnownBuyerReplacesWhatWasKnown(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		item := w.List(t, servertest.FixedPrice(pieces(3)))
		first := m.sold(item, "karl")
		home := map[string]any{"name": "Karl Maes", "line1": "Veldstraat 5", "postal_code": "9000", "city": "Ghent", "country": "BE"}
		again := servertest.Into[saleView](t, m.ok(m.post("/v1/test/items/"+item+"/purchase", map[string]any{
			"buyer": map[string]any{"id": first.Buyer.ID, "address": home},
		})))
		if again.Buyer != first.Buyer || again.BillID != first.BillID {
			t.Errorf("the known buyer %v on bill %s is now %v on bill %s", first.Buyer, first.BillID, again.Buyer, again.BillID)
		}
		m.ok(m.invoice(first.BillID, nil))
		if got := m.sold(item, "karl").ShippingAddress; got["line1"] != "Veldstraat 5" {
			t.Errorf("the next bill goes to %v", got)
		}
		if n := w.Count(t, "buyers", "1 = 1"); n != 1 {
			t.Errorf("%d buyers", n)
		}
	})
}
