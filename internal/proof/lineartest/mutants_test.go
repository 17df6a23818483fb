package lineartest

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"sellerd/internal/proof/blackbox"
)

var mutantsToo = flag.Bool("mutants", false, "build the program without one protection after the other, and expect that the proof finds each within a minute")

// root is the folder of the module.
const root = "../../.."

// foundWithin is how long it may take until a history shows that a protection is missing.
const foundWithin = time.Minute

// mutant is a build of the program from files that are edited.
type mutant struct {
	name  string
	edits []edit
	proof func(w *world) []*history // a round of histories, one of which should have no order
}

// edit replaces a text that is in the file exactly once.
type edit struct{ file, from, to string }

// skewed are edits that put the clock of each process up to 50 ms forward or back, as the clocks of several machines may be. The
// processes of a test have one clock.
var skewed = []edit{
	{"v1/core/core.go", "import (\n", "import (\n\t\"os\"\n"},
	{
		"v1/core/core.go", "func (SystemClock) Now() time.Time { return crash.Clock(time.Now()).UTC() }",
		"func (SystemClock) Now() time.Time { return crash.Clock(time.Now()).UTC().Add(time.Duration(os.Getpid()*37%101-50) * time.Millisecond) }",
	},
}

// mutants lack one protection each.
var mutants = []mutant{
	{
		"changes do not lock their owner",
		[]edit{{"v1/core/change.go", "found, err := client.QueryContext(ctx, `UPDATE owners SET `+advanced", "found, err := s.Store.Reader().QueryContext(ctx, `UPDATE owners SET `+advanced"}},
		func(w *world) []*history { return w.record(round{Auctions: 12}, 1, false) },
	},
	{
		"a worker stores outcomes whose lease it has lost",
		[]edit{
			{
				"v1/publishing/finish.go", "Where(submission.IDIn(ids...), submission.Status(Processing)).All(ctx)",
				"Where(submission.IDIn(ids...)).All(ctx)",
			},
			{"v1/publishing/finish.go", "!found || now != o.row.Lease", "!found || now < 0"},
		},
		func(w *world) []*history { return w.outcomes(freezeAndEndLeases(w, 3*time.Second)) },
	},
	{
		"the feed is in the order of the events' ids, and clocks differ",
		slices.Concat(skewed, []edit{
			{
				"v1/feed/page.go", `" AND (" + event.FieldCreatedAt + ", " + event.FieldID + ") > (" + place(1) + ", " + place(2) + ")"`,
				`" AND " + event.FieldID + " > " + place(2) + " + 0 * CAST(" + place(1) + " AS bigint)"`,
			},
			{"v1/feed/page.go", `" ORDER BY " + event.FieldCreatedAt + ", " + event.FieldID + " LIMIT "`, `" ORDER BY " + event.FieldID + " LIMIT "`},
			// The end of the feed is the last event's place. That of an instant is behind the ids that were made until then (v1/numbering).
			{"v1/feed/page.go", "return End(last.At, q.Now)", "return last"},
			{"v1/feed/page.go", "return math.MaxInt64", "return min((p.At/1000-1_767_225_600_000)<<22, math.MaxInt64)"},
		}),
		func(w *world) []*history { return w.record(round{Feeds: 8}, 1, false) },
	},
}

// apply is the edited files.
func (m *mutant) apply() (map[string]string, error) {
	edited := map[string]string{}
	for _, e := range m.edits {
		if edited[e.file] == "" {
			text, err := os.ReadFile(filepath.Join(root, e.file))
			if err != nil {
				return nil, err
			}
			edited[e.file] = string(text)
		}
		if n := strings.Count(edited[e.file], e.from); n != 1 {
			return nil, fmt.Errorf("%s has %d times instead of once: %s", e.file, n, e.from)
		}
		edited[e.file] = strings.Replace(edited[e.file], e.from, e.to, 1)
	}
	return edited, nil
}

// build builds the program from the edited files, which are in no folder of the module.
func (m *mutant) build(t *testing.T) (program string) {
	t.Helper()
	edited, err := m.apply()
	if err != nil {
		t.Fatal(err)
	}
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	write := func(name string, text []byte) (path string) {
		path = filepath.Join(folder, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	replace := map[string]string{}
	for file, text := range edited {
		replace[filepath.Join(top, file)] = write(strings.ReplaceAll(file, "/", "_"), []byte(text))
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(folder, "sellerd")
	command := exec.Command("go", "build", "-overlay", write("overlay.json", overlay), "-ldflags=-s -w", "-o", program, "sellerd/cmd/sellerd")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("build sellerd where %s: %v\n%s", m.name, err, out)
	}
	return program
}

// TestMutantsFit makes every edit, so that a change of the code that an edit is about is noticed at once, and not only when
// the mutants are built.
func TestMutantsFit(t *testing.T) {
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			edited, err := m.apply()
			if err != nil {
				t.Fatal(err)
			}
			for file, text := range edited {
				if _, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestMutantsAreFound takes one protection after the other away, and expects the proof to find that. It builds the program
// several times, so it runs only at length.
func TestMutantsAreFound(t *testing.T) {
	if !*mutantsToo {
		return
	}
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			w := newWorld(t, m.build(t), postgres(t), processes)
			began, all := time.Now(), summary{}
			var found []checked
			for len(found) == 0 && time.Since(began) < foundWithin {
				for _, v := range all.add(m.proof(w)) {
					if v.found == porcupine.Illegal {
						found = append(found, v)
					}
				}
			}
			took := time.Since(began)
			measured := fmt.Sprintf("not found in %d histories", all.histories)
			if len(found) > 0 {
				measured = fmt.Sprintf("found after %s, in %d of %d histories, the first of the kind %s", blackbox.Milliseconds(took), len(found), all.histories, found[0].kind)
				found[0].show(t, passing(t))
			}
			blackbox.Record(t, blackbox.Figure{
				Number: "R17", What: "a program in which " + m.name + ", 3 processes on PostgreSQL", Aim: "found within a minute",
				Measured: measured, Reached: len(found) > 0 && took <= foundWithin,
			})
		})
	}
}

// TestClocksDiffer records histories of the whole program, but for clocks that differ from process to process.
func TestClocksDiffer(t *testing.T) {
	if !*mutantsToo {
		return
	}
	w := newWorld(t, (&mutant{name: "clocks differ", edits: skewed}).build(t), postgres(t), processes)
	w.recordMany(*histories/20, 5, "by 3 processes on PostgreSQL whose clocks differ by up to 100 ms, and that are killed, frozen and restarted")
}

// passing is a file for a page, which goes with the test.
func passing(t *testing.T) *os.File {
	t.Helper()
	page, err := os.Create(filepath.Join(t.TempDir(), "history.html"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { page.Close() })
	return page
}
