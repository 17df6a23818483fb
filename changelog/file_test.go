package changelog

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sellerd/internal/proof/generated"
)

// TestTheFileOfChanges compares CHANGELOG.md with the releases.
func TestTheFileOfChanges(t *testing.T) {
	generated.Compare(t, "../CHANGELOG.md", printFile(Releases()))
}

// A link of a text leads to a page of the service. In the file it leads to the page's source.
var (
	docsLink  = regexp.MustCompile(`\]\(/docs/([a-z0-9-]+)`)
	guideLink = regexp.MustCompile(`\]\(/migration(/[a-z0-9-]+)?`)
	otherLink = regexp.MustCompile(`\[([^\]]*)\]\(/[^)]*\)`)
)

// printFile writes the releases for readers of the repository, the newest first.
func printFile(releases []Release) []byte {
	var b bytes.Buffer
	b.WriteString("# Changes\n\nWhat sellers and their programs see of each release. The running service has it at /changelog, and as Atom at /changelog.atom.\n")
	sorted := slices.Clone(releases)
	slices.SortStableFunc(sorted, func(x, y Release) int { return compareVersions(y.Version, x.Version) })
	for _, r := range sorted {
		date := "not released"
		if r.Released() {
			date = r.Day()
		}
		text := docsLink.ReplaceAllStringFunc(string(r.Text), func(link string) string { return "](" + fileOf(docsLink.FindStringSubmatch(link)[1]) })
		text = guideLink.ReplaceAllString(text, "](docs/rest/migration.md")
		text = otherLink.ReplaceAllString(text, "$1")
		fmt.Fprintf(&b, "\n## %s (%s)\n\n**%s**\n\n%s\n", r.Version, date, r.Title, strings.TrimSpace(text))
	}
	return b.Bytes()
}

// fileOf is the file of a page of docs, which is in the folder of its readers.
func fileOf(page string) string {
	found, _ := fs.Glob(os.DirFS(".."), "docs/*/"+page+".md") // fails only if the pattern is malformed
	return strings.Join(found, " or ")
}

// compareVersions compares two versions of three numbers.
func compareVersions(x, y string) int {
	var a, b [3]int
	_, _ = fmt.Sscanf(x, "%d.%d.%d", &a[0], &a[1], &a[2]) // versions of releases are of this form, which Load checks
	_, _ = fmt.Sscanf(y, "%d.%d.%d", &b[0], &b[1], &b[2])
	return slices.Compare(a[:], b[:])
}
