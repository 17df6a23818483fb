package arch

import (
	"encoding/json"
	"flag"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What serves /rest alone goes when /rest goes: the folders legacy, translate and v1/sunset, files whose names begin with
// sunset_, and lines that end with a mark. The tests here take all of it away.

// sunsetMark ends a line that goes.
const sunsetMark = "// sunset"

// sunsetFolders are searched for files and lines that go.
var sunsetFolders = []string{"v1", "v1/*", "internal/servertest"}

var sunsetAll = flag.Bool("sunset-all", false, "run all tests of v1 without /rest, which takes minutes")

// sunsetTests are run by default: of every resource, of keys and limits, of events, and of any history of changes.
const sunsetTests = "^Test(AnItem|Closing|Restarting|Batches|AnOperation|AKey|Bidding|APurchase|ACancellation|APayment|MarkingABill|Rating|ATracking|" +
	"TheLife|ASample|TheRateLimit|TheStore|ModesAre|TheOperator|Filters|AWalk|EveryFilter|OnlyWanted|EveryEvent|ABuyer|AForgotten|ARepeated|" +
	"ASubmission|EveryMove|Visits|AfterAny|Whatever)"

// sunsetSkips are tests that are about something else once /rest has gone, with the reason.
var sunsetSkips = map[string]string{
	"^TestTheOpenAPIFileIsWhatTheGeneratorMakes$":                 "the document without GetLegacyUsage is another",
	"^TestEveryRecordedExampleIsInTheDocument$":                   "an example is of GetLegacyUsage",
	"^TestTheReleasesHaveWhatTheyAnnounced$":                      "release 1.2.0 announced GetLegacyUsage",
	"^TestAKeyIsInProgressOnlyWhileItsTwinRuns$/^the_operator's$": "it imports a key of /rest",
	"^TestTheRequestIDIsKeptOrMade$":                              "the stand-in for internal/server makes no ids",
	"^TestAPanicInAGroupEndsTheRequestThatCausedIt$":              "the stand-in for internal/server recovers from no panic",
}

// sunsetSkipPostgres skips one database: the other is enough to see that nothing is missing. It is the last of the patterns
// for -skip: its first element matches every test, and the go command asks no later pattern then.
const sunsetSkipPostgres = "./^postgres$"

// afterSunset is an overlay for the go command, which then sees the module without what goes.
func afterSunset(t *testing.T) (overlay string) {
	t.Helper()
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	scratch := t.TempDir()
	seen := map[string]string{} // what the go command sees in place of a file, "" for none
	for _, file := range goFilesIn(t, "legacy", "translate", "internal/server") {
		seen[filepath.Join(top, file)] = ""
	}
	standIn, err := filepath.Abs(filepath.Join("testdata", "server_after_sunset.go.txt"))
	if err != nil {
		t.Fatal(err)
	}
	seen[filepath.Join(top, "internal", "server", "server.go")] = standIn
	for _, file := range goFilesIn(t, sunsetFolders...) {
		if goes(file) {
			seen[filepath.Join(top, file)] = ""
			continue
		}
		kept, marked := withoutMarked(t, file)
		if marked == 0 {
			continue
		}
		stripped := filepath.Join(scratch, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(stripped, []byte(kept), 0o644); err != nil {
			t.Fatal(err)
		}
		seen[filepath.Join(top, file)] = stripped
	}
	text, err := json.Marshal(map[string]any{"Replace": seen})
	if err != nil {
		t.Fatal(err)
	}
	overlay = filepath.Join(scratch, "overlay.json")
	if err := os.WriteFile(overlay, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return overlay
}

// goes says whether a file serves /rest alone.
func goes(file string) bool {
	return path.Dir(file) == "v1/sunset" || strings.HasPrefix(path.Base(file), "sunset_")
}

// goFilesIn are the Go files of folders, from the root of the module. A folder may be a pattern.
func goFilesIn(t *testing.T, folders ...string) (files []string) {
	t.Helper()
	for _, folder := range folders {
		found, err := fs.Glob(os.DirFS(root), folder+"/*.go")
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	return files
}

// withoutMarked is a file without the lines that go, and how many those are.
func withoutMarked(t *testing.T, file string) (kept string, marked int) {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for line := range strings.Lines(string(source)) {
		if strings.HasSuffix(strings.TrimSpace(line), " "+sunsetMark) {
			marked++
			continue
		}
		b.WriteString(line)
	}
	return b.String(), marked
}

func TestWithoutRestTheRulesStand(t *testing.T) {
	overlay := afterSunset(t)
	run := func(args ...string) {
		t.Helper()
		command := exec.Command("go", args...)
		command.Dir = root
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	run("build", "-overlay", overlay, "./v1/...", "./internal/store")
	tests := sunsetTests
	if *sunsetAll {
		tests = "."
	}
	skips := strings.Join(append(slices.Sorted(maps.Keys(sunsetSkips)), sunsetSkipPostgres), "|")
	run("test", "-overlay", overlay, "-vet=off", "-run", tests, "-skip", skips, "./v1")
}

// TestTheListOfWhatGoesIsWhole compares docs/architecture-sunset.md with the files that go, with those that have
// marked lines.
func TestTheListOfWhatGoesIsWhole(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "architecture-sunset.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, listed, _ := strings.Cut(string(text), "\n| File | Content |\n")
	listed, _, _ = strings.Cut(listed, "\n## Parts that take more")
	gone, marked, found := strings.Cut(listed, "\n| File with marked lines |")
	if !found {
		t.Fatal("there are no two lists")
	}
	var wantGone, wantMarked []string
	for _, file := range goFilesIn(t, sunsetFolders...) {
		switch _, lines := withoutMarked(t, file); {
		case strings.HasSuffix(file, "_test.go"):
		case goes(file):
			wantGone = append(wantGone, file)
		case lines > 0:
			wantMarked = append(wantMarked, file)
		}
	}
	for _, list := range []struct {
		name, text string
		want       []string
	}{{"files that go", gone, wantGone}, {"files with marked lines", marked, wantMarked}} {
		got := slices.Compact(slices.Sorted(slices.Values(sunsetFile.FindAllString(list.text, -1))))
		slices.Sort(list.want)
		if diff := cmp.Diff(list.want, got); diff != "" {
			t.Errorf("%s (-code +document):\n%s", list.name, diff)
		}
	}
}

// sunsetFile is how the list names a file.
var sunsetFile = regexp.MustCompile(`[a-z0-9_/]+\.go`)
