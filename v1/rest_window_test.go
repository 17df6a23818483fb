package v1_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/permission"
	"sellerd/v1/probe"
)

// windowedList is a list that has windows, as a cursor walks through it and as windows read it: each row in JSON.
type windowedList struct {
	name string
	walk []string
	read func(v1.Window) ([]string, error)
}

// part is what a window of the list should show.
func (l windowedList) part(w v1.Window) []string {
	begin := min(w.Start, len(l.walk))
	return l.walk[begin:min(begin+w.Count, len(l.walk))]
}

// windowedLists are all of an owner's lists that have windows, in both orders.
func windowedLists(tb testing.TB, w *servertest.World, owner v1.Owner) (lists []windowedList) {
	tb.Helper()
	ctx, call := context.Background(), &v1.Call{Caller: v1.Caller{Owner: owner, May: permission.All}}
	for _, saleType := range []string{"auction", "fixed_price"} {
		for _, order := range []string{"asc", "desc"} {
			for _, states := range [][]string{{"open"}, {"unsold", "closed"}} {
				query := "sale_type=" + saleType + "&status=" + strings.Join(states, ",") + "&sort=created_at_" + order
				lists = append(lists, windowedList{
					"items by " + query,
					walked(tb, query, func(query string) (*v1.Page[v1.Item], error) {
						return probe.Items.By(w.Service, ctx, owner, query, probe.UsualPlan)
					}),
					func(window v1.Window) ([]string, error) {
						in := &v1.BrowseItemsInput{SaleType: []string{saleType}, Status: states, Sort: "created_at_" + order}
						return encoded(w.Service.ItemWindow(ctx, call, in, window))
					},
				})
			}
			query := "sale_type=" + saleType + "&cancellation_status=none,requested,refused&sort=sold_at_" + order
			lists = append(lists, windowedList{
				"sales by " + query,
				walked(tb, query, func(query string) (*v1.Page[v1.Sale], error) {
					return probe.Sales.By(w.Service, ctx, owner, query, probe.UsualPlan)
				}),
				func(window v1.Window) ([]string, error) {
					return encoded(w.Service.SaleWindow(ctx, call, &v1.BrowseSalesInput{SaleType: []string{saleType}, CancellationStatus: v1.StandingSales, Sort: "sold_at_" +
						order}, window))
				},
			})
		}
	}
	return lists
}

// walked reads a whole list by cursors.
func walked[T any](tb testing.TB, query string, read func(query string) (*v1.Page[T], error)) []string {
	tb.Helper()
	all := []string{}
	for next := query; ; {
		page, err := read(next)
		if err != nil {
			tb.Fatalf("walk %s: %v", query, err)
		}
		rows, _ := encoded(page.Results, nil)
		all = append(all, rows...)
		if !page.NextCursor.Set {
			return all
		}
		next = query + "&after=" + page.NextCursor.V
	}
}

func encoded[T any](rows []T, err error) ([]string, error) {
	out := []string{}
	for i := range rows {
		out = append(out, string(v1.EncodeJSON(nil, &rows[i])))
	}
	return out, err
}

// busySeller is an owner whose lists have a few dozen rows each: many of one instant, some days apart, in all states and
// after restarts and cancellations.
func busySeller(t *testing.T, w *servertest.World) v1.Owner {
	t.Helper()
	m := marketOf(t, w)
	var fixed, auctions []string
	for _, wait := range []time.Duration{time.Second, time.Minute, 3 * time.Minute, 50 * time.Hour} {
		var items []any
		for range 16 {
			items = append(items, servertest.FixedPrice(pieces(2), object{"renewals": 99}), servertest.Auction())
		}
		m.ok(m.post("/v1/item-batches", object{"items": items}))
		w.Publish(t)
		w.Clock.Advance(wait)
	}
	for _, item := range listOf[itemView](m, "items") {
		if item.SaleType == "auction" {
			auctions = append(auctions, item.ID)
		} else {
			fixed = append(fixed, item.ID)
		}
	}
	var sales []saleView
	for i, item := range fixed {
		if i%2 == 0 {
			sales = append(sales, m.sold(item, "bob"), m.sold(item, "eve"))
		}
		w.Clock.Advance(time.Duration(i) * time.Second)
	}
	for i, item := range auctions {
		switch i % 4 {
		case 0:
			m.ok(m.bid(item, "bob", "20.00"))
			m.ok(m.end(item))
		case 1:
			m.ok(m.post("/v1/items/"+item+"/close", nil))
		case 2:
			m.ok(m.end(item))
		}
	}
	for i, sale := range sales {
		if i%4 < 2 { // both pieces of every second item come back, which opens it again
			m.ok(m.decide(sale.ID, "request"))
			m.ok(m.decide(sale.ID, "accept"))
		}
	}
	for i, item := range append(auctions, fixed...) {
		if i%8 == 1 || i%8 == 2 {
			_ = m.post("/v1/items/"+item+"/restart", nil) // refused where the item is on sale
		}
		if i%4 == 3 {
			_ = m.post("/v1/items/"+item+"/close", nil)
		}
	}
	return v1.OwnerOf(w.Account, true)
}

func TestWindowsAreTheListFromAnyRowOn(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		owner := busySeller(t, w)
		checkPositions(t, t, w, owner)
		for _, list := range windowedLists(t, w, owner) {
			n := len(list.walk)
			if n < 8 {
				t.Errorf("only %d %s: too few to prove anything", n, list.name)
			}
			t.Run("windows of any size, one after the other, are all "+list.name, func(t *testing.T) {
				for _, count := range []int{1, 2, 3, 7, n - 1, n, n + 1, v1.MaxWindow} {
					got := []string{}
					for start := 0; start < n; start += count {
						part, err := list.read(v1.Window{Start: start, Count: count})
						if err != nil {
							t.Fatal(err)
						}
						got = append(got, part...)
					}
					if diff := cmp.Diff(list.walk, got); diff != "" {
						t.Errorf("windows of %d (-walk +windows):\n%s", count, diff)
					}
				}
			})
			t.Run("a window may begin anywhere in "+list.name, func(t *testing.T) {
				for _, start := range []int{0, 1, n / 2, n - 1, n, n + 1, 1_000_000, v1.MaxWindowStart} {
					window := v1.Window{Start: start, Count: 5}
					got, err := list.read(window)
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(list.part(window), got); diff != "" {
						t.Errorf("from %d on (-want +got):\n%s", start, diff)
					}
				}
			})
		}
		t.Run("the other mode has rows of its own", func(t *testing.T) {
			for _, list := range windowedLists(t, w, v1.OwnerOf(w.Account, false)) {
				if got, err := list.read(v1.Window{Start: 0, Count: 10}); len(got) > 0 || err != nil {
					t.Errorf("%s: %v, %v", list.name, got, err)
				}
			}
		})
	})
}

func TestWindowsThatTheProgramMayNotAskFor(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	call, first := &v1.Call{Caller: v1.Caller{Owner: v1.OwnerOf(w.Account, true)}}, v1.Window{Start: 0, Count: 10}
	auctions, open := []string{"auction"}, []string{"open"}
	for name, ask := range map[string]func() error{
		"of items of both sale types":     itemWindow(w, call, v1.BrowseItemsInput{SaleType: []string{"auction", "fixed_price"}, Status: open}, first),
		"of items of any sale type":       itemWindow(w, call, v1.BrowseItemsInput{Status: open}, first),
		"of items in any state":           itemWindow(w, call, v1.BrowseItemsInput{SaleType: auctions}, first),
		"of sold items":                   itemWindow(w, call, v1.BrowseItemsInput{SaleType: auctions, Status: []string{"sold"}}, first),
		"of unsold items alone":           itemWindow(w, call, v1.BrowseItemsInput{SaleType: auctions, Status: []string{"unsold"}}, first),
		"of items by another instant":     itemWindow(w, call, v1.BrowseItemsInput{SaleType: auctions, Status: open, Sort: "ends_at_asc"}, first),
		"of items by a reference as well": itemWindow(w, call, v1.BrowseItemsInput{SaleType: auctions, Status: open, PersonalReference: []string{"A 1"}}, first),
		"of items after a cursor":         itemWindow(w, call, v1.BrowseItemsInput{SaleType: auctions, Status: open, After: v1.Some("x")}, first),
		"of sales of any sale type":       saleWindow(w, call, v1.BrowseSalesInput{CancellationStatus: v1.StandingSales}, first),
		"of sales of an item as well":     saleWindow(w, call, v1.BrowseSalesInput{SaleType: auctions, CancellationStatus: v1.StandingSales, ItemID: []v1.ID{1}}, first),
		"of cancelled sales as well":      saleWindow(w, call, v1.BrowseSalesInput{SaleType: auctions}, first),
		"from before the first row":       itemWindow(w, call, v1.BrowseItemsInput{SaleType: auctions, Status: open}, v1.Window{Start: -1, Count: 1}),
		"from beyond any list":            itemWindow(w, call, v1.BrowseItemsInput{SaleType: auctions, Status: open}, v1.Window{Start: v1.MaxWindowStart + 1, Count: 1}),
		"of nothing":                      saleWindow(w, call, v1.BrowseSalesInput{SaleType: auctions, CancellationStatus: v1.StandingSales}, v1.Window{}),
		"of too much": saleWindow(w, call, v1.BrowseSalesInput{SaleType: auctions, CancellationStatus: v1.StandingSales},
			v1.Window{Count: v1.MaxWindow + 1}),
	} {
		t.Run(name, func(t *testing.T) {
			if err := ask(); err == nil {
				t.Error("it was given")
			}
		})
	}
}

func itemWindow(w *servertest.World, c *v1.Call, in v1.BrowseItemsInput, window v1.Window) func() error {
	return func() error {
		_, err := w.Service.ItemWindow(context.Background(), c, &in, window)
		return err
	}
}

func saleWindow(w *servertest.World, c *v1.Call, in v1.BrowseSalesInput, window v1.Window) func() error {
	return func() error {
		_, err := w.Service.SaleWindow(context.Background(), c, &in, window)
		return err
	}
}

func TestItemsByID(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		first, second := w.List(t, servertest.FixedPrice()), w.List(t, servertest.Auction())
		_, foreign, _ := w.Seller(t, "carla")
		others := listFor(t, w, foreign, servertest.FixedPrice())
		ctx, call := context.Background(), &v1.Call{Caller: v1.Caller{Owner: v1.OwnerOf(w.Account, true)}}

		read := func(texts ...string) ([]string, error) {
			var ids []v1.ID
			for _, text := range texts {
				var id v1.ID
				if err := id.UnmarshalText([]byte(text)); err != nil {
					t.Fatal(err)
				}
				ids = append(ids, id)
			}
			items, err := w.Service.ItemsByID(ctx, call, ids)
			got := []string{}
			for id, item := range items {
				got = append(got, fmt.Sprint(id, " ", item.SaleType))
			}
			slices.Sort(got)
			return got, err
		}
		for _, test := range []struct {
			name      string
			ids, want []string
		}{
			{"none", nil, []string{}},
			{"one", []string{second}, []string{second + " auction"}},
			{"several, one of them twice", []string{second, first, second}, []string{first + " fixed_price", second + " auction"}},
			{"unknown items and another seller's are left out", []string{"1", others, first}, []string{first + " fixed_price"}},
		} {
			t.Run(test.name, func(t *testing.T) {
				got, err := read(test.ids...)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("items (-want +got):\n%s", diff)
				}
			})
		}
		t.Run("a thousand at once, and no more", func(t *testing.T) {
			ids := make([]string, v1.MaxWindow)
			for i := range ids {
				ids[i] = fmt.Sprint(i + 1)
			}
			ids[500] = first
			got, err := read(ids...)
			if diff := cmp.Diff([]string{first + " fixed_price"}, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			if _, err := read(append(ids, second)...); err == nil {
				t.Error("1001 ids were read")
			}
		})
	})
}
