package docstest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// asksForAnOlderOne is in the command that shows how to try what an older release promised.
const asksForAnOlderOne = "sellerd conformance --base-url http://localhost:8080 --key \"$KEY\" --release 1.1.0"

// TestNothingToCopyNamesAnOlderRelease looks at what people copy: commands and settings of documents, the files for deployment, the
// clients, the examples and the Makefile. Sentences may speak of older releases.
func TestNothingToCopyNamesAnOlderRelease(t *testing.T) {
	var releases []string // the newest first
	for _, found := range regexp.MustCompile(`(?m)^    "version": "([^"]+)"`).FindAllStringSubmatch(read(t, "changelog/releases.json"), -1) {
		releases = append(releases, regexp.QuoteMeta(found[1]))
	}
	if len(releases) < 8 {
		t.Fatalf("the change log has the releases %q", releases)
	}
	older := regexp.MustCompile(`(^|[^0-9.])(` + strings.Join(releases[1:], "|") + `)($|[^0-9.]|\.$)`)
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
