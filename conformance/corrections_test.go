package conformance_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"sellerd/changelog"
	"sellerd/conformance"
	"sellerd/conformance/gate"
	"sellerd/internal/proof/generated"
	"sellerd/translate/openapi"
)

// TestEveryCorrectionIsProved asks of each correction that it gives its evidence, has its entry in the change log, and says
// what is right. That what it corrects is wrong, TestEveryPromiseIsKept finds out.
func TestEveryCorrectionIsProved(t *testing.T) {
	if err := gate.CheckCorrections(load(t), released(t), changelog.Releases(), openapi.Document("/")); err != nil {
		t.Error(err)
	}
}

// TestACorrectedSectionIsNotHeldTo lets a service answer as the sealed section says, and otherwise.
func TestACorrectedSectionIsNotHeldTo(t *testing.T) {
	section := func(status string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("# An item\ncurl \"$BASE/rest/item/7\"\nKeep: day = <day>\n\nHTTP " + status + "\n\n<day>1</day>\n\n" +
			"# Its day\ncurl \"$BASE/rest/day/$day\"\n\nHTTP 200\n\n<day>1</day>\n")}
	}
	suite, err := conformance.LoadFrom(fstest.MapFS{
		"released/1.0.0/rest/item.txt": section("200"),
		"next/rest/item.txt":           section("404"),
		"next/" + conformance.CorrectionsFile: {Data: []byte(`[{
			"release": "1.0.0", "transcript": "rest/item", "sections": ["An item"], "mistake": "It is not there.",
			"evidence": "https://example.com", "entry": "1.0.1"}]`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		status int
		want   []string // title, whether it is corrected, and what is wrong, of each section
	}{
		"what it says is wrong":    {http.StatusNotFound, []string{"An item corrected", "Its day"}},
		"what it says is right":    {http.StatusOK, []string{"An item corrected: release 1.0.1 corrects this section, and the service still answers as it says", "Its day"}},
		"what is right is unknown": {0, []string{"An item corrected: the network is gone", "Its day"}},
	} {
		t.Run(name, func(t *testing.T) {
			runner := &conformance.Runner{Suite: suite, Base: "http://sellerd.test", Vars: map[string]string{"day": "1"}}
			runner.Send = func(r *http.Request) (*http.Response, error) {
				status := http.StatusOK
				if strings.HasPrefix(r.URL.Path, "/rest/item/") {
					if status = c.status; status == 0 {
						return nil, errGone
					}
				}
				return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("<day>1</day>"))}, nil
			}
			var got []string
			for _, result := range runner.Run(t.Context(), suite.Transcripts[0], "item") {
				line := result.Title
				if result.Corrected != nil {
					line += " corrected"
				}
				if len(result.Problems) > 0 {
					line += ": " + result.Problems[0]
				}
				got = append(got, line)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestCorrectionsAreListedInTheDocs compares docs/developer/conformance.md with the corrections there are.
func TestCorrectionsAreListedInTheDocs(t *testing.T) {
	const file, begin, end = "../docs/developer/conformance.md", "printed by make generate. -->\n", "<!-- end of the corrections -->"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no place for the corrections", file)
	}
	want := before + begin + correctionsTable(load(t)) + end + after
	generated.Compare(t, file, []byte(want))
}

// correctionsTable is the corrections in Markdown, with the number of the sections that each supersedes.
func correctionsTable(suite *conformance.Suite) string {
	var b strings.Builder
	b.WriteString("\n| Section | What is right | Evidence |\n|---|---|---|\n")
	for i := range suite.Corrections {
		c := &suite.Corrections[i]
		sections := fmt.Sprintf("differences of the document: %d", len(c.Document))
		if len(c.Sections) > 0 {
			sections = strings.Join(c.Sections, "; ")
		}
		if len(c.For) > 0 {
			sections += " (" + strings.Join(c.For, ", ") + ")"
		}
		name := c.Transcript
		if name == "" {
			name = gate.LegacyDocument
		}
		fmt.Fprintf(&b, "| %s `%s`: %s | since %s: %s | %s |\n", c.Release, name, sections, c.Entry, c.Mistake, linked(c.Evidence))
	}
	return b.String() + "\n"
}

// linked makes of each address in a text a link, with the last part of its path as the words, or with its host if it is a search.
func linked(text string) string {
	text = regexp.MustCompile(`https://([^ ,/]+)[^ ,?]*\?[^ ,]*`).ReplaceAllString(text, "[$1]($0)")
	return regexp.MustCompile(`(^|[^(])(https://[^ ,]*/([^ ,#/]+)[^ ,]*)`).ReplaceAllString(text, "$1[$3]($2)")
}

// errGone is what a request fails with that nothing answers.
var errGone = errors.New("the network is gone")
