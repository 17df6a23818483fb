package v1_test

import (
	"cmp"
	"context"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sellerd/ent"
	"sellerd/ent/bill"
	"sellerd/ent/sale"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/probe"
)

// filedBill is a bill among many, and the items and sales on it.
type filedBill struct {
	row          *ent.Bill
	items, sales []int64
}

// fileBills has many bills made of one seller's, in all states, by five buyers, and another seller's beside them.
func fileBills(t *testing.T, w *servertest.World, n int) []filedBill {
	t.Helper()
	_, key, _ := w.Seller(t, "berta")
	anna, berta := marketOf(t, w), market{t, w, key}
	theirs := listFor(t, w, key, servertest.FixedPrice(pieces(1000)))
	var items []string
	for range 4 {
		items = append(items, w.List(t, servertest.FixedPrice(pieces(1000))))
	}
	r := rand.New(rand.NewPCG(3, 4))
	pass := func() { w.Clock.Advance(time.Duration(r.IntN(200)) * time.Millisecond) }
	for range n {
		pass()
		buyer, sales := "buyer "+strconv.Itoa(r.IntN(5)), []string{}
		var bill string
		for range 1 + r.IntN(3) {
			sold := anna.sold(items[r.IntN(len(items))], buyer)
			bill, sales = sold.BillID, append(sales, sold.ID)
		}
		for i, course := 0, r.IntN(5); i < course; i++ {
			pass()
			switch i {
			case 0:
				anna.ok(anna.invoice(bill, nil))
			case 1:
				anna.ok(anna.pay(bill, nil))
			case 2:
				for parcel := range r.IntN(3) {
					anna.tracked(bill, map[string]any{"delivery_service_id": "101", "number": strconv.Itoa(parcel)})
				}
			case 3:
				anna.ok(anna.send(bill, nil))
			}
		}
		for _, sale := range sales {
			if r.IntN(3) == 0 {
				anna.decide(sale, "accept") // refused on a bill that is sent
			}
		}
		if r.IntN(9) == 0 {
			berta.sold(theirs, buyer)
		}
	}
	fill(t, w, "UPDATE bills SET forgotten_at = created_at + 1000000 WHERE id % 3 = 0")
	return filedBills(t, w)
}

// filedBills are the test account's bills as the database has them.
func filedBills(t *testing.T, w *servertest.World) (filed []filedBill) {
	t.Helper()
	ctx, owner := context.Background(), int64(v1.OwnerOf(w.Account, true))
	rows, err := w.Store.Reader().Bill.Query().Where(bill.Owner(owner)).All(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		sales, err := w.Store.Reader().Sale.Query().Where(sale.BillID(row.ID)).All(ctx)
		if err != nil {
			t.Fatal(err)
		}
		one := filedBill{row: row}
		for _, sold := range sales {
			one.items, one.sales = append(one.items, sold.ItemID), append(one.sales, sold.ID)
		}
		filed = append(filed, one)
	}
	return filed
}

// billFilter is one filter in two forms: the parameters, and what it means for a bill.
type billFilter struct {
	params url.Values
	keeps  func(bill filedBill) bool
}

// drawBillFilters draws some of all filters of GET /v1/bills.
func drawBillFilters(t *rapid.T, filed []filedBill) []billFilter {
	var filters []billFilter
	oneOf := func(name string, from []string, of func(filedBill) []string) {
		chosen := rapid.SliceOfN(rapid.SampledFrom(from), 1, 3).Draw(t, name)
		filters = append(filters, billFilter{url.Values{name: {strings.Join(chosen, ",")}}, func(bill filedBill) bool {
			return slices.ContainsFunc(of(bill), func(value string) bool { return slices.Contains(chosen, value) })
		}})
	}
	between := func(name string, of func(*ent.Bill) *int64) {
		low := servertest.Start.UnixMicro() + rapid.Int64Range(0, 40).Draw(t, name+"_from")*1e6
		high := low + rapid.Int64Range(0, 40).Draw(t, name+"_to")*1e6
		filters = append(filters, billFilter{
			url.Values{name + "_from": {v1.Time(low).String()}, name + "_to": {v1.Time(high).String()}},
			func(bill filedBill) bool { at := of(bill.row); return at != nil && *at >= low && *at < high },
		})
	}
	texts := func(ids []int64) (out []string) {
		for _, id := range ids {
			out = append(out, strconv.FormatInt(id, 10))
		}
		return out
	}
	var sales, items []int64
	for _, bill := range filed {
		sales, items = append(sales, bill.sales...), append(items, bill.items...)
	}
	kinds := []func(){
		func() {
			oneOf("status", []string{v1.BillToInvoice, v1.BillAwaitingPayment, v1.BillToSend, v1.BillSent, v1.BillIsCancelled},
				func(bill filedBill) []string { return []string{bill.row.Status} })
		},
		func() {
			oneOf("buyer_id", []string{"70001", "70003", "9"}, func(bill filedBill) []string { return texts([]int64{bill.row.BuyerID}) })
		},
		func() { oneOf("sale_id", texts(sales), func(bill filedBill) []string { return texts(bill.sales) }) },
		func() {
			oneOf("item_id", append(texts(items[:3]), "9"), func(bill filedBill) []string { return texts(bill.items) })
		},
		func() {
			tracked := rapid.Bool().Draw(t, "has_tracking")
			filters = append(filters, billFilter{
				url.Values{"has_tracking": {strconv.FormatBool(tracked)}},
				func(bill filedBill) bool { return bill.row.TrackingCount > 0 == tracked },
			})
		},
		func() { between("created", func(row *ent.Bill) *int64 { return &row.CreatedAt }) },
		func() { between("paid", func(row *ent.Bill) *int64 { return row.PaidAt }) },
		func() { between("sent", func(row *ent.Bill) *int64 { return row.SentAt }) },
		func() { between("updated", func(row *ent.Bill) *int64 { return &row.UpdatedAt }) },
		func() {
			from := servertest.Start.UnixMicro() + rapid.Int64Range(0, 40).Draw(t, "forgotten_from")*1e6
			filters = append(filters, billFilter{
				url.Values{"forgotten_from": {v1.Time(from).String()}},
				func(bill filedBill) bool { return bill.row.ForgottenAt != nil && *bill.row.ForgottenAt >= from },
			})
		},
	}
	for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(kinds)-1), 0, 4, func(i int) int { return i }).Draw(t, "filters") {
		kinds[i]()
	}
	return filters
}

func TestEveryFilterAndSortOfBillsAgreesWithAListMadeByHand(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		filed := fileBills(t, w, 60)
		rapid.Check(t, func(t *rapid.T) {
			filters := drawBillFilters(t, filed)
			sort := rapid.SampledFrom([]string{"created_at_asc", "created_at_desc"}).Draw(t, "sort")
			plan := rapid.SampledFrom([]int{probe.AlwaysWalk, probe.UsualPlan, probe.AlwaysGather}).Draw(t, "plan")
			query := url.Values{"sort": {sort}, "limit": {strconv.Itoa(rapid.IntRange(20, 200).Draw(t, "limit"))}}
			want := slices.Clone(filed)
			for _, f := range filters {
				for name, values := range f.params {
					query[name] = values
				}
				want = slices.DeleteFunc(want, func(bill filedBill) bool { return !f.keeps(bill) })
			}
			slices.SortFunc(want, func(a, b filedBill) int {
				order := cmp.Or(cmp.Compare(a.row.CreatedAt, b.row.CreatedAt), cmp.Compare(a.row.ID, b.row.ID))
				if sort == "created_at_desc" {
					return -order
				}
				return order
			})
			ids, got := []v1.ID{}, []v1.ID{}
			for _, bill := range want {
				ids = append(ids, v1.ID(bill.row.ID))
			}
			for {
				page, err := probe.Bills.By(w.Service, context.Background(), v1.OwnerOf(w.Account, true), query.Encode(), plan)
				if err != nil {
					t.Fatalf("browse %s: %v", query.Encode(), err)
				}
				for _, found := range page.Results {
					got = append(got, found.ID)
				}
				if !page.NextCursor.Set {
					break
				}
				query.Set("after", page.NextCursor.V)
			}
			if diff := gocmp.Diff(ids, got); diff != "" {
				t.Errorf("bills of %s (-want +got):\n%s", query.Encode(), diff)
			}
		})
	})
}
