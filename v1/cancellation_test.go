package v1_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

func TestACancellationIsRequestedRefusedAndAccepted(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		sale := m.sold(w.List(t, servertest.FixedPrice()), "karl")
		want := sale.Cancellation
		step := func(decision, reason, status string, requested, decided bool) {
			t.Helper()
			w.Clock.Advance(time.Hour)
			body := map[string]any{"decision": decision}
			if reason != "" {
				body["reason"] = reason
			}
			got := servertest.Into[saleView](t, m.ok(m.post("/v1/test/sales/"+sale.ID+"/cancel", body)))
			now := w.Clock.Now()
			want.Status = status
			if requested {
				want.RequestedAt, want.DecidedAt, want.Reason = &now, nil, nil
			}
			if decided {
				want.DecidedAt = &now
			}
			if reason != "" {
				want.Reason = &reason
			}
			if diff := cmp.Diff(want, got.Cancellation); diff != "" {
				t.Errorf("%s (-want +got):\n%s", decision, diff)
			}
			if diff := cmp.Diff(m.sale(sale.ID), got); diff != "" {
				t.Errorf("%s: the answer is not the sale (-sale +answer):\n%s", decision, diff)
			}
		}
		step("request", "Changed my mind", "requested", true, false)
		step("refuse", "", "refused", false, true)
		if got := m.sale(sale.ID).Status; got != "active" {
			t.Errorf("a refused cancellation leaves the sale %s", got)
		}
		step("request", "", "requested", true, false) // the first request's reason is not this one's
		if diff := cmp.Diff([]string{}, eventTypes(events(t, w, sale.ID))); diff != "" {
			t.Errorf("events before the decision (-want +got):\n%s", diff)
		}
		step("accept", "By agreement", "cancelled", false, true)
		all := events(t, w, sale.ID)
		if diff := cmp.Diff([]string{"1 sale.cancelled"}, eventTypes(all)); diff != "" {
			t.Fatalf("events (-want +got):\n%s", diff)
		}
		cancelled := m.sale(sale.ID)
		if diff := cmp.Diff(&cancelled, all[0].Data.Sale); diff != "" || cancelled.Status != "cancelled" {
			t.Errorf("the sale is %s, but sale.cancelled shows another (-want +got):\n%s", cancelled.Status, diff)
		}
	})
}

func TestCancellationsThatAreRefused(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		item := w.List(t, servertest.FixedPrice(pieces(9), map[string]any{"weight_grams": 20}))
		fresh := m.sold(item, "fresh").ID
		requested := m.sold(item, "requested").ID
		m.ok(m.decide(requested, "request"))
		refused := m.sold(item, "refused").ID
		m.ok(m.decide(refused, "request"))
		m.ok(m.decide(refused, "refuse"))
		cancelled := m.sold(item, "cancelled").ID
		m.ok(m.decide(cancelled, "accept"))
		sent := m.sold(item, "sent")
		m.ok(m.invoice(sent.BillID, nil))
		m.ok(m.pay(sent.BillID, nil))
		sentAt := servertest.Into[map[string]any](t, m.ok(m.post("/v1/bills/"+sent.BillID+"/mark-sent", nil)))["sent_at"]

		decide := func(sale, decision string) func() servertest.Response {
			return func() servertest.Response { return m.decide(sale, decision) }
		}
		status := func(status string) map[string]any { return map[string]any{"status": status} }
		m.check([]refusal{
			{"refusing what was not requested", decide(fresh, "refuse"), 422, "invalid_value decision", status("none")},
			{"asking twice", decide(requested, "request"), 422, "invalid_value decision", status("requested")},
			{"refusing twice", decide(refused, "refuse"), 422, "invalid_value decision", status("refused")},
			{"accepting what was refused", decide(refused, "accept"), 422, "invalid_value decision", status("refused")},
			{"asking after it was cancelled", decide(cancelled, "request"), 422, "invalid_value decision", status("cancelled")},
			{"cancelling twice", decide(cancelled, "accept"), 422, "invalid_value decision", status("cancelled")},
			{"asking after it was sent", decide(sent.ID, "request"), 409, "bill_already_sent", nil},
			{"cancelling after it was sent", decide(sent.ID, "accept"), 409, "bill_already_sent", map[string]any{"sent_at": sentAt}},
			{"another decision", decide(fresh, "forget"), 422, "invalid_value decision", nil},
			{"of no sale", decide("999", "accept"), 404, "sale_not_found", nil},
			{"no decision", func() servertest.Response {
				return m.asOperator(v1.OperatorCancellation.Operation, &v1.CancellationInput{ID: number(t, fresh)})
			}, 422, "missing_field decision", nil},
		})
	})
}

func TestACancelledSaleLeavesItsBill(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		models := m.shippingModels()
		stamps := w.List(t, servertest.FixedPrice(pieces(9), shipped(models["fixed"], 0)))
		coins := w.List(t, servertest.FixedPrice(map[string]any{"price": euros("5.00")}, shipped(models["free"], 0)))
		bill := m.sold(stamps, "karl").BillID
		m.sold(coins, "karl")
		last := m.sold(stamps, "karl", pieces(2))
		invoiced := servertest.Into[billView](t, m.ok(m.invoice(bill, nil)))
		if invoiced.Subtotal.Amount != "140.00" || invoiced.Total.Amount != "142.50" || invoiced.ShippingModelID != nil {
			t.Fatalf("invoiced: %+v", invoiced)
		}

		t.Run("what is left of the bill stays invoiced", func(t *testing.T) {
			m := marketOf(t, w)
			m.ok(m.decide(invoiced.Sales[1].ID, "accept"))
			want, fixed := invoiced, models["fixed"]
			want.Sales = []billedView{invoiced.Sales[0], invoiced.Sales[2]}
			want.Subtotal, want.Total = moneyView{"135.00", "EUR"}, moneyView{"137.50", "EUR"}
			want.ShippingModelID = &fixed // now all that is left ships by one model
			if diff := cmp.Diff(want, m.bill(bill)); diff != "" {
				t.Errorf("bill (-want +got):\n%s", diff)
			}
		})
		t.Run("what was paid stays paid", func(t *testing.T) {
			m := marketOf(t, w)
			paid := servertest.Into[billView](t, m.ok(m.pay(bill, nil)))
			m.ok(m.decide(last.ID, "accept"))
			want := paid
			want.Sales, want.Subtotal, want.Total = paid.Sales[:1], moneyView{"45.00", "EUR"}, moneyView{"47.50", "EUR"}
			if diff := cmp.Diff(want, m.bill(bill)); diff != "" {
				t.Errorf("bill (-want +got):\n%s", diff)
			}
		})
		t.Run("the last sale cancels the bill and refunds it", func(t *testing.T) {
			m := marketOf(t, w)
			before := m.bill(bill)
			m.ok(m.decide(before.Sales[0].ID, "accept"))
			want, now := before, w.Clock.Now()
			want.Status, want.Sales, want.CancelledAt, want.ShippingCost = "cancelled", []billedView{}, &now, nil
			want.Subtotal, want.Total, want.Payment.Status = moneyView{"0.00", "EUR"}, moneyView{"0.00", "EUR"}, "refunded"
			if diff := cmp.Diff(want, m.bill(bill), cmp.Comparer(sameMillisecond)); diff != "" {
				t.Errorf("bill (-want +got):\n%s", diff)
			}
		})
		t.Run("an unpaid bill has nothing to refund", func(t *testing.T) {
			m := marketOf(t, w)
			sale := m.sold(stamps, "lena")
			m.ok(m.decide(sale.ID, "accept"))
			if got := m.bill(sale.BillID); got.Status != "cancelled" || got.Payment.Status != "pending" {
				t.Errorf("bill %s, payment %s", got.Status, got.Payment.Status)
			}
			if again := m.sold(stamps, "lena"); again.BillID == sale.BillID {
				t.Error("the next purchase joined the cancelled bill")
			}
		})
	})
}

// sameMillisecond compares instants: those of changes can be ahead of the clock by microseconds.
func sameMillisecond(a, b time.Time) bool {
	return a.Truncate(time.Millisecond).Equal(b.Truncate(time.Millisecond))
}

func TestPiecesOfACancelledSaleReturnToTheItem(t *testing.T) {
	buyTwo := func(m market, id string) saleView { return m.sold(id, "karl", pieces(2)) }
	tests := []struct {
		name   string
		cancel func(m market, id string) // cancels sales of an item of 3 pieces
		status string
		left   int
		events []string
	}{
		{"an open item has them again", func(m market, id string) {
			m.sold(id, "lena")
			m.ok(m.decide(m.sold(id, "karl").ID, "accept"))
		}, "open", 2, []string{"1 item.published", "2 item.sold", "3 item.sold"}},
		{"a closed item stays closed", func(m market, id string) {
			sale := buyTwo(m, id)
			m.ok(m.post("/v1/items/"+id+"/close", nil))
			m.ok(m.decide(sale.ID, "accept"))
		}, "closed", 3, []string{"1 item.published", "2 item.sold", "3 item.closed"}},
		{"an unsold item stays unsold", func(m market, id string) {
			sale := buyTwo(m, id)
			m.ok(m.end(id))
			m.ok(m.decide(sale.ID, "accept"))
		}, "unsold", 3, []string{"1 item.published", "2 item.sold", "3 item.unsold"}},
		{"a sold item stays sold while some of it is", func(m market, id string) {
			sale := buyTwo(m, id)
			m.sold(id, "lena")
			m.ok(m.decide(sale.ID, "accept"))
		}, "sold", 2, []string{"1 item.published", "2 item.sold", "3 item.sold"}},
		{"a sold item opens again once nothing of it is sold", func(m market, id string) {
			sale := buyTwo(m, id)
			m.ok(m.decide(m.sold(id, "lena").ID, "accept"))
			m.ok(m.decide(sale.ID, "accept"))
		}, "open", 3, []string{"1 item.published", "2 item.sold", "3 item.sold", "4 item.restarted"}},
	}
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				m := marketOf(t, w)
				id := w.List(t, servertest.FixedPrice(pieces(3)))
				listed := readItem(t, w, id)
				test.cancel(m, id)
				item := readItem(t, w, id)
				if item.Status != test.status || item.Available != test.left || item.QuantitySold != 3-test.left {
					t.Errorf("the item is %s, %d are left and %d sold", item.Status, item.Available, item.QuantitySold)
				}
				all := events(t, w, id)
				if diff := cmp.Diff(test.events, eventTypes(all)); diff != "" {
					t.Errorf("events (-want +got):\n%s", diff)
				}
				if item.RestartCount == 1 {
					want := listed // for what is left of its run
					want.RestartCount = 1
					if diff := cmp.Diff(want, item); diff != "" {
						t.Errorf("restarted item (-want +got):\n%s", diff)
					}
					if diff := cmp.Diff(&item, all[3].Data.Item); diff != "" {
						t.Errorf("item.restarted shows another item (-want +got):\n%s", diff)
					}
				}
				checkOpenCount(t, w)
			})
		}
	})
}

func TestAWonAuctionThatIsCancelledRunsOnceMore(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		id := w.List(t, servertest.Auction())
		listed := readItem(t, w, id)
		m.ok(m.bid(id, "karl", "9.99"))
		m.ok(m.bid(id, "lena", "20.00"))
		w.Clock.Advance(8 * 24 * time.Hour)
		w.PassDueDates(t)
		w.Clock.Advance(time.Hour)
		m.ok(m.decide(events(t, w, id)[2].Data.Sale.ID, "accept"))

		want := listed
		want.RestartCount, want.EndsAt = 1, w.Clock.Now().AddDate(0, 0, 7)
		if diff := cmp.Diff(want, readItem(t, w, id)); diff != "" {
			t.Errorf("item (-want +got):\n%s", diff)
		}
		checkOpenCount(t, w)

		m.ok(m.bid(id, "mona", "9.99")) // from the starting price again
		w.Clock.Advance(7 * 24 * time.Hour)
		w.PassDueDates(t)
		all := events(t, w, id)
		if diff := cmp.Diff([]string{
			"1 item.published", "2 item.first_bid", "3 item.sold", "4 item.restarted", "5 item.first_bid", "6 item.sold",
		}, eventTypes(all)); diff != "" {
			t.Fatalf("events (-want +got):\n%s", diff)
		}
		if sale := all[5].Data.Sale; sale.Buyer.Nickname != "mona" || sale.TotalPrice.Amount != "9.99" {
			t.Errorf("sold to %s for %s", sale.Buyer.Nickname, sale.TotalPrice.Amount)
		}
		checkOpenCount(t, w)
	})
}
