package scan_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"sellerd/translate"
	"sellerd/translate/scan"
)

// baseURL is where the service of the tests is.
const baseURL = "https://api.example.com"

// scanned scans paths.
func scanned(t *testing.T, hosts []string, paths ...string) *scan.Report {
	t.Helper()
	table, err := translate.New()
	if err != nil {
		t.Fatal(err)
	}
	report, err := scan.Run(t.Context(), table, scan.Options{Paths: paths, Hosts: hosts, BaseURL: baseURL})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// places returns the findings of a report as lines: file, line and call.
func places(report *scan.Report, folder string) []string {
	var found []string
	for i := range report.Findings {
		f := &report.Findings[i]
		found = append(found, fmt.Sprintf("%s:%d %s", strings.TrimPrefix(f.File, folder+"/"), f.Line, f.Call))
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// The figures that a scan of the corpus must reach.
const (
	leastRecall  = 0.97
	mostMistaken = 0.01
)

// TestTheCorpusIsUnderstood scans programs in all languages, settings and records, and compares what is found with
// testdata/expected.txt. The corpus also contains paths that are no calls of /rest: in comments, documentation and logs, and
// those of other services that look alike.
func TestTheCorpusIsUnderstood(t *testing.T) {
	text, err := os.ReadFile("testdata/expected.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(text)), "\n")
	got := places(scanned(t, nil, "testdata/corpus"), "testdata/corpus")
	found, mistaken := 0, 0
	for _, place := range want {
		if slices.Contains(got, place) {
			found++
		} else {
			t.Logf("not found: %s", place)
		}
	}
	for _, place := range got {
		if !slices.Contains(want, place) {
			mistaken++
			t.Logf("found, and no call: %s", place)
		}
	}
	t.Logf("%d of %d places were found, %d findings are mistaken", found, len(want), mistaken)
	if recall := float64(found) / float64(len(want)); recall < leastRecall {
		t.Errorf("the recall is %.3f, less than %.2f", recall, leastRecall)
	}
	if share := float64(mistaken) / float64(len(got)); share > mostMistaken {
		t.Errorf("the share of mistaken findings is %.3f, more than %.2f", share, mostMistaken)
	}
}

// TestTheCorpusHasEveryCallInManyLanguages makes sure that the figures are about all that the tables have.
func TestTheCorpusHasEveryCallInManyLanguages(t *testing.T) {
	text, err := os.ReadFile("testdata/expected.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range translate.Calls {
		if !strings.Contains(string(text), " "+call.ID+"\n") {
			t.Errorf("the corpus has no %s", call.ID)
		}
	}
	for _, extension := range []string{".php", ".js", ".ts", ".py", ".cs", ".java", ".rb", ".go", ".pl", ".bas", ".vb", ".sh", ".ps1", ".ini", ".json", ".yml", ".config", ".env", ".properties", ".har", ".log", ".jsonl"} {
		if !strings.Contains(string(text), extension+":") {
			t.Errorf("the corpus has no place in a file of %s", extension)
		}
	}
}
