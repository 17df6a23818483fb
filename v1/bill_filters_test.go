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

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sellerd/ent"
	"sellerd/internal/servertest"
	"sellerd/v1"
)

// filedBill is a bill among many, and the items and sales on it.
type filedBill struct {
	row          *ent.Bill
	items, sales []int64
}

// fileBills writes many bills of the test account with equal sort keys, and another account's beside them.
func fileBills(tb testing.TB, w *servertest.World, n int) []filedBill {
	tb.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	other, _, _ := w.Seller(tb, "berta")
	var items []int64
	for range 4 {
		items = append(items, int64(number(tb, w.List(tb, servertest.FixedPrice()))))
	}
	start := servertest.Start.UnixMicro()
	instant := func() int64 { return start + int64(r.IntN(40))*1e6 }
	var filed []filedBill
	err := w.Store.Write(context.Background(), func(ctx context.Context, tx *ent.Client) error {
		filed = nil
		for i := range 5 {
			err := tx.Buyer.Create().SetID(int64(70001 + i)).SetScope(0).SetNickname("buyer " + strconv.Itoa(i)).SetLanguage("en").SetCountry("DE").
				SetCreatedAt(start).SetUpdatedAt(start).Exec(ctx)
			if err != nil {
				return err
			}
		}
		for i := range n {
			owner := v1.OwnerOf(w.Account, true)
			if i%10 == 9 {
				owner = v1.OwnerOf(other, true)
			}
			create := tx.Bill.Create().SetID(int64(200_000 + r.IntN(10)*n + i)).SetOwner(int64(owner)).SetNumber(strconv.Itoa(i)).SetCurrency("EUR").
				SetStatus(v1.BillTransitions[r.IntN(len(v1.BillTransitions))].To).SetBuyerID(int64(70001 + r.IntN(5))).SetShippingAddress("{}").
				SetPaymentStatus(v1.PaymentPending).SetTrackingCount(r.IntN(3)).SetCreatedAt(instant()).SetUpdatedAt(instant())
			if r.IntN(2) == 0 {
				create.SetPaidAt(instant())
			}
			if r.IntN(3) == 0 {
				create.SetSentAt(instant())
			}
			row, err := create.Save(ctx)
			if err != nil {
				return err
			}
			bill := filedBill{row: row}
			for s := range r.IntN(4) {
				item, status := items[r.IntN(len(items))], v1.SaleActive
				if r.IntN(3) == 0 {
					status = v1.SaleCancelled
				}
				id := int64(300_000 + 4*i + s)
				err := tx.Sale.Create().SetID(id).SetOwner(int64(owner)).SetItemID(item).SetBillID(row.ID).SetBuyerID(row.BuyerID).
					SetItemTitle("Stamp").SetItemCategoryID(1010101).SetItemSaleType(v1.SaleTypeFixedPrice).SetCurrency("EUR").SetQuantity(1).
					SetUnitPrice(100).SetTotalPrice(100).SetShippingAddress("{}").SetStatus(status).SetCancellationStatus(v1.CancellationNone).
					SetSoldAt(start).SetCreatedAt(start).SetUpdatedAt(start).Exec(ctx)
				if err != nil {
					return err
				}
				bill.items, bill.sales = append(bill.items, item), append(bill.sales, id)
			}
			if owner == v1.OwnerOf(w.Account, true) {
				filed = append(filed, bill)
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatalf("file bills: %v", err)
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
			oneOf("status", []string{v1.BillToInvoice, v1.BillAwaitingPayment, v1.BillToSend, v1.BillSent, v1.BillIsCancelled}, func(bill filedBill) []string { return []string{bill.row.Status} })
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
			filters = append(filters, billFilter{url.Values{"has_tracking": {strconv.FormatBool(tracked)}}, func(bill filedBill) bool { return bill.row.TrackingCount > 0 == tracked }})
		},
		func() { between("created", func(row *ent.Bill) *int64 { return &row.CreatedAt }) },
		func() { between("paid", func(row *ent.Bill) *int64 { return row.PaidAt }) },
		func() { between("sent", func(row *ent.Bill) *int64 { return row.SentAt }) },
		func() { between("updated", func(row *ent.Bill) *int64 { return &row.UpdatedAt }) },
	}
	for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(kinds)-1), 0, 4, func(i int) int { return i }).Draw(t, "filters") {
		kinds[i]()
	}
	return filters
}

func TestEveryFilterAndSortOfBillsAgreesWithAListMadeByHand(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		filed := fileBills(t, w, 200)
		rapid.Check(t, func(t *rapid.T) {
			filters := drawBillFilters(t, filed)
			sort := rapid.SampledFrom([]string{"created_at_asc", "created_at_desc"}).Draw(t, "sort")
			plan := rapid.SampledFrom([]int{v1.AlwaysWalk, v1.UsualPlan, v1.AlwaysGather}).Draw(t, "plan")
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
				page, err := w.Service.BrowseBillsBy(context.Background(), v1.OwnerOf(w.Account, true), query.Encode(), plan)
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
