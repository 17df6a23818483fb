package operatorpages_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"sellerd/ent"
	"sellerd/internal/servertest"
	"sellerd/v1"
)

// open opens a page as a browser does, with the token as a password.
func open(t *testing.T, w *servertest.World, path string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.SetBasicAuth("anybody", servertest.OperatorToken)
	answer := httptest.NewRecorder()
	w.Server.Operator.ServeHTTP(answer, r)
	return answer
}

// shown is a page that is found.
func shown(t *testing.T, w *servertest.World, path string) *html.Node {
	t.Helper()
	answer := open(t, w, path)
	if answer.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", path, answer.Code, answer.Body)
	}
	return parse(t, answer)
}

func parse(t *testing.T, answer *httptest.ResponseRecorder) *html.Node {
	t.Helper()
	root, err := html.Parse(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// elements are those of a kind, in the order of the page.
func elements(root *html.Node, kind atom.Atom) (found []*html.Node) {
	for node := range root.Descendants() {
		if node.Type == html.ElementNode && node.DataAtom == kind {
			found = append(found, node)
		}
	}
	return found
}

// text is what a reader sees of an element, with single spaces.
func text(root *html.Node) string {
	var b strings.Builder
	for node := range root.Descendants() {
		if node.Type == html.TextNode {
			b.WriteString(node.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// rows are the cells of the n-th table of a page, without its head.
func rows(t *testing.T, root *html.Node, n int) (out [][]string) {
	t.Helper()
	bodies := elements(root, atom.Tbody)
	if n >= len(bodies) {
		t.Fatalf("the page has %d tables: %s", len(bodies), text(root))
	}
	for _, row := range elements(bodies[n], atom.Tr) {
		var cells []string
		for cell := range row.ChildNodes() {
			if cell.Type == html.ElementNode {
				cells = append(cells, text(cell))
			}
		}
		out = append(out, cells)
	}
	return out
}

// link is the path of the link with a text, empty without one.
func link(root *html.Node, words string) string {
	for _, a := range elements(root, atom.A) {
		if text(a) == words {
			return attribute(a, "href")
		}
	}
	return ""
}

func attribute(node *html.Node, name string) string {
	i := slices.IndexFunc(node.Attr, func(a html.Attribute) bool { return a.Key == name })
	if i < 0 {
		return ""
	}
	return node.Attr[i].Val
}

func accountPath(w *servertest.World) string {
	return "/operator/pages/accounts/" + v1.ID(w.Account).String()
}

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
		"/operator/": 200, "/operator/pages/accounts": 200, accountPath(w): 200, "/operator/pages/legacy-usage": 200,
		"/operator/pages/nothing": 404, "/operator/pages/a/b": 404, "/operator/pages/accounts/99": 404, "/operator/pages/accounts/x": 404,
		"/operator/pages/accounts?status=gone": 422, "/operator/pages/accounts?after=x": 422, "/operator/pages/legacy-usage?state=gone": 422,
	} {
		answer := open(t, w, path)
		h := answer.Header()
		want := map[string]string{
			"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff",
			"Referrer-Policy": "no-referrer", "Set-Cookie": "",
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

func TestEveryPathThatAPageNamesIsThere(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	seen := map[string]bool{}
	for todo := []string{"/operator/"}; len(todo) > 0; todo = todo[1:] {
		if seen[todo[0]] {
			continue
		}
		seen[todo[0]] = true
		answer := open(t, w, todo[0])
		if answer.Code != http.StatusOK {
			t.Errorf("%s: %d", todo[0], answer.Code)
		}
		if !strings.HasPrefix(answer.Header().Get("Content-Type"), "text/html") {
			continue
		}
		for node := range parse(t, answer).Descendants() {
			if node.Type == html.ElementNode {
				for _, name := range []string{"href", "action"} {
					if path := attribute(node, name); strings.HasPrefix(path, "/") {
						todo = append(todo, path)
					}
				}
			}
		}
	}
	if !seen["/style.css"] || !seen[accountPath(w)] || !seen["/operator/openapi.json"] || !seen["/metrics"] {
		t.Errorf("seen: %v", seen)
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
			if answer.Code != http.StatusNotFound {
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

func TestAccountsAreSearchedPageByPage(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for _, nickname := range []string{"berta", "carl", "dora"} {
			w.Seller(t, nickname)
		}
		nicknames := func(path string) (names []string) {
			for path != "" {
				page := shown(t, w, path)
				for _, row := range rows(t, page, 0) {
					names = append(names, row[1])
				}
				path = link(page, "Next page")
			}
			return names
		}
		for query, want := range map[string][]string{
			"":                                  {"anna", "berta", "carl", "dora"},
			"?limit=1":                          {"anna", "berta", "carl", "dora"},
			"?limit=3&status=active":            {"anna", "berta", "carl", "dora"},
			"?nickname=BERTA&email=&status=":    {"berta"}, // as the form sends it
			"?nickname=&email=carl@example.com": {"carl"},
		} {
			if diff := cmp.Diff(want, nicknames("/operator/pages/accounts"+query)); diff != "" {
				t.Errorf("%q (-want +got):\n%s", query, diff)
			}
		}
		second := shown(t, w, link(shown(t, w, "/operator/pages/accounts?limit=1"), "Next page"))
		if first := link(second, "First page"); first != "/operator/pages/accounts?limit=1" {
			t.Errorf("the first page is at %q", first)
		}
		if none := text(shown(t, w, "/operator/pages/accounts?status=suspended")); !strings.Contains(none, "No account matches.") {
			t.Errorf("without a match: %s", none)
		}
	})
}

func TestAnAccountSaysWhyItsWebhooksFail(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }))
		defer receiver.Close()
		w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: map[string]any{"url": receiver.URL + "/hook"}})
		w.List(t, servertest.FixedPrice())
		if _, err := w.Service.DeliverOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		page := shown(t, w, accountPath(w))
		said := text(elements(page, atom.Main)[0])
		for _, want := range []string{
			receiver.URL + "/hook active ; waiting events: 1", "Last failure: 21 Nov 2026, 12:00:00 , attempt 1 to send item.published", "answered 502", "The next attempt is at",
		} {
			if !strings.Contains(said, want) {
				t.Errorf("the page lacks %q: %s", want, said)
			}
		}
		wantLimits := [][]string{
			{"Requests a minute", "the service's default", "–", "–"},
			{"Open items", "the service's default", "0 of 100000", "1 of 100000"},
			{"New items a day", "the service's default", "0 of 10000", "1 of 10000"},
		}
		if diff := cmp.Diff(wantLimits, rows(t, page, 1)); diff != "" {
			t.Errorf("limits (-want +got):\n%s", diff)
		}
		for _, key := range []string{w.Key, w.LiveKey} {
			parts := strings.Split(key, "_")
			prefix := strings.Join(parts[:3], "_")
			if !strings.Contains(said, prefix+"…"+key[len(key)-4:]) || strings.Contains(said, parts[3][:8]) {
				t.Errorf("the key %s… is not shown by its ends alone: %s", prefix, said)
			}
		}
	})
}

func TestTheOverviewShowsWhatWaits(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		receiver := httptest.NewServer(http.NotFoundHandler())
		defer receiver.Close()
		for path, status := range map[string]string{"/active": "active", "/paused": "paused"} {
			w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: map[string]any{"url": receiver.URL + path, "status": status}})
		}
		quiet := [][]string{
			{"Submissions to publish or reject", "0", "–"}, {"Deliveries of events", "0", "–"}, {"Deliveries held for paused and disabled webhooks", "0", "–"},
		}
		if diff := cmp.Diff(quiet, rows(t, shown(t, w, "/operator/"), 0)); diff != "" {
			t.Errorf("before any work (-want +got):\n%s", diff)
		}
		w.List(t, servertest.FixedPrice())
		w.Clock.Advance(time.Minute)
		w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice()})
		w.Clock.Advance(30 * time.Second)
		w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice()})
		waiting := [][]string{
			{"Submissions to publish or reject", "2", "accepted 30s ago"},
			{"Deliveries of events", "1", "due for 1m30s"},
			{"Deliveries held for paused and disabled webhooks", "1", "–"},
		}
		if diff := cmp.Diff(waiting, rows(t, shown(t, w, "/operator/"), 0)); diff != "" {
			t.Errorf("while work waits (-want +got):\n%s", diff)
		}
	})
}

func TestTheOverviewSumsUpTheMetrics(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	for range 3 {
		w.Do(t, servertest.Request{Path: "/v1/account"})
	}
	w.Do(t, servertest.Request{Path: "/v1/items?limit=1"})
	w.Clock.Advance(90 * time.Minute)
	page := shown(t, w, "/operator/")
	want := [][]string{{"All", "4", "0", "1ms"}, {"GetAccount", "3", "0", "1ms"}, {"BrowseItems", "1", "0", "1ms"}}
	if diff := cmp.Diff(want, rows(t, page, 2)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if said := text(page); !strings.Contains(said, "Version test, go") || !strings.Contains(said, "running for 1h30m0s") {
		t.Errorf("the page says: %s", said)
	}
}

func TestTheOverviewIsThereWithoutTheDatabase(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	w.Do(t, servertest.Request{Path: "/v1/account"})
	if err := w.Store.Close(); err != nil {
		t.Fatal(err)
	}
	page := shown(t, w, "/operator/")
	if said := text(page); !strings.Contains(said, "The database does not answer") || !strings.Contains(said, "GetAccount") {
		t.Errorf("the page says: %s", said)
	}
	if answer := open(t, w, "/operator/pages/accounts"); answer.Code != http.StatusServiceUnavailable && answer.Code != http.StatusInternalServerError {
		t.Errorf("accounts: %d %s", answer.Code, answer.Body)
	}
}

func TestTheListOfTheOldInterfaceHasItsStates(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Rest(t, "GET", "/rest/seller", "", "X-Api-Key", w.LiveKey)
		if _, err := w.Service.FlushLegacyUsageOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		page := shown(t, w, "/operator/pages/legacy-usage?state=active")
		got := rows(t, page, 0)
		for i := range got {
			got[i][1] = strings.Split(got[i][1], "_")[1] // the rest of the prefix is random
		}
		want := [][]string{{"anna", "live", "active", "1", "100 %", "21 Nov 2026, 12:00:00", "seller"}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if none := text(shown(t, w, "/operator/pages/legacy-usage?state=done")); !strings.Contains(none, "No key matches.") {
			t.Errorf("done: %s", none)
		}
		overview := rows(t, shown(t, w, "/operator/"), 1)
		if diff := cmp.Diff([][]string{{"active", "1"}, {"done", "0"}, {"silent", "0"}}, overview); diff != "" {
			t.Errorf("overview (-want +got):\n%s", diff)
		}
	})
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
		for table, columns := range map[string]string{
			"accounts": "nickname = $1, email = $1, store_name = $1, store_plan = $1, time_zone = $1, language = $1, country = $1",
			"api_keys": "name = $1",
			"webhooks": "url = $1",
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
			"/operator/pages/accounts": 2, accountPath(w): 9, "/operator/pages/legacy-usage": 2,
		} {
			page := shown(t, w, path)
			checkQuiet(t, path, page)
			if n := strings.Count(text(page), hostile); n < times {
				t.Errorf("%s shows the text %d times, not %d: %s", path, n, times, text(page))
			}
		}
		checkQuiet(t, "the search", shown(t, w, "/operator/pages/accounts?nickname="+url.QueryEscape(hostile)))
	})
}
