package v1_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

func TestTrackingsThatAreRefused(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		bill := m.paidBill()
		item := w.List(t, servertest.FixedPrice(pieces(5)))
		unrelated, undone := m.sold(item, "cid"), m.sold(item, "dan")
		m.sold(item, "dan")
		m.ok(m.decide(undone.ID, "accept"))
		known := m.tracked(bill.ID, colissimo(1))
		m.tracked(bill.ID, colissimo(2))
		_, other, _ := w.Seller(t, "carla")

		long := strings.Repeat("1", 65)
		tests := []struct {
			name    string
			body    any
			want    []string
			details map[string]any
		}{
			{"nothing", `{}`, []string{"missing_field delivery_service_id", "missing_field number"}, nil},
			{"an unknown member", colissimo(3, map[string]any{"carrier": "DHL"}), []string{"unknown_field carrier"}, nil},
			{"an id that is a number", colissimo(3, map[string]any{"delivery_service_id": 104}), []string{"invalid_type delivery_service_id"}, nil},
			{"an unknown service", colissimo(3, map[string]any{"delivery_service_id": "99999"}), []string{"unknown_delivery_service delivery_service_id"}, nil},
			{"a service that takes no new parcels", colissimo(3, map[string]any{"delivery_service_id": "107"}), []string{"unknown_delivery_service delivery_service_id"}, nil},
			{
				"a number of another service", colissimo(3, map[string]any{"number": "1Z999"}),
				[]string{"invalid_tracking_number number"},
				map[string]any{"number_pattern": `^(\d[A-Z]\d{11}|[A-Z]{2}\d{9}FR)$`},
			},
			{"an empty number", colissimo(3, map[string]any{"number": ""}), []string{"too_short number"}, nil},
			{"a blank number", map[string]any{"delivery_service_id": "106", "number": "  "}, []string{"too_short number"}, nil},
			{"a long number", map[string]any{"delivery_service_id": "106", "number": long}, []string{"too_long number"}, nil},
			{"a number of two lines", map[string]any{"delivery_service_id": "106", "number": "1\n2"}, []string{"invalid_value number"}, nil},
			{"no sales", colissimo(3, map[string]any{"sale_ids": []string{}}), []string{"too_short sale_ids"}, nil},
			{"too many sales", colissimo(3, map[string]any{"sale_ids": slices.Repeat([]string{bill.Sales[0].ID}, 501)}), []string{"too_long sale_ids"}, nil},
			{"a sale that is no id", colissimo(3, map[string]any{"sale_ids": []any{"x", nil}}), []string{"invalid_value sale_ids[0]", "invalid_type sale_ids[1]"}, nil},
			{
				"sales of another bill, and a cancelled one", colissimo(3, map[string]any{"sale_ids": []string{bill.Sales[1].ID, unrelated.ID, undone.ID}}),
				[]string{"sale_not_on_bill sale_ids[1]", "sale_not_on_bill sale_ids[2]"},
				nil,
			},
			{
				"shipped more than five minutes ahead", colissimo(3, map[string]any{"shipped_at": servertest.Start.Add(5*time.Minute + time.Second)}),
				[]string{"out_of_range shipped_at"},
				nil,
			},
			{"a long note", colissimo(3, map[string]any{"note": strings.Repeat("n", 501)}), []string{"too_long note"}, nil},
			{"a note with markup", colissimo(3, map[string]any{"note": "<b>"}), []string{"html_not_allowed note"}, nil},
			{
				"everything at once",
				`{"delivery_service_id":"104","number":"1","sale_ids":["` + unrelated.ID + `"],"shipped_at":"soon","note":"<b>","x":1}`,
				[]string{"invalid_value shipped_at", "unknown_field x", "html_not_allowed note", "invalid_tracking_number number", "sale_not_on_bill sale_ids[0]"},
				nil,
			},
			{"a tracking that the bill has", colissimo(1), []string{"tracking_exists"}, map[string]any{"tracking_id": known.ID}},
		}
		before := m.whole(bill.ID)
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				got := m.track(bill.ID, test.body)
				if diff := cmp.Diff(test.want, got.Codes()); diff != "" {
					t.Fatalf("answer %d (-want +got):\n%s", got.Status, diff)
				}
				if diff := cmp.Diff(test.details, got.Errors[0].Details); diff != "" {
					t.Errorf("details (-want +got):\n%s", diff)
				}
				if status := map[bool]int{true: 409, false: 422}[test.want[0] == "tracking_exists"]; got.Status != status {
					t.Errorf("status %d", got.Status)
				}
			})
		}
		patches := []struct {
			name string
			body any
			want []string
		}{
			{"nothing", `{}`, []string{"empty_patch"}},
			{"an unknown member", `{"id":"trk_1"}`, []string{"unknown_field id"}},
			{"a required member cleared", `{"number":null,"note":"<b>"}`, []string{"missing_field number", "html_not_allowed note"}},
			{"a number that its service does not have", `{"number":"1"}`, []string{"invalid_tracking_number number"}},
			{"a service that does not have its number", `{"delivery_service_id":"112"}`, []string{"invalid_tracking_number number"}},
			{"a service that takes no new parcels", `{"delivery_service_id":"107"}`, []string{"unknown_delivery_service delivery_service_id"}},
			{"a sale of another bill", map[string]any{"sale_ids": []string{unrelated.ID}}, []string{"sale_not_on_bill sale_ids[0]"}},
			{"a sale of another bill and more", map[string]any{"sale_ids": []string{unrelated.ID}, "note": 1}, []string{"invalid_type note", "sale_not_on_bill sale_ids[0]"}},
			{"the number of the bill's other tracking", map[string]any{"number": colissimoNumber(2), "delivery_service_id": "104"}, []string{"tracking_exists"}},
		}
		for _, test := range patches {
			t.Run("a patch with "+test.name, func(t *testing.T) {
				got := m.patch(bill.ID, known.ID, test.body)
				if diff := cmp.Diff(test.want, got.Codes()); diff != "" {
					t.Errorf("answer %d (-want +got):\n%s", got.Status, diff)
				}
			})
		}
		t.Run("what is not there, or not the caller's", func(t *testing.T) {
			elsewhere := market{t, w, other}
			live := market{t, w, w.LiveKey}
			for name, test := range map[string]struct {
				got  servertest.Response
				want string
			}{
				"a bill that is no id":          {m.track("x", colissimo(3)), "bill_not_found"},
				"a missing bill":                {m.track("999", colissimo(3)), "bill_not_found"},
				"another seller's bill":         {elsewhere.track(bill.ID, colissimo(3)), "bill_not_found"},
				"the other mode's bill":         {live.track(bill.ID, colissimo(3)), "bill_not_found"},
				"another seller's list":         {w.Do(t, servertest.Request{Path: "/v1/bills/" + bill.ID + "/trackings", Key: other}), "bill_not_found"},
				"a patch of another seller's":   {elsewhere.patch(bill.ID, known.ID, `{"note":"x"}`), "bill_not_found"},
				"a removal of another seller's": {elsewhere.remove(bill.ID, known.ID), "bill_not_found"},
				"a tracking that is no id":      {m.patch(bill.ID, "trk_?", `{"note":"x"}`), "tracking_not_found"},
				"a missing tracking":            {m.remove(bill.ID, "trk_zz"), "tracking_not_found"},
				"a tracking of another bill":    {m.patch(unrelated.BillID, known.ID, `{"note":"x"}`), "tracking_not_found"},
				"the removal of another bill's": {m.remove(unrelated.BillID, known.ID), "tracking_not_found"},
				"a read of another seller's":    {w.Do(t, servertest.Request{Path: "/v1/bills/" + bill.ID + "/trackings/" + known.ID, Key: other}), "bill_not_found"},
				"a read of another bill's":      {w.Do(t, servertest.Request{Path: "/v1/bills/" + unrelated.BillID + "/trackings/" + known.ID}), "tracking_not_found"},
			} {
				if diff := cmp.Diff([]string{test.want}, test.got.Codes()); diff != "" {
					t.Errorf("%s: %d (-want +got):\n%s", name, test.got.Status, diff)
				}
			}
		})
		if diff := cmp.Diff(before, m.whole(bill.ID)); diff != "" {
			t.Errorf("a refusal left traces (-before +after):\n%s", diff)
		}
	})
}
