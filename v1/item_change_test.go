package v1_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
)

func TestConditionalReadsAndChanges(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id := w.List(t, servertest.FixedPrice())
		path := "/v1/items/" + id
		first := w.Do(t, servertest.Request{Path: path})
		tag := first.Header.Get("ETag")
		for _, list := range []string{tag, "W/" + tag, `"other", ` + tag, "*"} {
			if got := w.Do(t, servertest.Request{Path: path, Header: map[string]string{"If-None-Match": list}}); got.Status != 304 {
				t.Errorf("If-None-Match %s: %d", list, got.Status)
			}
		}
		stale := map[string]string{"If-Match": `"stale"`}
		for _, request := range []servertest.Request{
			{Method: "PATCH", Path: path, Body: map[string]any{"title": "New"}, Header: stale},
			{Method: "POST", Path: path + "/close", Header: stale},
			{Method: "POST", Path: path + "/restart", Header: stale},
		} {
			got := w.Do(t, request)
			if diff := cmp.Diff([]string{"precondition_failed If-Match"}, got.Codes()); diff != "" || got.Status != 412 {
				t.Errorf("%s %s: %d (-want +got):\n%s", request.Method, request.Path, got.Status, diff)
			}
		}
		patched := w.Do(t, servertest.Request{Method: "PATCH", Path: path, Body: map[string]any{"title": "New"}, Header: map[string]string{"If-Match": tag}})
		if next := patched.Header.Get("ETag"); patched.Status != 200 || next == tag || next == "" {
			t.Errorf("patch with the right tag: %d, tag %s after %s", patched.Status, next, tag)
		}
		if got := w.Do(t, servertest.Request{Path: path, Header: map[string]string{"If-None-Match": patched.Header.Get("ETag")}}); got.Status != 304 {
			t.Errorf("the tag of a PATCH is not that of a GET: %d", got.Status)
		}
		if got := w.Do(t, servertest.Request{Path: path, Header: map[string]string{"If-None-Match": tag}}); got.Status != 200 {
			t.Errorf("the old tag still fits: %d", got.Status)
		}
	})
}

// A program that sends a patch again, or two that mirror each other, make no events and no new tags with it.
func TestAPatchThatChangesNothingIsNoChange(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		ready := w.ImageURL(t, "stamp-01.png")
		id := w.List(t, servertest.FixedPrice(map[string]any{"description": "<b>old</b>", "images": []string{ready}, "renewals": 2}))
		before := w.Do(t, servertest.Request{Path: "/v1/items/" + id})
		w.Clock.Advance(time.Minute)
		patch := func(body string) servertest.Response {
			got := w.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/items/" + id, Body: body, Header: map[string]string{"If-Match": before.Header.Get("ETag")}})
			if got.Status != 200 {
				t.Errorf("%s: %d %s", body, got.Status, got.Body)
			}
			return got
		}
		for _, body := range []string{
			`{"title":"France 1849, 20c black Ceres"}`, `{"description":"<b>old</b>","personal_reference":null,"quantity":1}`,
			`{"price":{"amount":"45.00"},"options":{}}`, `{"images":["` + ready + `"],"renewals":2,"duration_days":28}`,
		} {
			if diff := cmp.Diff(string(before.Data), string(patch(body).Data)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", body, diff)
			}
		}
		if diff := cmp.Diff([]string{"1 item.published"}, eventTypes(events(t, w, id))); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		patch(`{"duration_days":21}`)
		if diff := cmp.Diff([]string{"1 item.published", "2 item.updated"}, eventTypes(events(t, w, id))); diff != "" {
			t.Errorf("events after a change (-want +got):\n%s", diff)
		}
		lost := servertest.Request{Method: "PATCH", Body: map[string]any{"images": []string{ready, "https://outcome.test/image_unreachable.jpg"}}}
		lost.Path = "/v1/items/" + w.List(t, servertest.FixedPrice(lost.Body.(map[string]any)))
		first := w.Do(t, lost)
		if got := servertest.Into[itemView](t, first).Images; len(got) != 2 || got[0].Status != "ready" || got[1].Status != "pending" {
			t.Errorf("a picture that failed is not fetched again: %+v", got)
		}
		if diff := cmp.Diff(string(first.Data), string(w.Do(t, lost).Data)); diff != "" {
			t.Errorf("asked for again while it is fetched (-want +got):\n%s", diff)
		}
	})
}

// Forms that mean what an item has: its defaults, and what it never had.
func TestDefaultsInAPatchChangeNothing(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for _, item := range []map[string]any{servertest.FixedPrice(), servertest.Auction()} {
			path := "/v1/items/" + w.List(t, item)
			before := w.Do(t, servertest.Request{Path: path})
			w.Clock.Advance(time.Minute)
			for _, body := range []string{
				`{"images":[]}`, `{"images":null,"options":null,"site":null}`, `{"quantity":1,"renewals":0}`, `{"quantity":null,"renewals":null,"duration_days":null}`,
			} {
				got := w.Do(t, servertest.Request{Method: "PATCH", Path: path, Body: body})
				if diff := cmp.Diff(string(before.Data), string(got.Data)); diff != "" || got.Header.Get("ETag") != before.Header.Get("ETag") {
					t.Errorf("%s of %v: tag %s after %s (-want +got):\n%s", body, item["sale_type"], got.Header.Get("ETag"), before.Header.Get("ETag"), diff)
				}
			}
		}
	})
}

// A preferred time is one of the account's time zone. Sending it again moves the end to the zone that the account has now.
func TestAPreferredTimeThatIsSentAgainFollowsTheZone(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		path := "/v1/items/" + w.List(t, servertest.FixedPrice(map[string]any{"preferred_end_time": "20:00"}))
		before := servertest.Into[itemView](t, w.Do(t, servertest.Request{Path: path}))
		plantest.Fill(t, w, "UPDATE accounts SET time_zone = 'America/New_York'")
		got := servertest.Into[itemView](t, w.Do(t, servertest.Request{Method: "PATCH", Path: path, Body: `{"preferred_end_time":"20:00"}`}))
		if moved := got.EndsAt.Sub(before.EndsAt); moved != 6*time.Hour && moved != -18*time.Hour {
			t.Errorf("the end moved by %v, want the 6 hours between Brussels and New York", moved)
		}
	})
}

func TestWhatAPatchSaysIsMerged(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id := w.List(t, servertest.FixedPrice(map[string]any{
			"description": "<b>old</b>", "personal_reference": "A", "renewals": 2, "quantity": 3,
			"options": map[string]any{"bold_title": true},
		}))
		got := w.Do(t, servertest.Request{
			Method: "PATCH", Path: "/v1/items/" + id, Header: map[string]string{"Content-Type": "application/merge-patch+json"},
			Body: `{"description":null,"price":{"amount":"50.00"},"options":{"highlight":true},"renewals":5,"duration_days":14}`,
		})
		if got.Status != 200 {
			t.Fatalf("patch: %d %s", got.Status, got.Body)
		}
		item := readItem(t, w, id)
		reference, days := "A", 14
		want := item
		want.Description, want.PersonalRef, want.DurationDays = nil, &reference, &days
		want.Price, want.CurrentPrice = &moneyView{"50.00", "EUR"}, &moneyView{"50.00", "EUR"}
		want.Renewals, want.RenewalsLeft, want.Quantity, want.Available = 5, 5, 3, 3
		want.EndsAt = servertest.Start.AddDate(0, 0, 14)
		if diff := cmp.Diff(want, item); diff != "" {
			t.Errorf("item (-want +got):\n%s", diff)
		}
		if item.Options["bold_title"] != true || item.Options["highlight"] != true {
			t.Errorf("options did not merge: %v", item.Options)
		}
		all := events(t, w, id)
		if diff := cmp.Diff([]string{"1 item.published", "2 item.updated"}, eventTypes(all)); diff != "" {
			t.Fatalf("events (-want +got):\n%s", diff)
		}
		previous := all[1].Data.Previous
		for name, want := range map[string]any{
			"description": "<b>old</b>", "ends_at": "2026-12-19T12:00:00Z", "duration_days": 28.0, "renewals": 2.0,
			"price": map[string]any{"amount": "45.00", "currency": "EUR"},
		} {
			if diff := cmp.Diff(want, previous[name]); diff != "" {
				t.Errorf("previous.%s (-want +got):\n%s", name, diff)
			}
		}
		for _, name := range []string{"title", "updated_at", "quantity"} {
			if value, there := previous[name]; there {
				t.Errorf("previous.%s is %v, though no request changed it", name, value)
			}
		}

		t.Run("an end of the seller's choice takes the place of a duration, and the other way round", func(t *testing.T) {
			ends := servertest.Start.AddDate(0, 0, 3)
			w.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/items/" + id, Body: map[string]any{"ends_at": ends.Format(time.RFC3339)}})
			if item := readItem(t, w, id); item.DurationDays != nil || !item.EndsAt.Equal(ends) {
				t.Errorf("duration %v, end %v", item.DurationDays, item.EndsAt)
			}
			w.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/items/" + id, Body: map[string]any{"ends_at": nil}})
			if item := readItem(t, w, id); item.DurationDays == nil || !item.EndsAt.Equal(servertest.Start.AddDate(0, 0, 28)) {
				t.Errorf("duration %v, end %v", item.DurationDays, item.EndsAt)
			}
		})
	})
}

func TestPatchesThatAreRefused(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id := w.List(t, servertest.FixedPrice())
		tests := []struct {
			name, body string
			status     int
			want       []string
		}{
			{"no member", `{}`, 422, []string{"empty_patch"}},
			{"an object without members", `{"options":{}}`, 422, []string{"empty_patch"}},
			{"a field fixed at creation", `{"sale_type":"auction","starts_at":null}`, 422, []string{"immutable_field sale_type", "immutable_field starts_at"}},
			{"unknown members, all of them", `{"titel":"x","options":{"bold":true}}`, 422, []string{"unknown_field titel", "unknown_field options.bold"}},
			{"null for what an item needs", `{"title":null,"price":null}`, 422, []string{"missing_field title", "missing_field price"}},
			{"duration and end together", `{"duration_days":7,"ends_at":"2026-12-01T00:00:00Z"}`, 422, []string{"conflicting_fields duration_days"}},
			{"an end in the past", `{"ends_at":"2026-11-01T00:00:00Z"}`, 422, []string{"date_in_past ends_at"}},
			{"an auction's field", `{"starting_price":{"amount":"1.00","currency":"EUR"}}`, 422, []string{"conflicting_fields starting_price"}},
			{"a second currency", `{"price":{"currency":"JPY"}}`, 422, []string{"unsupported_currency price.currency"}},
			{"no object", `[]`, 422, []string{"invalid_type"}},
			{"no body", ``, 400, []string{"malformed_json"}},
		}
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				got := w.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/items/" + id, Body: test.body})
				if diff := cmp.Diff(test.want, got.Codes()); diff != "" || got.Status != test.status {
					t.Errorf("%d (-want +got):\n%s", got.Status, diff)
				}
			})
		}
		if diff := cmp.Diff([]string{"1 item.published"}, eventTypes(events(t, w, id))); diff != "" {
			t.Errorf("a refused patch left traces (-want +got):\n%s", diff)
		}
	})
}

func TestWhatCanChangeDependsOnTheState(t *testing.T) {
	withBids := []any{"personal_reference", "images", "options"}
	partlySold := []any{
		"title", "subtitle", "description", "personal_reference", "category_id", "quantity", "duration_days", "preferred_end_day",
		"preferred_end_time", "ends_at", "renewals", "shipping_model_id", "weight_grams", "images", "options", "site",
	}
	bid := func(m market, id string) { m.ok(m.bid(id, "bidder", "9.99")) }
	buyTwo := func(m market, id string) { m.sold(id, "buyer", pieces(2)) }
	expire := func(m market, id string) { m.ok(m.end(id)) }
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		first, second := w.ImageURL(t, "stamp-01.png"), w.ImageURL(t, "coin-01.gif")
		pictured := map[string]any{"images": []string{first}}
		tests := []struct {
			name   string
			item   map[string]any
			since  func(m market, id string) // what the marketplace has done to the item
			body   any
			status int
			code   string
			fields []any
		}{
			{
				"a scheduled item changes freely", servertest.Auction(map[string]any{"starts_at": "2026-12-01T12:00:00Z"}), nil,
				`{"title":"New","starting_price":{"amount":"2.00"}}`, 200, "", nil,
			},
			{"an auction with bids keeps its title", servertest.Auction(), bid, `{"title":"New"}`, 409, "item_has_bids title", withBids},
			{"an auction with bids takes a new reference", servertest.Auction(), bid, `{"personal_reference":"B"}`, 200, "", nil},
			{"an auction with bids takes another option", servertest.Auction(), bid, `{"options":{"highlight":true}}`, 200, "", nil},
			{
				"an auction with bids loses no option", servertest.Auction(map[string]any{"options": map[string]any{"highlight": true}}), bid,
				`{"options":{"highlight":false}}`, 409, "item_has_bids options", withBids,
			},
			{"an auction with bids loses no image", servertest.Auction(pictured), bid, `{"images":[]}`, 409, "item_has_bids images", withBids},
			{"an auction with bids takes one more image", servertest.Auction(pictured), bid, map[string]any{"images": []string{first, second}}, 200, "", nil},
			{"a partly sold item keeps its price", servertest.FixedPrice(pieces(5)), buyTwo, `{"price":{"amount":"1.00"}}`, 409, "item_partially_sold price", partlySold},
			{"a partly sold item may name the price it has", servertest.FixedPrice(pieces(5)), buyTwo, `{"price":{"amount":"45.00"},"title":"New"}`, 200, "", nil},
			{"a quantity does not fall below what is sold", servertest.FixedPrice(pieces(5)), buyTwo, `{"quantity":1}`, 409, "item_partially_sold quantity", partlySold},
			{"a quantity may grow", servertest.FixedPrice(pieces(5)), buyTwo, `{"quantity":9}`, 200, "", nil},
			{
				"an ended item does not change", servertest.FixedPrice(map[string]any{"ends_at": "2026-11-22T12:00:00Z"}), expire, `{"title":"New"}`, 409,
				"item_not_editable",
				[]any{},
			},
		}
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				id := w.List(t, test.item)
				if test.since != nil {
					test.since(marketOf(t, w), id)
				}
				got := w.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/items/" + id, Body: test.body, Header: map[string]string{"If-Match": "*"}})
				if got.Status != test.status {
					t.Fatalf("status %d, not %d: %s", got.Status, test.status, got.Body)
				}
				if test.status == 200 {
					return
				}
				if diff := cmp.Diff([]string{test.code}, got.Codes()); diff != "" {
					t.Errorf("codes (-want +got):\n%s", diff)
				}
				fields, ok := got.Errors[0].Details["editable_fields"].([]any)
				if !ok || !cmp.Equal(test.fields, fields) {
					t.Errorf("editable_fields %v, not %v", got.Errors[0].Details, test.fields)
				}
			})
		}
	})
}

func TestAnItemThatCannotChangeSaysWhatBecameOfIt(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id := w.List(t, servertest.FixedPrice())
		marketOf(t, w).sold(id, "buyer", nil)
		got := w.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/items/" + id, Body: `{"title":"New"}`})
		if got.Status != 409 {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
		if diff := cmp.Diff(map[string]any{"editable_fields": []any{}, "status": "sold"}, got.Errors[0].Details); diff != "" {
			t.Errorf("details (-want +got):\n%s", diff)
		}
	})
}

func TestTakingBackAllThatIsLeftEndsAnItemAsSold(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id := w.List(t, servertest.FixedPrice(pieces(5)))
		marketOf(t, w).sold(id, "buyer", pieces(2))
		w.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/items/" + id, Body: `{"quantity":2}`})
		if item := readItem(t, w, id); item.Status != "sold" || item.ClosedAt == nil {
			t.Errorf("status %s, closed at %v", item.Status, item.ClosedAt)
		}
		checkOpenCount(t, w)
	})
}

// checkOpenCount compares the store's counter with what it counts.
func checkOpenCount(t testing.TB, w *servertest.World) {
	t.Helper()
	counted := w.Count(t, "items", "status IN ('scheduled','open')") + w.Count(t, "submissions", "status IN ('pending','processing')")
	owners, err := w.Store.Reader().Owner.Query().All(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	for _, owner := range owners {
		kept += owner.OpenCount
	}
	if kept != counted {
		t.Errorf("the store's counter says %d, but %d items and submissions are open", kept, counted)
	}
}

func TestChangedImagesAreFetched(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		first, second, missing := w.ImageURL(t, "stamp-01.png"), w.ImageURL(t, "coin-01.gif"), w.ImageURL(t, "outcome/missing.jpg")
		id := w.List(t, servertest.FixedPrice(map[string]any{"images": []string{first}}))
		w.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/items/" + id, Body: map[string]any{"images": []any{second, map[string]any{"url": first}, missing}}})
		states := func() (states []string) {
			for _, image := range readItem(t, w, id).Images {
				states = append(states, fmt.Sprintf("%d %s %v", image.Position, image.Status, image.Width != nil))
			}
			return states
		}
		if diff := cmp.Diff([]string{"0 pending false", "1 ready true", "2 pending false"}, states()); diff != "" {
			t.Errorf("before the fetch (-want +got):\n%s", diff)
		}
		for want := range 2 {
			n, err := w.Service.RefreshImagesOnce(context.Background())
			if n != 1-want || err != nil {
				t.Fatalf("step %d took %d items: %v", want, n, err)
			}
		}
		if diff := cmp.Diff([]string{"0 ready true", "1 ready true", "2 failed false"}, states()); diff != "" {
			t.Errorf("after the fetch (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"1 item.published", "2 item.updated", "3 item.updated"}, eventTypes(events(t, w, id))); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	})
}

func TestClosing(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		closing := func(id string, body any) servertest.Response {
			return w.Do(t, servertest.Request{Method: "POST", Path: "/v1/items/" + id + "/close", Body: body})
		}
		id := w.List(t, servertest.FixedPrice())
		got := servertest.Into[itemView](t, closing(id, map[string]any{"reason": "lost_or_broken", "note": "Fell off the shelf"}))
		if got.Status != "closed" || *got.CloseReason != "lost_or_broken" || *got.CloseNote != "Fell off the shelf" || got.ClosedAt == nil {
			t.Errorf("closed item: %+v", got)
		}
		again := closing(id, nil)
		if diff := cmp.Diff([]string{"item_not_open"}, again.Codes()); diff != "" || again.Status != 409 {
			t.Errorf("closing twice: %d %s", again.Status, diff)
		}
		auction := w.List(t, servertest.Auction())
		m := marketOf(t, w)
		m.ok(m.bid(auction, "bidder", "9.99"))
		running := closing(auction, nil)
		if diff := cmp.Diff([]string{"item_has_bids"}, running.Codes()); diff != "" || !strings.Contains(running.Errors[0].Message, "runs to its end") {
			t.Errorf("an auction with bids: %s (-want +got):\n%s", running.Body, diff)
		}
		scheduled := w.List(t, servertest.Auction(map[string]any{"starts_at": "2026-12-01T12:00:00Z"}))
		if got := servertest.Into[itemView](t, closing(scheduled, nil)); got.Status != "closed" || *got.CloseReason != "other" || got.CloseNote != nil {
			t.Errorf("closed scheduled item: %+v", got)
		}
		refused := closing(w.List(t, servertest.FixedPrice()), map[string]any{"reason": "bored", "note": "<b>x</b>", "why": 1})
		if diff := cmp.Diff([]string{"unknown_field why", "invalid_value reason", "html_not_allowed note"}, refused.Codes()); diff != "" {
			t.Errorf("a bad body (-want +got):\n%s", diff)
		}
		if missing := closing("999", nil); missing.Status != 404 || missing.Codes()[0] != "item_not_found" {
			t.Errorf("a missing item: %s", missing.Body)
		}
		if diff := cmp.Diff([]string{"1 item.published", "2 item.closed"}, eventTypes(events(t, w, id))); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		checkOpenCount(t, w)
	})
}
