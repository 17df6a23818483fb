package v1_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
)

// visit adds visits to an item and returns the item.
func visit(t *testing.T, w *servertest.World, item string, count int) object {
	t.Helper()
	return operate(t, w, 200, "/operator/items/"+item+"/visits", object{"count": count})
}

func TestVisitsReachWhatSellersReadAndNothingElse(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for mode, key := range map[string]string{"test": w.Key, "live": w.LiveKey} {
			t.Run(mode, func(t *testing.T) {
				w.Key = key
				item := w.List(t, servertest.FixedPrice())
				path := "/v1/items/" + item
				read := func() object { return servertest.Into[object](t, w.Do(t, servertest.Request{Path: path})) }
				want, before := read(), events(t, w, item)

				w.Clock.Advance(time.Hour)
				visit(t, w, item, 3)
				answer := visit(t, w, item, 1_000_000)
				want["visit_count"] = 1_000_003.0
				if diff := cmp.Diff(want, read()); diff != "" {
					t.Errorf("GET %s (-want +got):\n%s", path, diff)
				}
				if diff := cmp.Diff(want, answer); diff != "" {
					t.Errorf("the operator's answer (-want +got):\n%s", diff)
				}
				list := servertest.Into[struct {
					Results []object `json:"results"`
				}](t, w.Do(t, servertest.Request{Path: "/v1/items?id=" + item}))
				if diff := cmp.Diff([]object{want}, list.Results); diff != "" {
					t.Errorf("the list (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(eventTypes(before), eventTypes(events(t, w, item))); diff != "" {
					t.Errorf("events (-want +got):\n%s", diff)
				}
			})
		}
	})
}

func TestVisitsAreNotToldAsAChange(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice())
		visit(t, w, item, 3)
		w.Do(t, servertest.Request{Method: http.MethodPatch, Path: "/v1/items/" + item, Body: object{"title": "Seen by three"}})
		all := events(t, w, item)
		last := all[len(all)-1]
		if _, named := last.Data.Previous["visit_count"]; named || last.Type != "item.updated" || last.Data.Previous["title"] == nil {
			t.Errorf("the change after the visits is sent as %s with previous %v", last.Type, last.Data.Previous)
		}
	})
}

func TestVisitsChangeTheTagOfTheItemAndSpoilNoChange(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		path := "/v1/items/" + w.List(t, servertest.FixedPrice())
		read := func(ifNoneMatch string) servertest.Response {
			return w.Do(t, servertest.Request{Path: path, Header: map[string]string{"If-None-Match": ifNoneMatch}})
		}
		patch := func(title, ifMatch string) int {
			return w.Do(t, servertest.Request{Method: http.MethodPatch, Path: path, Body: object{"title": title}, Header: map[string]string{"If-Match": ifMatch}}).Status
		}
		unseen := read(`"none"`).Header.Get("ETag")
		answer := w.DoOperator(t, servertest.Request{Path: "/operator/items/" + path[len("/v1/items/"):] + "/visits", Body: object{"count": 5}})
		got := read(unseen)
		seen := got.Header.Get("ETag")
		if got.Status != 200 || seen == unseen || answer.Header.Get("ETag") != seen {
			t.Errorf("after visits a reader with the tag before gets %d and %s after %s, the operator %s", got.Status, seen, unseen, answer.Header.Get("ETag"))
		}
		if got := read(seen); got.Status != 304 {
			t.Errorf("a reader with the new tag gets %d", got.Status)
		}
		if status := patch("Changed", `"other", `+unseen); status != 200 {
			t.Errorf("a change of what was read before the visits is answered %d", status)
		}
		for _, stale := range []string{unseen, seen, "W/" + seen} {
			if status := patch("Again", stale); status != 412 {
				t.Errorf("a change with the tag %s of before the change is answered %d", stale, status)
			}
		}
		if status := patch("Again", read(`"none"`).Header.Get("ETag")); status != 200 {
			t.Errorf("a change with the newest tag is answered %d", status)
		}
	})
}

func TestVisitsOfOneReportCountOnce(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice())
		report := servertest.Keyed("visits-of-noon", "/operator/items/"+item+"/visits", object{"count": 4})
		first, again := w.DoOperator(t, report), w.DoOperator(t, report)
		if first.Status != 200 || again.Body != first.Body || again.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("first %d %s\nagain %d %s", first.Status, first.Body, again.Status, again.Body)
		}
		report.Body = object{"count": 5}
		if diff := cmp.Diff([]string{"idempotency_key_reused Idempotency-Key"}, w.DoOperator(t, report).Codes()); diff != "" {
			t.Errorf("another count under the same key (-want +got):\n%s", diff)
		}
		if n := w.Count(t, "items", "visit_count = 4"); n != 1 {
			t.Error("the visits did not count once")
		}
	})
}

func TestVisitsAndChangesSideBySideLoseNothing(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice())
		tag := w.Do(t, servertest.Request{Path: "/v1/items/" + item}).Header.Get("ETag")
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if got := w.DoOperator(t, servertest.Request{Path: "/operator/items/" + item + "/visits", Body: object{"count": 2}}); got.Status != 200 {
					t.Errorf("%d %s", got.Status, got.Body)
				}
			})
		}
		all.Go(func() {
			got := w.Do(t, servertest.Request{Method: http.MethodPatch, Path: "/v1/items/" + item, Body: object{"title": "Changed"}, Header: map[string]string{"If-Match": tag}})
			if got.Status != 200 {
				t.Errorf("the change: %d %s", got.Status, got.Body)
			}
		})
		all.Wait()
		if n := w.Count(t, "items", "visit_count = 40 AND title = 'Changed'"); n != 1 {
			t.Error("visits or the change are lost")
		}
	})
}

func TestVisitsAreCountedInEveryState(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		sold, closed := w.List(t, servertest.FixedPrice()), w.List(t, servertest.FixedPrice())
		scheduled := w.List(t, servertest.FixedPrice(object{"starts_at": w.Clock.Now().Add(time.Hour).Format(time.RFC3339)}))
		buy(t, w, sold)
		w.Do(t, servertest.Request{Method: http.MethodPost, Path: "/v1/items/" + closed + "/close"})
		for _, item := range []string{sold, closed, scheduled} {
			if got := visit(t, w, item, 2); got["visit_count"] != 2.0 {
				t.Errorf("an item that is %s has %v visits", got["status"], got["visit_count"])
			}
		}
		w.Do(t, servertest.Request{Method: http.MethodPost, Path: "/v1/items/" + closed + "/restart"})
		if got := visit(t, w, closed, 1); got["visit_count"] != 3.0 {
			t.Errorf("a restarted item has %v visits", got["visit_count"])
		}
	})
}

func TestVisitsThatAreRefused(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		path := "/operator/items/" + w.List(t, servertest.FixedPrice()) + "/visits"
		for _, test := range []struct {
			name, path string
			body       any
			status     int
			codes      []string
		}{
			{"nothing", path, object{}, 422, []string{"missing_field count"}},
			{"null", path, object{"count": nil}, 422, []string{"missing_field count"}},
			{"no visits", path, object{"count": 0}, 422, []string{"out_of_range count"}},
			{"fewer than none", path, object{"count": -1}, 422, []string{"out_of_range count"}},
			{"more than a report may have", path, object{"count": 1_000_001}, 422, []string{"out_of_range count"}},
			{"more than numbers have", path, `{"count":99999999999999999999}`, 422, []string{"out_of_range count"}},
			{"a text", path, object{"count": "3"}, 422, []string{"invalid_type count"}},
			{"half a visit", path, object{"count": 1.5}, 422, []string{"invalid_type count"}},
			{"something else", path, object{"count": 1, "from": "google"}, 422, []string{"unknown_field from"}},
			{"an item that is not there", "/operator/items/99/visits", object{"count": 1}, 404, []string{"item_not_found"}},
			{"an item that cannot be", "/operator/items/x/visits", object{"count": 1}, 404, []string{"item_not_found"}},
		} {
			t.Run(test.name, func(t *testing.T) {
				got := w.DoOperator(t, servertest.Request{Path: test.path, Body: test.body})
				if diff := cmp.Diff(test.codes, got.Codes()); diff != "" || got.Status != test.status {
					t.Errorf("%d instead of %d, codes (-want +got):\n%s", got.Status, test.status, diff)
				}
			})
		}
		if n := w.Count(t, "items", "visit_count = 0"); n != 1 {
			t.Error("refused visits were counted")
		}
	})
}

func TestVisitsEndWhereNumbersAreNoLongerExact(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice())
		if err := w.Store.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
			return tx.Item.Update().SetVisitCount(1<<53 - 2).Exec(ctx)
		}); err != nil {
			t.Fatal(err)
		}
		visit(t, w, item, 1)
		got := w.DoOperator(t, servertest.Request{Path: "/operator/items/" + item + "/visits", Body: object{"count": 1}})
		if diff := cmp.Diff([]string{"out_of_range count"}, got.Codes()); diff != "" {
			t.Errorf("one visit too many (-want +got):\n%s", diff)
		}
	})
}
