package v1_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/ent/tracking"
	"sellerd/internal/proof/servertest"
)

func TestTrackingNumbersAreTakenAsLabelsPrintThem(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		bill := m.paidBill().ID
		for _, c := range []struct{ service, written, stored string }{
			{"602", "9400 1000 0000 0000 0000 01", "9400100000000000000001"},
			{"104", "cc 737 873 589 fr", "CC737873589FR"},
			{"104", "6a\u00a001234\u202f567\u2011890", "6A01234567890"},
			{"811", "1z-999-aa1-01-2345-6785", "1Z999AA10123456785"},
			{"112", "\t1234 5679 ", "12345679"},
			{"242", "61801234567-9", "618012345679"},
			{"303", "98.00.123456.12345679", "980012345612345679"},
			{"303", "98 00 123456 12345671", "980012345612345671"},
			{"304", "99.00.123456.12345679", "990012345612345679"},
			{"185", "56.310 243.031 3", "563102430313"},
			{"104", "6a\u200900123\u2003456789\t\r\n", "6A00123456789"},
			{"104", "6a\u20140012\u20153456\u2212780\u200e", "6A00123456780"}, // as word processors and right-to-left pages have it
			{"142", "010 54128850 0452621221 234567891", "010541288500452621221234567891"},
			{"106", "Sack 5 - no label", "Sack 5 - no label"}, // an untracked service
			{"904", "ab-12 34.5", "ab-12 34.5"},               // another carrier
			{"904", strings.Repeat("ж", 64), strings.Repeat("ж", 64)},
		} {
			t.Run(c.service+" "+c.written, func(t *testing.T) {
				got := m.track(bill, map[string]any{"delivery_service_id": c.service, "number": c.written})
				if got.Status != 201 {
					t.Fatalf("%d %v", got.Status, got.Codes())
				}
				added := servertest.Into[trackingView](t, got)
				if added.Number != c.stored {
					t.Errorf("it became %q, want %q", added.Number, c.stored)
				}
				if linked := added.TrackingURL != nil; linked != (c.service != "106" && c.service != "904") {
					t.Errorf("the link is %v", added.TrackingURL)
				}
				for _, number := range []string{c.written, c.stored} {
					if again := m.track(bill, map[string]any{"delivery_service_id": c.service, "number": number}); again.Status != 409 || again.Codes()[0] != "tracking_exists" {
						t.Errorf("%q again: %d %v", number, again.Status, again.Codes())
					}
				}
			})
		}
		t.Run("in a patch, and beside a new service", func(t *testing.T) {
			added := m.tracked(bill, colissimo(7))
			patched := servertest.Into[trackingView](t, m.ok(m.patch(bill, added.ID, map[string]any{"number": "cb-123 456 785-fr"})))
			if patched.Number != "CB123456785FR" {
				t.Errorf("it became %q", patched.Number)
			}
			m.ok(m.patch(bill, added.ID, map[string]any{"delivery_service_id": "105", "number": "cb 123 456 785 fr"}))
		})
		t.Run("with a bill that is sent, twice in one body", func(t *testing.T) {
			other := m.paidBill().ID
			twice := []map[string]any{{"delivery_service_id": "104", "number": "6a 00000000009"}, {"delivery_service_id": "104", "number": "6A00000000009"}}
			if got := m.send(other, map[string]any{"trackings": twice}); got.Status != 409 || got.Codes()[0] != "tracking_exists trackings[1]" {
				t.Errorf("%d %v", got.Status, got.Codes())
			}
			m.ok(m.send(other, map[string]any{"trackings": twice[:1]}))
			if diff := cmp.Diff("6A00000000009", m.trackings(other)[0].Number); diff != "" {
				t.Errorf("number (-want +got):\n%s", diff)
			}
		})
		t.Run("another carrier takes a line of 1 to 64 visible characters, in its case", func(t *testing.T) {
			for number, want := range map[string][]string{
				"AB-12 34.5": {}, "": {"too_short number"}, " \u00a0": {"too_short number"}, strings.Repeat("x", 65): {"too_long number"},
				"a\u200bb": {"invalid_tracking_number number"}, "a\nb": {"invalid_value number"},
			} {
				got := m.track(bill, map[string]any{"delivery_service_id": "904", "number": number})
				if diff := cmp.Diff(want, got.Codes()); diff != "" {
					t.Errorf("%q: %d (-want +got):\n%s", number, got.Status, diff)
				}
			}
		})
		t.Run("nothing but blanks and hyphens is no number", func(t *testing.T) {
			got := m.track(bill, map[string]any{"delivery_service_id": "104", "number": " - - "})
			if diff := cmp.Diff([]string{"too_short number"}, got.Codes()); diff != "" {
				t.Errorf("%d (-want +got):\n%s", got.Status, diff)
			}
		})
	})
}

// TestANumberOfAnEarlierReleaseStays stores a number with a hyphen, as earlier releases did where a service prints one.
func TestANumberOfAnEarlierReleaseStays(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		bill := m.paidBill().ID
		added := m.tracked(bill, map[string]any{"delivery_service_id": "242", "number": "618012345678"})
		err := w.Store.Write(context.Background(), func(ctx context.Context, tx *ent.Client) error {
			return tx.Tracking.Update().Where(tracking.Number("618012345678")).SetNumber("61801234567-8").Exec(ctx)
		})
		if err != nil {
			t.Fatal(err)
		}
		patched := servertest.Into[trackingView](t, m.ok(m.patch(bill, added.ID, map[string]any{"number": "61801234567-8", "note": "as read"})))
		if patched.Number != "61801234567-8" {
			t.Errorf("it became %q", patched.Number)
		}
		if again := m.track(bill, map[string]any{"delivery_service_id": "242", "number": "61801234567 8"}); again.Status != 409 || again.Codes()[0] != "tracking_exists" {
			t.Errorf("again: %d %v", again.Status, again.Codes())
		}
		m.ok(m.patch(bill, added.ID, map[string]any{"number": "618012345678"}))
	})
}
