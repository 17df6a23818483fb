package v1_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

// tally counts answers: "200", or the first error's code.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
}

func (c *tally) add(r servertest.Response) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = map[string]int{}
	}
	outcome := fmt.Sprint(r.Status)
	if len(r.Errors) > 0 {
		outcome = r.Errors[0].Code
	}
	c.counts[outcome]++
}

func TestBuyersWhoComeAtOnceGetWhatIsThereAndNoMore(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		id := w.List(t, servertest.FixedPrice(pieces(20)))
		var wg sync.WaitGroup
		var outcomes tally
		for n := range 64 {
			wg.Go(func() {
				quantity := 1
				if n%8 == 0 {
					quantity = 2
				}
				outcomes.add(m.buy(id, fmt.Sprintf("buyer %d", n%16), pieces(quantity))) // four purchases a buyer
			})
		}
		wg.Wait()

		item := readItem(t, w, id)
		if item.Status != "sold" || item.QuantitySold != 20 || item.Available != 0 {
			t.Errorf("the item is %s, %d are sold and %d left", item.Status, item.QuantitySold, item.Available)
		}
		sold, accepted := 0, 0
		bills := map[string]int64{}
		want := []string{"1 item.published"}
		for i, event := range events(t, w, id) {
			if event.Type != "item.sold" {
				continue
			}
			sale := event.Data.Sale
			sold += sale.Quantity
			accepted++
			bills[sale.BillID] += int64(cents(t, sale.TotalPrice))
			want = append(want, fmt.Sprintf("%d item.sold", i+1))
		}
		if sold != 20 || outcomes.counts["200"] != accepted {
			t.Errorf("%d pieces in %d sales, answers %v", sold, accepted, outcomes.counts)
		}
		if others := outcomes.counts["out_of_range"] + outcomes.counts["item_not_open"]; others != 64-accepted {
			t.Errorf("answers %v", outcomes.counts)
		}
		if diff := cmp.Diff(want, eventTypes(events(t, w, id))); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		numbers := map[string]bool{}
		for bill, subtotal := range bills {
			got := m.bill(bill)
			numbers[got.Number] = true
			if int64(cents(t, got.Subtotal)) != subtotal {
				t.Errorf("bill %s is over %s, its sales are over %d", bill, got.Subtotal.Amount, subtotal)
			}
		}
		for place := range len(bills) {
			if number := fmt.Sprintf("2026-%05d", place+1); !numbers[number] {
				t.Errorf("%d bills, but none with number %s", len(bills), number)
			}
		}
		checkOpenCount(t, w)
	})
}

func TestOfBidsThatComeAtOnceTheHighestStands(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		id := w.List(t, servertest.Auction(map[string]any{"bid_increment": euros("0.01")}))
		var wg sync.WaitGroup
		var outcomes tally
		for n := range 48 {
			wg.Go(func() {
				outcomes.add(m.bid(id, fmt.Sprintf("bidder %d", n), fmt.Sprintf("%d.00", 10+n*7%48))) // 10 to 57, each once
			})
		}
		wg.Wait()
		item := readItem(t, w, id)
		if item.CurrentPrice.Amount != "57.00" || item.BidCount != outcomes.counts["200"] {
			t.Errorf("%d bids up to %s, answers %v", item.BidCount, item.CurrentPrice.Amount, outcomes.counts)
		}
		if outcomes.counts["200"]+outcomes.counts["out_of_range"] != 48 {
			t.Errorf("answers %v", outcomes.counts)
		}
		if diff := cmp.Diff([]string{"1 item.published", "2 item.first_bid"}, eventTypes(events(t, w, id))); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		m.ok(m.end(id))
		won := events(t, w, id)[2].Data.Sale
		if want := "bidder 41"; won.TotalPrice.Amount != "57.00" || won.Buyer.Nickname != want {
			t.Errorf("sold to %s for %s, not to %s", won.Buyer.Nickname, won.TotalPrice.Amount, want)
		}
	})
}

func TestTheLastSaleIsCancelledWhileOthersBuy(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		ids := make([]string, 6)
		sales := make([]saleView, len(ids))
		for i := range ids {
			ids[i] = w.List(t, servertest.FixedPrice())
			sales[i] = m.sold(ids[i], "karl") // all on one bill
		}
		var wg sync.WaitGroup
		var decisions, purchases tally
		for i, id := range ids {
			for range 2 {
				wg.Go(func() { decisions.add(m.decide(sales[i].ID, "accept")) })
				wg.Go(func() { purchases.add(m.buy(id, "karl")) })
			}
		}
		wg.Wait()
		if diff := cmp.Diff(map[string]int{"200": len(ids), "invalid_value": len(ids)}, decisions.counts); diff != "" {
			t.Errorf("each sale is cancelled once (-want +got):\n%s", diff)
		}
		bought := 0
		for _, id := range ids {
			item := readItem(t, w, id)
			want := []string{"1 item.published", "2 item.sold", "3 item.restarted"}
			if item.Status == "sold" {
				bought++
				want = append(want, "4 item.sold")
			}
			if item.QuantitySold+item.Available != 1 || (item.Status == "sold") != (item.QuantitySold == 1) || item.RestartCount != 1 {
				t.Errorf("item %s is %s after %d restarts, %d sold", id, item.Status, item.RestartCount, item.QuantitySold)
			}
			if diff := cmp.Diff(want, eventTypes(events(t, w, id))); diff != "" {
				t.Errorf("events of a %s item (-want +got):\n%s", item.Status, diff)
			}
		}
		if purchases.counts["200"] != bought || purchases.counts["item_not_open"] != 2*len(ids)-bought {
			t.Errorf("%d items were bought again, answers %v", bought, purchases.counts)
		}
		onBills, subtotals := 0, int64(0)
		bills, err := w.Store.Reader().Bill.Query().IDs(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range bills {
			bill := m.bill(fmt.Sprint(id))
			onBills += len(bill.Sales)
			subtotals += int64(cents(t, bill.Subtotal))
			if (bill.Status == "cancelled") != (len(bill.Sales) == 0) {
				t.Errorf("bill %d is %s with %d sales", id, bill.Status, len(bill.Sales))
			}
		}
		if onBills != bought || subtotals != int64(bought)*45_00 {
			t.Errorf("%d sales for %d on bills, but %d bought", onBills, subtotals, bought)
		}
		checkOpenCount(t, w)
	})
}
