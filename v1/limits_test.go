package v1_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// storeHeaders are the X-StoreLimit headers in short: "used/limit/remaining used today/limit/remaining".
func storeHeaders(r servertest.Response) string {
	h := r.Header
	daily, _ := strconv.Atoi(h.Get("X-StoreLimit-Daily-Limit"))
	left, _ := strconv.Atoi(h.Get("X-StoreLimit-Daily-Remaining"))
	return h.Get("X-StoreLimit-Used") + "/" + h.Get("X-StoreLimit-Limit") + "/" + h.Get("X-StoreLimit-Remaining") + " " +
		strconv.Itoa(daily-left) + "/" + strconv.Itoa(daily) + "/" + strconv.Itoa(left)
}

// rateHeaders are Limit, Remaining, Reset (as seconds from now) and Reset-After.
func rateHeaders(w *servertest.World, r servertest.Response) []string {
	h := r.Header
	reset, _ := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64)
	return []string{
		h.Get("X-RateLimit-Limit"), h.Get("X-RateLimit-Remaining"), strconv.FormatInt(reset-w.Clock.Now().Unix(), 10), h.Get("X-RateLimit-Reset-After"),
	}
}

func TestTheRateLimit(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		read := func(key string) servertest.Response {
			return w.Do(t, servertest.Request{Path: "/v1/account/limits", Key: key})
		}
		first := read("")
		if diff := cmp.Diff([]string{"180", "179", "1", "1"}, rateHeaders(w, first)); diff != "" {
			t.Errorf("after one request (-want +got):\n%s", diff)
		}
		for range 178 {
			read("")
		}
		last := read("")
		if diff := cmp.Diff([]string{"180", "0", "60", "60"}, rateHeaders(w, last)); diff != "" || last.Status != http.StatusOK {
			t.Errorf("the 180th request answers %d (-want +got):\n%s", last.Status, diff)
		}
		over := read("")
		if diff := cmp.Diff([]string{"rate_limited"}, over.Codes()); diff != "" || over.Status != http.StatusTooManyRequests {
			t.Errorf("the 181st request answers %d (-want +got):\n%s", over.Status, diff)
		}
		if diff := cmp.Diff([]string{"180", "0", "60", "60"}, rateHeaders(w, over)); diff != "" || over.Header.Get("Retry-After") != "1" {
			t.Errorf("Retry-After %q (-want +got):\n%s", over.Header.Get("Retry-After"), diff)
		}
		publish := w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice()})
		if publish.Status != http.StatusTooManyRequests || publish.Header.Get("X-StoreLimit-Used") != "0" {
			t.Errorf("a publish request over the limit: %d, used %q", publish.Status, publish.Header.Get("X-StoreLimit-Used"))
		}
		if second := read(w.NewKey(t, w.Account, "test")); second.Status != http.StatusTooManyRequests {
			t.Errorf("another key of the same account and mode: %d", second.Status)
		}
		if live := read(w.LiveKey); live.Header.Get("X-RateLimit-Remaining") != "179" {
			t.Errorf("the other mode has %s requests left", live.Header.Get("X-RateLimit-Remaining"))
		}
		w.Clock.Advance(time.Minute)
		if fresh := read(""); fresh.Header.Get("X-RateLimit-Remaining") != "179" {
			t.Errorf("after a minute %s requests are left", fresh.Header.Get("X-RateLimit-Remaining"))
		}
	}, func(c *v1.Config) { c.RateLimit = v1.DefaultRateLimit })
}

func TestLimitsOfZeroAreOff(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t), func(c *v1.Config) { c.RateLimit, c.OpenItems, c.NewItemsPerDay = 0, 0, 0 })
	for range 250 {
		if got := w.Do(t, servertest.Request{Path: "/v1/account/limits"}); got.Status != http.StatusOK {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
	}
	got := w.Do(t, servertest.Request{Path: "/v1/item-batches", Body: object{"items": listings(100)}})
	if answer := servertest.Into[batchAnswer](t, got); answer.AcceptedCount != 100 {
		t.Errorf("%d accepted", answer.AcceptedCount)
	}
	for header, want := range map[string]string{
		"X-RateLimit-Limit": "0", "X-RateLimit-Remaining": "", "X-StoreLimit-Limit": "0", "X-StoreLimit-Used": "100", "X-StoreLimit-Remaining": "",
		"X-StoreLimit-Daily-Limit": "0", "X-StoreLimit-Daily-Remaining": "",
	} {
		if got := got.Header.Get(header); got != want {
			t.Errorf("%s: %q instead of %q", header, got, want)
		}
	}
}

func TestTheStoreLimit(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id := w.List(t, servertest.FixedPrice())
		pending := w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice()})
		if diff := cmp.Diff("2/2/0 2/10/8", storeHeaders(pending)); diff != "" {
			t.Errorf("an open item and a pending submission (-want +got):\n%s", diff)
		}
		full := w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice()})
		if diff := cmp.Diff([]string{"store_limit_reached"}, full.Codes()); diff != "" || full.Status != http.StatusConflict {
			t.Errorf("%d (-want +got):\n%s", full.Status, diff)
		}
		if diff := cmp.Diff("2/2/0 2/10/8", storeHeaders(full)); diff != "" {
			t.Errorf("a refusal is not charged (-want +got):\n%s", diff)
		}
		if live := w.Do(t, servertest.Request{Path: "/v1/items", Key: w.LiveKey, Body: servertest.FixedPrice()}); storeHeaders(live) != "1/2/1 1/10/9" {
			t.Errorf("the other mode: %d %s", live.Status, storeHeaders(live))
		}
		w.Do(t, servertest.Request{Path: "/v1/items/" + id + "/close", Body: object{}})
		after := w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice()})
		if diff := cmp.Diff("2/2/0 3/10/7", storeHeaders(after)); diff != "" || after.Status != http.StatusAccepted {
			t.Errorf("after an item was closed: %d (-want +got):\n%s", after.Status, diff)
		}
		limits := servertest.Into[object](t, w.Do(t, servertest.Request{Path: "/v1/account/limits"}))
		if diff := cmp.Diff(object{"limit": 2.0, "used": 2.0, "remaining": 0.0}, limits["open_items"]); diff != "" {
			t.Errorf("open_items (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(object{"limit": 10.0, "used": 3.0, "remaining": 7.0, "reset_at": "2026-11-22T00:00:00Z"}, limits["new_items_per_day"]); diff != "" {
			t.Errorf("new_items_per_day (-want +got):\n%s", diff)
		}
	}, func(c *v1.Config) { c.OpenItems, c.NewItemsPerDay = 2, 10 })
}

func TestTheDailyLimitEndsAtMidnight(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		submit := func() servertest.Response {
			return w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice()})
		}
		submit()
		submit()
		over := submit()
		if diff := cmp.Diff([]string{"daily_item_limit_reached"}, over.Codes()); diff != "" || over.Status != http.StatusTooManyRequests {
			t.Errorf("%d (-want +got):\n%s", over.Status, diff)
		}
		midnight := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
		if want, got := strconv.FormatInt(midnight.Unix(), 10), over.Header.Get("X-StoreLimit-Daily-Reset"); got != want {
			t.Errorf("Daily-Reset %s instead of %s", got, want)
		}
		if got := over.Header.Get("Retry-After"); got != "43200" {
			t.Errorf("Retry-After %s instead of 43200", got)
		}
		w.Clock.Advance(12*time.Hour - time.Second)
		if early := submit(); early.Status != http.StatusTooManyRequests || early.Header.Get("Retry-After") != "1" {
			t.Errorf("a second before midnight: %d, Retry-After %s", early.Status, early.Header.Get("Retry-After"))
		}
		w.Clock.Advance(time.Second)
		if late := submit(); late.Status != http.StatusAccepted || storeHeaders(late) != "3/100000/99997 1/2/1" {
			t.Errorf("at midnight: %d %s", late.Status, storeHeaders(late))
		}
	}, func(c *v1.Config) { c.NewItemsPerDay = 2 })
}

func TestStoreHeadersAreOnEveryPublishAnswer(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t), func(c *v1.Config) { c.RateLimit = v1.DefaultRateLimit })
	id := w.List(t, servertest.FixedPrice())
	for _, test := range []struct {
		name    string
		request servertest.Request
		status  int
	}{
		{"a success", servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice()}, 202},
		{"a wrong item", servertest.Request{Path: "/v1/items", Body: object{}}, 422},
		{"malformed JSON", servertest.Request{Path: "/v1/items", Body: "{"}, 400},
		{"a wrong media type", servertest.Request{Path: "/v1/items", Body: "{}", Header: map[string]string{"Content-Type": "text/plain"}}, 415},
		{"too large a body", servertest.Request{Path: "/v1/items", Body: padded(2<<20 + 1)}, 413},
		{"a batch", servertest.Request{Path: "/v1/item-batches", Body: object{"items": listings(2)}}, 202},
		{"an empty batch", servertest.Request{Path: "/v1/item-batches", Body: object{}}, 422},
		{"a restart that is refused", servertest.Request{Path: "/v1/items/" + id + "/restart", Body: object{}}, 409},
		{"a restart of nothing", servertest.Request{Path: "/v1/items/5/restart", Body: object{}}, 404},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := w.Do(t, test.request)
			if got.Status != test.status {
				t.Errorf("%d instead of %d: %s", got.Status, test.status, got.Body)
			}
			for _, name := range []string{
				"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-RateLimit-Reset-After", "X-StoreLimit-Limit", "X-StoreLimit-Used",
				"X-StoreLimit-Remaining", "X-StoreLimit-Daily-Limit", "X-StoreLimit-Daily-Remaining", "X-StoreLimit-Daily-Reset",
			} {
				if got.Header.Get(name) == "" {
					t.Errorf("no %s", name)
				}
			}
		})
	}
	t.Run("a refused key learns nothing", func(t *testing.T) {
		got := w.Do(t, servertest.Request{Path: "/v1/items", Body: object{}, Key: "none"})
		if got.Header.Get("X-StoreLimit-Limit") != "" || got.Header.Get("X-RateLimit-Limit") != "" {
			t.Errorf("headers of a 401: %v", got.Header)
		}
	})
	t.Run("a read says nothing of the store", func(t *testing.T) {
		got := w.Do(t, servertest.Request{Path: "/v1/items/" + id})
		if got.Header.Get("X-StoreLimit-Limit") != "" || got.Header.Get("X-RateLimit-Limit") == "" {
			t.Errorf("headers of a read: %v", got.Header)
		}
	})
}
