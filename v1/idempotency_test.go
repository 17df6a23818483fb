package v1_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

func TestARepeatedRequestIsAnsweredAgainAndDoneOnce(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for _, test := range []struct {
			name, path string
			body       any
		}{
			{"an item", "/v1/items", servertest.FixedPrice(object{"personal_reference": "é\"<"})},
			{"a batch with errors", "/v1/item-batches", object{"items": []any{servertest.FixedPrice(), object{"title": 5}, servertest.Auction()}}},
		} {
			t.Run(test.name, func(t *testing.T) {
				first := w.Do(t, servertest.Keyed("key of "+test.name[:1], test.path, test.body))
				if first.Status != http.StatusBadRequest {
					t.Errorf("a key with a space: %d", first.Status)
				}
				first = w.Do(t, servertest.Keyed("key-"+test.path, test.path, test.body))
				if first.Status != http.StatusAccepted || first.Header.Get("Idempotent-Replayed") != "" {
					t.Fatalf("%d %s", first.Status, first.Body)
				}
				before := footprint(t, w)
				remaining := w.Do(t, servertest.Request{Path: "/v1/account"}).Header.Get("X-RateLimit-Remaining")
				again := w.Do(t, servertest.Keyed("key-"+test.path, test.path, test.body))
				if again.Status != first.Status || again.Header.Get("Idempotent-Replayed") != "true" || again.Header.Get("Location") != first.Header.Get("Location") {
					t.Errorf("replay: %d %v", again.Status, again.Header)
				}
				if diff := cmp.Diff(first.Body, again.Body); diff != "" {
					t.Errorf("replay (-first +again):\n%s", diff)
				}
				if again.Header.Get("X-RateLimit-Remaining") != remaining {
					t.Errorf("the replay was charged: %s requests left instead of %s", again.Header.Get("X-RateLimit-Remaining"), remaining)
				}
				if storeHeaders(again) != storeHeaders(first) {
					t.Errorf("store headers %s after %s", storeHeaders(again), storeHeaders(first))
				}
				if diff := cmp.Diff(before, footprint(t, w)); diff != "" {
					t.Errorf("the replay left something (-before +after):\n%s", diff)
				}
			})
		}
		t.Run("an action", func(t *testing.T) {
			id := w.List(t, servertest.FixedPrice())
			first := w.Do(t, servertest.Keyed("close", "/v1/items/"+id+"/close", object{"reason": "test"}))
			again := w.Do(t, servertest.Keyed("close", "/v1/items/"+id+"/close", object{"reason": "test"}))
			if diff := cmp.Diff(first.Body, again.Body); diff != "" || first.Status != http.StatusOK {
				t.Errorf("%d (-first +again):\n%s", first.Status, diff)
			}
		})
	}, func(c *v1.Config) { c.RateLimit = v1.DefaultRateLimit })
}

func TestWhichRequestsAreTheSame(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		body := `{"title":"Ceres","category_id":"1010101","sale_type":"fixed_price","price":{"amount":"45.00","currency":"EUR"},"quantity":1}`
		first := w.Do(t, servertest.Keyed("k", "/v1/items", body))
		if first.Status != http.StatusAccepted {
			t.Fatalf("%d %s", first.Status, first.Body)
		}
		rotated := w.NewKey(t, w.Account, "test")
		_, otherKey, _ := w.Seller(t, "bert")
		with := func(r servertest.Request, key string) servertest.Request { r.Key = key; return r }
		for _, test := range []struct {
			name    string
			request servertest.Request
			want    string // replay, fresh or an error's code
		}{
			{"the same body", servertest.Keyed("k", "/v1/items", body), "replay"},
			{"the same body with other spelling", servertest.Keyed("k", "/v1/items",
				"{\n \"quantity\" : 1.0, \"price\":{\"currency\":\"EUR\",\"amount\":\"45.00\"},\"sale_type\":\"fixed_price\",\"category_id\":\"1010101\",\"title\":\"\\u0043eres\" }"), "replay"},
			{"a quoted key", servertest.Keyed(`"k"`, "/v1/items", body), "replay"},
			{"another API key of the account", with(servertest.Keyed("k", "/v1/items", body), rotated), "replay"},
			{"another title", servertest.Keyed("k", "/v1/items", strings.Replace(body, "Ceres", "Cérès", 1)), "idempotency_key_reused Idempotency-Key"},
			{"a wrong body", servertest.Keyed("k", "/v1/items", "{}"), "idempotency_key_reused Idempotency-Key"},
			{"another route", servertest.Keyed("k", "/v1/item-batches", body), "idempotency_key_reused Idempotency-Key"},
			{"another case of the key", servertest.Keyed("K", "/v1/items", body), "fresh"},
			{"the other mode", with(servertest.Keyed("k", "/v1/items", body), w.LiveKey), "fresh"},
			{"another seller", with(servertest.Keyed("k", "/v1/items", body), otherKey), "fresh"},
		} {
			t.Run(test.name, func(t *testing.T) {
				got := w.Do(t, test.request)
				outcome := "fresh"
				switch {
				case got.Errors != nil:
					outcome = got.Codes()[0]
				case got.Header.Get("Idempotent-Replayed") == "true" && got.Body == first.Body:
					outcome = "replay"
				}
				if outcome != test.want {
					t.Errorf("%s instead of %s: %d %s", outcome, test.want, got.Status, got.Body)
				}
			})
		}
	})
}

func TestTheFormOfAnIdempotencyKey(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	for _, test := range []struct {
		name   string
		keys   []string
		status int
	}{
		{"one character", []string{"!"}, 202},
		{"255 characters", []string{strings.Repeat("~", 255)}, 202},
		{"255 characters in quotes", []string{`"` + strings.Repeat("q", 255) + `"`}, 202},
		{"256 characters", []string{strings.Repeat("~", 256)}, 400},
		{"nothing", []string{""}, 400},
		{"nothing in quotes", []string{`""`}, 400},
		{"a space", []string{"a b"}, 400},
		{"a letter beyond ASCII", []string{"clé"}, 400},
		{"two headers", []string{"a", "a"}, 400},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, "/v1/items", strings.NewReader(string(mustJSON(t, servertest.FixedPrice()))))
			r.Header.Set("X-Api-Key", w.Key)
			r.Header.Set("Content-Type", "application/json")
			r.Header["Idempotency-Key"] = test.keys
			answer := httptest.NewRecorder()
			w.Server.Public.ServeHTTP(answer, r)
			if answer.Code != test.status || test.status == 400 && !strings.Contains(answer.Body.String(), `"invalid_idempotency_key"`) {
				t.Errorf("%d instead of %d: %s", answer.Code, test.status, answer.Body)
			}
		})
	}
}

func TestAKeyIsKept35Days(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		first := w.Do(t, servertest.Keyed("k", "/v1/items", servertest.FixedPrice()))
		w.Clock.Advance(v1.IdempotencyRetention - time.Second)
		if _, err := w.Service.SweepOnce(context.Background()); err != nil {
			t.Fatalf("sweep: %v", err)
		}
		if kept := w.Do(t, servertest.Keyed("k", "/v1/items", servertest.FixedPrice())); kept.Body != first.Body {
			t.Errorf("a second before its end: %d %s", kept.Status, kept.Body)
		}
		w.Clock.Advance(2 * time.Second) // the owner's own clock runs microseconds ahead
		fresh := w.Do(t, servertest.Keyed("k", "/v1/items", servertest.Auction()))
		if fresh.Status != http.StatusAccepted || fresh.Header.Get("Idempotent-Replayed") != "" || fresh.Body == first.Body {
			t.Errorf("after its end: %d %s", fresh.Status, fresh.Body)
		}
		if again := w.Do(t, servertest.Keyed("k", "/v1/items", servertest.Auction())); again.Body != fresh.Body {
			t.Errorf("the new use of the key: %d %s", again.Status, again.Body)
		}
		w.Clock.Advance(v1.IdempotencyRetention + time.Second)
		if _, err := w.Service.SweepOnce(context.Background()); err != nil {
			t.Fatalf("sweep: %v", err)
		}
		if n := w.Count(t, "idempotency_keys", "1 = 1"); n != 0 {
			t.Errorf("the sweep left %d keys", n)
		}
	})
}

func TestAFailedRequestLeavesNothingAndItsKeyFree(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice()})
		before := footprint(t, w)
		for i, request := range []servertest.Request{
			servertest.Keyed("k", "/v1/items", servertest.FixedPrice(object{"title": nil})),
			servertest.Keyed("k", "/v1/items", "{"),
			servertest.Keyed("k", "/v1/items", servertest.FixedPrice()), // the store is full
			servertest.Keyed("k", "/v1/item-batches", object{"items": []any{object{}}}),
			servertest.Keyed("k", "/v1/item-batches", object{"items": listings(3)}), // the same
			servertest.Keyed("k", "/v1/items/5/close", object{}),
			servertest.Keyed("k", "/v1/items/5/restart", object{}),
		} {
			if got := w.Do(t, request); got.Status < 400 || got.Status >= 500 {
				t.Errorf("request %d: %d %s", i, got.Status, got.Body)
			}
			if diff := cmp.Diff(before, footprint(t, w)); diff != "" {
				t.Errorf("request %d left something (-before +after):\n%s", i, diff)
			}
			if n := w.Count(t, "owners", "open_count = 1 AND day_count = 1"); n != 1 {
				t.Errorf("request %d changed the owner's counters", i)
			}
		}
	}, func(c *v1.Config) { c.OpenItems = 1 })
}

func TestManySendersOfOneKeyMakeOneSubmission(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		const senders = 64
		text := string(mustJSON(t, servertest.FixedPrice()))
		answers := make([]*httptest.ResponseRecorder, senders)
		var wg sync.WaitGroup
		start := make(chan struct{})
		for i := range senders {
			wg.Go(func() {
				r := httptest.NewRequest(http.MethodPost, "/v1/items", strings.NewReader(text))
				r.Header.Set("X-Api-Key", w.Key)
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Idempotency-Key", "one")
				answers[i] = httptest.NewRecorder()
				<-start
				w.Server.Public.ServeHTTP(answers[i], r)
			})
		}
		close(start)
		wg.Wait()
		bodies, fresh := map[string]int{}, 0
		for _, answer := range answers {
			switch answer.Code {
			case http.StatusAccepted:
				bodies[answer.Body.String()]++
				if answer.Header().Get("Idempotent-Replayed") == "" {
					fresh++
				}
				if used := answer.Header().Get("X-StoreLimit-Used"); used != "1" {
					t.Errorf("X-StoreLimit-Used: %s", used)
				}
			case http.StatusConflict:
				if answer.Header().Get("Retry-After") == "" {
					t.Errorf("409 without Retry-After: %s", answer.Body)
				}
			default:
				t.Errorf("%d %s", answer.Code, answer.Body)
			}
		}
		if len(bodies) != 1 || fresh != 1 {
			t.Errorf("%d different answers, %d of them first ones", len(bodies), fresh)
		}
		want := map[string]int{"submissions": 1, "batches": 0, "idempotency_keys": 1, "events": 0, "items": 0, "owners with units": 1}
		if diff := cmp.Diff(want, footprint(t, w)); diff != "" {
			t.Errorf("left behind (-want +got):\n%s", diff)
		}
		if n := w.Count(t, "owners", "open_count = 1 AND day_count = 1"); n != 1 {
			t.Error("the owner's counters are not 1")
		}
	})
}

func TestManySendersOfManyKeysAllGetTheirs(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		const senders = 32
		var wg sync.WaitGroup
		statuses := make([]int, senders)
		for i := range senders {
			wg.Go(func() {
				statuses[i] = w.Do(t, servertest.Keyed(fmt.Sprintf("k-%d", i), "/v1/items", servertest.FixedPrice())).Status
			})
		}
		wg.Wait()
		for i, status := range statuses {
			if status != http.StatusAccepted {
				t.Errorf("sender %d: %d", i, status)
			}
		}
		if n := w.Count(t, "owners", fmt.Sprintf("open_count = %d", senders)); n != 1 {
			t.Error("the owner's counter is not the number of senders")
		}
	})
}
