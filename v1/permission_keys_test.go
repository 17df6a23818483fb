package v1_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/permission"
	"sellerd/v1/probe"
)

func TestTheOperatorMakesKeysThatMayDoLess(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		path := "/operator/accounts/" + accountID(w) + "/keys"
		for _, test := range []struct {
			name      string
			given     any
			want      any
			reads     int // status of a list of items
			writes    int // status of a list of items' opposite: a bad submission
			inAccount bool
		}{
			{"null is all", nil, nil, 200, 422, true},
			{"what is listed", []string{"sales:read", "items:read", "account:read"}, []any{"items:read", "sales:read", "account:read"}, 200, 403, true},
			{"to write includes to read", []string{"items:write", "account:write"}, []any{"items:write", "account:write"}, 200, 422, true},
			{"nothing of items", []string{"bills:write"}, []any{"bills:write"}, 403, 403, false},
		} {
			t.Run(test.name, func(t *testing.T) {
				made := servertest.Into[object](t, w.DoOperator(t, servertest.Request{Path: path, Body: object{"mode": "test", "permissions": test.given}}))
				if diff := cmp.Diff(test.want, made["permissions"]); diff != "" {
					t.Errorf("the key (-want +got):\n%s", diff)
				}
				key, _ := made["key"].(string)
				got := []int{
					w.Do(t, servertest.Request{Path: "/v1/items", Key: key}).Status,
					w.Do(t, servertest.Request{Path: "/v1/items", Body: object{}, Key: key}).Status,
				}
				if diff := cmp.Diff([]int{test.reads, test.writes}, got); diff != "" {
					t.Errorf("statuses of a list and of an empty item (-want +got):\n%s", diff)
				}
				account := w.Do(t, servertest.Request{Path: "/v1/account", Key: key})
				if !test.inAccount {
					if account.Status != http.StatusForbidden {
						t.Errorf("the account: %d", account.Status)
					}
					return
				}
				if diff := cmp.Diff(test.want, servertest.Into[object](t, account)["key"].(object)["permissions"]); diff != "" {
					t.Errorf("the account (-want +got):\n%s", diff)
				}
			})
		}
	})
}

func TestListsOfPermissionsAreRefused(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	for _, test := range []struct {
		name  string
		given any
		want  []string
	}{
		{"an empty list", []string{}, []string{"too_short permissions"}},
		{"an unknown permission", []string{"items:read", "items:delete"}, []string{"invalid_value permissions[1]"}},
		{"another case", []string{"Items:Read"}, []string{"invalid_value permissions[0]"}},
		{"everything by a star", []string{"*"}, []string{"invalid_value permissions[0]"}},
		{"the same twice", []string{"items:read", "sales:read", "items:read"}, []string{"invalid_value permissions[2]"}},
		{"no list", "items:read", []string{"invalid_type permissions"}},
		{"no texts", []any{1, nil}, []string{"invalid_type permissions[0]", "invalid_type permissions[1]"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := w.Count(t, "api_keys", "true")
			got := w.DoOperator(t, servertest.Request{Path: "/operator/accounts/" + accountID(w) + "/keys", Body: object{"mode": "test", "permissions": test.given}})
			if diff := cmp.Diff(test.want, got.Codes()); diff != "" || got.Status != http.StatusUnprocessableEntity {
				t.Errorf("%d (-want +got):\n%s", got.Status, diff)
			}
			if made := w.Count(t, "api_keys", "true") - before; made != 0 {
				t.Errorf("%d keys are made", made)
			}
		})
	}
	if _, _, err := w.Service.CreateKey(t.Context(), v1.NewKey{Account: w.Account, Mode: "test", Permissions: v1.Some(permission.Set(0))}); err == nil {
		t.Error("a key that permits nothing is made")
	}
}

func TestASuccessorPermitsWhatItsKeyDid(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for want, key := range map[string]string{
			"[items:read sales:write]": w.LesserKey(t, permission.ItemsRead|permission.SalesWrite),
			"null":                     w.NewKey(t, w.Account, "test"),
		} {
			fresh, info, err := w.Service.RotateKey(t.Context(), keyID(key), 0)
			if err != nil {
				t.Fatal(err)
			}
			got := "null"
			if info.Permissions.Set {
				got = "[" + strings.Join(info.Permissions.V, " ") + "]"
			}
			if got != want {
				t.Errorf("the successor permits %s, want %s", got, want)
			}
			status := w.Do(t, servertest.Request{Path: "/v1/bills", Key: fresh}).Status
			if (status == http.StatusOK) != (want == "null") {
				t.Errorf("with the successor of a key with %s, bills answer %d", want, status)
			}
		}
	})
}

// TestNoOperationMakesKeys holds that a key cannot grant itself or another one anything: keys are made on the operator's side, but for the
// successor of a key, which permits the same (TestAKeyRotatesItself).
func TestNoOperationMakesKeys(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		key := w.LesserKey(t, permission.AccountWrite)
		before := w.Dump(t, []string{"api_keys", "accounts"}, "api_keys.last_used_at")
		for _, request := range []servertest.Request{
			{Method: "PATCH", Path: "/v1/account", Body: object{"key": object{"permissions": nil}}},
			{Method: "POST", Path: "/v1/account/keys", Body: object{"mode": "test"}},
			{Method: "POST", Path: "/v1/keys", Body: object{"mode": "test"}},
			{Method: "POST", Path: "/operator/accounts/" + accountID(w) + "/keys", Body: object{"mode": "test"}},
		} {
			request.Key = key
			if got := w.Do(t, request); got.Status != http.StatusNotFound && got.Status != http.StatusMethodNotAllowed {
				t.Errorf("%s %s: %d %s", request.Method, request.Path, got.Status, got.Body)
			}
		}
		for _, o := range v1.Operations {
			if o.Method == http.MethodGet || o.OnKey {
				continue
			}
			request, _ := requestFor(t, w, o)
			if got := w.Do(t, request); got.Status != o.Status {
				t.Errorf("%s: %d %s", o.Name, got.Status, got.Body)
			}
		}
		if diff := cmp.Diff(before["api_keys"], w.Dump(t, []string{"api_keys"}, "api_keys.last_used_at")["api_keys"]); diff != "" {
			t.Errorf("the keys (-before +after):\n%s", diff)
		}
	})
}

func TestARefusalForAPermissionIsChargedAndComesAfterTheLimit(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		key := w.LesserKey(t, permission.BillsRead)
		submit := func() string {
			got := w.Do(t, servertest.Request{Path: "/v1/items", Body: "{", Key: key})
			return strings.Join(got.Codes(), " ") + " " + got.Header.Get("X-RateLimit-Remaining")
		}
		if diff := cmp.Diff([]string{"permission_denied 1", "permission_denied 0", "rate_limited 0"}, []string{submit(), submit(), submit()}); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if _, err := w.Service.RevokeKey(t.Context(), keyID(key)); err != nil {
			t.Fatal(err)
		}
		if got := submit(); got != "invalid_api_key " {
			t.Errorf("after the revocation: %s", got)
		}
	}, func(c *v1.Config) { c.RateLimit = 2 })
}

func TestARememberedKeyPermitsWhatItDoesNow(t *testing.T) {
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		url := database(t)
		w := servertest.New(t, url)
		beside := besideOf(t, w, url)
		item := w.List(t, servertest.FixedPrice())
		key := w.LesserKey(t, permission.All)
		for what, read := range claimedRequests(item) {
			t.Run(what, func(t *testing.T) {
				request := read.request
				request.Key = key
				ask := func() int { return w.Do(t, request).Status }
				got := []int{ask(), ask()}
				if !probe.Remembers(w.Service, key) {
					t.Error("the key is not remembered")
				}
				beside.Permit(t, key, permission.BillsWrite)
				got = append(got, ask(), ask())
				beside.Permit(t, key, permission.All)
				got = append(got, ask(), ask())
				if diff := cmp.Diff([]int{read.status, read.status, 403, 403, read.status, read.status}, got); diff != "" {
					t.Errorf("statuses (-want +got):\n%s", diff)
				}
			})
		}
	})
}
