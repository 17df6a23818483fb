package serve

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTheURLOfAServerOnThisMachine(t *testing.T) {
	for _, test := range []struct{ name, addr, want string }{
		{"every address of this machine", ":8080", "http://127.0.0.1:8080"},
		{"the same in IPv4", "0.0.0.0:80", "http://127.0.0.1:80"},
		{"the same in IPv6", "[::]:80", "http://[::1]:80"},
		{"one address", "10.0.0.7:8080", "http://10.0.0.7:8080"},
		{"one address in IPv6", "[::1]:8080", "http://[::1]:8080"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := urlHere(test.addr, false)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestAServerIsAskedWhetherItIsReady asks for /readyz where the address has no path: the home page does not say whether a server is ready.
func TestAServerIsAskedWhetherItIsReady(t *testing.T) {
	for address, want := range map[string]string{
		"http://localhost:8080":                    "http://localhost:8080/readyz",
		"https://api.example.com/":                 "https://api.example.com/readyz",
		"https://api.example.com/healthz":          "https://api.example.com/healthz",
		"https://example.com/shop/readyz?from=lb1": "https://example.com/shop/readyz?from=lb1",
		"localhost:8080":                           "localhost:8080",
	} {
		if got := readyAt(address); got != want {
			t.Errorf("%s: it asks %s, want %s", address, got, want)
		}
	}
}

func TestHealth(t *testing.T) {
	answer := func(status int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(text))
		}
	}
	for _, test := range []struct {
		name          string
		handler       http.HandlerFunc
		timeout       time.Duration
		printed, want string
	}{
		{"a server that is ready", answer(http.StatusOK, "ready\n"), healthTimeout, "ready\n", ""},
		{"a server that is about to stop", answer(http.StatusServiceUnavailable, "draining\n"), healthTimeout, "", "URL answers 503 Service Unavailable: draining"},
		{"something else", answer(http.StatusNotFound, "not found"), healthTimeout, "", "URL answers 404 Not Found: not found"},
		{"a server that hangs", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, 50 * time.Millisecond, "", "no answer from URL within 50ms"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(test.handler)
			t.Cleanup(server.Close)
			var out strings.Builder
			said := ""
			if err := askHealth(t.Context(), http.DefaultClient, server.URL+"/readyz", test.timeout, &out); err != nil {
				said = strings.ReplaceAll(err.Error(), server.URL+"/readyz", "URL")
			}
			if diff := cmp.Diff([]string{test.printed, test.want}, []string{out.String(), said}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
