package scan_test

import (
	"bytes"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"sellerd/translate"
	"sellerd/translate/scan"
)

// TestSARIFFollowsItsRules checks what the schema of SARIF 2.1.0 demands of the members that a report has.
func TestSARIFFollowsItsRules(t *testing.T) {
	root := folder(t, map[string]string{
		"a folder/ä#1.php": call, "b.sh": "curl https://rest.delcampe.net/item/4711\n",
		"damaged.har": `{"log":{"entries":[`,
	})
	t.Chdir(root)
	var out bytes.Buffer
	if err := scanned(t, nil, ".").Write(&out, "sarif"); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Schema  string `json:"$schema"`
		Version string `json:"version"`
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name  string `json:"name"`
					URI   string `json:"informationUri"`
					Rules []struct {
						ID    string                `json:"id"`
						Short struct{ Text string } `json:"shortDescription"`
						Help  struct{ Text string } `json:"help"`
						URI   string                `json:"helpUri"`
					} `json:"rules"`
				} `json:"driver"`
			} `json:"tool"`
			Invocations []struct {
				Successful    bool `json:"executionSuccessful"`
				Notifications []struct {
					Level     string                `json:"level"`
					Message   struct{ Text string } `json:"message"`
					Locations []struct {
						Physical struct {
							Artifact struct {
								URI string `json:"uri"`
							} `json:"artifactLocation"`
						} `json:"physicalLocation"`
					} `json:"locations"`
				} `json:"toolExecutionNotifications"`
			} `json:"invocations"`
			ColumnKind string `json:"columnKind"`
			Results    []struct {
				Rule      string                `json:"ruleId"`
				Index     int                   `json:"ruleIndex"`
				Level     string                `json:"level"`
				Message   struct{ Text string } `json:"message"`
				Locations []struct {
					Physical struct {
						Artifact struct {
							URI string `json:"uri"`
						} `json:"artifactLocation"`
						Region struct {
							Line   int `json:"startLine"`
							Column int `json:"startColumn"`
						} `json:"region"`
					} `json:"physicalLocation"`
				} `json:"locations"`
				Count      int            `json:"occurrenceCount"`
				Properties map[string]any `json:"properties"`
			} `json:"results"`
		} `json:"runs"`
	}
	if err := json.Unmarshal(out.Bytes(), &log, json.RejectUnknownMembers(true), json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 || log.Runs[0].ColumnKind != "unicodeCodePoints" || log.Runs[0].Tool.Driver.Name == "" {
		t.Fatalf("the log is %s", out.String())
	}
	run := log.Runs[0]
	if notes := run.Invocations[0].Notifications; len(notes) != 1 || notes[0].Level != "warning" || notes[0].Message.Text == "" || notes[0].Locations[0].Physical.Artifact.URI != "damaged.har" {
		t.Errorf("the files that were read in part are %+v", notes)
	}
	files := map[string]bool{}
	for _, result := range run.Results {
		rule := run.Tool.Driver.Rules[result.Index]
		if rule.ID != result.Rule || rule.Short.Text == "" || rule.Help.Text == "" || result.Message.Text == "" || result.Count < 1 {
			t.Errorf("the result %+v has the rule %+v", result, rule)
		}
		if result.Level != "warning" && result.Level != "note" {
			t.Errorf("there is no level %s", result.Level)
		}
		if u, err := url.Parse(rule.URI); err != nil || !u.IsAbs() {
			t.Errorf("%s is no absolute address", rule.URI)
		}
		place := result.Locations[0].Physical
		u, err := url.Parse(place.Artifact.URI)
		if err != nil || strings.ContainsAny(place.Artifact.URI, " #") || place.Region.Line < 1 || place.Region.Column < 1 {
			t.Fatalf("the place is %+v: %v", place, err)
		}
		files[u.Path] = true
	}
	if !files["a folder/ä#1.php"] || !files["b.sh"] || len(run.Results) != 2 {
		t.Errorf("the results are in %v", files)
	}
}

// TestTheTimeOfAScanGrowsWithItsFiles scans copies of the corpus, a few and five times as many. What each file costs stays the same.
// (10,000 files take about 10 s of processor time; an absolute limit would be one for the machine.)
func TestTheTimeOfAScanGrowsWithItsFiles(t *testing.T) {
	table, err := translate.New()
	if err != nil {
		t.Fatal(err)
	}
	took := func(copies int) time.Duration {
		root := t.TempDir()
		for i := range copies {
			if err := os.CopyFS(filepath.Join(root, "shop"+strconv.Itoa(i)), os.DirFS("testdata/corpus")); err != nil {
				t.Fatal(err)
			}
		}
		begun := processorTime(t)
		report, err := scan.Run(t.Context(), table, scan.Options{Paths: []string{root}, BaseURL: baseURL})
		if err != nil {
			t.Fatal(err)
		}
		took := processorTime(t) - begun
		t.Logf("%d files took %v", report.Summary.Files, took)
		return took
	}
	few, many := took(2), took(10)
	if many > 5*few*2 {
		t.Errorf("five times the files took %.1f times as long", float64(many)/float64(few))
	}
}

// processorTime returns the time that the processors have spent on this process.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
