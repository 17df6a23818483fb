package operatorpages_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"sellerd/internal/proof/servertest"
)

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
			if node.Type == html.ElementNode && attribute(node, "method") != "post" {
				for _, name := range []string{"href", "action"} {
					if path := attribute(node, name); strings.HasPrefix(path, "/") {
						todo = append(todo, path)
					}
				}
			}
		}
	}
	if !seen["/style.css"] || !seen[accountPath(w)] || !seen["/operator/openapi.json"] || !seen["/metrics"] || !seen["/operator/pages/audit"] {
		t.Errorf("seen: %v", seen)
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
			"?email=%20Carl@example.com%0A":     {"carl"}, // as it is pasted from a mail
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
		works := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		defer works.Close()
		w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: map[string]any{"url": works.URL + "/works"}})
		w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: map[string]any{"url": receiver.URL + "/hook"}})
		w.List(t, servertest.FixedPrice())
		if _, err := w.Service.DeliverOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		page := shown(t, w, accountPath(w))
		said := text(elements(page, atom.Main)[0])
		for _, want := range []string{
			receiver.URL + "/hook active, failing since 21 Nov 2026, 12:00:00 ; waiting events: 1", "Last failure: 21 Nov 2026, 12:00:00 , attempt 1 to send item.published", "answered 502 ( http_status )", "The next attempt is at",
		} {
			if !strings.Contains(said, want) {
				t.Errorf("the page lacks %q: %s", want, said)
			}
		}
		if fails, other := strings.Index(said, receiver.URL+"/hook"), strings.Index(said, works.URL+"/works"); other < fails {
			t.Errorf("the webhook that works comes before the one that fails: %s", said)
		}
		wantLimits := [][]string{
			{"Requests a minute", "the service's default", "–", "–"},
			{"Open items", "the service's default", "0 of 100,000", "1 of 100,000"},
			{"New items a day", "the service's default", "0 of 10,000", "1 of 10,000"},
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

func TestAnAccountSaysWhyItsSubmissionsWait(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		broken := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusServiceUnavailable) }))
		defer broken.Close()
		withPicture := servertest.FixedPrice()
		withPicture["images"] = []map[string]any{{"url": broken.URL + "/stamp.jpg"}}
		w.Do(t, servertest.Request{Path: "/v1/items", Body: withPicture})
		if _, err := w.Service.PublishOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 11 {
			w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice()})
		}
		w.Clock.Advance(time.Second)
		page := shown(t, w, accountPath(w))
		got := rows(t, page, 1)
		for i := range got {
			got[i] = got[i][1:]
		}
		notTaken := []string{"1s ago", "no publisher has taken it: none works, it cannot write, or others are before it"}
		want := slices.Repeat([][]string{notTaken}, 10)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("what waits (-want +got):\n%s", diff)
		}
		if said := text(page); !strings.Contains(said, "And 2 more.") {
			t.Errorf("the page does not say how many more wait: %s", said)
		}
		if _, err := w.Service.PublishOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		got = rows(t, shown(t, w, accountPath(w)), 1)
		if len(got) != 1 || got[0][2] != "a picture could not be fetched, and is tried again at 21 Nov 2026, 12:00:05" {
			t.Errorf("what waits for its picture: %q", got)
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
			{"Submissions to publish or reject", "2", "accepted 30s ago by account 5001 : no publisher has taken it: none works, it cannot write, or others are before it"},
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

func TestAnEmptyListSaysWhetherItWasSearched(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for path, want := range map[string]string{
			"legacy-usage":              "No key has called /rest",
			"legacy-usage?state=silent": "No key matches.",
			"audit?operator=nobody":     "No change matches.",
		} {
			if got := text(shown(t, w, "/operator/pages/"+path)); !strings.Contains(got, want) {
				t.Errorf("%s does not say %q: %s", path, want, got)
			}
		}
	})
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
		if by := text(shown(t, w, "/operator/")); !strings.Contains(by, "Signed in as token, admin") {
			t.Errorf("who looks at the page: %s", by)
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
