package server_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"sellerd/internal/server"
)

// unwritten is an answer that costs nothing to keep.
type unwritten struct{ header http.Header }

func (w *unwritten) Header() http.Header         { return w.header }
func (w *unwritten) Write(b []byte) (int, error) { return len(b), nil }
func (w *unwritten) WriteHeader(int)             {}

func TestNamesAreSpelledWithoutAllocating(t *testing.T) {
	one := []string{"1"}
	common := []string{"Cache-Control", "Content-Language", "Content-Length", "Content-Type", "X-Content-Type-Options", "X-Request-Id"}
	budget := []string{
		"X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset", "X-Ratelimit-Reset-After", "Ratelimit", "Ratelimit-Policy",
	}
	units := []string{
		"X-Storelimit-Limit", "X-Storelimit-Used", "X-Storelimit-Remaining", "X-Storelimit-Daily-Limit", "X-Storelimit-Daily-Remaining",
		"X-Storelimit-Daily-Reset",
	}
	for name, header := range map[string][]string{
		"a list":           slices.Concat(common, budget, []string{"Vary"}),
		"a read":           slices.Concat(common, budget, []string{"Vary", "Etag"}),
		"an accepted item": slices.Concat(common, budget, units, []string{"Location"}),
		"no key":           append([]string{"Www-Authenticate"}, common...),
	} {
		t.Run(name, func(t *testing.T) {
			plain := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				for _, name := range header {
					w.Header()[name] = one
				}
				w.WriteHeader(http.StatusOK)
			})
			answer := &unwritten{}
			allocations := func(h http.Handler) float64 {
				return testing.AllocsPerRun(1000, func() {
					answer.header = http.Header{}
					h.ServeHTTP(answer, nil)
				})
			}
			if without, with := allocations(plain), allocations(server.DocumentedNames(plain)); with > without {
				t.Errorf("%.0f allocations, and %.0f without the names", with, without)
			}
			if len(answer.header) != len(header) {
				t.Errorf("of %v is left %v", header, answer.header)
			}
		})
	}
}

func TestInterimAnswersAndEmptyOnesAreSpelled(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"nothing but a header": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("ETag", `"1"`) },
		"a flush":              func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("ETag", `"1"`); flush(t, w) },
		"after an interim answer": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusEarlyHints)
			w.Header().Set("ETag", `"1"`)
			w.WriteHeader(http.StatusNoContent)
		},
		"a write": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("ETag", `"1"`)
			_, _ = io.WriteString(w, "x")
		},
	} {
		t.Run(name, func(t *testing.T) {
			listening := httptest.NewServer(server.DocumentedNames(answer))
			defer listening.Close()
			_, lines := wire(t, listening.Listener.Addr().String(), "GET", "/", "")
			if got := names(lines); !slices.Contains(got, "ETag") || slices.Contains(got, "Etag") {
				t.Errorf("names: %v", got)
			}
		})
	}
}

func flush(t *testing.T, w http.ResponseWriter) {
	if err := http.NewResponseController(w).Flush(); err != nil {
		t.Error(err)
	}
}
