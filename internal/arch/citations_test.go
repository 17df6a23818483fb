package arch

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCommentsCiteWhatIsHere reads every comment of the module. A page that a comment cites must be in the repository, and
// a heading that follows the page's name, as in "docs/idempotency.md", must be in the page.
func TestCommentsCiteWhatIsHere(t *testing.T) {
	eachGoFile(t, nil, func(file string, source []byte) {
		for _, problem := range missingCitations(t, filepath.Join(root, file), source) {
			t.Error(problem)
		}
	})
}

var (
	// specification finds a citation of the document that the interface was written from, which is not part of the module.
	specification = regexp.MustCompile(`(?i)\bcontract,? sections? \d|\bcontract's section|\bsections? \d+ of the contract`)
	// citation finds the name of a page, and a heading in it if one follows.
	citation = regexp.MustCompile(`\b([\w./-]*\w\.md)\b(?:, ([A-Z][^.;:()]*))?`)
	// heading finds the headings of a page.
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

// missingCitations lists the citations in a file's comments that lead nowhere, with their places. A page's path begins at
// the module's root or at the file's own folder.
func missingCitations(t *testing.T, path string, source []byte) (problems []string) {
	t.Helper()
	positions := token.NewFileSet()
	file, err := parser.ParseFile(positions, path, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range file.Comments {
		place := positions.Position(group.Pos()).String()
		text := strings.Join(strings.Fields(group.Text()), " ")
		if found := specification.FindString(text); found != "" {
			problems = append(problems, place+": cites "+found+", which is not in the repository")
		}
		for _, cited := range citation.FindAllStringSubmatch(text, -1) {
			page, err := os.ReadFile(filepath.Join(root, cited[1]))
			if err != nil {
				page, err = os.ReadFile(filepath.Join(filepath.Dir(path), cited[1]))
			}
			switch {
			case err != nil:
				problems = append(problems, place+": cites "+cited[1]+", which is not in the repository")
			case cited[2] != "" && !hasHeading(string(page), cited[2]):
				problems = append(problems, place+": "+cited[1]+" has no heading that begins "+cited[2])
			}
		}
	}
	return problems
}

// hasHeading says whether a text begins with one of a page's headings.
func hasHeading(page, text string) bool {
	for _, found := range heading.FindAllStringSubmatch(page, -1) {
		if strings.HasPrefix(text, found[1]) {
			return true
		}
	}
	return false
}

func TestMissingCitations(t *testing.T) {
	for name, c := range map[string]struct {
		comment string
		want    []string
	}{
		"a page that is here": {"see docs/webhooks.md", nil},
		"pages that are in neither folder": {"see doc.md, no: DECISIONS.md", []string{
			"a.go:1:12: cites doc.md, which is not in the repository",
			"a.go:1:12: cites DECISIONS.md, which is not in the repository",
		}},
		"a page that is not here":        {"see docs/nothing.md.", []string{"a.go:1:12: cites docs/nothing.md, which is not in the repository"}},
		"a heading that is here":         {"30 days are promised (docs/webhook-receiver.md, Answer)", nil},
		"a heading that is not here":     {"see docs/webhooks.md, Nothing", []string{"a.go:1:12: docs/webhooks.md has no heading that begins Nothing"}},
		"a sentence that goes on":        {"docs/webhooks.md, which a test reads", nil},
		"a section of the specification": {"the envelope (contract, section 1)", []string{"a.go:1:12: cites contract, section 1, which is not in the repository"}},
		"the same, in other words": {
			"the order of section 6 of the contract",
			[]string{"a.go:1:12: cites section 6 of the contract, which is not in the repository"},
		},
		"a section of an RFC":                {"RFC 9110, section 13.1", nil},
		"a contract that promises something": {"the contract is sealed", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := missingCitations(t, "a.go", []byte("package a; // "+c.comment+"\n"))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
