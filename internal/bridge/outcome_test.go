package bridge_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sellerd/internal/bridge"
	"sellerd/v1"
)

// someBulk is a bulk of two batches.
var someBulk = func() string {
	var b strings.Builder
	for i := range 150 {
		fmt.Fprintf(&b, "items[%d][title]=Card&items[%d][personal_reference]=A-%d&", i, i, i)
	}
	return strings.TrimSuffix(b.String(), "&")
}()

const (
	someCreate = "title=Card&id_category=1010101&personal_reference=A-1&fixed_price=1&currency=EUR"

	nothing = "Nothing was changed."
	part    = "A part of it was carried out. Send the same again within 24 hours: nothing is listed twice."
	unknown = "It is not known whether it was carried out."
	again   = unknown + " Send the same again within 24 hours: nothing is listed twice."
)

// TestAProgramIsToldWhatBecameOfItsChange ends calls in the middle, by answers of the service and without one.
func TestAProgramIsToldWhatBecameOfItsChange(t *testing.T) {
	batch := func() (*http.Response, error) {
		return answered(202, `{"id":"bat_1","accepted_count":100,"rejected_count":0,"results":[]}`), nil
	}
	limited := func() (*http.Response, error) {
		r := answered(429, "null")
		r.Body = io.NopCloser(strings.NewReader(`{"status_code":429,"errors":[{"code":"rate_limited","message":"Too many requests."}]}`))
		r.Header.Set("Retry-After", "30")
		return r, nil
	}
	page := func() (*http.Response, error) {
		return &http.Response{StatusCode: 502, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("<html>Bad Gateway</html>"))}, nil
	}
	cut := func() (*http.Response, error) { return nil, io.ErrUnexpectedEOF }
	sales := func() (*http.Response, error) {
		return answered(200, `{"results":[{"id":"7001","item_id":"4711"}],"next_cursor":null}`), nil
	}
	slow := func() (*http.Response, error) { time.Sleep(time.Minute); return nil, context.DeadlineExceeded }
	for name, test := range map[string]struct {
		method, path, body string
		answers            []func() (*http.Response, error)
		status             int
		says               string
	}{
		"a create that is cut":                     {"POST", "/rest/item", someCreate, answers(cut), 503, again},
		"a create that a proxy answers":            {"POST", "/rest/item", someCreate, answers(page), 503, again},
		"a create that takes too long":             {"POST", "/rest/item", someCreate, answers(slow), 503, again},
		"a create that is limited":                 {"POST", "/rest/item", someCreate, answers(limited), 429, "<errorMsg>Too many requests.</errorMsg>"},
		"a read that is cut":                       {"GET", "/rest/item/4711", "", answers(cut), 503, nothing},
		"a rating whose sale is not found in time": {"POST", "/rest/item/4711/feedback", "feedback=100", answers(cut), 503, nothing},
		"a rating that is cut":                     {"POST", "/rest/item/4711/feedback", "feedback=100", answers(sales, cut), 503, unknown + "</errorMsg>"},
		"a bulk whose second batch is cut":         {"POST", "/rest/items", someBulk, answers(batch, cut), 503, again},
		"a bulk whose second batch is limited":     {"POST", "/rest/items", someBulk, answers(batch, limited), 429, "Too many requests. " + part},
		"a bulk whose first batch is limited":      {"POST", "/rest/items", someBulk, answers(limited), 429, "<errorMsg>Too many requests.</errorMsg>"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				b, err := bridge.New(bridge.Config{
					To: "http://sellerd.test", Secret: secret, Clock: v1.SystemClock{}, Logger: slog.New(slog.DiscardHandler),
					Transport: transport(func(*http.Request) (*http.Response, error) {
						asked++
						return test.answers[min(asked, len(test.answers))-1]()
					}),
				})
				if err != nil {
					t.Fatal(err)
				}
				got := call(t, b, test.method, test.path, test.body)
				if got.Code != test.status || !strings.Contains(got.Body.String(), test.says) {
					t.Errorf("%d %s, want %d %s", got.Code, got.Body, test.status, test.says)
				}
			})
		})
	}
}

func answers(all ...func() (*http.Response, error)) []func() (*http.Response, error) { return all }

// TestWhatWasNotSentChangedNothing creates where nothing listens, and where the certificate is another's.
func TestWhatWasNotSentChangedNothing(t *testing.T) {
	var reached atomic.Bool
	away := httptest.NewServer(http.NotFoundHandler())
	away.Close()
	other := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }))
	other.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
	other.StartTLS()
	defer other.Close()
	for _, service := range []*httptest.Server{away, other} {
		got := call(t, before(t, service, io.Discard, nil), "POST", "/rest/item", someCreate)
		if got.Code != 503 || !strings.Contains(got.Body.String(), nothing) || reached.Load() {
			t.Errorf("%d %s", got.Code, got.Body)
		}
	}
}
