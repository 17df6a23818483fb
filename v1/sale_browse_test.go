package v1_test

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/probe"
	"sellerd/v1/trade"
)

// salesPage reads a page of sales: their ids, and the cursor if there is a next page.
func salesPage(t *testing.T, w *servertest.World, query string) (ids []string, next string) {
	t.Helper()
	page := servertest.Into[struct {
		Results []struct {
			ID string `json:"id"`
		} `json:"results"`
		NextCursor *string `json:"next_cursor"`
	}](t, w.Do(t, servertest.Request{Path: "/v1/sales?" + query}))
	ids = []string{}
	for _, result := range page.Results {
		ids = append(ids, result.ID)
	}
	if page.NextCursor != nil {
		next = "&after=" + *page.NextCursor
	}
	return ids, next
}

// hourlySales are purchases an hour apart, by bob and eve in turns, each of one piece of one item.
func hourlySales(t *testing.T, w *servertest.World, n int) (ids []string) {
	t.Helper()
	m, item := marketOf(t, w), w.List(t, servertest.FixedPrice(pieces(1000)))
	for i := range n {
		w.Clock.Advance(time.Hour)
		ids = append(ids, m.sold(item, []string{"bob", "eve"}[i%2]).ID)
	}
	return ids
}

// showAt moves the clock on to an instant.
func showAt(w *servertest.World, at time.Time) { w.Clock.Advance(at.Sub(w.Clock.Now())) }

func instant(t time.Time) string { return url.QueryEscape(v1.TimeOf(t).String()) }

func TestFiltersOfSales(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		stamp, card := w.List(t, servertest.FixedPrice(pieces(10))), w.List(t, servertest.FixedPrice(pieces(10)))
		var sales []saleView
		for _, purchase := range []struct{ item, buyer string }{{stamp, "bob"}, {card, "bob"}, {stamp, "eve"}, {card, "eve"}, {stamp, "bob"}} {
			w.Clock.Advance(time.Hour)
			sales = append(sales, m.sold(purchase.item, purchase.buyer))
		}
		w.Clock.Advance(time.Hour)
		quiet := w.Clock.Now() // everything below changes sales, and nothing else will
		m.ok(m.decide(sales[1].ID, "request"))
		m.ok(m.decide(sales[2].ID, "accept"))
		m.ok(m.decide(sales[3].ID, "request"))
		m.ok(m.decide(sales[3].ID, "refuse"))
		m.ok(m.rate(sales[0].ID, object{"score": 100}))
		bob, eve := sales[0].Buyer.ID, sales[2].Buyer.ID

		check := func(name, query string, want ...int) {
			t.Run(name, func(t *testing.T) {
				ids := []string{}
				for _, i := range want {
					ids = append(ids, sales[i].ID)
				}
				checkUnderEveryPlan(t, w, query, ids)
				if got, _ := salesPage(t, w, query); !slices.Equal(got, ids) {
					t.Errorf("over HTTP: %v, not %v", got, ids)
				}
			})
		}
		check("no filter lists everything, cancelled sales as well, oldest first", "", 0, 1, 2, 3, 4)
		check("newest first", "sort=sold_at_desc", 4, 3, 2, 1, 0)
		check("an item", "item_id="+stamp, 0, 2, 4)
		check("items joined by commas are alternatives", "item_id="+stamp+","+card, 0, 1, 2, 3, 4)
		check("a parameter given twice means the same", "item_id="+stamp+"&item_id="+card, 0, 1, 2, 3, 4)
		check("a bill", "bill_id="+sales[0].BillID, 0, 1, 4)
		check("a buyer, newest first", "buyer_id="+bob+"&sort=sold_at_desc", 4, 1, 0)
		check("buyers", "buyer_id="+eve+","+bob, 0, 1, 2, 3, 4)
		check("filters add up", "buyer_id="+bob+"&item_id="+stamp, 0, 4)
		check("filters that have nothing in common", "buyer_id="+eve+"&bill_id="+sales[0].BillID)
		check("an id of nothing", "item_id=1")
		check("the beginning of a range is in it", "sold_from="+instant(sales[3].SoldAt), 3, 4)
		check("the end of a range is not", "sold_to="+instant(sales[3].SoldAt), 0, 1, 2)
		check("a range that ends before it begins", "sold_from="+instant(sales[3].SoldAt)+"&sold_to="+instant(sales[1].SoldAt))
		check("sales of auctions, of which there are none", "sale_type=auction")
		check("either sale type", "sale_type=auction,fixed_price&buyer_id="+bob, 0, 1, 4)
		check("a cancellation asked for", "cancellation_status=requested", 1)
		check("several states of cancellation", "cancellation_status=refused,cancelled,requested", 1, 2, 3)
		check("sales without a request to cancel", "cancellation_status=none", 0, 4)
		check("changed since", "updated_from="+instant(quiet), 0, 1, 2, 3)
		check("changed before", "updated_to="+instant(quiet), 4)
		check("changed since, newest first", "sort=sold_at_desc&updated_from="+instant(quiet), 3, 2, 1, 0)
		check("rated", "rating_status=rated", 0)
		check("not rated yet", "rating_status=unrated", 1, 2, 3, 4)
		check("nothing has expired yet", "rating_status=expired")

		showAt(w, sales[2].SoldAt.Add(trade.RatingWindow))
		check("what was not rated in 60 days has expired", "rating_status=expired", 1, 2)
		check("what can still be rated", "rating_status=unrated", 3, 4)
		check("what can still be rated, newest first", "rating_status=unrated&sort=sold_at_desc", 4, 3)
		check("a range within what has expired", "rating_status=expired&sold_from="+instant(sales[2].SoldAt), 2)
		check("a range across what has expired", "rating_status=unrated&sold_from="+instant(sales[1].SoldAt)+"&sold_to="+instant(sales[4].SoldAt), 3)
		check("a rating does not expire", "rating_status=rated&item_id="+stamp, 0)

		for i, hours := range map[int]time.Duration{0: 1, 3: 2, 4: 3} {
			fill(t, w, fmt.Sprintf("UPDATE sales SET forgotten_at = %d WHERE id = %s", quiet.Add(hours*time.Hour).UnixMicro(), sales[i].ID))
		}
		since := "forgotten_from=" + instant(quiet.Add(2*time.Hour))
		check("to buyers who were forgotten from then on", since, 3, 4)
		check("the same, newest first", since+"&sort=sold_at_desc", 4, 3)
		check("to anybody who was forgotten", "forgotten_from=0001-01-01T00:00:00Z", 0, 3, 4)
		check("to forgotten buyers, of an item", since+"&item_id="+stamp, 4)
		check("to forgotten buyers, of a buyer and a time", since+"&buyer_id="+eve+","+bob+"&sold_from="+instant(sales[4].SoldAt), 4)
		check("to buyers who were forgotten after everything", "forgotten_from="+instant(quiet.Add(4*time.Hour)))
		for _, sort := range []string{"sold_at_asc", "sold_at_desc"} {
			t.Run("pages of forgotten buyers' sales, "+sort, func(t *testing.T) {
				query := since + "&limit=1&sort=" + sort
				first, after := salesPage(t, w, query)
				second, end := salesPage(t, w, query+after)
				want := []string{sales[3].ID, sales[4].ID}
				if sort == "sold_at_desc" {
					slices.Reverse(want)
				}
				if got := append(first, second...); !slices.Equal(got, want) || end != "" {
					t.Errorf("%v and %q, not %v", got, end, want)
				}
			})
		}

		t.Run("the other mode and other sellers see nothing", func(t *testing.T) {
			_, other, _ := w.Seller(t, "carla")
			for _, key := range []string{w.LiveKey, other} {
				got := w.Do(t, servertest.Request{Path: "/v1/sales?item_id=" + stamp, Key: key})
				if diff := cmp.Diff(`{"results":[],"next_cursor":null}`, string(got.Data)); diff != "" {
					t.Errorf("sales (-want +got):\n%s", diff)
				}
			}
		})
	})
}

func TestSalesOfASaleType(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		stamp, lot := w.List(t, servertest.FixedPrice(pieces(10))), w.List(t, servertest.Auction())
		first := m.sold(stamp, "bob").ID
		m.ok(m.bid(lot, "bob", "20.00"))
		m.ok(m.end(lot))
		won, _ := salesPage(t, w, "item_id="+lot)
		last := m.sold(stamp, "bob").ID
		for query, want := range map[string][]string{
			"sale_type=auction":                                  won,
			"sale_type=fixed_price":                              {first, last},
			"sale_type=fixed_price&sort=sold_at_desc":            {last, first},
			"sale_type=fixed_price,auction":                      {first, won[0], last},
			"sale_type=auction&sale_type=auction":                won,
			"sale_type=auction&item_id=" + stamp:                 {},
			"sale_type=fixed_price&item_id=" + stamp + "," + lot: {first, last},
			"sale_type=fixed_price&rating_status=unrated":        {first, last},
		} {
			t.Run(query, func(t *testing.T) {
				checkUnderEveryPlan(t, w, query, want)
			})
		}
		t.Run("a cursor of one sale type is not one of the other", func(t *testing.T) {
			_, next := salesPage(t, w, "sale_type=fixed_price&limit=1")
			if got, _ := salesPage(t, w, "sale_type=fixed_price"+next); !slices.Equal(got, []string{last}) {
				t.Errorf("the next page: %v", got)
			}
			got := w.Do(t, servertest.Request{Path: "/v1/sales?sale_type=auction" + next})
			if diff := cmp.Diff([]string{"cursor_mismatch after"}, got.Codes()); diff != "" {
				t.Errorf("codes (-want +got):\n%s", diff)
			}
		})
	})
}

func TestAPageShowsASaleAsItIsReadAlone(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		item := w.List(t, servertest.FixedPrice(object{"quantity": 9, "personal_reference": "A 1", "weight_grams": 20}))
		bare := m.sold(item, "bob")
		full := m.sold(item, "eve", object{"quantity": 2, "buyer": object{
			"nickname": "eve", "email": "eve@example.com", "first_name": "Eve", "last_name": "Dupont", "language": "fr", "country": "FR", "phone": "+33 1",
		}, "shipping_address": object{"name": "Eve", "line1": "1, rue \"X\"", "postal_code": "75001", "city": "Paris", "country": "FR"}})
		w.Clock.Advance(time.Hour)
		m.ok(m.rate(bare.ID, object{"score": 75}))
		m.ok(m.post("/v1/test/sales/"+full.ID+"/cancel", object{"decision": "request", "reason": "a mistake"}))
		m.ok(m.decide(full.ID, "refuse"))

		page := servertest.Into[struct {
			Results []jsontext.Value `json:"results"`
		}](t, w.Do(t, servertest.Request{Path: "/v1/sales"}))
		if len(page.Results) != 2 {
			t.Fatalf("%d sales", len(page.Results))
		}
		for i, id := range []string{bare.ID, full.ID} {
			alone := servertest.Into[map[string]any](t, w.Do(t, servertest.Request{Path: "/v1/sales/" + id}))
			delete(alone, "rating")
			var listed map[string]any
			if err := json.Unmarshal(page.Results[i], &listed); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(alone, listed); diff != "" {
				t.Errorf("sale %d (-alone +listed):\n%s", i, diff)
			}
		}
	})
}

func TestParametersOfSalesThatAreRefused(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for query, want := range map[string][]string{
			"limit=0":                             {"invalid_parameter limit"},
			"limit=201":                           {"invalid_parameter limit"},
			"sort=sold_at":                        {"invalid_parameter sort"},
			"sort=created_at_asc":                 {"invalid_parameter sort"},
			"sort=sold_at_asc&sort=sold_at_desc":  {"invalid_parameter sort"},
			"item_id=x":                           {"invalid_parameter item_id"},
			"bill_id=":                            {"invalid_parameter bill_id"},
			"buyer_id=007":                        {"invalid_parameter buyer_id"},
			"sold_from=yesterday":                 {"invalid_parameter sold_from"},
			"updated_to=2026-11-21":               {"invalid_parameter updated_to"},
			"cancellation_status=active":          {"invalid_parameter cancellation_status"},
			"sale_type=lottery":                   {"invalid_parameter sale_type"},
			"sale_type=":                          {"invalid_parameter sale_type"},
			"rating_status=good":                  {"invalid_parameter rating_status"},
			"rating_status=rated,unrated":         {"invalid_parameter rating_status"},
			"rating_status=rated&rating_status=x": {"invalid_parameter rating_status"},
			"after=next":                          {"invalid_cursor after"},
			"status=active":                       {"unknown_parameter status"},
			"page=2&limit=0&rating_status=good":   {"unknown_parameter page", "invalid_parameter rating_status", "invalid_parameter limit"},
		} {
			t.Run(query, func(t *testing.T) {
				got := w.Do(t, servertest.Request{Path: "/v1/sales?" + query})
				if diff := cmp.Diff(want, got.Codes()); diff != "" || got.Status != 422 {
					t.Errorf("answer %d (-want +got):\n%s", got.Status, diff)
				}
			})
		}
	})
}

func TestACursorOfSalesFitsItsOwnListOnly(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		hourlySales(t, w, 3)
		first := "rating_status=unrated&cancellation_status=none,refused&sold_from=2026-11-21T12:00:00Z&limit=1"
		_, next := salesPage(t, w, first)
		for _, test := range []struct {
			name, query string
			want        []string
		}{
			{"the same list goes on", first, []string{}},
			{"the default sort may be spelled out", first + "&sort=sold_at_asc", []string{}},
			{"another page size is the same list", strings.Replace(first, "limit=1", "limit=2", 1), []string{}},
			{"another sort", first + "&sort=sold_at_desc", []string{"cursor_mismatch after"}},
			{"another value", strings.Replace(first, "refused", "requested", 1), []string{"cursor_mismatch after"}},
			{"the opposite, which has the same index", strings.Replace(first, "unrated", "expired", 1), []string{"cursor_mismatch after"}},
			{"another range", strings.Replace(first, "12:00", "11:00", 1), []string{"cursor_mismatch after"}},
			{"one filter less", strings.Replace(first, "rating_status=unrated&", "", 1), []string{"cursor_mismatch after"}},
		} {
			t.Run(test.name, func(t *testing.T) {
				got := w.Do(t, servertest.Request{Path: "/v1/sales?" + test.query + next})
				if diff := cmp.Diff(test.want, got.Codes()); diff != "" {
					t.Errorf("codes (-want +got):\n%s", diff)
				}
			})
		}
		t.Run("a cursor of items", func(t *testing.T) {
			w.List(t, servertest.FixedPrice())
			page := servertest.Into[itemPage](t, w.Do(t, servertest.Request{Path: "/v1/items?limit=1"}))
			got := w.Do(t, servertest.Request{Path: "/v1/sales?limit=1&after=" + *page.NextCursor})
			if diff := cmp.Diff([]string{"cursor_mismatch after"}, got.Codes()); diff != "" {
				t.Errorf("codes (-want +got):\n%s", diff)
			}
		})
	})
}

func TestAWalkThroughSalesNeitherSkipsNorRepeatsWhileBuyersBuy(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m, throughout := marketOf(t, w), hourlySales(t, w, 12)
		item := w.List(t, servertest.FixedPrice(pieces(1000)))
		for _, query := range []string{
			"sort=sold_at_asc", "sort=sold_at_desc", "sort=sold_at_asc&rating_status=unrated", "sort=sold_at_desc&cancellation_status=none",
			"sort=sold_at_asc&updated_from=2026-11-21T12:00:00Z",
		} {
			t.Run(query, func(t *testing.T) {
				var seen, added []string
				for after, pages := "", 0; ; pages++ {
					ids, next := salesPage(t, w, query+"&limit=4"+after)
					seen = append(seen, ids...)
					if next == "" {
						break
					}
					after = next
					if pages < 3 {
						added = append(added, m.sold(item, fmt.Sprintf("buyer %d", pages)).ID)
						m.ok(m.decide(throughout[pages], "request"))
						m.ok(m.decide(throughout[pages], "refuse"))
					}
				}
				want := slices.Concat(throughout, added)
				if strings.Contains(query, "desc") {
					want = slices.Clone(throughout) // what is sold meanwhile comes before the first page
					slices.Reverse(want)
				}
				if strings.Contains(query, "cancellation_status") {
					want = slices.DeleteFunc(want, func(id string) bool { return slices.Contains(throughout[:3], id) })
				}
				throughout = append(throughout, added...)
				if diff := cmp.Diff(want, seen); diff != "" {
					t.Errorf("sales seen (-want +got):\n%s", diff)
				}
			})
		}
	})
}

func TestACursorOutlivesTheRatingWindowOfItsRow(t *testing.T) {
	tests := []struct {
		name, query  string
		before, then int // how many of six sales have expired on the first page, and on the second
		first, next  []int
	}{
		{"what expires behind the cursor changes nothing", "rating_status=unrated", 0, 2, []int{0, 1}, []int{2, 3}},
		{"what expires ahead is passed over", "rating_status=unrated", 0, 4, []int{0, 1}, []int{4, 5}},
		{"newest first, the end comes nearer", "rating_status=unrated&sort=sold_at_desc", 0, 3, []int{5, 4}, []int{3}},
		{"what expires ahead is found", "rating_status=expired", 3, 4, []int{0, 1}, []int{2, 3}},
		{"newest first, what expires behind the cursor changes nothing", "rating_status=expired&sort=sold_at_desc", 4, 6, []int{3, 2}, []int{1, 0}},
	}
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		hours := func(n int) time.Duration { return time.Duration(n) * time.Hour }
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				start := w.Clock.Now()
				sales := hourlySales(t, w, 6)
				pick := func(indexes []int) []string {
					ids := []string{}
					for _, i := range indexes {
						ids = append(ids, sales[i])
					}
					return ids
				}
				query := test.query + "&limit=2&sold_from=" + instant(start)
				showAt(w, start.Add(trade.RatingWindow+hours(test.before)+time.Minute))
				first, next := salesPage(t, w, query)
				showAt(w, start.Add(trade.RatingWindow+hours(test.then)+time.Minute))
				then, _ := salesPage(t, w, query+next)
				if diff := cmp.Diff([][]string{pick(test.first), pick(test.next)}, [][]string{first, then}); diff != "" {
					t.Errorf("pages (-want +got):\n%s", diff)
				}
			})
		}
	})
}

// checkUnderEveryPlan compares the sales that a query selects under each plan.
func checkUnderEveryPlan(t *testing.T, w *servertest.World, query string, want []string) {
	t.Helper()
	for _, plan := range []int{probe.AlwaysWalk, probe.UsualPlan, probe.AlwaysGather} {
		page, err := probe.Sales.By(w.Service, context.Background(), v1.OwnerOf(w.Account, true), query, plan)
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, sale := range page.Results {
			got = append(got, sale.ID.String())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("sales under plan %d (-want +got):\n%s", plan, diff)
		}
	}
}
