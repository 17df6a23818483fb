package docstest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sellerd/v1"
)

// asksForAnOlderOne is in the command that shows how to try what an older release promised.
const asksForAnOlderOne = "sellerd conformance --base-url http://localhost:8080 --key \"$KEY\" --release 1.1.0"

// TestNothingToCopyNamesAnOlderRelease looks at what people copy: commands and settings of documents, the files for deployment, the
// clients, the examples and the Makefile. Sentences may speak of older releases.
func TestNothingToCopyNamesAnOlderRelease(t *testing.T) {
	older := regexp.MustCompile(`(^|[^0-9.])(` + strings.ReplaceAll(strings.Join(slices.DeleteFunc(slices.Clone(v1.Releases), func(r string) bool { return r == v1.Release }), "|"), ".", `\.`) + `)($|[^0-9.]|\.$)`)
	check := func(place, text string) {
		for line := range strings.Lines(text) {
			if older.MatchString(line) {
				t.Errorf("%s names an older release: %s", place, strings.TrimSpace(line))
			}
		}
	}
	code := regexp.MustCompile("(?s)```[a-z]+\n(.*?)```|`([^`\n]+)`")
	for _, name := range documents(t) {
		for _, found := range code.FindAllStringSubmatch(read(t, name), -1) {
			if text := found[1] + found[2]; strings.ContainsAny(text, " =:") && !strings.Contains(text, asksForAnOlderOne) { // more than a name
				check(name, text)
			}
		}
	}
	for _, folder := range []string{"docs/deploy", "docs/clients", "docs/examples", ".ci"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".md") {
				return err
			}
			text, err := os.ReadFile(path)
			check(path, string(text))
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	check("Makefile", read(t, "Makefile"))
}
