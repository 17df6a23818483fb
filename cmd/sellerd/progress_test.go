package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/servertest"
)

func TestProgressInALogFile(t *testing.T) {
	var out strings.Builder
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	p := &progress{out: &out, now: func() time.Time { return now }, unit: "rows"}
	p.begin("sending", 300)
	p.add(100)
	now = now.Add(lineEvery)
	p.add(100)
	p.note("waiting 2s")
	p.add(100)
	p.begin("publishing", uncounted)
	p.end()
	p.end()
	want := "sending: 200 of 300 rows\nsending: 200 of 300 rows, waiting 2s\nsending: 300 of 300 rows\npublishing\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestProgressOnATerminal(t *testing.T) {
	var out strings.Builder
	p := &progress{out: &out, terminal: true, now: time.Now, unit: "rows"}
	p.begin("sending", 3)
	p.add(3)
	p.end()
	if said := out.String(); !strings.Contains(said, "sending") || !strings.Contains(said, "100%") || !strings.Contains(said, "(3/3)") || !strings.HasSuffix(said, "\n") {
		t.Errorf("%q is no bar that came to its end", said)
	}
}

func TestUncountedProgressIsDrawnAtOnceAndWipedAtTheEnd(t *testing.T) {
	var out servertest.Log // a bar turns by itself
	p := &progress{out: &out, terminal: true, now: time.Now}
	p.begin("migrating", uncounted)
	if !strings.Contains(out.String(), "migrating") {
		t.Errorf("%q does not say what goes on", out.String())
	}
	bar := p.bar
	p.end()
	if !bar.IsFinished() || strings.Contains(out.String(), "\n") {
		t.Errorf("%q leaves something behind", out.String())
	}
}

func TestProgressIsForTerminalsOnlyWhereALogHasItsOwnLines(t *testing.T) {
	file, err := os.CreateTemp(t.TempDir(), "log")
	if err != nil {
		t.Fatal(err)
	}
	p := newProgress(file, time.Now, "steps").onTerminal()
	p.begin("seeding", 2)
	p.add(2)
	p.note("waiting 2s")
	p.end()
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file.Name()); err != nil || len(text) > 0 {
		t.Errorf("want nothing in the log, got %q, %v", text, err)
	}
}
