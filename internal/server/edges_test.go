package server_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/base/httplog"
	"sellerd/internal/proof/servertest"
	"sellerd/internal/server"
	"sellerd/v1"
)

func TestEveryPathTellsItsMethods(t *testing.T) {
	_, s, _ := logged(t)
	const read, both = "GET, HEAD, OPTIONS", "GET, HEAD, OPTIONS, POST"
	for path, allow := range map[string]string{
		"/": read, "/healthz": read, "/readyz": read, "/openapi.json": read, "/v1/openapi.json": read, "/openapi-rest.json": read, "/errors": read,
		"/errors.json": read, "/errors/item_not_found": read, "/docs": read, "/docs/start": read, "/docs/start.md": read,
		"/docs/clients/Sellerd.php": read, "/changelog": read, "/changelog.atom": read, "/changelog/1.0.0": read, "/known-issues": read, "/migration": read,
		"/migration.json": read, "/migration.ics": read, "/migration/item-create": read, "/migration/print": read, "/migration/translate": both, "/style.css": read,
		"/account": read, "/assets/icon.svg": read, "/.well-known/api-catalog": read, "/llms.txt": read, "/demo/images/stamp-01.png": read, "/search": read,
	} {
		for _, method := range []string{"OPTIONS", "PUT", "PATCH", "DELETE", "POST", "BREW"} {
			if method == "POST" && allow == both {
				continue
			}
			want := []string{"405", allow, `{"status_code":405,"errors":[{"code":"method_not_allowed","message":"This path accepts ` + allow +
				`.","docs_url":"http://sellerd.test/errors/method_not_allowed"}]}` + "\n"}
			if method == "OPTIONS" {
				want = []string{"200", allow, `{"status_code":200,"data":{"allow":"` + allow + `"}}` + "\n"}
			}
			got := httptest.NewRecorder()
			s.Public.ServeHTTP(got, httptest.NewRequest(method, path, http.NoBody))
			if diff := cmp.Diff(want, []string{got.Result().Status[:3], got.Header().Get("Allow"), got.Body.String()}); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s", method, path, diff)
			}
		}
		if get := get(s.Public, path); get.Code >= 400 {
			t.Errorf("GET %s: %d", path, get.Code)
		}
	}
	for _, line := range []string{"OPTIONS /nothing", "POST /nothing", "OPTIONS /v1/nothing"} {
		method, path, _ := strings.Cut(line, " ")
		got := httptest.NewRecorder()
		if s.Public.ServeHTTP(got, httptest.NewRequest(method, path, http.NoBody)); got.Code != http.StatusNotFound || got.Header().Get("Allow") != "" {
			t.Errorf("%s: %d, Allow %q", line, got.Code, got.Header().Get("Allow"))
		}
	}
}

// The names of keys in the log lead from a leaked key to its requests. A name stands there only if the whole key was shown, also when it
// is refused.
func TestTheLogNamesTheKeyOfARequest(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		var log bytes.Buffer
		s, err := server.New(server.Config{Service: w.Service, Logger: httplog.NewLogger(&log, slog.LevelInfo, httplog.JSON), BaseURL: "http://sellerd.test"})
		if err != nil {
			t.Fatal(err)
		}
		make := func(account int64, expires v1.Opt[v1.Time]) string {
			t.Helper()
			key, _, err := w.Service.CreateKey(t.Context(), v1.NewKey{Account: account, Mode: "test", Name: "k", ExpiresAt: expires})
			if err != nil {
				t.Fatal(err)
			}
			return key
		}
		id := func(key string) string { return strings.Split(key, "_")[2] }
		expired := make(w.Account, v1.Some(v1.TimeOf(w.Clock.Now().Add(time.Hour))))
		w.Clock.Advance(time.Hour)
		revoked := make(w.Account, v1.Opt[v1.Time]{})
		session := w.Session(t, revoked)
		if _, err := w.Service.RevokeKey(t.Context(), id(revoked)); err != nil {
			t.Fatal(err)
		}
		other, suspended, _ := w.Seller(t, "suspended")
		if _, err := w.Service.Suspend(t.Context(), other, true); err != nil {
			t.Fatal(err)
		}
		old := strings.Repeat("aB3d", 16)
		imported := servertest.Into[struct {
			ID string `json:"id"`
		}](t, w.DoOperator(t, servertest.Request{Path: "/operator/accounts/" + v1.ID(w.Account).String() + "/legacy-keys", Body: map[string]any{"key": old}})).ID
		wrong := w.Key[:20] + "A" + w.Key[21:]
		token := w.Session(t, w.Key)
		for _, test := range []struct{ name, line, key, want string }{
			{"a read", "GET /v1/items", w.Key, id(w.Key)},
			{"the same again", "GET /v1/items", w.Key, id(w.Key)},
			{"a read of one", "GET /v1/account", w.Key, id(w.Key)},
			{"a change that is refused", "POST /v1/items", w.Key, id(w.Key)},
			{"a key of the other mode", "GET /v1/account", w.LiveKey, id(w.LiveKey)},
			{"a revoked key", "GET /v1/account", revoked, id(revoked)},
			{"an expired key", "GET /v1/account", expired, id(expired)},
			{"a key of a suspended account", "GET /v1/account", suspended, id(suspended)},
			{"a session of /rest", "GET /rest/seller?token=" + token, "", id(w.Key)},
			{"a session of a revoked key", "GET /rest/seller?token=" + session, "", id(revoked)},
			{"a key on /rest", "GET /rest/seller", w.Key, id(w.Key)},
			{"an old key", "POST /rest/seller?apikey=" + old, "", imported},
			{"a login", "POST /rest/seller?apikey=" + w.Key, "", id(w.Key)},
			{"a known name with another secret", "GET /v1/account", wrong, ""},
			{"no key", "GET /v1/account", "", ""},
			{"what is no key", "GET /v1/account", "dk_test_guessed", ""},
			{"an unknown old key", "POST /rest/seller?apikey=" + strings.Repeat("guessed1", 8), "", ""},
			{"a key in the address", "GET /v1/account?key=" + w.Key, "", ""},
			{"a page", "GET /docs/api", w.Key, ""},
			{"no route", "GET /v1/nothing", w.Key, ""},
		} {
			log.Reset()
			method, path, _ := strings.Cut(test.line, " ")
			r := httptest.NewRequest(method, path, http.NoBody)
			if test.key != "" {
				r.Header.Set("X-Api-Key", test.key)
			}
			s.Public.ServeHTTP(httptest.NewRecorder(), r)
			var line struct {
				Key *string `json:"key"`
			}
			if err := json.Unmarshal(log.Bytes(), &line); err != nil {
				t.Fatalf("%s: %v: %s", test.name, err, log.String())
			}
			var got string
			if line.Key != nil {
				got = *line.Key
			}
			if got != test.want || line.Key != nil && got == "" {
				t.Errorf("%s: %q instead of %q: %s", test.name, got, test.want, log.String())
			}
			if strings.Contains(log.String(), "guessed") || test.key != "" && strings.Contains(log.String(), test.key[max(0, len(test.key)-20):]) {
				t.Errorf("%s: the log holds a secret: %s", test.name, log.String())
			}
		}
	})
}

func TestEveryAnswer503SaysWhenToComeBack(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		if err := w.Store.Close(); err != nil {
			t.Fatal(err)
		}
		unavailable := 0
		for _, side := range []struct {
			handler http.Handler
			paths   []string
		}{
			{w.Server.Public, []string{
				"/", "/readyz", "/docs", "/docs/start", "/errors", "/known-issues", "/changelog", "/changelog.atom", "/migration", "/migration/item-create",
				"/migration/translate", "/search?q=key", "/llms.txt", "/items/1", "/v1/account", "/v1/items", "/rest/seller", "/openapi.json",
			}},
			{w.Server.Operator, []string{
				"/readyz", "/metrics", "/operator/", "/operator/pages/accounts", "/operator/pages/waiting", "/operator/accounts", "/operator/openapi.json",
				"/operator/legacy-usage",
			}},
		} {
			for _, path := range side.paths {
				got := get(side.handler, path, "X-Api-Key", w.Key, "Authorization", "Bearer "+servertest.OperatorToken)
				if got.Code == http.StatusServiceUnavailable {
					unavailable++
				}
				if got.Code >= 500 && (got.Code != http.StatusServiceUnavailable || got.Header().Get("Retry-After") == "") {
					t.Errorf("%s: %d, Retry-After %q: %.200s", path, got.Code, got.Header().Get("Retry-After"), got.Body)
				}
			}
		}
		if unavailable < 6 {
			t.Errorf("only %d answers were 503", unavailable)
		}
	})
}

// A letter means the same whether it is percent-encoded or not (RFC 3986, 6.2.2.2): in /rest and in the addresses of pages as in /v1.
func TestEncodedLettersOfEveryPathAreDecoded(t *testing.T) {
	servertest.One(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice(map[string]any{"personal_reference": "a/b c"}))
		for path, status := range map[string]int{
			"/rest/%73eller":                        200,
			"/%72est/seller":                        200,
			"/rest/%69tem/%3" + item[:1] + item[1:]: 200,
			"/rest/item/reference/a%2fb%20%63":      200,
			"/rest/item/reference/%61%2Fb%20c":      200,
			"/rest%2Fseller":                        404,
			"/rest/%2573eller":                      404,
			"/rest/item/%253" + item[:1] + item[1:]: 404,
			"/%68ealthz":                            200,
			"/docs/%61pi":                           200,
			"/%64ocs/api.%6dd":                      200,
			"/errors/item%5Fnot%5ffound":            200,
			"/migration/item%2Dcreate":              200,
			"/docs/%2561pi":                         404,
			"/docs%2Fapi":                           404,
			"/docs/..%2fapi":                        404,
			"/%2e/healthz":                          404,
		} {
			got := get(w.Server.Public, path, "X-Api-Key", w.Key)
			if got.Code != status {
				t.Errorf("%s: %d instead of %d: %.200s", path, got.Code, status, got.Body)
			}
		}
	})
}
