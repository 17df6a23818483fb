package v1_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/accounts"
	"sellerd/v1/probe"
)

// ask reads the account with headers of its own, and returns the answer's status, body and recorder.
func ask(w *servertest.World, path string, change func(r *http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	change(r)
	answer := httptest.NewRecorder()
	w.Server.Public.ServeHTTP(answer, r)
	return answer
}

// keyID is the part of a key that names it.
func keyID(key string) string { return strings.Split(key, "_")[2] }

func TestKeysThatAreRefusedAllLookAlike(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		ctx := context.Background()
		revoked := w.NewKey(t, w.Account, "test")
		if _, err := w.Service.RevokeKey(ctx, keyID(revoked)); err != nil {
			t.Fatalf("revoke: %v", err)
		}
		expired, _, err := w.Service.CreateKey(ctx, v1.NewKey{Account: w.Account, Mode: "test", ExpiresAt: v1.Some(v1.TimeOf(w.Clock.Now().Add(time.Hour)))})
		if err != nil {
			t.Fatalf("create: %v", err)
		}
		w.Clock.Advance(time.Hour)
		otherMode := "dk_live_" + strings.TrimPrefix(w.Key, "dk_test_")
		want := ask(w, "/v1/account", func(r *http.Request) { r.Header.Set("X-Api-Key", "dk_test_nonsense") }).Body.String()
		for _, test := range []struct {
			name   string
			change func(r *http.Request)
		}{
			{"a malformed key", func(r *http.Request) { r.Header.Set("X-Api-Key", "hello") }},
			{"an unknown key", func(r *http.Request) { r.Header.Set("X-Api-Key", probe.ForgedKey("test", strings.Repeat("x", 12))) }},
			{"an id that is not UTF-8", func(r *http.Request) { r.Header.Set("X-Api-Key", probe.ForgedKey("test", strings.Repeat("\xff", 12))) }},
			{"an id of zeros", func(r *http.Request) { r.Header.Set("X-Api-Key", probe.ForgedKey("test", strings.Repeat("\x00", 12))) }},
			{"a wrong secret", func(r *http.Request) { r.Header.Set("X-Api-Key", probe.ForgedKey("test", keyID(w.Key))) }},
			{"a right secret with a wrong checksum", func(r *http.Request) { r.Header.Set("X-Api-Key", w.Key[:len(w.Key)-1]+"!") }},
			{"a key of the other mode", func(r *http.Request) { r.Header.Set("X-Api-Key", otherMode) }},
			{"a revoked key", func(r *http.Request) { r.Header.Set("X-Api-Key", revoked) }},
			{"an expired key", func(r *http.Request) { r.Header.Set("X-Api-Key", expired) }},
			{"a key sent twice", func(r *http.Request) { r.Header["X-Api-Key"] = []string{w.Key, w.Key} }},
		} {
			got := ask(w, "/v1/account", test.change)
			if diff := cmp.Diff(want, got.Body.String()); diff != "" || got.Code != http.StatusUnauthorized || got.Header().Get("WWW-Authenticate") != "ApiKey" {
				t.Errorf("%s: %d, WWW-Authenticate %q (-malformed +got):\n%s", test.name, got.Code, got.Header().Get("WWW-Authenticate"), diff)
			}
		}
		missing := w.Do(t, servertest.Request{Path: "/v1/account", Key: "none"})
		if diff := cmp.Diff([]string{"missing_api_key"}, missing.Codes()); diff != "" || missing.Status != http.StatusUnauthorized ||
			missing.Header.Get("WWW-Authenticate") != "ApiKey" {
			t.Errorf("no key: %d (-want +got):\n%s", missing.Status, diff)
		}
	})
}

func TestAKeyInAWrongPlaceIsToldWhereToGo(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for _, test := range []struct {
			name   string
			change func(r *http.Request)
			code   string
			field  string
			says   string
		}{
			{"as a bearer", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+w.Key) }, "missing_api_key", "Authorization", "not read"},
			{"as a user", func(r *http.Request) { r.SetBasicAuth(w.Key, "") }, "missing_api_key", "Authorization", "not read"},
			{"in the query", func(r *http.Request) { r.URL.RawQuery = "api_key=" + w.Key }, "invalid_api_key", "", "unsafe"},
			{"in the query and in the header", func(r *http.Request) {
				r.URL.RawQuery = "api_key=" + w.Key
				r.Header.Set("X-Api-Key", w.Key)
			}, "invalid_api_key", "", "unsafe"},
			{"after another text of the query", func(r *http.Request) { r.URL.RawQuery = "not_key_id=x," + w.Key }, "invalid_api_key", "", "unsafe"},
			{"another text in the query", func(r *http.Request) { r.URL.RawQuery = "limit=1&API_KEY=s3cret" }, "missing_api_key", "api_key", "unsafe"},
			{"in a query that is not well-formed", func(r *http.Request) { r.URL.RawQuery = "token=s3cret&limit=%zz" }, "missing_api_key", "token", "unsafe"},
			{"another parameter", func(r *http.Request) { r.URL.RawQuery = "colour=red" }, "missing_api_key", "", "no API key"},
		} {
			answer := ask(w, "/v1/account", test.change)
			var got struct {
				Errors []servertest.ErrorEntry `json:"errors"`
			}
			if err := json.Unmarshal(answer.Body.Bytes(), &got); err != nil || len(got.Errors) != 1 {
				t.Fatalf("%s: %v %s", test.name, err, answer.Body)
			}
			e := got.Errors[0]
			if diff := cmp.Diff([]string{test.code, test.field}, []string{e.Code, e.Field}); diff != "" || answer.Code != http.StatusUnauthorized {
				t.Errorf("%s: %d (-want +got):\n%s", test.name, answer.Code, diff)
			}
			if !strings.Contains(e.Message, test.says) || test.says != "no API key" && !strings.Contains(e.Message, "X-Api-Key") {
				t.Errorf("%s: %s", test.name, e.Message)
			}
			if strings.Contains(answer.Body.String(), w.Key) || strings.Contains(answer.Body.String(), "s3cret") {
				t.Errorf("%s: the answer shows what was sent: %s", test.name, answer.Body)
			}
		}
	})
}

func TestAnAddressThatGuessesKeysIsSlowedDown(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	guess := func(address, key string) *httptest.ResponseRecorder {
		return ask(w, "/v1/account", func(r *http.Request) {
			r.RemoteAddr = address
			r.Header.Set("X-Api-Key", key)
		})
	}
	for i := range 20 {
		if got := guess("192.0.2.7:1000", "wrong"); got.Code != http.StatusUnauthorized {
			t.Fatalf("guess %d: %d", i+1, got.Code)
		}
	}
	over := guess("192.0.2.7:2000", "wrong")
	if over.Code != http.StatusTooManyRequests || over.Header().Get("Retry-After") != "3" || over.Header().Get("WWW-Authenticate") != "" {
		t.Errorf("guess 21: %d, Retry-After %q: %s", over.Code, over.Header().Get("Retry-After"), over.Body)
	}
	if got := guess("192.0.2.7:3000", w.Key); got.Code != http.StatusOK {
		t.Errorf("a right key behind the same address: %d", got.Code)
	}
	if got := guess("192.0.2.8:1000", "wrong"); got.Code != http.StatusUnauthorized {
		t.Errorf("another address: %d", got.Code)
	}
	w.Clock.Advance(time.Minute)
	if got := guess("192.0.2.7:1000", "wrong"); got.Code != http.StatusUnauthorized {
		t.Errorf("a minute later: %d", got.Code)
	}
}

func TestASuspendedAccountIsRefused(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		err := w.Store.Write(context.Background(), func(ctx context.Context, tx *ent.Client) error {
			return tx.Account.UpdateOneID(w.Account).SetStatus(v1.AccountStatusSuspended).Exec(ctx)
		})
		if err != nil {
			t.Fatalf("suspend: %v", err)
		}
		for _, key := range []string{w.Key, w.LiveKey} {
			read := w.Do(t, servertest.Request{Path: "/v1/account", Key: key})
			if diff := cmp.Diff([]string{"account_suspended"}, read.Codes()); diff != "" || read.Status != http.StatusForbidden {
				t.Errorf("%d (-want +got):\n%s", read.Status, diff)
			}
			submit := w.Do(t, servertest.Request{Path: "/v1/items", Key: key, Body: servertest.FixedPrice()})
			if submit.Status != http.StatusForbidden || submit.Header.Get("X-RateLimit-Remaining") != "178" || submit.Header.Get("X-StoreLimit-Used") != "0" {
				t.Errorf("submit: %d %v", submit.Status, submit.Header)
			}
		}
	}, func(c *v1.Config) { c.RateLimit = v1.DefaultRateLimit })
}

func TestTheLifeOfKeys(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		ctx := context.Background()
		status := func(key string) int { return w.Do(t, servertest.Request{Path: "/v1/account", Key: key}).Status }

		t.Run("ten keys are live at once and no more", func(t *testing.T) {
			account, first, _ := w.Seller(t, "many")
			keys := []string{first}
			for range v1.MaxLiveKeys - 1 {
				keys = append(keys, w.NewKey(t, account, "test"))
			}
			for _, key := range keys {
				if got := status(key); got != http.StatusOK {
					t.Errorf("a key answers %d", got)
				}
			}
			if _, _, err := w.Service.CreateKey(ctx, v1.NewKey{Account: account, Mode: "test"}); !errors.Is(err, v1.ErrTooManyKeys) {
				t.Errorf("the eleventh: %v", err)
			}
			if _, err := w.Service.RevokeKey(ctx, keyID(keys[3])); err != nil {
				t.Fatalf("revoke: %v", err)
			}
			if got := status(keys[3]); got != http.StatusUnauthorized {
				t.Errorf("the revoked key answers %d on the next request", got)
			}
			if got := status(w.NewKey(t, account, "test")); got != http.StatusOK {
				t.Errorf("the key in its place answers %d", got)
			}
		})

		t.Run("a rotated key works until the overlap ends", func(t *testing.T) {
			account, old, _ := w.Seller(t, "rotating")
			successor, info, err := w.Service.RotateKey(ctx, keyID(old), time.Hour)
			if err != nil || info.AccountID != v1.ID(account) || info.Mode != "test" {
				t.Fatalf("rotate: %+v, %v", info, err)
			}
			w.Clock.Advance(time.Hour - time.Second)
			if got := []int{status(old), status(successor)}; !slices.Equal(got, []int{200, 200}) {
				t.Errorf("within the overlap: %v", got)
			}
			w.Clock.Advance(time.Second)
			if got := []int{status(old), status(successor)}; !slices.Equal(got, []int{401, 200}) {
				t.Errorf("after the overlap: %v", got)
			}
			if _, _, err := w.Service.RotateKey(ctx, keyID(old), time.Hour); err == nil {
				t.Error("an expired key was rotated")
			}
		})

		t.Run("a successor lives as long as its predecessor was made for", func(t *testing.T) {
			account, _, _ := w.Seller(t, "renewing")
			const year = 365 * 24 * time.Hour
			made := v1.TimeOf(w.Clock.Now())
			old, _, err := w.Service.CreateKey(ctx, v1.NewKey{Account: account, Mode: "test", ExpiresAt: v1.Some(made.Add(year))})
			if err != nil {
				t.Fatalf("create: %v", err)
			}
			w.Clock.Advance(year - 24*time.Hour)
			successor, info, err := w.Service.RotateKey(ctx, keyID(old), 7*24*time.Hour)
			if err != nil {
				t.Fatalf("rotate: %v", err)
			}
			if diff := cmp.Diff(v1.Some(v1.TimeOf(w.Clock.Now()).Add(year)), info.ExpiresAt); diff != "" {
				t.Errorf("the end of the successor: %s", diff)
			}
			w.Clock.Advance(24 * time.Hour)
			if got := []int{status(old), status(successor)}; !slices.Equal(got, []int{401, 200}) {
				t.Errorf("when the old key ends, before the overlap does: %v", got)
			}
		})

		t.Run("the last use is shown within a minute", func(t *testing.T) {
			_, key, _ := w.Seller(t, "busy")
			lastUsed := func() any {
				if _, err := w.Service.TouchKeysOnce(ctx); err != nil {
					t.Fatalf("touch: %v", err)
				}
				account := servertest.Into[object](t, w.Do(t, servertest.Request{Path: "/v1/account", Key: key}))
				return account["key"].(object)["last_used_at"]
			}
			if got := lastUsed(); got != nil {
				t.Errorf("before its first use: %v", got)
			}
			first := v1.TimeOf(w.Clock.Now()).String()
			if got := lastUsed(); got != first {
				t.Errorf("after its first use: %v instead of %s", got, first)
			}
			w.Clock.Advance(59 * time.Second)
			status(key)
			if got := lastUsed(); got != first {
				t.Errorf("59 seconds later: %v instead of %s", got, first)
			}
			w.Clock.Advance(time.Second)
			status(key)
			if got, want := lastUsed(), v1.TimeOf(w.Clock.Now()).String(); got != want {
				t.Errorf("a minute later: %v instead of %s", got, want)
			}
		})

		t.Run("the list of keys keeps their secrets", func(t *testing.T) {
			account, key, live := w.Seller(t, "listed")
			infos, err := w.Service.ListKeys(ctx, account)
			if err != nil || len(infos) != 2 {
				t.Fatalf("%d keys, %v", len(infos), err)
			}
			text := string(v1.EncodeJSON(nil, &infos))
			for _, key := range []string{key, live} {
				if strings.Contains(text, strings.Split(key, "_")[3]) || !strings.Contains(text, key[len(key)-4:]) {
					t.Errorf("the list shows a secret or hides its end: %s", text)
				}
			}
		})

		t.Run("what is asked of a key is checked", func(t *testing.T) {
			for _, test := range []struct {
				in   v1.NewKey
				want error
			}{
				{v1.NewKey{Account: w.Account, Mode: "prod"}, accounts.ErrMode},
				{v1.NewKey{Account: w.Account, Mode: "test", Name: strings.Repeat("é", 65)}, v1.ErrKeyName},
				{v1.NewKey{Account: w.Account, Mode: "test", ExpiresAt: v1.Some(v1.TimeOf(w.Clock.Now()))}, v1.ErrExpiry},
				{v1.NewKey{Account: 99, Mode: "test"}, v1.ErrNoAccount},
			} {
				if _, _, err := w.Service.CreateKey(ctx, test.in); !errors.Is(err, test.want) {
					t.Errorf("%+v: %v instead of %v", test.in, err, test.want)
				}
			}
			if _, err := w.Service.RevokeKey(ctx, "unknown"); !errors.Is(err, v1.ErrNoKey) {
				t.Errorf("revoke: %v", err)
			}
			if _, _, err := w.Service.RotateKey(ctx, "unknown", 0); !errors.Is(err, v1.ErrNoKey) {
				t.Errorf("rotate: %v", err)
			}
		})
	})
}

func TestModesAreDisjoint(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.List(t, servertest.FixedPrice())
		for key, want := range map[string]int{w.Key: 1, w.LiveKey: 0} {
			page := servertest.Into[object](t, w.Do(t, servertest.Request{Path: "/v1/items", Key: key}))
			if got := len(page["results"].([]any)); got != want {
				t.Errorf("a key of the mode %s sees %d items", key[3:7], got)
			}
			account := servertest.Into[object](t, w.Do(t, servertest.Request{Path: "/v1/account", Key: key}))
			if account["mode"] != key[3:7] {
				t.Errorf("mode %v of key %s", account["mode"], key[:8])
			}
		}
	})
}
