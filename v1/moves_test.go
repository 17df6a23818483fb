package v1_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

func TestEveryMoveOfTheTablesIsMadeAndNoOther(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		weighed := map[string]any{"weight_grams": 20}
		later := map[string]any{"starts_at": w.Clock.Now().Add(time.Hour).Format(time.RFC3339)}
		item := w.List(t, servertest.FixedPrice(pieces(9), weighed))
		last := w.List(t, servertest.FixedPrice(weighed))
		opens, closes := w.List(t, servertest.FixedPrice(later)), w.List(t, servertest.FixedPrice(later))
		ended := w.List(t, servertest.Auction())
		sale := m.sold(item, "karl")
		sent, paid, invoiced := m.sold(item, "sent"), m.sold(item, "paid"), m.sold(item, "invoiced")
		var lastSale saleView

		steps := []func() servertest.Response{
			func() servertest.Response { return m.post("/v1/items/"+closes+"/close", nil) },
			func() servertest.Response { return m.end(ended) },
			func() servertest.Response { return m.post("/v1/items/"+ended+"/restart", nil) },
			func() servertest.Response { return m.post("/v1/items/"+ended+"/close", nil) },
			func() servertest.Response { return m.post("/v1/items/"+ended+"/restart", nil) },
			func() servertest.Response {
				bought := m.buy(last, "lena")
				lastSale = servertest.Into[saleView](t, bought)
				return bought
			},
			func() servertest.Response { return m.decide(lastSale.ID, "accept") }, // opens the item, cancels the open bill
			func() servertest.Response { return m.decide(sale.ID, "request") },
			func() servertest.Response { return m.decide(sale.ID, "refuse") },
			func() servertest.Response { return m.decide(sale.ID, "request") },
			func() servertest.Response { return m.decide(sale.ID, "accept") },
			func() servertest.Response { return m.invoice(invoiced.BillID, nil) },
			func() servertest.Response { return m.decide(invoiced.ID, "accept") },
			func() servertest.Response { return m.invoice(paid.BillID, nil) },
			func() servertest.Response { return m.pay(paid.BillID, nil) },
			func() servertest.Response { return m.decide(paid.ID, "accept") },
			func() servertest.Response { return m.invoice(sent.BillID, nil) },
			func() servertest.Response { return m.pay(sent.BillID, nil) },
			func() servertest.Response { return m.post("/v1/bills/"+sent.BillID+"/mark-sent", nil) },
			func() servertest.Response {
				w.Clock.Advance(time.Hour)
				w.PassDueDates(t)
				return w.Do(t, servertest.Request{Path: "/v1/items/" + opens})
			},
		}
		before := m.readBooks(t)
		var made []string
		for _, step := range steps {
			m.ok(step())
			after := m.readBooks(t)
			made = append(made, before.moves(t, &after)...)
			before = after
		}
		var want []string
		for kind, tables := range stateTables {
			for _, move := range tables.table {
				want = append(want, kind+" "+move.From+" "+move.To)
			}
		}
		slices.Sort(made)
		slices.Sort(want)
		if diff := cmp.Diff(slices.Compact(want), slices.Compact(made)); diff != "" {
			t.Errorf("moves (-tables +made):\n%s", diff)
		}
	})
}
