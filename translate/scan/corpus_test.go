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

// The figures that a scan of the corpus must reach: of the lines, and of the findings by their confidence.
const (
	leastRecall  = 0.99
	leastNamed   = 0.95
	mostCertain  = 0.01
	mostLikely   = 0.05
	mostPossible = 0.20
)

// TestTheCorpusIsUnderstood scans programs in all languages, settings and records, and compares what is found with
// testdata/expected.txt. The corpus also contains paths that are no calls of /rest: in comments, documentation and logs, and
// those of other services that look alike. A constant with a path is expected where it is used; where it is written it counts
// as mistaken here.
func TestTheCorpusIsUnderstood(t *testing.T) {
	text, err := os.ReadFile("testdata/expected.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{} // the calls of a line
	for line := range strings.Lines(string(text)) {
		place, call, _ := strings.Cut(strings.TrimSpace(line), " ")
		want[place] = append(want[place], call)
	}
	got, best := map[string][]string{}, map[string]scan.Confidence{}
	report := scanned(t, nil, "testdata/corpus")
	for i := range report.Findings {
		f := &report.Findings[i]
		place := fmt.Sprintf("%s:%d", strings.TrimPrefix(f.File, "testdata/corpus/"), f.Line)
		got[place] = append(got[place], f.Call)
		if best[place] == "" || best[place] == scan.Possible || f.Confidence == scan.Certain {
			best[place] = f.Confidence
		}
	}
	found, named := 0, 0
	for place, calls := range want {
		if got[place] == nil {
			t.Logf("not found: %s %v", place, calls)
			continue
		}
		found++
		if !slices.ContainsFunc(calls, func(call string) bool { return !slices.Contains(got[place], call) }) {
			named++
		}
	}
	all, mistaken := map[scan.Confidence]int{}, map[scan.Confidence]int{}
	for place, confidence := range best {
		all[confidence]++
		if want[place] == nil {
			mistaken[confidence]++
			t.Logf("found, and no call: %s %v (%s)", place, got[place], confidence)
		}
	}
	share := func(confidences ...scan.Confidence) float64 {
		n, m := 0, 0
		for _, c := range confidences {
			n, m = n+all[c], m+mistaken[c]
		}
		return float64(m) / float64(n)
	}
	recall, right := float64(found)/float64(len(want)), float64(named)/float64(found)
	t.Logf("%d lines: recall %.3f, named right %.3f; of all findings %v are mistaken %v", len(want), recall, right, all, mistaken)
	if recall < leastRecall || right < leastNamed {
		t.Errorf("the recall is %.3f, named right are %.3f, want %.2f and %.2f", recall, right, leastRecall, leastNamed)
	}
	if got := share(scan.Certain); got > mostCertain {
		t.Errorf("of what is certain, %.3f are mistaken", got)
	}
	if got := share(scan.Certain, scan.Likely); got > mostLikely {
		t.Errorf("of what is certain or likely, %.3f are mistaken", got)
	}
	if got := share(scan.Certain, scan.Likely, scan.Possible); got > mostPossible {
		t.Errorf("of all, %.3f are mistaken", got)
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
