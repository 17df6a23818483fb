package conformance_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sellerd/internal/bridge"
	"sellerd/internal/proof/servertest"
	"sellerd/translate"
	"sellerd/v1"
)

// TestTheBridgeKeepsWhatWasPromisedOfRest replays every sealed section about /rest through the bridge, before a service whose
// clock is past the sunset. Only the headers about the end are missing, because the bridge has none.
func TestTheBridgeKeepsWhatWasPromisedOfRest(t *testing.T) {
	suite := load(t)
	for _, replay := range suite.Replays() {
		if !replay.Transcript.Legacy() || !suite.Sealed(replay.Transcript) {
			continue
		}
		t.Run(fileName(replay.Transcript.File)+"/"+replay.Operation, func(t *testing.T) {
			t.Parallel()
			for name, database := range map[string]func(testing.TB) string{"sqlite": servertest.SQLite, "postgres": servertest.Postgres} {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					b := newBeside(t, database(t))
					b.w.Clock.Advance(translate.Sunset.Sub(b.w.Clock.Now()) + 30*24*time.Hour)
					runner := b.runner(suite)
					through := &bridged{t, b.w, newBridge(t, b.w)}
					runner.Send = through.send
					for _, result := range runner.Run(t.Context(), replay.Transcript, replay.Operation) {
						why := unbridged(result.File, result.Title)
						switch problems := len(result.Problems); {
						case result.LeftOut != "":
							t.Errorf("%s: left out, for it %s", result.Title, result.LeftOut)
						case why == "" && problems > 0:
							t.Errorf("%s:\n%s", result.Title, strings.Join(result.Problems, "\n"))
						case why != "" && problems == 0:
							t.Errorf("%s is as promised, so it is not among what %s", result.Title, why)
						}
					}
				})
			}
		})
	}
}

// What the bridge answers otherwise, and why.
const (
	asIs      = "does not hold because the bridge runs beside the program, and compresses nothing"
	noEnd     = "does not hold because the bridge has no end"
	httpsOnly = "does not hold because /v1 takes https addresses alone, so the bridge sends http ones with https, and says so in a warning"
)

// aboutTheEnd are the beginnings of titles of sections that show the end of /rest, or a drill of it, which the bridge does not meet.
var aboutTheEnd = []string{"The end, rehearsed", "The sunset has passed", "A drill is running"}

// aboutHTTP are the sections about http addresses, by file.
var aboutHTTP = map[string][]string{
	"released/1.0.0/rest/item-bulk.txt":   {"Everything that can be wrong with an item"}, // which release 1.2.1 corrected, so that http is right
	"released/1.0.0/rest/item-create.txt": {"An image at no web address"},
	"released/1.0.0/rest/item-update.txt": {"An image at no web address"},
	"released/1.2.1/rest/item-bulk.txt":   {"Images at http addresses", "Everything that can be wrong with an item"},
	"released/1.2.1/rest/item-create.txt": {
		"An auction as the public examples have it", "An image at no web address", "An image at the port of another protocol",
	},
	"released/1.2.1/rest/item-update.txt": {
		"An image at an http address", "An image at no web address", "/v1 shows the address", "/v1 changes something else", "/v1 takes no other one",
	},
	"released/1.2.1/rest/notification-add.txt": {
		"At an http address", "It is there once", "It is on again", "/v1 shows the address", "/v1 changes something else",
	},
}

// unbridged is why a section does not hold through the bridge, empty for one that does.
func unbridged(file, title string) string {
	switch {
	case strings.HasPrefix(title, "Compressed: "):
		return asIs
	case slices.ContainsFunc(aboutTheEnd, func(beginning string) bool { return strings.HasPrefix(title, beginning) }):
		return noEnd
	case slices.Contains(aboutHTTP[file], title):
		return httpsOnly
	default:
		return ""
	}
}

// bridged sends requests of /rest through a bridge and all others to the service.
type bridged struct {
	t      *testing.T
	w      *servertest.World
	bridge http.Handler
}

func newBridge(t *testing.T, w *servertest.World) http.Handler {
	t.Helper()
	clock := &impatient{Clock: w.Clock}
	b, err := bridge.New(bridge.Config{
		To: w.Config.BaseURL, Secret: bytes.Repeat([]byte("s"), 32), Clock: clock, Logger: slog.New(slog.DiscardHandler), Transport: sender{t, w},
		Pause: func(_ context.Context, d time.Duration) error {
			clock.ahead.Add(int64(d))
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// impatient is a bridge's clock, which moves on while the bridge waits for its budget of requests. That of the service does
// not, so the budget stays spent, and the bridge gives up.
type impatient struct {
	v1.Clock
	ahead atomic.Int64
}

func (c *impatient) Now() time.Time { return c.Clock.Now().Add(time.Duration(c.ahead.Load())) }

// sender passes the bridge's requests to the service, and checks that its OpenAPI document describes the answers.
type sender struct {
	t *testing.T
	w *servertest.World
}

func (s sender) RoundTrip(r *http.Request) (*http.Response, error) { return s.w.Send(s.t, r), nil }

// send adds the headers about the end to the bridge's answer, as the service would have had them.
func (b *bridged) send(r *http.Request) (*http.Response, error) {
	if !strings.Contains(r.URL.Path, "/rest") {
		return b.w.Send(b.t, r), nil
	}
	in := httptest.NewRequestWithContext(r.Context(), r.Method, "http://localhost:8090"+r.URL.RequestURI(), r.Body)
	in.Header = r.Header
	recorder := httptest.NewRecorder()
	b.bridge.ServeHTTP(recorder, in)
	answer := recorder.Result()
	h := answer.Header
	if h.Get("Deprecation") != "" || h.Get("Sunset") != "" || h.Get("Via") != "1.1 sellerd-bridge" {
		b.t.Errorf("%s %s: headers %v", r.Method, r.URL.Path, h)
	}
	h.Set("Deprecation", "@1791158400")
	h.Set("Sunset", translate.Sunset.Format(http.TimeFormat))
	links := h["Link"]
	h["Link"] = append([]string{links[0], "<" + b.w.Config.BaseURL + `/migration#sunset>; rel="sunset"; type="text/html"`}, links[1:]...)
	return answer, nil
}
