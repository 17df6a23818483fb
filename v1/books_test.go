package v1_test

import (
	"fmt"
	"slices"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/items"
)

// books are all that a seller can see of the trade, read over the API.
type books struct {
	Items []itemView
	Sales []saleView
	Bills []billView
	Open  int // items that count against the store's limit
}

// failer is a test, or a history that rapid draws.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// readBooks reads them, and fails unless they balance.
func (m market) readBooks(t failer) books {
	t.Helper()
	b := books{Items: listOf[itemView](m, "items"), Sales: listOf[saleView](m, "sales"), Bills: listOf[billView](m, "bills")}
	limits := servertest.Into[struct {
		OpenItems struct {
			Used int `json:"used"`
		} `json:"open_items"`
	}](m.T, m.w.Do(m.T, servertest.Request{Path: "/v1/account/limits", Key: m.key}))
	b.Open = limits.OpenItems.Used
	b.check(m, t)
	return b
}

// listOf reads all of a list that is not longer than a page.
func listOf[T any](m market, name string) []T {
	m.Helper()
	page := servertest.Into[struct {
		Results []T     `json:"results"`
		Next    *string `json:"next_cursor"`
	}](m.T, m.w.Do(m.T, servertest.Request{Path: "/v1/" + name + "?limit=200", Key: m.key}))
	if page.Next != nil {
		m.Fatalf("more than a page of %s", name)
	}
	return page.Results
}

func (b *books) check(m market, t failer) {
	t.Helper()
	listed, soldOf, salesOn := 0, map[string]int{}, map[string][]billedView{}
	for _, sale := range b.Sales {
		if (sale.Status == "cancelled") != (sale.Cancellation.Status == "cancelled") {
			t.Fatalf("sale %s is %s, its cancellation %s", sale.ID, sale.Status, sale.Cancellation.Status)
		}
		if sale.Status == "active" {
			soldOf[sale.ItemID] += sale.Quantity
			salesOn[sale.BillID] = append(salesOn[sale.BillID], billedView{sale.ID, sale.Quantity, sale.TotalPrice})
		}
	}
	for _, item := range b.Items {
		if item.Status == "scheduled" || item.Status == "open" {
			listed++
		}
		if item.QuantitySold != soldOf[item.ID] || item.QuantitySold+item.Available != item.Quantity {
			t.Fatalf("of the %d pieces of item %s %d are sold and %d left, its sales are of %d", item.Quantity, item.ID, item.QuantitySold, item.Available, soldOf[item.ID])
		}
	}
	if b.Open != listed {
		t.Fatalf("%d items are on sale or scheduled, but %d count", listed, b.Open)
	}
	for i, bill := range b.Bills {
		if diff := cmp.Diff(salesOn[bill.ID], bill.Sales, cmp.Transformer("set", byID)); diff != "" {
			t.Fatalf("bill %s lists other sales than it has (-sales +bill):\n%s", bill.ID, diff)
		}
		subtotal, cost := v1.Amount(0), v1.Amount(0)
		for _, sale := range bill.Sales {
			subtotal += cents(m, sale.TotalPrice)
		}
		if bill.ShippingCost != nil {
			cost = cents(m, *bill.ShippingCost)
		}
		if cents(m, bill.Subtotal) != subtotal || cents(m, bill.Total) != subtotal+cost {
			t.Fatalf("bill %s is over %s and %s, but its sales over %s and its shipping costs %s", bill.ID, bill.Subtotal.Amount, bill.Total.Amount, subtotal, cost)
		}
		paid := bill.Payment.Status == "received"
		if (bill.Status == "cancelled") != (len(bill.Sales) == 0) || paid != (bill.Status == "to_send" || bill.Status == "sent") {
			t.Fatalf("bill %s is %s with %d sales, its payment %s", bill.ID, bill.Status, len(bill.Sales), bill.Payment.Status)
		}
		if place := bill.Number[len("2026-"):]; place != fmt.Sprintf("%05d", i+1) {
			t.Fatalf("bill %s is the %d. of the seller, but its number is %s", bill.ID, i+1, bill.Number)
		}
	}
}

// byID is a bill's sales by their ids, whatever their order.
func byID(sales []billedView) map[string]billedView {
	set := map[string]billedView{}
	for _, sale := range sales {
		set[sale.ID] = sale
	}
	return set
}

// states are the states of everything in the books, by what it is: "item 1000001".
func (b *books) states() map[string]string {
	states := map[string]string{}
	for _, item := range b.Items {
		states["item "+item.ID] = item.Status
	}
	for _, sale := range b.Sales {
		states["sale "+sale.ID] = sale.Status
		states["cancellation "+sale.ID] = sale.Cancellation.Status
	}
	for _, bill := range b.Bills {
		states["bill "+bill.ID] = bill.Status
	}
	return states
}

// stateTables are the moves that each kind of thing in the books may make, and how it may begin.
var stateTables = map[string]struct {
	table []items.Transition
	begin []string
}{
	"item":         {items.ItemTransitions, []string{items.ItemScheduled, v1.ItemOpen}},
	"sale":         {items.SaleTransitions, []string{v1.SaleActive}},
	"cancellation": {items.CancellationTransitions, []string{v1.CancellationNone}},
	"bill":         {items.BillTransitions, []string{v1.BillToInvoice}},
}

// moves fails unless the way from one look at the books to the next is in the tables, and says which moves it was:
// "item open sold".
func (b *books) moves(t failer, after *books) (made []string) {
	t.Helper()
	was, is := b.states(), after.states()
	for thing, from := range was {
		if _, there := is[thing]; !there {
			t.Fatalf("%s, which was %s, is gone", thing, from)
		}
	}
	for thing, to := range is {
		var kind, id string
		fmt.Sscan(thing, &kind, &id)
		tables := stateTables[kind]
		from, known := was[thing]
		switch {
		case !known && !slices.Contains(tables.begin, to):
			t.Fatalf("%s begins as %s", thing, to)
		case !known || from == to:
		case !slices.ContainsFunc(tables.table, func(move items.Transition) bool { return move.From == from && move.To == to }):
			t.Fatalf("%s became %s, though it was %s", thing, to, from)
		default:
			made = append(made, kind+" "+from+" "+to)
		}
	}
	return made
}
