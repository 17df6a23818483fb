package conformance

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"sellerd/changelog"
)

// SealFile closes a release: it lists the hashes of its files and names the seal before it, so that no file of any release
// can change without changing the tip, which stands in the change log.
const SealFile = "seal.txt"

// AnnouncementFile is a release's entry in the change log at the time of its seal.
const AnnouncementFile = "announcement.json"

// Announcement prints an entry without its seal.
func Announcement(entry changelog.Release) []byte {
	entry.Seal = ""
	return changelog.Encode([]changelog.Release{entry})
}

const (
	sealHeading  = "Release %s is sealed: whoever changes, adds or removes a file here breaks what was promised."
	sealPrevious = "previous "
)

// Seal is the text of the seal of a release's folder. previous is the tip of the release before, empty for the first one.
func Seal(files fs.FS, version, previous string) (text string, err error) {
	var b strings.Builder
	fmt.Fprintf(&b, sealHeading+"\n\n%s%s\n", version, sealPrevious, cmp.Or(previous, "none"))
	folder := path.Join("released", version)
	err = fs.WalkDir(files, folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || name == path.Join(folder, SealFile) {
			return err
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", hash(content), strings.TrimPrefix(name, folder+"/"))
		return nil
	})
	return b.String(), err
}

// Tip is the hash of a seal.
func Tip(seal string) string { return hash([]byte(seal)) }

// SealedRelease is a release with the tip of its seal.
type SealedRelease struct{ Version, Tip string }

// CheckSeals compares each release with its seal and the seals with each other. It returns the tips, oldest first.
func CheckSeals(files fs.FS) ([]SealedRelease, error) {
	versions, err := Versions(files)
	if err != nil {
		return nil, err
	}
	var sealed []SealedRelease
	previous := ""
	for _, version := range versions {
		seal, err := fs.ReadFile(files, path.Join("released", version, SealFile))
		if err != nil {
			return nil, fmt.Errorf("release %s is not sealed: %w", version, err)
		}
		now, err := Seal(files, version, previous)
		if err != nil {
			return nil, err
		}
		if diff := firstDifference(string(seal), now); diff != "" {
			return nil, fmt.Errorf("release %s is sealed, and has changed: %s", version, diff)
		}
		previous = Tip(string(seal))
		sealed = append(sealed, SealedRelease{version, previous})
	}
	return sealed, nil
}

// firstDifference is the first line of a seal that would be different if it were written now.
func firstDifference(sealed, now string) string {
	before, after := strings.Split(sealed, "\n"), strings.Split(now, "\n")
	for i := range max(len(before), len(after)) {
		if was, is := elementAt(before, i), elementAt(after, i); was != is {
			return fmt.Sprintf("%q was %q", is, was)
		}
	}
	return ""
}

// elementAt is an element of a list, the zero value behind its end.
func elementAt[T any](list []T, i int) (element T) {
	if i < len(list) {
		element = list[i]
	}
	return element
}

// Versions are the releases, oldest first.
func Versions(files fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(files, "released")
	if err != nil {
		return nil, err
	}
	var versions []string
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		if !isVersion(entry.Name()) {
			return nil, fmt.Errorf("%q is no version", entry.Name())
		}
		versions = append(versions, entry.Name())
	}
	slices.SortFunc(versions, compareVersions)
	return versions, nil
}

// compareVersions compares two versions (Semantic Versioning 2.0.0). The coming release, which has none, is behind all others.
func compareVersions(a, b string) int {
	const coming = "1000000.0.0"
	return semver.Compare("v"+cmp.Or(a, coming), "v"+cmp.Or(b, coming))
}

// isVersion says whether a text is the version of a release, neither shortened nor of a pre-release or a build.
func isVersion(text string) bool {
	return semver.Canonical("v"+text) == "v"+text && semver.Prerelease("v"+text) == ""
}
