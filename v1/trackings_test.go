package v1_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

// trackingView is a tracking as its seller sees it.
type trackingView struct {
	ID          string     `json:"id"`
	BillID      string     `json:"bill_id"`
	ServiceID   string     `json:"delivery_service_id"`
	Number      string     `json:"number"`
	TrackingURL *string    `json:"tracking_url"`
	SaleIDs     []string   `json:"sale_ids"`
	ShippedAt   *time.Time `json:"shipped_at"`
	Note        *string    `json:"note"`
	CreatedAt   time.Time  `json:"created_at"`
	UpdatedAt   time.Time  `json:"updated_at"`
}

// colissimo is the nth of many trackings of a French service, with other members if wanted.
func colissimo(n int, more ...map[string]any) map[string]any {
	tracking := map[string]any{"delivery_service_id": "104", "number": colissimoNumber(n)}
	for _, members := range more {
		for name, value := range members {
			tracking[name] = value
		}
	}
	return tracking
}

func colissimoNumber(n int) string { return fmt.Sprintf("6A%011d", n) }

// track adds a tracking.
func (m market) track(bill string, tracking any) servertest.Response {
	m.Helper()
	return m.post("/v1/bills/"+bill+"/trackings", tracking)
}

// tracked is a tracking that must be accepted.
func (m market) tracked(bill string, tracking any) trackingView {
	m.Helper()
	return servertest.Into[trackingView](m.T, m.ok(m.track(bill, tracking)))
}

// trackings are those of a bill.
func (m market) trackings(bill string) []trackingView {
	m.Helper()
	page := servertest.Into[struct {
		Results    []trackingView `json:"results"`
		NextCursor *string        `json:"next_cursor"`
	}](m.T, m.ok(m.w.Do(m.T, servertest.Request{Path: "/v1/bills/" + bill + "/trackings", Key: m.key})))
	if page.NextCursor != nil {
		m.Error("a bill's trackings have a next page")
	}
	return page.Results
}

// whole reads a bill with its trackings.
func (m market) whole(id string) wholeBill {
	m.Helper()
	return servertest.Into[wholeBill](m.T, m.ok(m.w.Do(m.T, servertest.Request{Path: "/v1/bills/" + id, Key: m.key})))
}

func (m market) patch(bill, tracking string, body any) servertest.Response {
	m.Helper()
	return m.w.Do(m.T, servertest.Request{Method: "PATCH", Path: "/v1/bills/" + bill + "/trackings/" + tracking, Body: body, Key: m.key})
}

func (m market) remove(bill, tracking string) servertest.Response {
	m.Helper()
	return m.w.Do(m.T, servertest.Request{Method: "DELETE", Path: "/v1/bills/" + bill + "/trackings/" + tracking, Key: m.key})
}

func ptr[T any](v T) *T { return &v }

func TestATrackingIsAddedChangedAndRemoved(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		bill := m.paidBill()
		path := "/v1/bills/" + bill.ID + "/trackings"
		if diff := cmp.Diff([]trackingView{}, m.trackings(bill.ID)); diff != "" {
			t.Errorf("before (-want +got):\n%s", diff)
		}
		w.Clock.Advance(time.Hour)

		sale := bill.Sales[0].ID
		answer := m.track(bill.ID, colissimo(1, map[string]any{"sale_ids": []string{sale, sale}, "shipped_at": "2026-11-21T14:05:00+01:00", "note": "first parcel"}))
		added := servertest.Into[trackingView](t, answer)
		if answer.Status != 201 || answer.Header.Get("Location") != path+"/"+added.ID || !strings.HasPrefix(added.ID, "trk_") {
			t.Errorf("answer %d with Location %s", answer.Status, answer.Header.Get("Location"))
		}
		want := trackingView{
			ID: added.ID, BillID: bill.ID, ServiceID: "104", Number: "6A00000000001",
			TrackingURL: ptr("https://www.laposte.fr/outils/suivre-vos-envois?code=6A00000000001"), SaleIDs: []string{sale},
			ShippedAt: ptr(time.Date(2026, 11, 21, 13, 5, 0, 0, time.UTC)), Note: ptr("first parcel"), CreatedAt: servertest.Start.Add(time.Hour),
			UpdatedAt: servertest.Start.Add(time.Hour),
		}
		if diff := cmp.Diff(want, added); diff != "" {
			t.Errorf("added (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]trackingView{want}, m.trackings(bill.ID)); diff != "" {
			t.Errorf("list (-want +got):\n%s", diff)
		}

		w.Clock.Advance(time.Hour)
		changed := servertest.Into[trackingView](t, m.ok(m.patch(bill.ID, added.ID, `{"delivery_service_id":"106","number":"none","sale_ids":null,"shipped_at":null,"note":null}`)))
		want = trackingView{ID: added.ID, BillID: bill.ID, ServiceID: "106", Number: "none", CreatedAt: want.CreatedAt, UpdatedAt: servertest.Start.Add(2 * time.Hour)}
		if diff := cmp.Diff(want, changed); diff != "" {
			t.Errorf("changed (-want +got):\n%s", diff)
		}
		if whole := m.whole(bill.ID); !whole.UpdatedAt.Equal(want.UpdatedAt) || len(whole.Trackings) != 1 {
			t.Errorf("bill changed at %s with %d trackings", whole.UpdatedAt, len(whole.Trackings))
		}
		changed = servertest.Into[trackingView](t, m.ok(m.patch(bill.ID, added.ID, map[string]any{"note": "kept"})))
		if want.Note = ptr("kept"); changed.Number != "none" || *changed.Note != "kept" {
			t.Errorf("a patch of the note made it %+v", changed)
		}

		w.Clock.Advance(time.Hour)
		gone := m.remove(bill.ID, added.ID)
		if gone.Status != 200 || string(gone.Data) != `{"id":"`+added.ID+`","deleted":true}` {
			t.Errorf("removed: %d %s", gone.Status, gone.Data)
		}
		if diff := cmp.Diff([]trackingView{}, m.trackings(bill.ID)); diff != "" {
			t.Errorf("after (-want +got):\n%s", diff)
		}
		if whole := m.whole(bill.ID); !whole.UpdatedAt.Equal(servertest.Start.Add(3 * time.Hour)) {
			t.Errorf("bill changed at %s", whole.UpdatedAt)
		}
		if diff := cmp.Diff([]string{bill.ID}, m.billIDs("has_tracking=false")); diff != "" {
			t.Errorf("bills without a tracking (-want +got):\n%s", diff)
		}
	})
}

func TestTrackingsInEveryStateOfABill(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		sold := m.sold(w.List(t, servertest.FixedPrice()), "bob")
		added := []trackingView{m.tracked(sold.BillID, colissimo(0))}
		steps := []struct {
			state string
			enter func() servertest.Response
		}{
			{"awaiting_payment", func() servertest.Response { return m.invoice(sold.BillID, nil) }},
			{"to_send", func() servertest.Response { return m.pay(sold.BillID, nil) }},
			{"sent", func() servertest.Response { return m.post("/v1/bills/"+sold.BillID+"/mark-sent", nil) }},
		}
		for i, step := range steps {
			m.ok(step.enter())
			added = append(added, m.tracked(sold.BillID, colissimo(i+1)))
			m.ok(m.patch(sold.BillID, added[i].ID, map[string]any{"note": "in state " + step.state}))
			m.ok(m.remove(sold.BillID, added[i].ID))
			if got := m.whole(sold.BillID); got.Status != step.state || len(got.Trackings) != 1 {
				t.Errorf("%s with %d trackings, not %s", got.Status, len(got.Trackings), step.state)
			}
		}

		undone := m.sold(w.List(t, servertest.FixedPrice()), "cid")
		kept, dropped := m.tracked(undone.BillID, colissimo(1)), m.tracked(undone.BillID, colissimo(2))
		m.ok(m.decide(undone.ID, "accept"))
		m.ok(m.patch(undone.BillID, kept.ID, map[string]any{"note": "came back"}))
		m.ok(m.remove(undone.BillID, dropped.ID))
		for name, more := range map[string]map[string]any{"plain": nil, "with the sale that was cancelled": {"sale_ids": []string{undone.ID}}} {
			got := m.track(undone.BillID, colissimo(3, more))
			if diff := cmp.Diff([]string{"bill_cancelled"}, got.Codes()); diff != "" || got.Status != 409 {
				t.Errorf("a new tracking %s: %d (-want +got):\n%s", name, got.Status, diff)
			}
		}
	})
}

func TestATrackingMayBeAsNewAsTheCallersClock(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		bill := m.sold(w.List(t, servertest.FixedPrice()), "bob").BillID
		ahead := servertest.Start.Add(5 * time.Minute)
		got := m.tracked(bill, colissimo(1, map[string]any{"shipped_at": ahead}))
		if !got.ShippedAt.Equal(ahead) {
			t.Errorf("shipped at %s", got.ShippedAt)
		}
		early := m.tracked(bill, colissimo(2, map[string]any{"shipped_at": "2026-01-01T00:00:00Z"}))
		if got := early.ShippedAt.Format(time.DateOnly); got != "2026-01-01" {
			t.Errorf("shipped on %s", got)
		}
	})
}

func TestConditionalChangesOfTrackings(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		bill := m.sold(w.List(t, servertest.FixedPrice()), "bob").BillID
		added := m.track(bill, colissimo(1))
		id := servertest.Into[trackingView](t, added).ID
		do := func(method, tag string) servertest.Response {
			r := servertest.Request{Method: method, Path: "/v1/bills/" + bill + "/trackings/" + id, Header: map[string]string{"If-Match": tag}}
			if method == "PATCH" {
				r.Body = `{"note":"changed"}`
			}
			return w.Do(t, r)
		}
		first := added.Header.Get("ETag")
		for _, method := range []string{"PATCH", "DELETE"} {
			if got := do(method, `"stale"`); got.Status != 412 || got.Codes()[0] != "precondition_failed If-Match" {
				t.Errorf("%s with a stale tag: %d %s", method, got.Status, got.Body)
			}
		}
		second := m.ok(do("PATCH", first)).Header.Get("ETag")
		if second == "" || second == first {
			t.Errorf("tag %s after %s", second, first)
		}
		if got := do("DELETE", first); got.Status != 412 {
			t.Errorf("removal with the old tag: %d", got.Status)
		}
		m.ok(do("DELETE", second))
	})
}

func TestOfTwoEqualTrackingsAtOnceOneIsAdded(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		bill := m.sold(w.List(t, servertest.FixedPrice()), "bob").BillID
		for n := range 10 {
			request := servertest.Request{Path: "/v1/bills/" + bill + "/trackings", Body: colissimo(n)}
			answers := together(t, w, request, request)
			if answers[0].Status > answers[1].Status {
				answers[0], answers[1] = answers[1], answers[0]
			}
			if answers[0].Status != 201 || answers[1].Status != 409 {
				t.Fatalf("answers %d and %d %s", answers[0].Status, answers[1].Status, answers[1].Body)
			}
			want := []any{"tracking_exists", servertest.Into[trackingView](t, answers[0]).ID}
			if diff := cmp.Diff(want, []any{answers[1].Errors[0].Code, answers[1].Errors[0].Details["tracking_id"]}); diff != "" {
				t.Errorf("the other one (-want +got):\n%s", diff)
			}
		}
		if got := len(m.trackings(bill)); got != 10 {
			t.Errorf("%d trackings", got)
		}
	})
}

func TestARepeatedTrackingIsReplayed(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		bill := m.sold(w.List(t, servertest.FixedPrice()), "bob").BillID
		request := servertest.Request{Path: "/v1/bills/" + bill + "/trackings", Body: colissimo(1), Header: map[string]string{"Idempotency-Key": "parcel-1"}}
		first, second := w.Do(t, request), w.Do(t, request)
		if second.Status != 201 || second.Body != first.Body || second.Header.Get("Idempotent-Replayed") != "true" ||
			second.Header.Get("Location") != first.Header.Get("Location") {
			t.Errorf("repeated: %d %s\nafter %s", second.Status, second.Body, first.Body)
		}
		if got := len(m.trackings(bill)); got != 1 {
			t.Errorf("%d trackings", got)
		}
	})
}
