package bridge_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sellerd/internal/bridge"
	"sellerd/internal/proof/servertest"
	"sellerd/translate"
	"sellerd/v1"
)

// secret seals the sessions of all bridges in tests.
var secret = bytes.Repeat([]byte("s"), 32)

// bridged is a world whose clock is past the sunset, and a bridge before it.
type bridged struct {
	*servertest.World
	*bridge.Bridge

	mu       sync.Mutex
	requests []string // to the service, as method, path and status
	recorded bytes.Buffer
	logged   bytes.Buffer
	waited   []time.Duration // of the bridge
}

// newBridged makes a world with production settings, past the sunset, and a bridge before it.
func newBridged(tb testing.TB, url string, options ...servertest.Option) *bridged {
	tb.Helper()
	w := servertest.New(tb, url, append([]servertest.Option{servertest.NewWeb(tb).Production}, options...)...)
	w.Clock.Advance(translate.Sunset.Sub(w.Clock.Now()) + 24*time.Hour)
	b := &bridged{World: w}
	b.Bridge = b.newBridge(tb, func(*bridge.Config) {})
	return b
}

// newBridge makes another bridge before the same world.
func (b *bridged) newBridge(tb testing.TB, change func(*bridge.Config)) *bridge.Bridge {
	tb.Helper()
	config := bridge.Config{
		To: "http://sellerd.test", Secret: secret, Clock: b.Clock, Logger: slog.New(slog.NewJSONHandler(&b.logged, nil)), Record: &b.recorded, Transport: b,
		Pause: func(_ context.Context, d time.Duration) error {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.waited = append(b.waited, d)
			b.Clock.Advance(d)
			return nil
		},
	}
	change(&config)
	made, err := bridge.New(config)
	if err != nil {
		tb.Fatal(err)
	}
	return made
}

// RoundTrip passes a request of the bridge to the service, as a transport would.
func (b *bridged) RoundTrip(request *http.Request) (*http.Response, error) {
	var body []byte
	if request.Body != nil {
		var err error
		if body, err = io.ReadAll(request.Body); err != nil {
			return nil, err
		}
	}
	r := httptest.NewRequestWithContext(request.Context(), request.Method, request.URL.RequestURI(), bytes.NewReader(body))
	r.Header = request.Header
	recorder := httptest.NewRecorder()
	b.Server.Public.ServeHTTP(recorder, r)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requests = append(b.requests, request.Method+" "+request.URL.RequestURI())
	return recorder.Result(), nil
}

// asked are the requests that the service got since the last time, with their queries if it matters.
func (b *bridged) asked(withQuery bool) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := slices.Clone(b.requests)
	b.requests = nil
	for i := range all {
		if !withQuery {
			all[i], _, _ = strings.Cut(all[i], "?")
		}
	}
	return all
}

// call makes a call of /rest through the bridge: a form in the query of GET, in the body of everything else.
func (b *bridged) call(tb testing.TB, method, path string, fields url.Values, header ...string) servertest.RestAnswer {
	tb.Helper()
	return b.callOf(tb, b.Bridge, method, path, fields, header...)
}

func (b *bridged) callOf(tb testing.TB, through http.Handler, method, path string, fields url.Values, header ...string) servertest.RestAnswer {
	tb.Helper()
	var body io.Reader
	if method == http.MethodGet {
		if len(fields) > 0 {
			path += "?" + fields.Encode()
		}
	} else {
		body = strings.NewReader(fields.Encode())
	}
	r := httptest.NewRequest(method, "http://localhost:8090"+path, body)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	recorder := httptest.NewRecorder()
	through.ServeHTTP(recorder, r)
	answer, err := servertest.ReadRestAnswer(recorder)
	if err != nil {
		tb.Fatalf("%s %s: %v\n%s", method, path, err, recorder.Body)
	}
	return answer
}

// lines are the lines of the recording since the last time.
func (b *bridged) lines(tb testing.TB) (lines []bridge.Line) {
	tb.Helper()
	decoder := json.NewDecoder(&b.recorded)
	for decoder.More() {
		var line bridge.Line
		if err := decoder.Decode(&line); err != nil {
			tb.Fatal(err)
		}
		lines = append(lines, line)
	}
	b.recorded.Reset()
	return lines
}

// fields are the fields of a form.
func fields(pairs ...string) url.Values {
	values := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		values.Add(pairs[i], pairs[i+1])
	}
	return values
}

// purchase has buyers buy pieces of an item, one each time.
func (b *bridged) purchase(tb testing.TB, item string, times int) {
	tb.Helper()
	for range times {
		r := httptest.NewRequest("POST", "/v1/test/items/"+item+"/purchase", strings.NewReader(`{"quantity":1}`))
		r.Header.Set("X-Api-Key", b.Key)
		r.Header.Set("Content-Type", "application/json")
		recorder := httptest.NewRecorder()
		b.Server.Public.ServeHTTP(recorder, r)
		if recorder.Code != http.StatusOK {
			tb.Fatalf("buy: %d %s", recorder.Code, recorder.Body)
		}
	}
}

func mustParse(tb testing.TB, form string) url.Values {
	tb.Helper()
	values, err := url.ParseQuery(form)
	if err != nil {
		tb.Fatal(err)
	}
	return values
}

// accountOf is the seller's number.
func accountOf(b *bridged) string { return fmt.Sprint(b.Account) }

// withPrivateTargets lets the service take addresses as a developer's does.
func withPrivateTargets(c *v1.Config) { c.AllowPrivateTargets = true }
