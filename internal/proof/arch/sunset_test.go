package arch

import (
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sunsetPage says what goes with /rest.
const sunsetPage = "docs/developer/architecture-sunset.md"

var sunsetAll = flag.Bool("sunset-all", false, "run all tests of v1 without /rest, which takes minutes")

// sunsetTests are run by default: of every resource, of keys and limits, of events, and of any history of changes.
const sunsetTests = "^Test(AnItem|Closing|Restarting|Batches|AnOperation|AKey|Bidding|APurchase|ACancellation|APayment|MarkingABill|" +
	"Rating|ATracking|" +
	"TheLife|ASample|TheRateLimit|TheStore|ModesAre|TheOperator|Filters|AWalk|EveryFilter|OnlyWanted|EveryEvent|ABuyer|AForgotten|" +
	"ARepeated|ASubmission|EveryMove|Visits|AfterAny|Whatever)"

// sunsetSkipPostgres skips one database: the other is enough to see that nothing is missing. It is the last of the patterns
// for -skip: its first element matches every test, and the go command asks no later pattern then.
const sunsetSkipPostgres = "./^postgres$"

// tableRow is a row of one of the page's tables: what is quoted as code in each of its two cells.
type tableRow struct{ first, second []string }

var quoted = regexp.MustCompile("`([^`]+)`")

// sunsetTable reads the table under a heading of the page.
func sunsetTable(t *testing.T, heading string) (rows []tableRow) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, sunsetPage))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## "+heading+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	code := func(cell string) (found []string) {
		for _, match := range quoted.FindAllStringSubmatch(cell, -1) {
			found = append(found, match[1])
		}
		return found
	}
	for line := range strings.Lines(section) {
		if cells := strings.Split(line, " | "); len(cells) == 2 && strings.HasPrefix(line, "| `") {
			rows = append(rows, tableRow{code(cells[0]), code(cells[1])})
		}
	}
	if len(rows) == 0 {
		t.Fatalf("%s has no table under %q", sunsetPage, heading)
	}
	return rows
}

// withoutRest is a copy of the module without what goes. Its parts that change by hand are not in it either, and have no server.
func withoutRest(t *testing.T) (top string) {
	t.Helper()
	top = t.TempDir()
	copyTree(t, top)
	for _, heading := range []string{"Folders and files that go", "Packages that change by hand"} {
		for _, row := range sunsetTable(t, heading) {
			for _, path := range row.first {
				found, err := filepath.Glob(filepath.Join(top, path))
				if err != nil || len(found) == 0 {
					t.Errorf("%s names %s, which is not there: %v", sunsetPage, path, err)
				}
				for _, file := range found {
					if err := os.RemoveAll(file); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	for _, row := range sunsetTable(t, "Lines that go") {
		file := filepath.Join(top, row.first[0])
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		kept, missing := withoutLines(string(text), row.second)
		if len(missing) > 0 {
			t.Errorf("%s has no or several lines that begin %q", row.first[0], missing)
		}
		write(t, file, kept)
	}
	standIn, err := os.ReadFile(filepath.Join("testdata", "server_after_sunset.go.txt"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(top, "internal", "server", "server.go"), string(standIn))
	return top
}

// withoutLines takes lines out of a text by their beginnings. Missing are the beginnings that not exactly one line has.
func withoutLines(text string, beginnings []string) (kept string, missing []string) {
	lines := slices.Collect(strings.Lines(text))
	for _, beginning := range beginnings {
		begins := func(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), beginning) }
		before := len(lines)
		if lines = slices.DeleteFunc(lines, begins); len(lines) != before-1 {
			missing = append(missing, beginning)
		}
	}
	return strings.Join(lines, ""), missing
}

func TestWithoutLines(t *testing.T) {
	kept, missing := withoutLines("a\n\tb, c\nb\nd\nd\n", []string{"b,", "c", "d"})
	if diff := cmp.Diff([]string{"c", "d"}, missing); diff != "" || kept != "a\nb\n" {
		t.Errorf("kept %q, missing (-want +got):\n%s", kept, diff)
	}
}

// copyTree copies the module, without hidden folders and other modules.
func copyTree(t *testing.T, to string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules" || foreignModule(path)):
			return fs.SkipDir
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, path), 0o755)
		case !entry.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, path))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, path), text, 0o644)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestWithoutRestTheRulesStand(t *testing.T) {
	top := withoutRest(t)
	run := func(args ...string) {
		t.Helper()
		command := exec.Command("go", args...)
		command.Dir = top
		command.Env = append(os.Environ(), "GOFLAGS=-trimpath") // so that what did not change is not compiled again
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	run("list", "-test", "-export", "-f", `{{with .Error}}{{.}}{{end}}`, "./...") // compiles everything, with the tests
	tests := sunsetTests
	if *sunsetAll {
		tests = "."
	}
	var skips []string
	for _, row := range sunsetTable(t, "Tests that are about something else") {
		skips = append(skips, row.first...)
	}
	run("test", "-vet=off", "-run", tests, "-skip", strings.Join(append(skips, sunsetSkipPostgres), "|"), "./v1")
}

// TestOnlyWhatGoesNamesIt reads v1 and what tests stand on: the room v1/sunset is named only by files that go with it.
func TestOnlyWhatGoesNamesIt(t *testing.T) {
	var gone []string
	for _, row := range sunsetTable(t, "Folders and files that go") {
		gone = append(gone, row.first...)
	}
	eachGoFile(t, nil, func(file string, source []byte) {
		goes := slices.ContainsFunc(gone, func(path string) bool {
			matches, err := filepath.Match(path, file)
			return err == nil && matches || within(file, path)
		})
		ours := within(file, "v1") || within(file, "internal/proof/servertest") || within(file, "ent")
		if place := sunsetWord.FindIndex(source); place != nil && ours && !goes {
			t.Errorf("%s:%d names the sunset of /rest", file, 1+strings.Count(string(source[:place[0]]), "\n"))
		}
	})
}

var sunsetWord = regexp.MustCompile(`\bsunset\b`)
