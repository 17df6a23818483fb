package v1_test

import (
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/hooks"
	"sellerd/v1/trade"
)

// idPage is a page of objects with ids.
type idPage struct {
	Results []struct {
		ID string `json:"id"`
	} `json:"results"`
	NextCursor *string `json:"next_cursor"`
}

// idsOf walks through a list by pages.
func idsOf(t *testing.T, w *servertest.World, path, query string) (ids []string, pages int) {
	t.Helper()
	for after := ""; ; {
		r := w.Do(t, servertest.Request{Path: path + "?" + query + after})
		if r.Status != http.StatusOK {
			t.Fatalf("GET %s: %d %s", path, r.Status, r.Body)
		}
		pages++
		page := servertest.Into[idPage](t, r)
		for _, row := range page.Results {
			ids = append(ids, row.ID)
		}
		if page.NextCursor == nil {
			return ids, pages
		}
		after = "&after=" + url.QueryEscape(*page.NextCursor)
	}
}

// makeShortLists fills the lists that are read whole, and returns their paths.
func makeShortLists(t *testing.T, w *servertest.World) (paths []string) {
	t.Helper()
	m := market{t, w, w.Key}
	bill := m.paidBill().ID
	for n := range 5 {
		m.tracked(bill, colissimo(n))
		w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: object{"url": fmt.Sprintf("https://example.com/%d", n)}})
		newModel(t, w, object{"name": fmt.Sprintf("Model %d", n)})
	}
	return []string{"/v1/webhooks", "/v1/bills/" + bill + "/trackings", "/v1/shipping-models", "/v1/delivery-services"}
}

func TestShortListsHavePages(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		cursors := map[string]string{}
		for _, path := range makeShortLists(t, w) {
			whole, pages := idsOf(t, w, path, "")
			if pages != 1 || len(whole) < 5 {
				t.Errorf("%s: %d rows on %d pages", path, len(whole), pages)
			}
			for _, limit := range []int{1, 2, len(whole) - 1, len(whole), 200} {
				got, pages := idsOf(t, w, path, fmt.Sprintf("limit=%d", limit))
				if diff := cmp.Diff(whole, got); diff != "" || pages != (len(whole)+limit-1)/limit {
					t.Errorf("%s by %d on %d pages (-want +got):\n%s", path, limit, pages, diff)
				}
			}
			for _, limit := range []string{"0", "201", "x"} {
				if got := w.Do(t, servertest.Request{Path: path + "?limit=" + limit}); cmp.Diff([]string{"invalid_parameter limit"}, got.Codes()) != "" {
					t.Errorf("%s, limit %s: %d %s", path, limit, got.Status, got.Body)
				}
			}
			if got := w.Do(t, servertest.Request{Path: path + "?after=nonsense"}); cmp.Diff([]string{"invalid_cursor after"}, got.Codes()) != "" {
				t.Errorf("%s with a damaged cursor: %d %s", path, got.Status, got.Body)
			}
			cursors[path] = *servertest.Into[idPage](t, w.Do(t, servertest.Request{Path: path + "?limit=1"})).NextCursor
		}
		for path := range cursors {
			for other, cursor := range cursors {
				want := []string{"cursor_mismatch after"}
				if other == path {
					want = []string{}
				}
				if diff := cmp.Diff(want, w.Do(t, servertest.Request{Path: path + "?after=" + cursor}).Codes()); diff != "" {
					t.Errorf("%s with the cursor of %s (-want +got):\n%s", path, other, diff)
				}
			}
		}
		services := "/v1/delivery-services?country=FR,BE&limit=1"
		cursor := *servertest.Into[idPage](t, w.Do(t, servertest.Request{Path: services})).NextCursor
		for query, want := range map[string][]string{"country=BE&country=FR": {}, "country=BE": {"cursor_mismatch after"}} {
			if diff := cmp.Diff(want, w.Do(t, servertest.Request{Path: "/v1/delivery-services?" + query + "&after=" + cursor}).Codes()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", query, diff)
			}
		}
	})
}

// TestAWalkThroughAShortListKeepsItsPlace removes the row at which the cursor stands, and adds one at the end.
func TestAWalkThroughAShortListKeepsItsPlace(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		makeShortLists(t, w)
		whole, _ := idsOf(t, w, "/v1/webhooks", "")
		first := servertest.Into[idPage](t, w.Do(t, servertest.Request{Path: "/v1/webhooks?limit=2"}))
		w.Do(t, servertest.Request{Method: "DELETE", Path: "/v1/webhooks/" + whole[1]})
		w.Do(t, servertest.Request{Method: "DELETE", Path: "/v1/webhooks/" + whole[2]})
		added := servertest.Into[object](t, w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: object{"url": "https://example.com/added"}}))
		got, _ := idsOf(t, w, "/v1/webhooks", "limit=200&after="+*first.NextCursor)
		if diff := cmp.Diff(append(whole[3:5:5], added["id"].(string)), got); diff != "" {
			t.Errorf("the rest of the walk (-want +got):\n%s", diff)
		}
	})
}

func TestATaggedShortListHasATagForEachPage(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		makeShortLists(t, w)
		for _, path := range []string{"/v1/shipping-models", "/v1/delivery-services"} {
			whole, page := w.Do(t, servertest.Request{Path: path}), w.Do(t, servertest.Request{Path: path + "?limit=2"})
			if a, b := whole.Header.Get("ETag"), page.Header.Get("ETag"); a == "" || b == "" || a == b {
				t.Errorf("%s: the tags are %s and %s", path, a, b)
			}
			again := w.Do(t, servertest.Request{Path: path + "?limit=2", Header: map[string]string{"If-None-Match": page.Header.Get("ETag")}})
			if again.Status != http.StatusNotModified {
				t.Errorf("%s, not modified: %d", path, again.Status)
			}
		}
	})
}

// TestLocationsLeadSomewhere follows the Location of every operation that returns one: GET answers 200 with the object.
func TestLocationsLeadSomewhere(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := market{t, w, w.Key}
		bill := m.paidBill()
		hook := servertest.Into[object](t, w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: object{"url": "https://example.com/first"}}))["id"].(string)
		tried := servertest.Into[object](t, w.Do(t, servertest.Request{Method: "POST", Path: "/v1/webhooks/" + hook + "/test"}))["id"].(string)
		requests := map[*v1.Operation]servertest.Request{
			v1.SubmitItem.Operation:     {Path: "/v1/items", Body: servertest.FixedPrice()},
			v1.SubmitBatch.Operation:    {Path: "/v1/item-batches", Body: object{"items": []any{servertest.FixedPrice()}}},
			v1.RateBuyer.Operation:      {Path: "/v1/sales/" + bill.Sales[0].ID + "/rating", Body: object{"score": 100}},
			trade.AddTracking.Operation: {Path: "/v1/bills/" + bill.ID + "/trackings", Body: colissimo(1)},
			v1.CreateWebhook.Operation:  {Path: "/v1/webhooks", Body: object{"url": "https://example.com/second"}},
			v1.TestWebhook.Operation:    {Method: "POST", Path: "/v1/webhooks/" + hook + "/test"},
			hooks.Redeliver.Operation:   {Method: "POST", Path: "/v1/webhook-deliveries/" + tried + "/redeliver"},
		}
		requests[v1.CreateLegacyDrill.Operation] = servertest.Request{Path: "/v1/account/legacy-drills", Body: anyDrill(w)}
		for _, o := range v1.Operations {
			request, known := requests[o]
			if known != o.Locates || o.Status == http.StatusCreated && !o.Locates && !o.OnKey { // a key has no address
				t.Errorf("%s returns a Location: %t; the test knows a request: %t", o.Name, o.Locates, known)
			}
			if !known {
				continue
			}
			request.Header = map[string]string{"Idempotency-Key": o.Name}
			made := w.Do(t, request)
			location := made.Header.Get("Location")
			if made.Status != o.Status || location == "" {
				t.Fatalf("%s: %d, Location %q, %s", o.Name, made.Status, location, made.Body)
			}
			if again := w.Do(t, request); again.Header.Get("Location") != location {
				t.Errorf("%s repeated: Location %q", o.Name, again.Header.Get("Location"))
			}
			found := w.Do(t, servertest.Request{Path: location})
			if found.Status != http.StatusOK || found.Header.Get("ETag") == "" {
				t.Errorf("%s: GET %s answers %d %s", o.Name, location, found.Status, found.Body)
				continue
			}
			want, got := servertest.Into[object](t, made), servertest.Into[object](t, found)
			if want["id"] != got["id"] {
				t.Errorf("%s: %s has the id %v, want %v", o.Name, location, got["id"], want["id"])
			}
			if tag := made.Header.Get("ETag"); tag != "" && tag != found.Header.Get("ETag") {
				t.Errorf("%s: the tag is %s, and that of %s is %s", o.Name, tag, location, found.Header.Get("ETag"))
			}
			_, others, _ := w.Seller(t, "other-"+o.Name)
			if r := w.Do(t, servertest.Request{Path: location, Key: others}); r.Status != http.StatusNotFound {
				t.Errorf("%s: another seller gets %d", location, r.Status)
			}
			if r := w.Do(t, servertest.Request{Path: location, Key: w.LiveKey}); r.Status != http.StatusNotFound {
				t.Errorf("%s: in live mode it is %d", location, r.Status)
			}
		}
	})
}

func TestABillHasAtMostAHundredTrackings(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := market{t, w, w.Key}
		bill := m.paidBill().ID
		for n := range v1.MaxTrackings - 10 {
			m.tracked(bill, colissimo(n))
		}
		var adders sync.WaitGroup
		var mu sync.Mutex
		answers := map[string]int{}
		for n := range 30 {
			adders.Go(func() {
				r := m.track(bill, colissimo(1000+n))
				mu.Lock()
				defer mu.Unlock()
				answers[fmt.Sprint(r.Status, r.Codes())]++
			})
		}
		adders.Wait()
		if diff := cmp.Diff(map[string]int{"201 []": 10, "409 [tracking_limit_reached]": 20}, answers); diff != "" {
			t.Errorf("thirty at once (-want +got):\n%s", diff)
		}
		refused := m.send(bill, object{"trackings": []any{colissimo(5000)}})
		if diff := cmp.Diff([]string{"tracking_limit_reached"}, refused.Codes()); diff != "" || refused.Errors[0].Details["limit"] != float64(v1.MaxTrackings) {
			t.Errorf("sent with one more: %d %s", refused.Status, refused.Body)
		}
		trackings := m.trackings(bill)
		if len(trackings) != v1.MaxTrackings {
			t.Errorf("the bill has %d trackings", len(trackings))
		}
		m.ok(m.remove(bill, trackings[0].ID))
		if diff := cmp.Diff([]string{"tracking_limit_reached"}, m.send(bill, object{"trackings": []any{colissimo(5000), colissimo(5001)}}).Codes()); diff != "" {
			t.Errorf("sent with two more (-want +got):\n%s", diff)
		}
		m.ok(m.send(bill, object{"trackings": []any{colissimo(5000)}}))
	})
}

func TestAReferenceWithACommaCanBeAskedFor(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		comma := w.List(t, servertest.FixedPrice(object{"personal_reference": "A,B"}))
		a, b := w.List(t, servertest.FixedPrice(object{"personal_reference": "A"})), w.List(t, servertest.FixedPrice(object{"personal_reference": "B"}))
		for query, want := range map[string][]string{
			"exact_reference=A,B":        {comma},
			"exact_reference=A%2CB":      {comma},
			"exact_reference=A":          {a},
			"exact_reference=C":          nil,
			"personal_reference=A,B":     {a, b},
			"exact_reference=A,B&q=none": nil,
		} {
			got, _ := idsOf(t, w, "/v1/items", query)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", query, diff)
			}
		}
		for query, want := range map[string][]string{
			"exact_reference=A&personal_reference=A": {"conflicting_fields exact_reference"},
			"exact_reference=A&exact_reference=B":    {"invalid_parameter exact_reference"},
			"exact_reference=":                       {"invalid_parameter exact_reference"},
		} {
			if diff := cmp.Diff(want, w.Do(t, servertest.Request{Path: "/v1/items?" + query}).Codes()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", query, diff)
			}
		}
	})
}
