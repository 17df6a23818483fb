package v1_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

func TestTheCloserOpensAndEndsItems(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id := w.List(t, servertest.Auction(map[string]any{"starts_at": "2026-11-22T12:00:00Z"}))
		w.Clock.Advance(24*time.Hour - time.Microsecond)
		w.PassDueDates(t)
		if item := readItem(t, w, id); item.Status != "scheduled" {
			t.Errorf("before its start the item is %s", item.Status)
		}
		w.Clock.Advance(time.Microsecond)
		w.PassDueDates(t)
		if item := readItem(t, w, id); item.Status != "open" || !item.EndsAt.Equal(servertest.Start.AddDate(0, 0, 8)) {
			t.Errorf("at its start the item is %s and ends at %v", item.Status, item.EndsAt)
		}
		w.Clock.Advance(7 * 24 * time.Hour)
		w.PassDueDates(t)
		if item := readItem(t, w, id); item.Status != "unsold" || item.ClosedAt == nil {
			t.Errorf("at its end the item is %s, closed at %v", item.Status, item.ClosedAt)
		}
		if diff := cmp.Diff([]string{"1 item.published", "2 item.unsold"}, eventTypes(events(t, w, id))); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		checkOpenCount(t, w)
	})
}

func TestRenewals(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		options := map[string]any{"highlight": true, "private_bidding": true}
		id := w.List(t, servertest.Auction(map[string]any{"renewals": 1, "options": options}))
		kept := w.List(t, servertest.Auction(map[string]any{"renewals": 99, "options": map[string]any{"highlight": true, "keep_on_renewal": true}}))
		dated := w.List(t, servertest.Auction(map[string]any{"renewals": 10, "ends_at": "2026-11-24T12:00:00Z"}))
		wanted := w.List(t, servertest.Auction(map[string]any{"renewals": 5}))
		m := marketOf(t, w)
		m.ok(m.bid(wanted, "bidder", "9.99"))

		w.Clock.Advance(7*24*time.Hour + 90*time.Second) // the closer comes late
		w.PassDueDates(t)
		item := readItem(t, w, id)
		if item.Status != "open" || item.RenewalsLeft != 0 || !item.EndsAt.Equal(servertest.Start.AddDate(0, 0, 14)) {
			t.Errorf("renewed: %s, %d left, ends at %v", item.Status, item.RenewalsLeft, item.EndsAt)
		}
		if item.Options["highlight"] != false || item.Options["private_bidding"] != true {
			t.Errorf("only the display should have gone: %v", item.Options)
		}
		if item := readItem(t, w, kept); item.RenewalsLeft != 99 || item.Options["highlight"] != true {
			t.Errorf("until sold: %d left, %v", item.RenewalsLeft, item.Options)
		}
		if item := readItem(t, w, dated); item.Status != "open" || item.RenewalsLeft != 9 || !item.EndsAt.After(w.Clock.Now()) {
			t.Errorf("with a date of its own: %s, %d left, ends at %v", item.Status, item.RenewalsLeft, item.EndsAt)
		}
		if item := readItem(t, w, wanted); item.Status != "sold" || item.RenewalsLeft != 5 {
			t.Errorf("an auction with a bid is %s with %d renewals left", item.Status, item.RenewalsLeft)
		}
		all := events(t, w, id)
		want := map[string]any{"ends_at": "2026-11-28T12:00:00Z", "renewals_left": 1.0}
		got := map[string]any{"ends_at": all[1].Data.Previous["ends_at"], "renewals_left": all[1].Data.Previous["renewals_left"]}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("previous (-want +got):\n%s", diff)
		}
		w.Clock.Advance(7 * 24 * time.Hour)
		w.PassDueDates(t)
		if item := readItem(t, w, id); item.Status != "unsold" {
			t.Errorf("after its last renewal the item is %s", item.Status)
		}
		if diff := cmp.Diff([]string{"1 item.published", "2 item.updated", "3 item.unsold"}, eventTypes(events(t, w, id))); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	})
}

func TestAPreferredEndKeepsItsTimeOfDayWhenTheClocksChange(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Clock.Advance(time.Date(2027, 3, 20, 12, 0, 0, 0, time.UTC).Sub(servertest.Start))
		id := w.List(t, servertest.Auction(map[string]any{"preferred_end_day": "sun", "preferred_end_time": "20:30", "renewals": 1}))
		// Sunday 28 March 2027 is the day on which Brussels moves from UTC+1 to UTC+2.
		for _, want := range []time.Time{time.Date(2027, 3, 28, 18, 30, 0, 0, time.UTC), time.Date(2027, 4, 4, 18, 30, 0, 0, time.UTC)} {
			item := readItem(t, w, id)
			if !item.EndsAt.Equal(want) {
				t.Errorf("ends at %v, not %v", item.EndsAt, want)
			}
			w.Clock.Advance(item.EndsAt.Sub(w.Clock.Now()))
			w.PassDueDates(t)
		}
	})
}

func TestTwoClosersEndAnItemOnce(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		var ids []string
		for range 5 {
			ids = append(ids, w.List(t, servertest.Auction()))
		}
		w.Clock.Advance(8 * 24 * time.Hour)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if _, err := w.Service.CloseDueOnce(context.Background()); err != nil {
					t.Errorf("close: %v", err)
				}
			})
		}
		wg.Wait()
		for _, id := range ids {
			if diff := cmp.Diff([]string{"1 item.published", "2 item.unsold"}, eventTypes(events(t, w, id))); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		}
		if ended := w.Service.Counters().ItemsEnded.Load(); ended != 5 {
			t.Errorf("%d items were counted", ended)
		}
		checkOpenCount(t, w)
	})
}
