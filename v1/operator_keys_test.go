package v1_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

func TestTheOperatorMakesKeysOfBothModes(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		path := "/operator/accounts/" + accountID(w) + "/keys"
		for _, test := range []struct {
			name         string
			body         object
			mode         string
			key, expires any
		}{
			{"a test key", object{"mode": "test", "name": "shop"}, "test", "shop", nil},
			{"a live key that ends", object{"mode": "live", "expires_at": "2026-11-22T14:00:00+02:00"}, "live", nil, "2026-11-22T12:00:00Z"},
		} {
			t.Run(test.name, func(t *testing.T) {
				got := w.DoOperator(t, servertest.Request{Path: path, Body: test.body})
				made := servertest.Into[object](t, got)
				key := made["key"].(string)
				id := strings.Split(key, "_")[2]
				want := object{
					"id": id, "account_id": accountID(w), "mode": test.mode, "name": test.key, "prefix": "dk_" + test.mode + "_" + id,
					"last_four": key[len(key)-4:], "status": "active", "created_at": "2026-11-21T12:00:00Z", "expires_at": test.expires,
					"revoked_at": nil, "last_used_at": nil, "predecessor_id": nil, "successor_id": nil, "permissions": nil, "key": key,
				}
				if diff := cmp.Diff(want, made); diff != "" || got.Status != 201 || got.Header.Get("Location") != "/operator/keys/"+id {
					t.Errorf("%d %v, key (-want +got):\n%s", got.Status, got.Header, diff)
				}
				account := w.Do(t, servertest.Request{Path: "/v1/account", Key: key})
				if servertest.Into[object](t, account)["mode"] != test.mode {
					t.Errorf("with the key: %s", account.Body)
				}
				if test.expires != nil {
					w.Clock.Advance(24 * time.Hour)
					if got := w.Do(t, servertest.Request{Path: "/v1/account", Key: key}); got.Status != 401 {
						t.Errorf("after its end: %d", got.Status)
					}
				}
			})
		}
	})
}

func TestKeysAreRefused(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	path := "/operator/accounts/" + accountID(w) + "/keys"
	for range v1.MaxLiveKeys - 1 { // the world has made one
		operate(t, w, 201, path, object{"mode": "live"})
	}
	for _, test := range []struct {
		name, path string
		body       object
		status     int
		codes      []string
	}{
		{"one more than there may be", path, object{"mode": "live"}, 422, []string{"out_of_range mode"}},
		{"no mode", path, object{}, 422, []string{"missing_field mode"}},
		{
			"everything wrong", path,
			object{"mode": "both", "name": strings.Repeat("é", 65), "expires_at": "2026-11-21T12:00:00Z", "scope": "all"},
			422,
			[]string{"invalid_value mode", "too_long name", "date_in_past expires_at", "unknown_field scope"},
		},
		{"an account that is not there", "/operator/accounts/99/keys", object{"mode": "live"}, 404, []string{"route_not_found"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := w.DoOperator(t, servertest.Request{Path: test.path, Body: test.body})
			if diff := cmp.Diff(test.codes, got.Codes(), sortStrings); diff != "" || got.Status != test.status {
				t.Errorf("%d instead of %d, codes (-want +got):\n%s", got.Status, test.status, diff)
			}
		})
	}
}

func TestNoAnswerWithASecretIsKept(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	got := w.DoOperator(t, servertest.Keyed("k", "/operator/accounts/"+accountID(w)+"/keys", object{"mode": "live"}))
	if diff := cmp.Diff([]string{"invalid_idempotency_key Idempotency-Key"}, got.Codes()); diff != "" || got.Status != 400 {
		t.Errorf("%d, codes (-want +got):\n%s", got.Status, diff)
	}
	if keys, answers := w.Count(t, "api_keys", "1 = 1"), w.Count(t, "idempotency_keys", "1 = 1"); keys != 2 || answers != 0 {
		t.Errorf("there are %d keys and %d stored answers", keys, answers)
	}
}

func TestTheOperatorRevokesKeys(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id := strings.Split(w.Key, "_")[2]
		revoke := func(id string) servertest.Response {
			return w.DoOperator(t, servertest.Request{Method: http.MethodDelete, Path: "/operator/keys/" + id})
		}
		for _, when := range []string{"once", "and again"} {
			got := revoke(id)
			if diff := cmp.Diff(object{"id": id, "deleted": true}, servertest.Into[object](t, got)); diff != "" || got.Status != 200 {
				t.Errorf("%s: %d (-want +got):\n%s", when, got.Status, diff)
			}
		}
		if got := w.Do(t, servertest.Request{Path: "/v1/account"}); got.Status != 401 {
			t.Errorf("the next request: %d", got.Status)
		}
		for name, id := range map[string]string{"a key that is not there": "000000000000", "a whole key, which does not belong into a path": w.LiveKey} {
			if diff := cmp.Diff([]string{"route_not_found"}, revoke(id).Codes()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
		if got := w.Do(t, servertest.Request{Path: "/v1/account", Key: w.LiveKey}); got.Status != 200 {
			t.Errorf("the other key: %d", got.Status)
		}
	})
}
