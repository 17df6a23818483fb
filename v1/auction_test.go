package v1_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

func TestBidding(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		id := w.List(t, servertest.Auction())
		first := servertest.Into[itemView](t, m.bid(id, "first", "9.99"))
		if first.BidCount != 1 || first.CurrentPrice.Amount != "9.99" || first.FirstBidAt == nil {
			t.Errorf("after the first bid: %+v", first)
		}
		w.Clock.Advance(time.Hour)
		second := servertest.Into[itemView](t, m.bid(id, "second", "15.00"))
		if second.BidCount != 2 || second.CurrentPrice.Amount != "15.00" || !second.FirstBidAt.Equal(*first.FirstBidAt) {
			t.Errorf("after the second bid: %+v", second)
		}
		if diff := cmp.Diff(second, readItem(t, w, id)); diff != "" {
			t.Errorf("the answer is not the item (-answer +item):\n%s", diff)
		}
		all := events(t, w, id)
		if diff := cmp.Diff([]string{"1 item.published", "2 item.first_bid"}, eventTypes(all)); diff != "" {
			t.Fatalf("events (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(&first, all[1].Data.Item); diff != "" {
			t.Errorf("item.first_bid shows another item (-want +got):\n%s", diff)
		}
	})
}

func TestABidMustExceedTheLastOneByTheIncrement(t *testing.T) {
	increment := map[string]any{"bid_increment": euros("2.50")}
	tests := []struct {
		name, price   string
		change        map[string]any
		below, enough string
	}{
		{"below 10", "9.99", nil, "10.08", "10.09"},
		{"from 10", "10.00", nil, "10.49", "10.50"},
		{"below 50", "49.99", nil, "50.48", "50.49"},
		{"from 50", "50.00", nil, "50.99", "51.00"},
		{"below 250", "249.99", nil, "250.98", "250.99"},
		{"from 250", "250.00", nil, "254.99", "255.00"},
		{"below 1000", "999.99", nil, "1004.98", "1004.99"},
		{"from 1000", "1000.00", nil, "1009.99", "1010.00"},
		{"where the seller says by how much", "10.00", increment, "12.49", "12.50"},
	}
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				m := marketOf(t, w)
				id := w.List(t, servertest.Auction(map[string]any{"starting_price": euros(test.price)}, test.change))
				m.ok(m.bid(id, "first", test.price))
				m.check([]refusal{{
					"a cent too little", func() servertest.Response { return m.bid(id, "second", test.below) },
					422, "out_of_range amount",
					map[string]any{"minimum": test.enough},
				}})
				m.ok(m.bid(id, "second", test.enough))
			})
		}
	})
}

func TestBidsThatAreRefused(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		auction := w.List(t, servertest.Auction())
		closed := w.List(t, servertest.Auction())
		m.ok(m.post("/v1/items/"+closed+"/close", nil))
		unsold := w.List(t, servertest.Auction())
		m.ok(m.end(unsold))
		sold := w.List(t, servertest.Auction())
		m.ok(m.bid(sold, "winner", "9.99"))
		m.ok(m.end(sold))
		scheduled := w.List(t, servertest.Auction(map[string]any{"starts_at": "2026-12-01T12:00:00Z"}))
		fixed := w.List(t, servertest.FixedPrice())
		over := w.List(t, servertest.Auction(map[string]any{"ends_at": "2026-11-22T12:00:00Z"}))
		w.Clock.Advance(24 * time.Hour) // the closer has not come yet

		bid := func(item string) func() servertest.Response {
			return func() servertest.Response { return m.bid(item, "new buyer", "20.00") }
		}
		amount := func(amount any) func() servertest.Response {
			return func() servertest.Response {
				return m.post("/v1/test/items/"+auction+"/bids", map[string]any{"buyer": someBuyer("anyone"), "amount": amount})
			}
		}
		by := func(buyer v1.BuyerInput) func() servertest.Response {
			return func() servertest.Response {
				bid := v1.Bid{Buyer: buyer, Amount: v1.Some(v1.Money{Amount: 20_00, Currency: "EUR"})}
				return m.asOperator(v1.OperatorBid.Operation, &v1.BidInput{ID: number(t, auction), Bid: bid})
			}
		}
		m.check([]refusal{
			{"below the starting price", func() servertest.Response { return m.bid(auction, "anyone", "9.98") }, 422, "out_of_range amount", map[string]any{"minimum": "9.99"}},
			{"in another currency", amount(map[string]any{"amount": "20.00", "currency": "USD"}), 422, "currency_mismatch amount.currency", nil},
			{"of nothing", amount(euros("0.00")), 422, "out_of_range amount.amount", nil},
			{"on a closed item", bid(closed), 409, "item_not_open", map[string]any{"status": "closed"}},
			{"on an unsold item", bid(unsold), 409, "item_not_open", map[string]any{"status": "unsold"}},
			{"on a sold item", bid(sold), 409, "item_not_open", map[string]any{"status": "sold"}},
			{"on a scheduled item", bid(scheduled), 409, "item_not_open", map[string]any{"status": "scheduled"}},
			{"on a fixed-price item", bid(fixed), 409, "item_not_open", map[string]any{"sale_type": "fixed_price"}},
			{"at the end, before the closer has come", bid(over), 409, "item_not_open", map[string]any{"status": "open", "ends_at": "2026-11-22T12:00:00Z"}},
			{"on an item that is not there", bid("999"), 404, "item_not_found", nil},
			{"by a buyer who is not there", by(v1.BuyerInput{ID: v1.Some(v1.ID(1))}), 422, "invalid_value buyer.id", nil},
			{"by a new buyer from nowhere", by(v1.BuyerInput{Nickname: v1.Some("dora")}), 422, "missing_field buyer.country", nil},
			{"by no buyer", by(v1.BuyerInput{}), 422, "missing_field buyer.nickname", nil},
		})
	})
}

func TestLastMinuteBiddingMovesTheEnd(t *testing.T) {
	ends := servertest.Start.Add(24 * time.Hour)
	lastMinute := map[string]any{"options": map[string]any{"last_minute_bidding": true}}
	tests := []struct {
		name   string
		option map[string]any
		before time.Duration // how long before the end the bid comes
		want   time.Time
	}{
		{"a bid in the last five minutes leaves five minutes to answer", lastMinute, 2 * time.Minute, ends.Add(3 * time.Minute)},
		{"a bid five minutes before the end moves nothing", lastMinute, 5 * time.Minute, ends},
		{"a bid without the option moves nothing", nil, 2 * time.Minute, ends},
	}
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		ids := make([]string, len(tests))
		for i, test := range tests {
			ids[i] = w.List(t, servertest.Auction(map[string]any{"ends_at": ends.Format(time.RFC3339)}, test.option))
		}
		for _, before := range []time.Duration{5 * time.Minute, 2 * time.Minute} {
			w.Clock.Advance(ends.Add(-before).Sub(w.Clock.Now()))
			for i, test := range tests {
				if test.before == before {
					m.ok(m.bid(ids[i], "late", "9.99"))
				}
			}
		}
		for i, test := range tests {
			if got := readItem(t, w, ids[i]).EndsAt; !got.Equal(test.want) {
				t.Errorf("%s: ends at %v, not %v", test.name, got, test.want)
			}
		}
		w.Clock.Advance(2 * time.Minute)
		w.PassDueDates(t)
		for i, want := range []string{"open", "sold", "sold"} {
			if got := readItem(t, w, ids[i]).Status; got != want {
				t.Errorf("%s: at the first end the item is %s, not %s", tests[i].name, got, want)
			}
		}
		w.Clock.Advance(3 * time.Minute)
		w.PassDueDates(t)
		if got := readItem(t, w, ids[0]).Status; got != "sold" {
			t.Errorf("at the moved end the item is %s", got)
		}
	})
}

func TestHowAuctionsEnd(t *testing.T) {
	tests := []struct {
		name   string
		item   map[string]any
		bid    string
		want   string
		events []string
	}{
		{"sold to the highest bidder", nil, "12.00", "sold", []string{"1 item.published", "2 item.first_bid", "3 item.sold"}},
		{"sold when the reserve is met", map[string]any{"reserve_price": euros("12.00")}, "12.00", "sold", []string{"1 item.published", "2 item.first_bid", "3 item.sold"}},
		{"unsold when the reserve is missed", map[string]any{"reserve_price": euros("12.01")}, "12.00", "unsold", []string{
			"1 item.published", "2 item.first_bid",
			"3 item.unsold",
		}},
		{"unsold without a bid", nil, "", "unsold", []string{"1 item.published", "2 item.unsold"}},
		{"renewed without a bid while renewals are left", map[string]any{"renewals": 1}, "", "open", []string{"1 item.published", "2 item.updated"}},
		{
			"unsold with a bid below the reserve, though renewals are left",
			map[string]any{"renewals": 1, "reserve_price": euros("12.01")},
			"12.00",
			"unsold",
			[]string{"1 item.published", "2 item.first_bid", "3 item.unsold"},
		},
	}
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		ways := []struct {
			name string
			end  func(m market, id string)
		}{
			{"when the end comes", func(m market, id string) {
				w.Clock.Advance(7 * 24 * time.Hour)
				w.PassDueDates(m.T)
			}},
			{"when the marketplace ends it", func(m market, id string) {
				w.Clock.Advance(time.Hour)
				m.ok(m.end(id))
			}},
		}
		for _, way := range ways {
			for _, test := range tests {
				t.Run(way.name+", "+test.name, func(t *testing.T) {
					m := marketOf(t, w)
					id := w.List(t, servertest.Auction(test.item))
					if test.bid != "" {
						m.ok(m.bid(id, "loser", "9.99"))
						m.ok(m.bid(id, "winner", test.bid))
					}
					way.end(m, id)
					now := w.Clock.Now()
					item := readItem(t, w, id)
					if item.Status != test.want {
						t.Fatalf("the item is %s", item.Status)
					}
					all := events(t, w, id)
					if diff := cmp.Diff(test.events, eventTypes(all)); diff != "" {
						t.Errorf("events (-want +got):\n%s", diff)
					}
					switch item.Status {
					case "open":
						if !item.EndsAt.Equal(now.AddDate(0, 0, 7)) || item.RenewalsLeft != 0 {
							t.Errorf("the next run ends at %v, %d renewals are left", item.EndsAt, item.RenewalsLeft)
						}
					case "sold":
						m.checkWon(item, all[2])
						fallthrough
					default:
						if !item.EndsAt.Equal(now) || item.ClosedAt == nil {
							t.Errorf("ended now, the item says it ended at %v, closed at %v", item.EndsAt, item.ClosedAt)
						}
					}
					checkOpenCount(t, w)
				})
			}
		}
	})
}

// checkWon compares what became of a won auction with its event.
func (m market) checkWon(item itemView, event storedEvent) {
	m.Helper()
	if event.Data.Item == nil || event.Data.Sale == nil {
		m.Fatalf("item.sold holds %+v", event.Data)
	}
	if diff := cmp.Diff(item, *event.Data.Item); diff != "" {
		m.Errorf("item.sold shows another item (-want +got):\n%s", diff)
	}
	sale := m.sale(event.Data.Sale.ID)
	if diff := cmp.Diff(sale, *event.Data.Sale); diff != "" {
		m.Errorf("item.sold shows another sale (-want +got):\n%s", diff)
	}
	if sale.ItemID != item.ID || sale.Buyer.Nickname != "winner" || sale.TotalPrice.Amount != "12.00" || item.QuantitySold != 1 {
		m.Errorf("sold %d as %+v", item.QuantitySold, sale)
	}
	bill := m.bill(sale.BillID)
	if bill.Status != "to_invoice" || bill.Sales[len(bill.Sales)-1].ID != sale.ID {
		m.Errorf("on the bill %+v", bill)
	}
}

func TestEndingWhatIsNotOpenIsRefused(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		scheduled := w.List(t, servertest.Auction(map[string]any{"starts_at": "2026-12-01T12:00:00Z"}))
		ended := w.List(t, servertest.Auction())
		m.ok(m.end(ended))
		m.check([]refusal{
			{"a scheduled item", func() servertest.Response { return m.end(scheduled) }, 409, "item_not_open", map[string]any{"status": "scheduled"}},
			{"an ended item", func() servertest.Response { return m.end(ended) }, 409, "item_not_open", map[string]any{"status": "unsold"}},
			{"no item", func() servertest.Response { return m.end("999") }, 404, "item_not_found", nil},
		})
	})
}

func TestARenewalByTheMarketplaceTellsTheEndThatWas(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		id := w.List(t, servertest.Auction(map[string]any{"renewals": 1}))
		w.Clock.Advance(time.Hour)
		m.ok(m.end(id))
		all := events(t, w, id)
		if diff := cmp.Diff(map[string]any{"ends_at": "2026-11-28T12:00:00Z", "renewals_left": 1.0}, all[1].Data.Previous); diff != "" {
			t.Errorf("previous (-want +got):\n%s", diff)
		}
	})
}

func TestBidsEndAtTheBoundOfAmounts(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		item := w.List(t, servertest.Auction(map[string]any{"starting_price": euros("999990.00")}))
		m.ok(m.bid(item, "bob", "999995.00"))
		for name, got := range map[string]servertest.Response{
			"the highest amount": m.bid(item, "eve", "999999.99"), "a made-up bid": m.post("/v1/test/items/"+item+"/bids", nil),
		} {
			if diff := cmp.Diff([]string{"out_of_range amount"}, got.Codes()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
		if is := readItem(t, w, item); is.BidCount != 1 || is.CurrentPrice.Amount != "999995.00" {
			t.Errorf("%d bids, at %s", is.BidCount, is.CurrentPrice.Amount)
		}
	})
}
