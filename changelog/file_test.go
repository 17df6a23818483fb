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
	"unicode"

	"sellerd/internal/proof/generated"
)

// TestTheFileOfChanges compares CHANGELOG.md with the releases.
func TestTheFileOfChanges(t *testing.T) {
	generated.Compare(t, "../CHANGELOG.md", printFile(Releases()))
}

// A link of a text leads to a page of the service. In the file it leads to the page's source.
var (
	docsLink  = regexp.MustCompile(`\]\(/docs/([a-z0-9-]+)(#[a-z0-9-]+)?`)
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
		text := docsLink.ReplaceAllStringFunc(string(r.Text), func(link string) string {
			parts := docsLink.FindStringSubmatch(link)
			return "](" + fileOf(parts[1], parts[2])
		})
		text = guideLink.ReplaceAllString(text, "](docs/rest/migration.md")
		text = otherLink.ReplaceAllString(text, "$1")
		fmt.Fprintf(&b, "\n## %s (%s)\n\n**%s**\n\n%s\n", r.Version, date, r.Title, strings.TrimSpace(text))
	}
	return b.Bytes()
}

// fileOf is the file of a page of docs, which is in the folder of its readers. Only the service knows where a section that has moved
// is now, so the file is linked without it.
func fileOf(page, anchor string) string {
	found, _ := fs.Glob(os.DirFS(".."), "docs/*/"+page+".md") // fails only if the pattern is malformed
	text, _ := os.ReadFile("../" + strings.Join(found, " or "))
	for line := range strings.Lines(string(text)) {
		title := strings.TrimSpace(strings.TrimLeft(line, "#"))
		if strings.HasPrefix(line, "#") && "#"+strings.Join(strings.FieldsFunc(strings.ToLower(title), notInAnchor), "-") == anchor {
			return found[0] + anchor
		}
	}
	return strings.Join(found, " or ")
}

// notInAnchor says whether a letter of a title stands for a hyphen of its anchor.
func notInAnchor(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// compareVersions compares two versions of three numbers.
func compareVersions(x, y string) int {
	var a, b [3]int
	_, _ = fmt.Sscanf(x, "%d.%d.%d", &a[0], &a[1], &a[2]) // versions of releases are of this form, which Load checks
	_, _ = fmt.Sscanf(y, "%d.%d.%d", &b[0], &b[1], &b[2])
	return slices.Compare(a[:], b[:])
}
