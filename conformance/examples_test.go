package conformance_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/generated"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// examplesFile is what the OpenAPI document shows of the transcripts.
const examplesFile = "../v1/openapi/examples.json"

// example is an exchange there: the bodies, null for none.
type example struct {
	Title    string          `json:"title"`
	Status   int             `json:"status"`
	Request  json.RawMessage `json:"request"`
	Response json.RawMessage `json:"response"`
}

// TestTheExamplesAreFromTheTranscripts replays what the operations' own transcripts show of each status first, in a world in
// which nothing is left to chance, and compares it with the examples of the OpenAPI document. make generate writes them anew.
func TestTheExamplesAreFromTheTranscripts(t *testing.T) {
	suite := load(t)
	made := map[string][]example{}
	for _, transcript := range suite.Transcripts {
		operation := transcript.Operation()
		if transcript.Legacy() || !isOperation(operation) {
			continue
		}
		runner := newBeside(t, servertest.SQLite(t), certain).runner(suite)
		runner.Nonce = "autumn" // in nicknames and references, which readers see
		for i, result := range runner.Run(t.Context(), transcript, operation) {
			if result.Got() == nil && len(result.Problems) > 0 {
				t.Fatalf("%s, %s has no answer: %s", result.File, result.Title, result.Problems[0])
			}
			status := transcript.Sections[i].Answer.Status
			if !isShown(made[operation], status) && json.Valid([]byte(result.Response)) && len(result.Response) <= longestExample {
				made[operation] = append(made[operation], example{result.Title, status, bodyOf(result.Request), bodyOf(result.Response)})
			}
		}
	}
	got := printExamples(t, made)
	want, err := os.ReadFile(examplesFile)
	if err != nil {
		t.Fatal(err)
	}
	diff := cmp.Diff(exampleLines(want), exampleLines(got))
	switch {
	case diff == "": // also when written: what is left to chance would change the document each time
	case generated.Writing():
		if err := os.WriteFile(examplesFile, got, 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("not up to date: run make generate (-want +got):\n%s", diff)
	}
}

// lastMicrosecond gives things that came about at once an order.
var lastMicrosecond = regexp.MustCompile(`(T12:00:00\.00000)\dZ`)

// requestID is the id of a request, which the server makes by chance.
var requestID = regexp.MustCompile(`\breq_[A-Z2-7]{26}\b`)

// exampleLines are lines to compare. Of two submissions whose images are fetched at once, either may be the first item.
func exampleLines(text []byte) []string {
	return strings.Split(requestID.ReplaceAllString(lastMicrosecond.ReplaceAllString(string(text), "${1}?Z"), "req_?"), "\n")
}

// longestExample keeps long lists out of the document, in bytes.
const longestExample = 6000

// certain makes what is random the same each time.
func certain(c *v1.Config) {
	c.Random = rand.NewChaCha8([32]byte{1})
	c.BaseURL, c.SiteURL = "https://api.example.com", "https://www.example.com"
}

func isOperation(name string) bool {
	for _, o := range v1.Operations {
		if o.Name == name {
			return true
		}
	}
	return false
}

// isShown says whether an operation has an example of a status. Refusals for what many operations check alike are shown
// with their codes, so one is enough.
func isShown(examples []example, status int) bool {
	for _, e := range examples {
		if e.Status == status {
			return true
		}
	}
	return false
}

func bodyOf(text string) json.RawMessage {
	if !json.Valid([]byte(text)) {
		return json.RawMessage("null")
	}
	return json.RawMessage(text)
}

func printExamples(t *testing.T, examples map[string][]example) []byte {
	t.Helper()
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(examples); err != nil {
		t.Fatal(err)
	}
	text := jsontext.Value(b.Bytes())
	if err := text.Indent(jsontext.WithIndent("  ")); err != nil {
		t.Fatal(err)
	}
	return append(bytes.TrimSpace(text), '\n')
}
