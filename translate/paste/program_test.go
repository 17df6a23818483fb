package paste_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/translate"
	"sellerd/translate/paste"
)

// TestProgramsAreTranslated translates the programs of testdata/programs.txt, as people write them. Below each stand its calls with their
// fields: a value, or $ for what only the program knows. A ~ stands for a blank.
func TestProgramsAreTranslated(t *testing.T) {
	table, err := translate.New()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/programs.txt")
	if err != nil {
		t.Fatal(err)
	}
	for program := range strings.SplitSeq(strings.TrimPrefix(string(text), "=== "), "\n=== ") {
		name, program, _ := strings.Cut(program, "\n")
		code, want, _ := strings.Cut(program, "\n---\n")
		t.Run(name, func(t *testing.T) {
			out, err := paste.Translate(table, paste.Input{Request: code, BaseURL: "https://api.example.com"})
			if out == nil {
				t.Fatalf("%v", err)
			}
			if diff := cmp.Diff(strings.Split(strings.TrimSpace(want), "\n"), linesOf(out)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// linesOf are the calls of a translation with their fields.
func linesOf(out *paste.Translation) (lines []string) {
	calls := out.Calls
	if len(calls) == 0 {
		calls = []paste.Meaning{out.Meaning}
	}
	for _, m := range calls {
		var words []string
		for _, f := range m.Fields {
			if f.Error.V == "is required" {
				continue // it was not seen
			}
			value := strings.ReplaceAll(f.Value, " ", "~")
			if f.Variable {
				value = "$"
			}
			words = append(words, f.Name+"="+value)
		}
		slices.Sort(words)
		lines = append(lines, strings.Join(append([]string{m.Call}, words...), " "))
	}
	return lines
}
