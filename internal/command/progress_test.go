package command

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

func TestProgressInALogFile(t *testing.T) {
	var out strings.Builder
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	p := &Progress{out: &out, now: func() time.Time { return now }, unit: "rows"}
	p.Note("waiting 1s")
	p.Begin("sending", 300)
	p.Add(100)
	now = now.Add(lineEvery)
	p.Add(100)
	p.Note("waiting 2s")
	p.Add(100)
	p.Begin("publishing", Uncounted)
	p.End()
	p.End()
	p.Begin("exporting", Uncounted)
	p.Add(200)
	now = now.Add(lineEvery)
	p.Add(200)
	p.Note("waiting 2s")
	p.End()
	want := "waiting 1s\nsending: 200 of 300 rows\nsending: 200 of 300 rows, waiting 2s\nsending: 300 of 300 rows\npublishing\n" +
		"exporting: 400 rows\nexporting: 400 rows, waiting 2s\nexporting: 400 rows\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestProgressOnATerminal(t *testing.T) {
	var out strings.Builder
	p := &Progress{out: &out, terminal: true, now: time.Now, unit: "rows"}
	p.Begin("sending", 3)
	p.Add(3)
	p.End()
	if said := out.String(); !strings.Contains(said, "sending") || !strings.Contains(said, "100%") || !strings.Contains(said, "(3/3)") || !strings.HasSuffix(said, "\n") {
		t.Errorf("%q is no bar that came to its end", said)
	}
}

func TestUncountedProgressIsDrawnAtOnceAndWipedAtTheEnd(t *testing.T) {
	var out servertest.Log // a bar turns by itself
	p := &Progress{out: &out, terminal: true, now: time.Now}
	p.Begin("migrating", Uncounted)
	if !strings.Contains(out.String(), "migrating") {
		t.Errorf("%q does not say what goes on", out.String())
	}
	bar := p.bar
	p.End()
	if !bar.IsFinished() || strings.Contains(out.String(), "\n") {
		t.Errorf("%q leaves something behind", out.String())
	}
}

func TestProgressIsForTerminalsOnlyWhereALogHasItsOwnLines(t *testing.T) {
	file, err := os.CreateTemp(t.TempDir(), "log")
	if err != nil {
		t.Fatal(err)
	}
	p := NewProgress(file, time.Now, "steps").OnTerminal()
	p.Begin("seeding", 2)
	p.Add(2)
	p.Note("waiting 2s")
	p.End()
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file.Name()); err != nil || len(text) > 0 {
		t.Errorf("want nothing in the log, got %q, %v", text, err)
	}
}
