package operatorpages_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
)

// This file tests what the pages keep from strangers, and from what sellers write.

func TestThePagesAreForTheOperatorAlone(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	for _, path := range []string{"/operator/", "/operator/pages/accounts", accountPath(w), "/operator/pages/legacy-usage", "/operator/pages/nothing"} {
		for name, authorize := range map[string]func(*http.Request){
			"without a token":       func(*http.Request) {},
			"with another password": func(r *http.Request) { r.SetBasicAuth("operator", "guessed-by-a-caller") },
			"with a seller's key":   func(r *http.Request) { r.Header.Set("X-Api-Key", w.LiveKey) },
		} {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			authorize(r)
			answer := httptest.NewRecorder()
			w.Server.Operator.ServeHTTP(answer, r)
			if challenge := strings.Join(answer.Header()["Www-Authenticate"], "; "); answer.Code != 401 || !strings.Contains(challenge, "Basic realm=") {
				t.Errorf("%s, %s: %d, challenge %q", path, name, answer.Code, challenge)
			}
		}
		public := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.SetBasicAuth("operator", servertest.OperatorToken)
		w.Server.Public.ServeHTTP(public, r)
		if public.Code != http.StatusNotFound {
			t.Errorf("%s on the public listener: %d", path, public.Code)
		}
	}
}

func TestThePagesHaveNoScriptsAndNoCookiesAndAreNotKept(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	for path, status := range map[string]int{
		"/operator/": 200, "/operator/pages/accounts": 200, accountPath(w): 200, "/operator/pages/legacy-usage": 200, "/operator/pages/audit": 200,
		"/operator/pages/nothing": 404, "/operator/pages/a/b": 404, "/operator/pages/accounts/99": 404, "/operator/pages/accounts/x": 404,
		"/operator/pages/accounts?status=gone": 422, "/operator/pages/accounts?after=x": 422, "/operator/pages/legacy-usage?state=gone": 422,
	} {
		answer := open(t, w, path)
		h := answer.Header()
		want := map[string]string{
			"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff",
			"Referrer-Policy": "same-origin", "Set-Cookie": "",
			"Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
		}
		got := map[string]string{}
		for name := range want {
			got[name] = h.Get(name)
		}
		if diff := cmp.Diff(want, got); diff != "" || answer.Code != status {
			t.Errorf("%s: %d instead of %d, headers (-want +got):\n%s", path, answer.Code, status, diff)
		}
		checkQuiet(t, path, parse(t, answer))
	}
}

// checkQuiet checks that a page can do nothing by itself, and that what it loads is there.
func checkQuiet(t *testing.T, path string, root *html.Node) {
	t.Helper()
	if n := len(elements(root, atom.Main)); n != 1 {
		t.Errorf("%s has %d main parts", path, n)
	}
	for node := range root.Descendants() {
		if node.Type != html.ElementNode {
			continue
		}
		if slices.Contains([]string{"script", "style", "iframe", "img", "object", "base"}, node.Data) {
			t.Errorf("%s has an element %s", path, node.Data)
		}
		for _, a := range node.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || (a.Key == "href" || a.Key == "action") && !strings.HasPrefix(a.Val, "/") && a.Val != "#content" {
				t.Errorf("%s has %s=%q", path, a.Key, a.Val)
			}
		}
	}
}

func TestThePagesOnlyRead(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		for _, path := range []string{"/operator/", accountPath(w), "/operator/openapi.json"} {
			r := httptest.NewRequest(method, path, strings.NewReader(`{"status":"suspended"}`))
			r.SetBasicAuth("operator", servertest.OperatorToken)
			r.Header.Set("Content-Type", "application/json")
			answer := httptest.NewRecorder()
			w.Server.Operator.ServeHTTP(answer, r)
			if answer.Code != http.StatusMethodNotAllowed {
				t.Errorf("%s %s: %d", method, path, answer.Code)
			}
		}
	}
	r := httptest.NewRequest(http.MethodHead, "/operator/", nil)
	r.SetBasicAuth("operator", servertest.OperatorToken)
	answer := httptest.NewRecorder()
	w.Server.Operator.ServeHTTP(answer, r)
	if answer.Code != http.StatusOK || answer.Body.Len() != 0 {
		t.Errorf("HEAD: %d with %d bytes", answer.Code, answer.Body.Len())
	}
}

// TestWhatSellersWriteIsOnlyText puts markup into every text that others than the operator write.
func TestWhatSellersWriteIsOnlyText(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		const hostile = `"'><script>alert(1)</script><img src=x onerror=alert(2)>{{.}}`
		ctx := context.Background()
		receiver := httptest.NewServer(http.NotFoundHandler())
		defer receiver.Close()
		w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: map[string]any{"url": receiver.URL}})
		w.List(t, servertest.FixedPrice())
		if _, err := w.Service.DeliverOnce(ctx); err != nil {
			t.Fatal(err)
		}
		w.Rest(t, "GET", "/rest/seller", "", "X-Api-Key", w.LiveKey)
		if _, err := w.Service.FlushLegacyUsageOnce(ctx); err != nil {
			t.Fatal(err)
		}
		send(w, servertest.OperatorToken, accountPath(w)+"/limits", url.Values{"open_items": {"7"}}) // a row of the audit log
		for table, columns := range map[string]string{
			"operator_audit": "operator = $1, action = $1, target = $1",
			"accounts":       "nickname = $1, email = $1, store_name = $1, store_plan = $1, time_zone = $1, language = $1, country = $1",
			"api_keys":       "name = $1",
			"webhooks":       "url = $1",
		} {
			err := w.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
				_, err := tx.ExecContext(ctx, "UPDATE "+table+" SET "+columns, hostile)
				return err
			})
			if err != nil {
				t.Fatalf("%s: %v", table, err)
			}
		}
		for path, times := range map[string]int{
			"/operator/": 1, "/operator/pages/accounts": 2, accountPath(w): 9, "/operator/pages/legacy-usage": 2, "/operator/pages/audit": 3,
		} {
			page := shown(t, w, path)
			checkQuiet(t, path, page)
			if n := strings.Count(text(page), hostile); n < times {
				t.Errorf("%s shows the text %d times, not %d: %s", path, n, times, text(page))
			}
		}
		refused := send(w, servertest.OperatorToken, "/operator/pages/accounts", url.Values{"nickname": {hostile}})
		if checkQuiet(t, "a refused form", parse(t, refused)); refused.Code != http.StatusUnprocessableEntity {
			t.Errorf("a form: %d", refused.Code)
		}
		checkQuiet(t, "the search", shown(t, w, "/operator/pages/accounts?nickname="+url.QueryEscape(hostile)))
	})
}
