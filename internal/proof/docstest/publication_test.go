package docstest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// publicationTime is how long publication takes, in the words of every text that says it.
const publicationTime = "usually within a second, at most 15 minutes"

// TestPublicationTakesTheSameTimeEverywhere looks for sentences about publication that say when it comes. What was measured, on the pages
// about performance, reliability and scaling, is another matter.
func TestPublicationTakesTheSameTimeEverywhere(t *testing.T) {
	var files []string
	for _, pattern := range []string{
		"README.md", "docs/*/*.md", "docs/examples/*", "docs/clients/*.py", "docs/clients/*.php", "docs/clients/*.mjs", "v1/client/*.go",
		"cmd/sellerd/*.go", "internal/command/*.go", "internal/command/*/*.go", "internal/mcp/*.go", "internal/server/pages/*.html.tmpl", "v1/openapi/openapi.json", "translate/openapi/openapi.json", "translate/calls.txt",
	} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(found), err)
		}
		files = append(files, found...)
	}
	measured := regexp.MustCompile(`/(performance|reliability|scaling)[^/]*\.md$|_test\.go$`)
	publication := regexp.MustCompile(`(?i)publication|publishe[sd]|becomes an item|submission is (final|published)`)
	when := regexp.MustCompile(`(?i)within (a |one |some |a few )?(second|minute)|\bminutes\b|\bmoment|\bsoon\b|shortly`)
	said := map[string]int{}
	for _, path := range files {
		if measured.MatchString(path) {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, sentence := range sentences(string(text)) {
			switch {
			case strings.Contains(sentence, publicationTime):
				said[strings.TrimPrefix(path, root+"/")]++
			case publication.MatchString(sentence) && when.MatchString(sentence):
				t.Errorf("%s says when publication comes in words of its own: %s", path, sentence)
			}
		}
	}
	want := map[string]int{
		"README.md": 3, "docs/seller/start.md": 1, "docs/seller/states.md": 1, "docs/rest/migration.md": 1,
		"docs/examples/first-sale.sh": 1, "docs/examples/requests.arazzo.json": 3,
		"internal/command/demoseller/welcome.go": 1, "v1/client/lists.go": 1, "v1/openapi/openapi.json": 1, "translate/calls.txt": 1,
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("where it is said (-want +got):\n%s", diff)
	}
}

// sentences are the texts between full stops, without the marks of comments at the beginning of lines.
func sentences(text string) []string {
	text = strings.Join(strings.Fields(regexp.MustCompile(`(?m)^\s*(//|#+|\*)`).ReplaceAllString(text, "")), " ")
	return regexp.MustCompile(`[.:;!?]["'\x60*)]* |[|]`).Split(text, -1)
}
