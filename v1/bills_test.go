package v1_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

// wholeBill is a bill as its seller sees it.
type wholeBill struct {
	ID        string         `json:"id"`
	Status    string         `json:"status"`
	Sales     []billedView   `json:"sales"`
	Subtotal  moneyView      `json:"subtotal"`
	Shipping  *moneyView     `json:"shipping_cost"`
	Total     moneyView      `json:"total"`
	Trackings []trackingView `json:"trackings"`
	CreatedAt time.Time      `json:"created_at"`
	SentAt    *time.Time     `json:"sent_at"`
	UpdatedAt time.Time      `json:"updated_at"`
}

type billPage struct {
	Results    []wholeBill `json:"results"`
	NextCursor *string     `json:"next_cursor"`
}

// bills reads a page of the seller's bills.
func (m market) bills(query string) billPage {
	m.Helper()
	return servertest.Into[billPage](m.T, m.ok(m.w.Do(m.T, servertest.Request{Path: "/v1/bills?" + query, Key: m.key})))
}

// billIDs are the ids on all pages.
func (m market) billIDs(query string) []string {
	m.Helper()
	ids, after := []string{}, ""
	for {
		page := m.bills(query + after)
		for _, bill := range page.Results {
			ids = append(ids, bill.ID)
		}
		if page.NextCursor == nil {
			return ids
		}
		after = "&after=" + *page.NextCursor
	}
}

// paidBill is a bill of two sales that waits to be sent.
func (m market) paidBill() billView {
	m.Helper()
	item := m.w.List(m.T, servertest.FixedPrice(pieces(5)))
	m.sold(item, "bob")
	id := m.sold(item, "bob", pieces(2)).BillID
	m.ok(m.invoice(id, map[string]any{"shipping_cost": euros("4.50")}))
	m.ok(m.pay(id, nil))
	return m.bill(id)
}

func TestFiltersOfBills(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		stamp, card := w.List(t, servertest.FixedPrice(pieces(50))), w.List(t, servertest.FixedPrice(pieces(50)))
		open := m.sold(stamp, "ann")
		w.Clock.Advance(time.Hour)
		paid := m.sold(stamp, "bea")
		onPaid := m.sold(card, "bea")
		m.ok(m.invoice(paid.BillID, nil))
		m.ok(m.pay(paid.BillID, nil))
		w.Clock.Advance(time.Hour)
		undone := m.sold(card, "cid")
		m.ok(m.decide(undone.ID, "accept"))
		w.Clock.Advance(time.Hour)
		sent := m.sold(card, "dan")
		m.ok(m.invoice(sent.BillID, nil))
		m.ok(m.pay(sent.BillID, nil))
		m.ok(m.post("/v1/bills/"+sent.BillID+"/mark-sent", map[string]any{"trackings": []any{colissimo(1)}}))

		hours := func(n int) string { return servertest.Start.Add(time.Duration(n) * time.Hour).Format(time.RFC3339) }
		all := []string{open.BillID, paid.BillID, undone.BillID, sent.BillID}
		tests := []struct {
			name, query string
			want        []string
		}{
			{"no filter lists everything, oldest first", "", all},
			{"pages follow each other", "limit=1", all},
			{"newest first", "sort=created_at_desc", []string{sent.BillID, undone.BillID, paid.BillID, open.BillID}},
			{"newest first, page by page", "sort=created_at_desc&limit=3", []string{sent.BillID, undone.BillID, paid.BillID, open.BillID}},
			{"a state", "status=to_send", []string{paid.BillID}},
			{"one of several states", "status=sent,to_invoice&status=cancelled", []string{open.BillID, undone.BillID, sent.BillID}},
			{"a state that no bill is in", "status=awaiting_payment", []string{}},
			{"a buyer", "buyer_id=" + open.Buyer.ID, []string{open.BillID}},
			{"one of several buyers", "buyer_id=" + sent.Buyer.ID + "," + paid.Buyer.ID, []string{paid.BillID, sent.BillID}},
			{"a sale", "sale_id=" + onPaid.ID, []string{paid.BillID}},
			{"two sales of one bill", "sale_id=" + onPaid.ID + "," + paid.ID, []string{paid.BillID}},
			{"a cancelled sale", "sale_id=" + undone.ID, []string{undone.BillID}},
			{"a sale that does not exist", "sale_id=999999", []string{}},
			{"an item", "item_id=" + stamp, []string{open.BillID, paid.BillID}},
			{"an item of which a sale was cancelled", "item_id=" + card, []string{paid.BillID, undone.BillID, sent.BillID}},
			{"one of several items", "item_id=" + stamp + "," + card, all},
			{"an item, page by page", "limit=1&item_id=" + card, []string{paid.BillID, undone.BillID, sent.BillID}},
			{"with a tracking", "has_tracking=true", []string{sent.BillID}},
			{"without a tracking", "has_tracking=false", []string{open.BillID, paid.BillID, undone.BillID}},
			{"made in a time", "created_from=" + hours(1) + "&created_to=" + hours(3), []string{paid.BillID, undone.BillID}},
			{"paid since", "paid_from=" + hours(2), []string{sent.BillID}},
			{"paid before", "paid_to=" + hours(2), []string{paid.BillID}},
			{"sent since", "sent_from=" + hours(3), []string{sent.BillID}},
			{"sent before", "sent_to=" + hours(3), []string{}},
			{"changed since", "updated_from=" + hours(2), []string{undone.BillID, sent.BillID}},
			{"changed before", "updated_to=" + hours(1), []string{open.BillID}},
			{
				"all filters at once", "status=to_send&buyer_id=" + paid.Buyer.ID + "&sale_id=" + paid.ID + "&item_id=" + card + "&has_tracking=false&paid_from=" + hours(1),
				[]string{paid.BillID},
			},
		}
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				if diff := cmp.Diff(test.want, marketOf(t, w).billIDs(test.query)); diff != "" {
					t.Errorf("bills (-want +got):\n%s", diff)
				}
			})
		}
		t.Run("the other mode and other sellers see nothing", func(t *testing.T) {
			_, other, _ := w.Seller(t, "carla")
			for _, key := range []string{w.LiveKey, other} {
				for _, query := range []string{"", "item_id=" + stamp, "sale_id=" + open.ID, "buyer_id=" + open.Buyer.ID} {
					if diff := cmp.Diff([]string{}, market{t, w, key}.billIDs(query)); diff != "" {
						t.Errorf("bills of %q (-want +got):\n%s", query, diff)
					}
				}
			}
		})
	})
}

func TestParametersOfBillsThatAreRefused(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		tests := []struct {
			query string
			want  []string
		}{
			{"status=paid", []string{"invalid_parameter status"}},
			{"buyer_id=bob", []string{"invalid_parameter buyer_id"}},
			{"sale_id=", []string{"invalid_parameter sale_id"}},
			{"has_tracking=1", []string{"invalid_parameter has_tracking"}},
			{"sent_from=today", []string{"invalid_parameter sent_from"}},
			{"sort=updated_at_asc", []string{"invalid_parameter sort"}},
			{"limit=201", []string{"invalid_parameter limit"}},
			{"after=gone", []string{"invalid_cursor after"}},
			{"sold_from=2026-01-01T00:00:00Z", []string{"unknown_parameter sold_from"}},
		}
		for _, test := range tests {
			t.Run(test.query, func(t *testing.T) {
				got := w.Do(t, servertest.Request{Path: "/v1/bills?" + test.query})
				if diff := cmp.Diff(test.want, got.Codes()); diff != "" || got.Status != 422 {
					t.Errorf("answer %d (-want +got):\n%s", got.Status, diff)
				}
			})
		}
		t.Run("a cursor fits its own list only", func(t *testing.T) {
			m := marketOf(t, w)
			item := w.List(t, servertest.FixedPrice(pieces(5)))
			m.sold(item, "ann")
			m.sold(item, "bea")
			cursor := *m.bills("limit=1&item_id=" + item).NextCursor
			for _, query := range []string{"", "item_id=1", "sale_id=" + item, "sort=created_at_desc&item_id=" + item} {
				got := w.Do(t, servertest.Request{Path: "/v1/bills?after=" + cursor + "&" + query})
				if diff := cmp.Diff([]string{"cursor_mismatch after"}, got.Codes()); diff != "" {
					t.Errorf("%q (-want +got):\n%s", query, diff)
				}
			}
		})
	})
}

func TestAPageShowsWhatASingleReadShows(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		item := w.List(t, servertest.FixedPrice(pieces(50), map[string]any{"personal_reference": "B 7"}))
		for i, buyer := range []string{"ann", "bea", "ann", "cid", "ann"} {
			sold := m.sold(item, buyer, pieces(1+i))
			m.ok(m.post("/v1/bills/"+sold.BillID+"/trackings", colissimo(i)))
			w.Clock.Advance(time.Minute)
		}
		m.ok(m.decide(m.sold(item, "bea").ID, "accept"))

		single := map[string]string{}
		for _, id := range m.billIDs("") {
			single[id] = string(m.ok(w.Do(t, servertest.Request{Path: "/v1/bills/" + id})).Data)
		}
		listed := map[string]string{}
		page := servertest.Into[struct {
			Results []jsontext.Value `json:"results"`
		}](t, w.Do(t, servertest.Request{Path: "/v1/bills"}))
		for _, bill := range page.Results {
			listed[servertest.Into[wholeBill](t, servertest.Response{Data: bill}).ID] = string(bill)
		}
		if diff := cmp.Diff(single, listed); diff != "" || len(listed) != 3 {
			t.Errorf("%d bills (-read +listed):\n%s", len(listed), diff)
		}
		ann := servertest.Into[wholeBill](t, w.Do(t, servertest.Request{Path: "/v1/bills/" + m.billIDs("")[0]}))
		quantities := []int{}
		for _, sale := range ann.Sales {
			quantities = append(quantities, sale.Quantity)
		}
		if diff := cmp.Diff([]int{1, 3, 5}, quantities); diff != "" {
			t.Errorf("sales in the order they were made (-want +got):\n%s", diff)
		}
		numbers := []string{}
		for _, tracking := range ann.Trackings {
			numbers = append(numbers, tracking.Number)
		}
		if diff := cmp.Diff([]string{colissimoNumber(0), colissimoNumber(2), colissimoNumber(4)}, numbers); diff != "" {
			t.Errorf("trackings in the order they were made (-want +got):\n%s", diff)
		}
	})
}

func TestABillAddsUpWhileItsBuyerGoesOnBuying(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		item := w.List(t, servertest.FixedPrice(pieces(200)))
		id := m.sold(item, "bob").BillID
		requests := []servertest.Request{}
		for i := range 90 {
			switch i % 3 {
			case 0:
				requests = append(requests, servertest.Request{Path: "/v1/test/items/" + item + "/purchase", Body: map[string]any{"buyer": someBuyer("bob")}})
			case 1:
				requests = append(requests, servertest.Request{Path: "/v1/bills/" + id})
			default:
				requests = append(requests, servertest.Request{Path: "/v1/bills?item_id=" + item})
			}
		}
		for i, answer := range together(t, w, requests...) {
			m.ok(answer)
			var seen wholeBill
			switch i % 3 {
			case 0:
				continue
			case 1:
				seen = servertest.Into[wholeBill](t, answer)
			default:
				seen = servertest.Into[billPage](t, answer).Results[0]
			}
			want := moneyView{fmt.Sprintf("%d.00", 45*len(seen.Sales)), "EUR"}
			if seen.Subtotal != want || seen.Total != want {
				t.Errorf("%d sales of 45.00 add up to %s and %s", len(seen.Sales), seen.Subtotal.Amount, seen.Total.Amount)
			}
		}
		if got := len(m.bill(id).Sales); got != 31 {
			t.Errorf("%d sales on the bill", got)
		}
	})
}
