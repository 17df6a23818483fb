package v1_test

import (
	"context"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	"sellerd/internal/server"
	"sellerd/internal/store"
	v1 "sellerd/v1"
	"sellerd/v1/probe"
)

// besideOf is another process on a world's database, as far as one program can have two.
func besideOf(t *testing.T, w *servertest.World, url string) *servertest.World {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	other := &servertest.World{Store: db, Clock: w.Clock, Config: w.Config}
	other.Config.Store = db
	if other.Service, err = v1.New(other.Config); err != nil {
		t.Fatal(err)
	}
	other.Server, err = server.New(server.Config{Service: other.Service, Logger: w.Config.Logger, BaseURL: w.Config.BaseURL, Version: "test", OperatorToken: servertest.OperatorToken})
	if err != nil {
		t.Fatal(err)
	}
	return other
}

// claimedRequests are those that a process answers with a remembered row of the key, each with its usual status.
func claimedRequests(item string) map[string]struct {
	request servertest.Request
	status  int
} {
	get := func(path string, status int) struct {
		request servertest.Request
		status  int
	} {
		return struct {
			request servertest.Request
			status  int
		}{servertest.Request{Path: path}, status}
	}
	post := func(query string, status int, key string, body any) struct {
		request servertest.Request
		status  int
	} {
		out := get("/v1/items"+query, status)
		out.request.Method, out.request.Body = http.MethodPost, body
		if key != "" {
			out.request.Header = map[string]string{"Idempotency-Key": key}
		}
		return out
	}
	return map[string]struct {
		request servertest.Request
		status  int
	}{
		"a submission":            post("", 202, "", servertest.FixedPrice()),
		"a submission with a key": post("", 202, "remembered", servertest.Auction()),
		"a submission's check":    post("?validate_only=true", 200, "", servertest.FixedPrice()),
		"a wrong submission":      post("", 422, "", object{"title": "Ceres"}),
		"a submission of no JSON": post("", 400, "", "{"),
		"an item":                 get("/v1/items/"+item, 200),
		"an item that is none":    get("/v1/items/999", 404),
		"a page of items":         get("/v1/items", 200),
		"an empty page":           get("/v1/items?status=sold", 200),
		"a page by ids":           get("/v1/items?id="+item, 200),
		"a probed, empty page":    get("/v1/items?personal_reference=none", 200),
		"a page of no sales":      get("/v1/sales", 200),
		"a wrong parameter":       get("/v1/items?limit=0", 422),
	}
}

func TestARememberedKeyIsRefusedWhenItEnds(t *testing.T) {
	for name, limit := range map[string]int{"without a rate limit": 0, "with a rate limit": 100_000} {
		t.Run(name, func(t *testing.T) { refusesRememberedKeys(t, limit) })
	}
}

func refusesRememberedKeys(t *testing.T, rateLimit int) {
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		url := database(t)
		w := servertest.New(t, url, func(c *v1.Config) { c.RateLimit = rateLimit })
		beside := besideOf(t, w, url)
		operator := func(t *testing.T, method, path string, body any) {
			t.Helper()
			if got := beside.DoOperator(t, servertest.Request{Method: method, Path: path, Body: body}); got.Status != http.StatusOK {
				t.Fatalf("%s %s: %d %s", method, path, got.Status, got.Body)
			}
		}
		numbered := 0
		for name, change := range map[string]struct {
			make  func(t *testing.T, account int64, key string)
			want  int
			codes []string
		}{
			"revoked": {func(t *testing.T, _ int64, key string) {
				if _, err := beside.Service.RevokeKey(t.Context(), keyID(key)); err != nil {
					t.Fatal(err)
				}
			}, 401, []string{"invalid_api_key"}},
			"rotated without an overlap": {func(t *testing.T, _ int64, key string) {
				if _, _, err := beside.Service.RotateKey(t.Context(), keyID(key), 0); err != nil {
					t.Fatal(err)
				}
			}, 401, []string{"invalid_api_key"}},
			"past the end of its overlap": {func(t *testing.T, _ int64, key string) {
				if _, _, err := beside.Service.RotateKey(t.Context(), keyID(key), time.Hour); err != nil {
					t.Fatal(err)
				}
				w.Clock.Advance(time.Hour)
			}, 401, []string{"invalid_api_key"}},
			"revoked by itself": {func(t *testing.T, _ int64, key string) { endKey(t, beside, key) }, 401, []string{"invalid_api_key"}},
			"rotated by itself without an overlap": {func(t *testing.T, _ int64, key string) {
				rotateKey(t, beside, key, map[string]any{"overlap_seconds": 0})
			}, 401, []string{"invalid_api_key"}},
			"past the overlap that it left itself": {func(t *testing.T, _ int64, key string) {
				rotateKey(t, beside, key, map[string]any{"overlap_seconds": 1800})
				w.Clock.Advance(time.Hour)
			}, 401, []string{"invalid_api_key"}},
			"of a suspended account": {func(t *testing.T, account int64, _ string) {
				operator(t, http.MethodPatch, "/operator/accounts/"+strconv.FormatInt(account, 10), map[string]any{"status": "suspended"})
			}, 403, []string{"account_suspended"}},
		} {
			t.Run("a key "+name+" by another process is refused on the next request", func(t *testing.T) {
				for what, read := range claimedRequests("1") {
					numbered++
					account, _, _ := w.Seller(t, "seller-"+strconv.Itoa(numbered)) // an account has at most ten keys
					if what == "an item" {
						read.status = 404 // another seller's
					}
					w.Clock.Advance(time.Minute) // an address may fail 20 times a minute
					key := w.NewKey(t, account, "test")
					request := read.request
					request.Key = key
					for range 3 {
						if got := w.Do(t, request); got.Status != read.status {
							t.Fatalf("%s: %d before the change: %s", what, got.Status, got.Body)
						}
					}
					if !probe.Remembers(w.Service, key) {
						t.Errorf("%s: the key is not remembered", what)
					}
					change.make(t, account, key)
					for range 2 {
						got := w.Do(t, request)
						if got.Status != change.want || !cmp.Equal(change.codes, got.Codes()) {
							t.Errorf("%s: %d %v after the change", what, got.Status, got.Codes())
						}
					}
					if name == "of a suspended account" {
						operator(t, http.MethodPatch, "/operator/accounts/"+strconv.FormatInt(account, 10), map[string]any{"status": "active"})
						if got := w.Do(t, request); got.Status != read.status {
							t.Errorf("%s: %d after the suspension", what, got.Status)
						}
					}
				}
			})
		}
	})
}

func TestARememberedKeyHasTheLimitsOfNow(t *testing.T) {
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		url := database(t)
		w := servertest.New(t, url, func(c *v1.Config) { c.RateLimit = 100_000 })
		beside := besideOf(t, w, url)
		item := w.List(t, servertest.FixedPrice())
		for what, read := range claimedRequests(item) {
			t.Run("a limit set by another process counts on the next request for "+what, func(t *testing.T) {
				limit := func() string {
					got := w.Do(t, read.request)
					if got.Status != read.status {
						t.Fatalf("%d: %s", got.Status, got.Body)
					}
					return got.Header.Get("X-RateLimit-Limit")
				}
				limits := func(n any) {
					set := servertest.Request{
						Method: http.MethodPatch, Path: "/operator/accounts/" + strconv.FormatInt(w.Account, 10),
						Body: map[string]any{"limits": map[string]any{"requests_per_minute": n}},
					}
					if got := beside.DoOperator(t, set); got.Status != http.StatusOK {
						t.Fatalf("%d %s", got.Status, got.Body)
					}
				}
				got := []string{limit(), limit()}
				limits(77_000)
				got = append(got, limit(), limit())
				limits(nil)
				got = append(got, limit())
				if diff := cmp.Diff([]string{"100000", "100000", "77000", "77000", "100000"}, got); diff != "" {
					t.Errorf("the limits (-want +got):\n%s", diff)
				}
			})
		}

		t.Run("a revoked key charges nothing to its account", func(t *testing.T) {
			account, key, _ := w.Seller(t, "charged")
			other := w.NewKey(t, account, "test")
			remaining := func(key string) string {
				return w.Do(t, servertest.Request{Path: "/v1/items/999", Key: key}).Header.Get("X-RateLimit-Remaining")
			}
			before := []string{remaining(key), remaining(other)}
			if _, err := beside.Service.RevokeKey(t.Context(), keyID(key)); err != nil {
				t.Fatal(err)
			}
			got := append(before, remaining(key), remaining(other))
			if diff := cmp.Diff([]string{"99999", "99998", "", "99997"}, got); diff != "" {
				t.Errorf("remaining (-want +got):\n%s", diff)
			}
		})

		t.Run("a revoked key leaves no use", func(t *testing.T) {
			account, key, _ := w.Seller(t, "unused")
			request := servertest.Request{Path: "/v1/items/999", Key: key}
			w.Do(t, request)
			if _, err := w.Service.TouchKeysOnce(context.Background()); err != nil {
				t.Fatal(err)
			}
			w.Do(t, request)
			w.Do(t, request)
			used := v1.TimeOf(w.Clock.Now())
			w.Clock.Advance(time.Hour)
			if _, err := beside.Service.RevokeKey(t.Context(), keyID(key)); err != nil {
				t.Fatal(err)
			}
			w.Do(t, request)
			if _, err := w.Service.TouchKeysOnce(context.Background()); err != nil {
				t.Fatal(err)
			}
			infos, err := w.Service.ListKeys(t.Context(), account)
			if err != nil {
				t.Fatal(err)
			}
			for _, info := range infos {
				if info.ID == keyID(key) && info.LastUsedAt != v1.Some(used) {
					t.Errorf("last used at %v, expected %v", info.LastUsedAt.V, used)
				}
			}
		})
	})
}
