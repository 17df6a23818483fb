package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"sellerd/internal/base/httplog"
	"sellerd/internal/proof/servertest"
	"sellerd/internal/server"
	"sellerd/v1"
)

// logged makes a server of a world whose log can be read.
func logged(t *testing.T) (*servertest.World, *server.Server, *bytes.Buffer) {
	t.Helper()
	w := servertest.New(t, servertest.SQLite(t))
	var log bytes.Buffer
	logger := httplog.NewLogger(&log, slog.LevelDebug, httplog.JSON)
	s, err := server.New(server.Config{Service: w.Service, Logger: logger, BaseURL: "http://sellerd.test", Demo: true, OperatorToken: servertest.OperatorToken})
	if err != nil {
		t.Fatal(err)
	}
	return w, s, &log
}

func get(handler http.Handler, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

// colours are the tags around pieces of code.
var colours = regexp.MustCompile(`</?span[^>]*>|<wbr>`)

// uncoloured is a page whose code has no colours.
func uncoloured(page string) string { return colours.ReplaceAllString(page, "") }

func TestARequestHasOneLogLineWithoutSecrets(t *testing.T) {
	w, s, log := logged(t)
	get(s.Public, "/v1/items?q=secretword&personal_reference=R1", "X-Api-Key", w.Key, "X-Request-Id", "caller-chose-this")

	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 1 {
		t.Fatalf("want one line, got %q", lines)
	}
	var line map[string]any
	if err := json.Unmarshal([]byte(lines[0]), &line); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"level": "INFO", "msg": "request", "account": float64(w.Account), "key": strings.Split(w.Key, "_")[2], "op": "BrowseItems", "method": "GET",
		"status": 200.0, "ms": 0.0, "stack": "v1", "request_id": "caller-chose-this",
	}
	delete(line, "time")
	if diff := cmp.Diff(want, line); diff != "" {
		t.Errorf("log line (-want +got):\n%s", diff)
	}
}

// TestEveryRequestHasANameInTheLog: a name is that of the operation, the call or the route, and never the path that was asked for. So
// there are as many names as routes, in the log and in the metrics.
func TestEveryRequestHasANameInTheLog(t *testing.T) {
	w, s, log := logged(t)
	const bearer = "Bearer " + servertest.OperatorToken
	named := map[string]string{}
	for _, test := range []struct{ method, path, name string }{
		{"GET", "/", "/"},
		{"HEAD", "/", "/"},
		{"GET", "/healthz", "/healthz"},
		{"GET", "/readyz", "/readyz"},
		{"GET", "/docs", "/docs"},
		{"GET", "/docs/start", "/docs/{page}"},
		{"GET", "/docs/start.md", "/docs/{page}"},
		{"GET", "/docs/guessed", "/docs/{page}"},
		{"GET", "/docs/clients/seller.php", "/docs/clients/{file}"},
		{"GET", "/docs/deploy/sellerd-bridge.service", "/docs/deploy/{file...}"},
		{"GET", "/errors", "/errors"},
		{"GET", "/errors/item_not_found", "/errors/{code}"},
		{"GET", "/errors/guessed", "/errors/{code}"},
		{"GET", "/migration", "/migration"},
		{"POST", "/migration/translate", "/migration/translate"},
		{"PUT", "/migration/translate", "/migration/translate"},
		{"GET", "/changelog/1.0.0", "/changelog/{version}"},
		{"GET", "/changelog.atom", "/changelog.atom"},
		{"GET", "/account", "/account"},
		{"GET", "/style.css", "/style.css"},
		{"GET", "/assets/icon.svg", "/assets/{file...}"},
		{"GET", "/openapi.json", "/openapi.json"},
		{"GET", "/v1/openapi.json", "/v1/openapi.json"},
		{"GET", "/demo/images/stamp-01.png", "/demo/images/"},
		{"GET", "/v1/account", "GetAccount"},
		{"PUT", "/v1/items/1", "/v1/items/{id}"},
		{"OPTIONS", "/v1/items/1", "/v1/items/{id}"},
		{"GET", "/v1/guessed", "unknown"},
		{"GET", "/guessed", "unknown"},
		{"DELETE", "/healthz", "/healthz"},
		{"DELETE", "/", "/"},
		{"OPTIONS", "/docs/start", "/docs/{page}"},
		{"GET", "//v1/account", "unknown"},
		{"GET", "/rest/seller", "rest.seller"},
		{"PUT", "/rest/seller", "/rest/seller"},
		{"OPTIONS", "/rest/item/7", "/rest/item/{id_item}"},
		{"GET", "/rest/guessed", "unknown"},
		{"GET", "operator/metrics", "/metrics"},
		{"GET", "operator/healthz", "/healthz"},
		{"GET", "operator/readyz", "/readyz"},
		{"GET", "operator/", "/"},
		{"GET", "operator/operator/", "/operator/"},
		{"GET", "operator/operator/pages/accounts?nickname=anna", "/operator/pages/accounts"},
		{"GET", "operator/operator/openapi.json", "/operator/openapi.json"},
		{"GET", "operator/operator/accounts", "OperatorBrowseAccounts"},
		{"PUT", "operator/operator/accounts", "/operator/accounts"},
		{"PUT", "operator/metrics", "/metrics"},
		{"GET", "operator/operator/guessed", "unknown"},
		{"GET", "operator/guessed", "unknown"},
	} {
		log.Reset()
		handler, path := s.Public, test.path
		if below, found := strings.CutPrefix(path, "operator"); found {
			handler, path = s.Operator, below
		}
		r := httptest.NewRequest(test.method, path, nil)
		r.Header.Set("X-Api-Key", w.Key)
		r.Header.Set("Authorization", bearer)
		handler.ServeHTTP(httptest.NewRecorder(), r)
		var line struct {
			Op string `json:"op"`
		}
		if err := json.Unmarshal([]byte(strings.SplitN(log.String(), "\n", 2)[0]), &line); err != nil {
			t.Fatal(err)
		}
		if line.Op != test.name {
			t.Errorf("%s %s is called %q, not %q", test.method, test.path, line.Op, test.name)
		}
		if strings.Contains(log.String(), "guessed") {
			t.Errorf("%s %s: the log holds what the caller made up: %s", test.method, test.path, log)
		}
		named[line.Op] = test.path
	}
	metrics := get(s.Operator, "/metrics").Body.String()
	for name := range named {
		if !strings.Contains(metrics, `sellerd_requests_total{op="`+name+`",`) {
			t.Errorf("the metrics lack %s", name)
		}
	}
	if strings.Contains(metrics, "guessed") {
		t.Error("the metrics hold what the caller made up")
	}
}

func TestRequestIDs(t *testing.T) {
	_, s, _ := logged(t)
	for _, test := range []struct{ name, sent, kept string }{
		{"a well-formed one is kept", "0b7c1d2e-aaaa.bbbb_cccc", "0b7c1d2e-aaaa.bbbb_cccc"},
		{"a short one is replaced", "abc", ""},
		{"one with odd characters is replaced", "abcdefgh\"<script>", ""},
		{"a long one is replaced", strings.Repeat("a", 129), ""},
		{"a missing one is made", "", ""},
		{"a key is replaced", "dk_test_DhkAYaeU9Yz6_AVun9W2g5XSxzUI3Xgx0e5JHPW1IofTW0VMxrl", ""},
		{"a key in a text is replaced", "key-of-dk_live_DfEjOfMu1Sij", ""},
		{"a key of /rest is replaced", strings.Repeat("aB3dE6gH", 8), ""},
		{"a key of /rest in a text is replaced", "job.7-" + strings.Repeat("aB3dE6gH", 8) + "_2", ""},
		{"63 letters and digits are kept", strings.Repeat("a", 63), strings.Repeat("a", 63)},
		{"65 letters and digits are kept", strings.Repeat("a", 65), strings.Repeat("a", 65)},
		{"the longest one is kept", strings.Repeat("a", 128), strings.Repeat("a", 128)},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := get(s.Public, "/healthz", "X-Request-Id", test.sent).Header()["X-Request-Id"]
			if test.kept != "" {
				if diff := cmp.Diff([]string{test.kept}, got); diff != "" {
					t.Error(diff)
				}
				return
			}
			if len(got) != 1 || !strings.HasPrefix(got[0], "req_") {
				t.Errorf("want a made id, got %q", got)
			}
		})
	}
}

func TestPages(t *testing.T) {
	_, s, _ := logged(t)
	for _, test := range []struct {
		path     string
		status   int
		contains string
	}{
		{"/", 200, "The seller API"},
		{"/healthz", 200, "ok"},
		{"/readyz", 200, "ready"},
		{"/errors/item_has_bids", 200, "The auction has bids."},
		{"/errors/nonsense", 404, "There is no such error code"},
		{"/errors.json", 200, `"code":"rate_limited"`},
		{"/demo/images/stamp-01.png", 200, "PNG"},
		{"/nothing", 404, "route_not_found"},
		{"//v1/items", 404, "route_not_found"},
		{"/v1", 200, `"document"`},
		{"/v1/", 404, "route_not_found"},
		{"/v1/items/", 404, "route_not_found"},
		{"/v1/../v1/items", 404, "route_not_found"},
		{"/metrics", 404, "route_not_found"},
	} {
		t.Run(test.path, func(t *testing.T) {
			got := get(s.Public, test.path)
			if got.Code != test.status || !strings.Contains(got.Body.String(), test.contains) {
				t.Errorf("want %d with %q, got %d %.200s", test.status, test.contains, got.Code, got.Body)
			}
		})
	}
}

func TestMetricsAreTheOperatorsAlone(t *testing.T) {
	w, s, _ := logged(t)
	get(s.Public, "/v1/account", "X-Api-Key", w.Key)
	got := get(s.Operator, "/metrics")
	for _, want := range []string{
		`sellerd_requests_total{op="GetAccount",status="200"} 1`, "sellerd_submissions_published_total 0", `sellerd_build_info{commit="",go_version="go`, "go_goroutines",
	} {
		if !strings.Contains(got.Body.String(), want) {
			t.Errorf("metrics lack %s", want)
		}
	}
	if strings.Contains(got.Body.String(), w.Key) {
		t.Error("metrics hold a key")
	}
}

func TestAPanicIsAnInternalErrorOutsideAndLoggedInside(t *testing.T) {
	w, s, log := logged(t)
	w.Config.Store = nil
	r := httptest.NewRequest(http.MethodGet, "/v1/account", nil)
	r.Header.Set("X-Api-Key", w.Key)
	r = r.WithContext(panicking{r.Context()})
	got := httptest.NewRecorder()
	s.Public.ServeHTTP(got, r)
	if got.Code != 500 || !strings.Contains(got.Body.String(), `"code":"internal_error"`) || strings.Contains(got.Body.String(), "boom") {
		t.Errorf("want internal_error, got %d %s", got.Code, got.Body)
	}
	if !strings.Contains(log.String(), "boom") || !strings.Contains(log.String(), `"level":"ERROR"`) {
		t.Errorf("the log does not have it: %s", log)
	}
}

// panicking is a context that panics when the server waits for it.
type panicking struct{ context.Context }

func (panicking) Deadline() (time.Time, bool) { panic("boom") }

func TestTheEndIsOrderly(t *testing.T) {
	_, s, log := logged(t)
	ignore := goleak.IgnoreCurrent()
	public, operator := listen(t), listen(t)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- s.Run(ctx, public, operator) }()

	url := "http://" + public.Addr().String()
	response, err := http.Get(url + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != 200 {
		t.Errorf("ready: %d", response.StatusCode)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("run: %v", err)
	}
	if got := get(s.Public, "/readyz"); got.Code != 503 {
		t.Errorf("after the end: %d %s", got.Code, got.Body)
	}
	if _, err := http.Get(url + "/healthz"); err == nil {
		t.Error("the listener is still open")
	}
	http.DefaultClient.CloseIdleConnections()
	goleak.VerifyNone(t, ignore)
	if strings.Contains(log.String(), "ERROR") {
		t.Errorf("errors in the log: %s", log)
	}
}

func TestTheEndStoresWhatIsOnlyCounted(t *testing.T) {
	w, s, _ := logged(t)
	public, operator := listen(t), listen(t)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- s.Run(ctx, public, operator) }()
	response, err := http.Get("http://" + public.Addr().String() + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	w.Service.CountLegacyCall(v1.LegacyCall{Owner: v1.OwnerOf(w.Account, false), KeyID: "000000000000", Call: "item"})
	stop()
	if err := <-ended; err != nil {
		t.Errorf("run: %v", err)
	}
	if n := w.Count(t, "legacy_usage", "1 = 1"); n != 1 {
		t.Errorf("%d rows of usage are stored", n)
	}
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestACallerWhoHasGoneIsToldFromOneWhoWasAnswered(t *testing.T) {
	w, s, log := logged(t)
	for _, test := range []struct{ name, method, path, body string }{
		{"who asked to read", http.MethodGet, "/v1/account", ""},
		{"who asked to list", http.MethodPost, "/v1/items", `{}`},
		{"who asked the old interface", http.MethodGet, "/rest/account", ""},
		{"who asked for a page", http.MethodGet, "/errors", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			log.Reset()
			gone, leave := context.WithCancel(t.Context())
			leave()
			r := httptest.NewRequestWithContext(gone, test.method, test.path, strings.NewReader(test.body))
			r.Header.Set("X-Api-Key", w.Key)
			r.Header.Set("Content-Type", "application/json")
			s.Public.ServeHTTP(httptest.NewRecorder(), r)
			var line struct {
				Level, Error string
				Status       int
			}
			if err := json.Unmarshal(log.Bytes(), &line); err != nil {
				t.Fatal(err)
			}
			if line.Status != 499 || line.Level != "INFO" || line.Error != "" {
				t.Errorf("logged as %+v: %s", line, log)
			}
		})
	}
	t.Run("and counted apart", func(t *testing.T) {
		r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
		answer := httptest.NewRecorder()
		s.Operator.ServeHTTP(answer, r)
		if !strings.Contains(answer.Body.String(), `sellerd_requests_total{op="GetAccount",status="499"} 1`) {
			t.Error("the caller who has gone is not counted as such")
		}
	})
	t.Run("one whose connection breaks in the middle of the answer has gone as well", func(t *testing.T) {
		log.Reset()
		r := httptest.NewRequest(http.MethodGet, "/v1/account", nil)
		r.Header.Set("X-Api-Key", w.Key)
		s.Public.ServeHTTP(brokenWriter{httptest.NewRecorder()}, r)
		if !strings.Contains(log.String(), `"status":499`) {
			t.Errorf("logged as %s", log)
		}
	})
}

// brokenWriter writes to a connection that is closed.
type brokenWriter struct{ *httptest.ResponseRecorder }

func (brokenWriter) Write([]byte) (int, error) { return 0, net.ErrClosed }
