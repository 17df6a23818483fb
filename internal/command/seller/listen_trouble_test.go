package seller

import (
	"context"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/command"
	"sellerd/internal/proof/servertest"
)

func TestListenWaitsForTheReceiver(t *testing.T) {
	d := newDesk(t, plainly)
	d.begun(t)
	waits := 0
	l := d.listener(t, func() error { waits++; return nil })
	if err := l.begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.List(t, servertest.FixedPrice())
	d.List(t, servertest.FixedPrice())
	d.answers = []int{0, 0, 503, 200, 500}
	d.poll(t, l)

	logged := d.feedIDs(t)
	want := []string{logged[0], logged[0], logged[0], logged[0], logged[1]}
	if diff := cmp.Diff(want, ids(d.took())); diff != "" {
		t.Errorf("the first event is repeated until it is taken, and then comes the second (-want +got):\n%s", diff)
	}
	if waits != 3 {
		t.Errorf("it waited %d times, want 3", waits)
	}
	var outcomes []string
	for line := range strings.Lines(d.printed.String()) {
		_, outcome, _ := strings.Cut(line, " #1")
		outcomes = append(outcomes, strings.Join(strings.Fields(outcome), " "))
	}
	if diff := cmp.Diff([]string{"EOF 0 ms, trying again", "503 0 ms, trying again", "200 0 ms", "500 0 ms"}, outcomes); diff != "" {
		t.Error(diff)
	}
}

func TestListenSurvivesTheServicesAbsence(t *testing.T) {
	var away atomic.Int64 // aborted requests whose handlers may still run beside the next one
	d := newDesk(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if away.Add(-1) >= 0 {
				panic(http.ErrAbortHandler)
			}
			h.ServeHTTP(w, r)
		})
	})
	d.begun(t)
	l := d.listener(t, func() error { d.Clock.Advance(time.Hour); return nil })
	if err := l.begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.List(t, servertest.FixedPrice())
	l.client.Patience = 100 * time.Hour
	away.Store(5)
	d.poll(t, l)
	if got := d.took(); len(got) != 1 {
		t.Errorf("%d events arrived", len(got))
	}
	lines := strings.Split(d.printed.String(), "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[0], "Waiting for the service: ") || lines[1] != "The service answers again." {
		t.Errorf("it prints %q", lines)
	}
}

func TestListenEnds(t *testing.T) {
	d := newDesk(t, plainly)
	run := func() error {
		ctx, end := context.WithCancel(t.Context())
		l := d.listener(t, func() error {
			d.List(t, servertest.FixedPrice())
			if d.Count(t, "events", "1 = 1")%3 == 0 {
				end()
			}
			return context.Cause(ctx)
		})
		return l.listen(ctx)
	}
	t.Run("with --keep, its file stays", func(t *testing.T) {
		d.command.Keep = true
		if err := run(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(d.command.State); err != nil {
			t.Error(err)
		}
	})
	t.Run("without, nothing stays", func(t *testing.T) {
		d.command.Keep = false
		if err := run(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(d.command.State); !os.IsNotExist(err) {
			t.Errorf("its file is left: %v", err)
		}
	})
	t.Run("both printed the secret", func(t *testing.T) {
		if n := strings.Count(d.printed.String(), "whsec_"); n != 2 {
			t.Errorf("%d secrets in\n%s", n, d.printed.String())
		}
	})
}

func TestListenRefuses(t *testing.T) {
	d := newDesk(t, plainly)
	start := func() error {
		return d.listener(t, func() error { return nil }).begin(t.Context())
	}
	t.Run("a live key, unless it is meant", func(t *testing.T) {
		d.command.Key = d.LiveKey
		if err := start(); err == nil || !strings.Contains(err.Error(), "--live") {
			t.Errorf("it says %v", err)
		}
		d.command.Live = true
		if err := start(); err != nil {
			t.Errorf("with --live: %v", err)
		}
		d.command.Key = d.Key
	})
	t.Run("a key that is not valid", func(t *testing.T) {
		d.command.Key = "dk_test_nonsense"
		if err := start(); err == nil || !strings.Contains(err.Error(), "invalid_api_key") {
			t.Errorf("it says %v", err)
		}
		d.command.Key = d.Key
	})
	t.Run("an event that there is not", func(t *testing.T) {
		d.command.Events = []string{"item.stolen"}
		if err := start(); err == nil || !strings.Contains(err.Error(), "item.stolen") {
			t.Errorf("it says %v", err)
		}
		d.command.Events = []string{"*"}
	})
	t.Run("a target that is no URL", func(t *testing.T) {
		flags := d.command
		flags.ForwardTo = "localhost:3000"
		if err := flags.Run(t.Context(), &command.Program{Now: d.Clock.Now}); err == nil || !strings.Contains(err.Error(), "--forward-to must be like") {
			t.Errorf("it says %v", err)
		}
	})
}

func TestListenInColour(t *testing.T) {
	event := &feedEvent{Type: "sale.cancelled"}
	event.Resource.Type, event.Resource.ID, event.Resource.Sequence = "sale", "300001", 2
	for name, want := range map[string]struct {
		coloured bool
		outcome  string
		line     string
	}{
		"a success is green":               {true, "204", "sale.cancelled    sale 300001 #2          \x1b[32m204\x1b[0m  12 ms\n"},
		"a failure is red":                 {true, "500", "sale.cancelled    sale 300001 #2          \x1b[31m500\x1b[0m  12 ms\n"},
		"and a file gets nothing but text": {false, "204", "sale.cancelled    sale 300001 #2          204  12 ms\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			c := &console{out: &out, coloured: want.coloured}
			c.event(servertest.Start, event, want.outcome, 12*time.Millisecond, true)
			if !strings.HasSuffix(out.String(), want.line) {
				t.Errorf("it prints %q", out.String())
			}
		})
	}
}
