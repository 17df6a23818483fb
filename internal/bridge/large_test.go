package bridge_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sellerd/internal/bridge"
	"sellerd/v1"
)

// TestAServiceThatIsSlow never answers, or takes forever with its answer: the call ends.
func TestAServiceThatIsSlow(t *testing.T) {
	for name, answer := range map[string]func(context.Context) (*http.Response, error){
		"without an answer": func(ctx context.Context) (*http.Response, error) { <-ctx.Done(); return nil, ctx.Err() },
		"in the middle of its answer": func(ctx context.Context) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(&endless{ctx}), ContentLength: -1}, nil
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			b, err := bridge.New(bridge.Config{
				To: "http://sellerd.test", Secret: secret, Clock: v1.SystemClock{}, Logger: slog.New(slog.DiscardHandler),
				Transport: transport(func(r *http.Request) (*http.Response, error) { return answer(r.Context()) }),
			})
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			got := call(t, b, "GET", "/rest/seller", "")
			if took := time.Since(began); got.Code != 503 || !strings.Contains(got.Body.String(), "it took longer than 15s") || took > 20*time.Second {
				t.Errorf("%s: %d after %s: %s", name, got.Code, took, got.Body)
			}
		})
	}
}

// endless sends a byte a second.
type endless struct{ context.Context }

func (e *endless) Read(p []byte) (int, error) {
	select {
	case <-e.Done():
		return 0, e.Err()
	case <-time.After(time.Second):
		p[0] = '{'
		return 1, nil
	}
}

// TestABodyOfTenMebibytes sends one with and without its length: the service is not asked, and the program reads why.
func TestABodyOfTenMebibytes(t *testing.T) {
	asked := 0
	b, err := bridge.New(bridge.Config{
		To: "http://sellerd.test", Secret: secret, Clock: v1.SystemClock{}, Logger: slog.New(slog.DiscardHandler),
		Transport: transport(func(*http.Request) (*http.Response, error) { asked++; return answered(200, "{}"), nil }),
	})
	if err != nil {
		t.Fatal(err)
	}
	body := "title=" + strings.Repeat("x", 10<<20)
	for _, path := range []string{"/rest/item", "/rest/items"} {
		if got := call(t, b, "POST", path, body); got.Code != 413 || !strings.Contains(got.Body.String(), "<errorCode>payload_too_large</errorCode>") {
			t.Errorf("%s: %d %.500s", path, got.Code, got.Body)
		}
	}
	if asked > 0 {
		t.Errorf("the service was asked %d times", asked)
	}
}
