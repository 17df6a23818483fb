package v1_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

// send marks a bill as sent.
func (m market) send(bill string, body any) servertest.Response {
	m.Helper()
	return m.post("/v1/bills/"+bill+"/mark-sent", body)
}

func TestMarkingABillAsSent(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		numbers := func(bill wholeBill) (out []string) {
			for _, tracking := range bill.Trackings {
				out = append(out, tracking.Number)
			}
			return out
		}
		t.Run("without a body it is sent now", func(t *testing.T) {
			bill := m.paidBill()
			w.Clock.Advance(time.Hour)
			got := servertest.Into[wholeBill](t, m.ok(m.send(bill.ID, nil)))
			if got.Status != "sent" || !got.SentAt.Equal(w.Clock.Now()) || !got.UpdatedAt.Equal(w.Clock.Now()) {
				t.Errorf("%s, sent at %s, changed at %s", got.Status, got.SentAt, got.UpdatedAt)
			}
			if diff := cmp.Diff(m.whole(bill.ID), got); diff != "" {
				t.Errorf("the answer is not what a read shows (-read +got):\n%s", diff)
			}
		})
		t.Run("with a date and trackings, which join those it has", func(t *testing.T) {
			bill := m.paidBill()
			m.tracked(bill.ID, colissimo(1))
			w.Clock.Advance(24 * time.Hour)
			sent := w.Clock.Now().Add(-3 * time.Hour)
			got := servertest.Into[wholeBill](t, m.ok(m.send(bill.ID, map[string]any{"sent_at": sent, "trackings": []any{
				colissimo(2, map[string]any{"sale_ids": []string{bill.Sales[1].ID}}), colissimo(3),
			}})))
			if diff := cmp.Diff([]string{colissimoNumber(1), colissimoNumber(2), colissimoNumber(3)}, numbers(got)); diff != "" || !got.SentAt.Equal(sent) {
				t.Errorf("sent at %s, trackings (-want +got):\n%s", got.SentAt, diff)
			}
			if diff := cmp.Diff([]string{bill.ID}, m.billIDs("has_tracking=true&sent_from="+sent.Format(time.RFC3339))); diff != "" {
				t.Errorf("bills with a tracking sent since (-want +got):\n%s", diff)
			}
		})
		t.Run("five minutes ahead is a clock that is fast", func(t *testing.T) {
			m.ok(m.send(m.paidBill().ID, map[string]any{"sent_at": w.Clock.Now().Add(5 * time.Minute)}))
		})
		t.Run("the answer has the tag of a read, and is conditional", func(t *testing.T) {
			bill := m.paidBill()
			path := "/v1/bills/" + bill.ID
			tag := w.Do(t, servertest.Request{Path: path}).Header.Get("ETag")
			m.tracked(bill.ID, colissimo(1))
			do := func(tag string) servertest.Response {
				return w.Do(t, servertest.Request{Method: "POST", Path: path + "/mark-sent", Header: map[string]string{"If-Match": tag}})
			}
			if got := do(tag); got.Status != 412 || got.Codes()[0] != "precondition_failed If-Match" {
				t.Errorf("with the tag of before: %d %s", got.Status, got.Body)
			}
			sent := m.ok(do(w.Do(t, servertest.Request{Path: path}).Header.Get("ETag")))
			read := w.Do(t, servertest.Request{Path: path, Header: map[string]string{"If-None-Match": sent.Header.Get("ETag")}})
			if read.Status != 304 {
				t.Errorf("the tag of the answer is not that of a read: %d", read.Status)
			}
		})
		t.Run("repeated with its key, it is replayed", func(t *testing.T) {
			request := servertest.Request{
				Path: "/v1/bills/" + m.paidBill().ID + "/mark-sent", Body: map[string]any{"trackings": []any{colissimo(1)}},
				Header: map[string]string{"Idempotency-Key": "sent-1"},
			}
			first, second := w.Do(t, request), w.Do(t, request)
			if first.Status != 200 || second.Status != 200 || second.Body != first.Body || second.Header.Get("Idempotent-Replayed") != "true" {
				t.Errorf("repeated: %d %s\nafter %d %s", second.Status, second.Body, first.Status, first.Body)
			}
		})
		t.Run("two at once send it once", func(t *testing.T) {
			request := servertest.Request{Method: "POST", Path: "/v1/bills/" + m.paidBill().ID + "/mark-sent"}
			answers := together(t, w, request, request)
			if answers[0].Status+answers[1].Status != 200+409 {
				t.Errorf("answers %d and %d", answers[0].Status, answers[1].Status)
			}
		})
	})
}

func TestInvoicedAndPaidBillsHaveTheTagOfARead(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		bill := m.sold(w.List(t, servertest.FixedPrice()), "bob").BillID
		for _, act := range []func(string, any) servertest.Response{m.invoice, m.pay} {
			tag := m.ok(act(bill, nil)).Header.Get("ETag")
			if got := w.Do(t, servertest.Request{Path: "/v1/bills/" + bill, Header: map[string]string{"If-None-Match": tag}}); got.Status != 304 {
				t.Errorf("tag %s: %d", tag, got.Status)
			}
		}
	})
}

func TestBillsThatCannotBeMarkedAsSent(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		item := w.List(t, servertest.FixedPrice(pieces(20)))
		open, undone := m.sold(item, "ann"), m.sold(item, "cid")
		awaiting := m.sold(item, "bea")
		m.ok(m.invoice(awaiting.BillID, nil))
		m.ok(m.decide(undone.ID, "accept"))
		sent := m.paidBill()
		m.ok(m.send(sent.ID, map[string]any{"sent_at": "2026-11-21T12:01:00Z"}))
		_, other, _ := w.Seller(t, "carla")
		bill := m.sold(item, "dan")
		m.ok(m.invoice(bill.BillID, nil))
		m.ok(m.pay(bill.BillID, nil))
		has := m.tracked(bill.BillID, colissimo(1))

		trackings := func(entries ...any) map[string]any { return map[string]any{"trackings": entries} }
		act := func(bill string, body any) func() servertest.Response {
			return func() servertest.Response { return m.send(bill, body) }
		}
		m.check([]refusal{
			{"a bill that is not invoiced", act(open.BillID, nil), 409, "bill_not_paid", map[string]any{"status": "to_invoice"}},
			{"a bill that is not paid", act(awaiting.BillID, nil), 409, "bill_not_paid", map[string]any{"status": "awaiting_payment"}},
			{"a cancelled bill", act(undone.BillID, nil), 409, "bill_cancelled", nil},
			{"a cancelled bill, with the sale it had", act(undone.BillID, trackings(colissimo(2, map[string]any{"sale_ids": []string{undone.ID}}))), 409, "bill_cancelled", nil},
			{"a bill that is sent", act(sent.ID, nil), 409, "bill_already_sent", map[string]any{"sent_at": "2026-11-21T12:01:00Z"}},
			{"a bill that is sent, and a new tracking", act(sent.ID, trackings(colissimo(9))), 409, "bill_already_sent", nil},
			{"a missing bill", act("999", nil), 404, "bill_not_found", nil},
			{"another seller's bill", func() servertest.Response { return market{t, w, other}.send(bill.BillID, nil) }, 404, "bill_not_found", nil},
			{"the other mode's bill", func() servertest.Response { return market{t, w, w.LiveKey}.send(bill.BillID, nil) }, 404, "bill_not_found", nil},
			{
				"a date more than five minutes ahead", act(bill.BillID, map[string]any{"sent_at": servertest.Start.Add(5*time.Minute + time.Second)}), 422,
				"out_of_range sent_at", nil,
			},
			{"a date before the bill", act(bill.BillID, map[string]any{"sent_at": servertest.Start.Add(-time.Second)}), 422, "out_of_range sent_at", nil},
			{"an empty list of trackings", act(bill.BillID, trackings()), 422, "too_short trackings", nil},
			{"too many trackings", act(bill.BillID, trackings(slices.Repeat([]any{colissimo(2)}, 21)...)), 422, "too_long trackings", nil},
			{"a wrong body of an unpaid bill", act(open.BillID, map[string]any{"sent": true}), 422, "unknown_field sent", nil},
			{
				"a sale of another bill, of an unpaid bill", act(open.BillID, trackings(colissimo(2, map[string]any{"sale_ids": []string{bill.ID}}))), 422,
				"sale_not_on_bill trackings[0].sale_ids[0]", nil,
			},
			{
				"a tracking that misfits, after a right one", act(bill.BillID, trackings(colissimo(2), colissimo(3, map[string]any{"number": "1"}))), 422,
				"invalid_tracking_number trackings[1].number", nil,
			},
			{
				"a tracking that the bill has, after a new one", act(bill.BillID, trackings(colissimo(2), colissimo(1))), 409, "tracking_exists trackings[1]",
				map[string]any{"tracking_id": has.ID},
			},
			{"two equal trackings", act(bill.BillID, trackings(colissimo(2), colissimo(3), colissimo(2))), 409, "tracking_exists trackings[2]", nil},
		})
		got := m.send(bill.BillID, map[string]any{"sent_at": servertest.Start.Add(-time.Hour), "trackings": []any{
			map[string]any{"number": "1", "note": "<b>"}, 1, colissimo(2, map[string]any{"sale_ids": []string{open.ID}, "x": 1}),
		}})
		want := []string{
			"invalid_type trackings[1]", "unknown_field trackings[2].x",
			"missing_field trackings[0].delivery_service_id", "html_not_allowed trackings[0].note",
			"out_of_range sent_at", "sale_not_on_bill trackings[2].sale_ids[0]",
		}
		if diff := cmp.Diff(want, got.Codes()); diff != "" || got.Status != 422 {
			t.Errorf("everything wrong at once: %d (-want +got):\n%s", got.Status, diff)
		}
		if got := len(m.trackings(bill.BillID)); got != 1 {
			t.Errorf("%d trackings after refusals", got)
		}
	})
}
