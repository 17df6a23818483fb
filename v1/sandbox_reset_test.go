package v1_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/accounts"
	"sellerd/v1/core"
)

// resetAnswer is what a reset and GET /v1/account say of a sandbox.
type resetAnswer struct {
	Resetting bool    `json:"resetting"`
	ResetAt   *string `json:"reset_at"`
}

// reset asks for a clean sandbox.
func reset(t *testing.T, w *servertest.World, idempotencyKey string) servertest.Response {
	t.Helper()
	r := servertest.Request{Method: "POST", Path: "/v1/test/reset"}
	if idempotencyKey != "" {
		r.Header = map[string]string{"Idempotency-Key": idempotencyKey}
	}
	got := w.Do(t, r)
	if got.Status != http.StatusAccepted {
		t.Fatalf("reset: %d %s", got.Status, got.Body)
	}
	return got
}

// removeAll lets the worker remove what resets have left.
func removeAll(t *testing.T, service *v1.Service) {
	t.Helper()
	for {
		n, err := service.ResetOnce(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return
		}
	}
}

func sandboxOf(t *testing.T, w *servertest.World) resetAnswer {
	t.Helper()
	return servertest.Into[struct {
		Sandbox resetAnswer `json:"sandbox"`
	}](t, w.Do(t, servertest.Request{Path: "/v1/account"})).Sandbox
}

// storeLife makes some of everything that a seller can have with the key in use: items in many states, submissions, batches,
// bids, sales, bills, ratings, trackings, events, deliveries, stored answers and buyers.
func storeLife(t *testing.T, w *servertest.World, name string, batches int) {
	t.Helper()
	requests := 0
	post := func(want int, path string, body any) object {
		t.Helper()
		requests++
		r := w.Do(t, servertest.Request{Method: "POST", Path: path, Body: body, Header: map[string]string{"Idempotency-Key": fmt.Sprintf("%s-%d", name, requests)}})
		if r.Status != want {
			t.Fatalf("POST %s: %d %s", path, r.Status, r.Body)
		}
		return servertest.Into[object](t, r)
	}
	post(201, "/v1/webhooks", object{"url": "https://hooks.example.com/" + name})
	for n := range batches {
		items := make([]any, v1.MaxBatch)
		for i := range items {
			items[i] = servertest.FixedPrice(object{"title": fmt.Sprintf("%s %d %d", name, n, i), "personal_reference": fmt.Sprintf("%s-%d", name, i)})
		}
		post(202, "/v1/item-batches", object{"items": items})
	}
	w.Publish(t)
	auction, lot := w.List(t, servertest.Auction()), w.List(t, servertest.FixedPrice(object{"quantity": 100}))
	post(202, "/v1/items", servertest.FixedPrice(object{"images": []any{"https://outcome.test/image_unreachable.jpg"}})) // rejected
	w.Publish(t)
	if strings.HasPrefix(w.Key, "dk_test_") {
		post(200, "/v1/test/items/"+auction+"/bids", nil)
		sale := post(200, "/v1/test/items/"+lot+"/purchase", nil)
		post(201, "/v1/sales/"+sale["id"].(string)+"/rating", object{"score": 100, "comment": "quick"})
		bill := "bills/" + sale["bill_id"].(string)
		post(200, "/v1/test/"+bill+"/invoice", nil)
		post(200, "/v1/test/"+bill+"/pay", nil)
		post(201, "/v1/"+bill+"/trackings", object{"delivery_service_id": "104", "number": "6A01234567891"})
	} else {
		operate(t, w, 200, "/operator/items/"+lot+"/purchases", object{"buyer": buyerCarl()})
	}
	deliverAll(t, w.Service)
	post(200, "/v1/items/"+lot+"/close", nil) // its event waits
	post(202, "/v1/items", servertest.FixedPrice(object{"title": "still pending"}))
}

func deliverAll(t *testing.T, service *v1.Service) {
	t.Helper()
	for {
		n, err := service.DeliverOnce(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return
		}
	}
}

// keptOf are the tables whose rows stay in a reset, owned or not.
var keptOf = []string{"accounts", "api_keys", "legacy_drills", "legacy_keys", "legacy_usage", "legacy_uses", "successor_usage", "webhooks", "shipping_models", "owners", "number_ranges", "rate_windows", "secret_fingerprints"}

// withoutSandbox is a dump without the rows that a reset of an owner removes.
func withoutSandbox(before map[string][]string, owner v1.Owner) map[string][]string {
	out := map[string][]string{}
	for table, rows := range before {
		out[table] = slices.DeleteFunc(slices.Clone(rows), func(row string) bool {
			row = " " + row + " "
			return !slices.Contains(keptOf, table) && (strings.Contains(row, fmt.Sprintf(" owner=%d ", owner)) || strings.Contains(row, fmt.Sprintf(" scope=%d ", owner)) ||
				strings.HasPrefix(row, " id="+core.AnswersBegin(int64(owner))))
		})
		if len(out[table]) == 0 {
			delete(out, table)
		}
	}
	return out
}

// publicReceiver answers webhooks in the place of the network.
type publicReceiver func(*http.Request)

func (f publicReceiver) RoundTrip(r *http.Request) (*http.Response, error) {
	if f != nil {
		f(r)
	}
	return &http.Response{StatusCode: 200, Proto: "HTTP/1.1", Header: http.Header{}, Body: io.NopCloser(strings.NewReader("")), Request: r}, nil
}

func received(f func(*http.Request)) servertest.Option {
	return func(c *v1.Config) { c.Webhooks = &http.Client{Transport: publicReceiver(f)} }
}

func TestResetRemovesTheTestDataOfOneAccount(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		annas := w.Key
		_, bobs, bobsLive := w.Seller(t, "bob")
		for _, of := range []struct{ key, name string }{{w.LiveKey, "annas-live"}, {bobs, "bobs"}, {bobsLive, "bobs-live"}} {
			w.Key = of.key
			storeLife(t, w, of.name, 1)
		}
		w.Key = annas
		storeLife(t, w, "annas", 12)
		owner := v1.OwnerOf(w.Account, true)
		firstBill := servertest.Into[v1.Page[object]](t, w.Do(t, servertest.Request{Path: "/v1/bills"})).Results[0]["number"]
		before := w.Dump(t, nil)

		answer := reset(t, w, "")
		if diff := cmp.Diff(resetAnswer{Resetting: true}, servertest.Into[resetAnswer](t, answer)); diff != "" {
			t.Errorf("the answer (- want, + got):\n%s", diff)
		}
		if diff := cmp.Diff(resetAnswer{Resetting: true}, sandboxOf(t, w)); diff != "" {
			t.Errorf("the account meanwhile (- want, + got):\n%s", diff)
		}
		for _, request := range []servertest.Request{
			{Path: "/v1/items", Body: servertest.FixedPrice()},
			{Path: "/v1/item-batches", Body: object{"items": []any{servertest.FixedPrice()}}},
			{Path: "/v1/webhooks", Body: object{"url": "https://hooks.example.com/more"}},
		} {
			refused := w.Do(t, request)
			if diff := cmp.Diff([]string{"service_unavailable"}, refused.Codes()); diff != "" || refused.Header.Get("Retry-After") != "1" {
				t.Errorf("POST %s meanwhile: %d %s", request.Path, refused.Status, refused.Body)
			}
		}
		if read := w.Do(t, servertest.Request{Path: "/v1/items"}); read.Status != 200 {
			t.Errorf("a read meanwhile: %d %s", read.Status, read.Body)
		}
		w.Clock.Advance(3 * time.Second)
		removeAll(t, w.Service)

		at := servertest.Start.Add(3 * time.Second).Format(time.RFC3339)
		if got := sandboxOf(t, w); got.Resetting || got.ResetAt == nil || !strings.HasPrefix(*got.ResetAt, at[:len(at)-1]) {
			t.Errorf("the account afterwards: %+v", got)
		}
		want, got := withoutSandbox(before, owner), withoutSandbox(w.Dump(t, nil), -1)
		ignoreOwnersOf(want, got, owner)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("what is left (- want, + got):\n%s", diff)
		}
		limits := servertest.Into[struct {
			OpenItems accounts.UsedLimit `json:"open_items"`
			Webhooks  accounts.UsedLimit `json:"webhooks"`
			Daily     accounts.UsedLimit `json:"new_items_per_day"`
		}](t, w.Do(t, servertest.Request{Path: "/v1/account/limits"}))
		if limits.OpenItems.Used != 0 || limits.Webhooks.Used != 1 || limits.Daily.Used != 12*v1.MaxBatch+4 {
			t.Errorf("the limits afterwards: %+v", limits)
		}
		storeLife(t, w, "again", 1) // as on the first day
		bills := servertest.Into[v1.Page[object]](t, w.Do(t, servertest.Request{Path: "/v1/bills"}))
		if len(bills.Results) != 1 || bills.Results[0]["number"] != firstBill {
			t.Errorf("the bills afterwards are %v, want one with the number %s", bills, firstBill)
		}
	}, received(nil))
}

// ignoreOwnersOf compares the rows of one owner, and the instants of the last use of keys, not at all: their counters are compared by what
// callers see.
func ignoreOwnersOf(want, got map[string][]string, owner v1.Owner) {
	for _, tables := range []map[string][]string{want, got} {
		tables["owners"] = slices.DeleteFunc(tables["owners"], func(row string) bool { return strings.HasPrefix(row, fmt.Sprintf("id=%d ", owner)) })
	}
}

func TestResetIsDoneOnceUnderAKey(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.List(t, servertest.FixedPrice())
		first := reset(t, w, "clean")
		removeAll(t, w.Service)
		item := w.List(t, servertest.FixedPrice())
		again := reset(t, w, "clean")
		if again.Header.Get("Idempotent-Replayed") != "true" || again.Body != first.Body {
			t.Errorf("repeated: %v %s", again.Header, again.Body)
		}
		removeAll(t, w.Service)
		if r := w.Do(t, servertest.Request{Path: "/v1/items/" + item}); r.Status != 200 {
			t.Errorf("an item from after the reset: %d", r.Status)
		}
		reset(t, w, "clean-2")
		removeAll(t, w.Service)
		if r := w.Do(t, servertest.Request{Path: "/v1/items/" + item}); r.Status != 404 {
			t.Errorf("after another reset: %d", r.Status)
		}
		if n := w.Count(t, "idempotency_keys", "1 = 1"); n != 1 {
			t.Errorf("%d stored answers are left, want that of the last reset", n)
		}
	})
}

func TestResetIsForTestKeysOnly(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		got := w.Do(t, servertest.Request{Method: "POST", Path: "/v1/test/reset", Key: w.LiveKey})
		if diff := cmp.Diff([]string{"test_key_only"}, got.Codes()); diff != "" {
			t.Error(diff)
		}
		live := servertest.Into[object](t, w.Do(t, servertest.Request{Path: "/v1/account", Key: w.LiveKey}))
		if sandbox, ok := live["sandbox"]; !ok || sandbox != nil {
			t.Errorf("the sandbox of a live key is %v", sandbox)
		}
	})
}
