package bridge_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sellerd/internal/bridge"
	"sellerd/internal/proof/servertest"
	"sellerd/v1"
	"sellerd/v1/apikey"
)

// before makes a bridge before any handler, with the program's own transport.
func before(t *testing.T, service *httptest.Server, log io.Writer, record io.Writer, changes ...func(*bridge.Config)) *bridge.Bridge {
	t.Helper()
	config := bridge.Config{
		To: service.URL, Secret: secret, Clock: v1.SystemClock{}, Logger: slog.New(slog.NewJSONHandler(log, nil)), Record: record,
		Pause: func(context.Context, time.Duration) error { return nil },
	}
	for _, change := range changes {
		change(&config)
	}
	b, err := bridge.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// someKey has the form of a key.
var someKey = apikey.Assemble("abcdefghijkl", "live", strings.Repeat("s", 32)).Text

// call makes a call with a key at a bridge.
func call(t *testing.T, b http.Handler, method, target, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, "http://localhost:8090"+target, strings.NewReader(body))
	r.Header.Set("X-Api-Key", someKey)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	recorder := httptest.NewRecorder()
	b.ServeHTTP(recorder, r)
	return recorder
}

// TestWhatIsNotTheSellerAPIIsAnswered503 has everything but the seller API answer.
func TestWhatIsNotTheSellerAPIIsAnswered503(t *testing.T) {
	text := func(status int, contentType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.Header().Set("Location", "http://other.example/")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		says    string
	}{
		"a page":                   {text(200, "text/html", "<html>Welcome to nginx</html>"), "is not the seller API"},
		"the page of a proxy":      {text(502, "text/html", "<html>Bad Gateway</html>"), "is not the seller API"},
		"another JSON":             {text(200, "application/json", `{"hello":"world"}`), "is not the seller API"},
		"data with another status": {text(200, "application/json", `{"status_code":201,"data":{}}`), "is not the seller API"},
		"errors that are none":     {text(404, "application/json", `{"status_code":404,"errors":[]}`), "is not the seller API"},
		"nothing":                  {text(200, "application/json", ""), "is not the seller API"},
		"data of another kind":     {text(200, "application/json", `{"status_code":200,"data":{"results":[{]}}`), "is not the seller API"},
		"a redirect":               {text(302, "text/html", ""), "it redirects to another address"},
		"half an answer": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, `{"status_code":`)
		}, "unexpected EOF"},
		"a connection that is cut": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				test.handler(w, r)
			}))
			defer service.Close()
			var log bytes.Buffer
			got := call(t, before(t, service, &log, nil), "POST", "/rest/item/4711/feedback?secret=query", "feedback=100")
			if got.Code != 503 || !strings.Contains(got.Body.String(), "<errorCode>service_unavailable</errorCode>") || !strings.Contains(got.Body.String(), test.says) ||
				got.Header().Get("Retry-After") == "" {
				t.Errorf("%d %s", got.Code, got.Body)
			}
			if strings.Contains(got.Body.String()+log.String(), someKey[12:]) || strings.Contains(got.Body.String()+log.String(), "query") {
				t.Errorf("a secret is shown: %s %s", got.Body, &log)
			}
			if !strings.Contains(log.String(), `"level":"ERROR"`) {
				t.Errorf("logged: %s", &log)
			}
		})
	}
}

// TestAServiceThatIsAway asks an address where nothing listens, and one with another certificate.
func TestAServiceThatIsAway(t *testing.T) {
	var log bytes.Buffer
	away := httptest.NewServer(http.NotFoundHandler())
	away.Close()
	if got := call(t, before(t, away, &log, nil), "GET", "/rest/seller", ""); got.Code != 503 || !strings.Contains(got.Body.String(), "refused") {
		t.Errorf("away: %d %s", got.Code, got.Body)
	}
	var reached atomic.Bool
	other := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }))
	defer other.Close()
	other.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
	got := call(t, before(t, other, &log, nil), "GET", "/rest/seller", "")
	if got.Code != 503 || !strings.Contains(got.Body.String(), "its certificate is not valid") || reached.Load() {
		t.Errorf("with another certificate: %d %s, reached %t", got.Code, got.Body, reached.Load())
	}
}

// TestNothingIsSentTwiceThatIsNotIdempotent closes an item at a service that cuts the connection.
func TestNothingIsSentTwiceThatIsNotIdempotent(t *testing.T) {
	var posts atomic.Int32
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "POST" && posts.Add(1) > 0 {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"status_code":200,"data":{"results":[],"next_cursor":null}}`)
	}))
	defer service.Close()
	b := before(t, service, io.Discard, nil)
	for range 3 {
		if got := call(t, b, "GET", "/rest/shippingModels", ""); got.Code != 200 { // leaves a connection open
			t.Fatal(got.Body)
		}
		if got := call(t, b, "DELETE", "/rest/item/4711", "reason=TestItem"); got.Code != 503 {
			t.Fatal(got.Body)
		}
	}
	if n := posts.Load(); n != 3 {
		t.Errorf("%d requests for 3 calls", n)
	}
}

// TestANewerServiceIsUnderstood answers with members and a code that this program does not know.
func TestANewerServiceIsUnderstood(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/4712") {
			w.WriteHeader(http.StatusConflict)
			_, _ = io.WriteString(w, `{"status_code":409,"trace":"x","errors":[{"code":"item_is_on_the_moon","message":"It is far away.","severity":3}]}`)
			return
		}
		_, _ = io.WriteString(w, `{"status_code":200,"trace":"x","data":{"id":"4711","title":"Card","colour":{"name":"red"},"status":"levitating","price":{"amount":"1.00","currency":"EUR","vat":"0.21"}}}`)
	}))
	defer service.Close()
	b := before(t, service, io.Discard, nil)
	if got := call(t, b, "GET", "/rest/item/4711", "").Body.String(); !strings.Contains(got, "<title>Card</title>") || !strings.Contains(got, "<fixed_price>1.00</fixed_price>") {
		t.Error(got)
	}
	got := call(t, b, "GET", "/rest/item/4712", "")
	if got.Code != 409 || !strings.Contains(got.Body.String(), "<errorMsg>It is far away.</errorMsg><errorCode>item_is_on_the_moon</errorCode>") {
		t.Errorf("%d %s", got.Code, got.Body)
	}
}

// TestARefusalIsWaitedFor has the budget of a key be spent.
func TestARefusalIsWaitedFor(t *testing.T) {
	b := newBridged(t, servertest.SQLite(t), func(c *v1.Config) { c.RateLimit = 60 })
	for range 60 {
		b.Do(t, servertest.Request{Path: "/v1/account"})
	}
	got := b.call(t, "GET", "/rest/seller", nil, "X-Api-Key", b.Key)
	if got.Status != 200 || len(b.waited) != 1 || b.waited[0] != time.Second || len(b.asked(false)) != 2 {
		t.Errorf("%d after %v: %s", got.Status, b.waited, got.Body)
	}
	if got.Header.Get("X-Ratelimit-Limit") != "60" || got.Header.Get("X-Ratelimit-Remaining") != "0" {
		t.Errorf("limits: %v", got.Header)
	}
}

// TestARefusalIsPassedOnAfterTwentySeconds has the budget stay spent.
func TestARefusalIsPassedOnAfterTwentySeconds(t *testing.T) {
	for name, test := range map[string]struct {
		after string
		asked int
	}{"six seconds each time": {"6", 4}, "a minute": {"60", 1}, "no word of how long": {"", 21}} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				asked.Add(1)
				w.Header().Set("Retry-After", test.after)
				w.WriteHeader(http.StatusTooManyRequests)
				_, _ = io.WriteString(w, `{"status_code":429,"errors":[{"code":"rate_limited","message":"Too many requests."}]}`)
			}))
			defer service.Close()
			clock := &servertest.Clock{}
			b, err := bridge.New(bridge.Config{
				To: service.URL, Secret: secret, Clock: clock, Logger: slog.New(slog.DiscardHandler),
				Pause: func(_ context.Context, d time.Duration) error { clock.Advance(d); return nil },
			})
			if err != nil {
				t.Fatal(err)
			}
			got := call(t, b, "POST", "/rest/item/4711/restart", "")
			if got.Code != 429 || got.Header().Get("Retry-After") != test.after || int(asked.Load()) != test.asked {
				t.Errorf("%d after %d requests: %v", got.Code, asked.Load(), got.Header())
			}
		})
	}
}

// TestAProgramThatHammersWaitsInLine makes many calls at the same time with a spent budget: the service is asked by one of them
// at a time, and all end.
func TestAProgramThatHammersWaitsInLine(t *testing.T) {
	var asked, together, most atomic.Int32
	release := make(chan struct{})
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		n := together.Add(1)
		defer together.Add(-1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		w.Header().Set("Content-Type", "application/json")
		select {
		case <-release:
			_, _ = io.WriteString(w, `{"status_code":200,"data":{"id":"5001"}}`)
		default:
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, `{"status_code":429,"errors":[{"code":"rate_limited","message":"Too many requests."}]}`)
		}
	}))
	defer service.Close()
	pausing := make(chan struct{})
	var once sync.Once
	b, err := bridge.New(bridge.Config{
		To: service.URL, Secret: secret, Clock: v1.SystemClock{}, Logger: slog.New(slog.DiscardHandler),
		Pause: func(ctx context.Context, _ time.Duration) error {
			once.Do(func() { close(pausing) })
			select {
			case <-release:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	const calls = 200
	statuses := make(chan int, calls)
	go func() { statuses <- call(t, b, "GET", "/rest/seller", "").Code }()
	<-pausing
	before := asked.Load()
	for range calls - 1 {
		go func() { statuses <- call(t, b, "GET", "/rest/seller", "").Code }()
	}
	for b.Waiting("abcdefghijkl") < bridge.CallsAtOnce { // all that run stand in the line
		runtime.Gosched()
	}
	if n := asked.Load(); n != before {
		t.Errorf("%d requests while the first call waits", n-before)
	}
	close(release)
	for range calls {
		if status := <-statuses; status != 200 {
			t.Errorf("a call was answered %d", status)
		}
	}
	if n := asked.Load() - before; n != calls {
		t.Errorf("%d further requests for %d calls", n, calls)
	}
	if n := most.Load(); n > bridge.CallsAtOnce {
		t.Errorf("%d requests at the same time", n)
	}
}
