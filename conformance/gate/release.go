package gate

import (
	"fmt"
	"io/fs"
	"path"
	"slices"

	"sellerd/changelog"
	"sellerd/conformance"
)

// The documents that a release keeps.
const (
	Document       = "openapi.json"
	LegacyDocument = "openapi-rest.json"
)

// Check compares today's documents of /v1 and /rest with those that a release keeps under released/VERSION, and returns the
// changes of /v1. It is an error to break /v1. In /rest only additions are allowed, and the differences that a correction
// of a later release names.
func Check(suite *conformance.Suite, files fs.FS, version string, v1, rest []byte) ([]Change, error) {
	released, err := fs.ReadFile(files, path.Join("released", version, Document))
	if err != nil {
		return nil, err
	}
	changes, err := Compare(released, v1)
	if err != nil {
		return nil, fmt.Errorf("/v1 against %s: %w", version, err)
	}
	for _, c := range changes {
		if c.Kind == changelog.Breaking {
			return nil, fmt.Errorf("this breaks what %s promised, and nothing published may break: %s (%s)", version, c.Text, c.Rule)
		}
	}
	frozen, err := restChanges(files, version, rest)
	if err != nil {
		return nil, err
	}
	for _, c := range frozen {
		if c.Kind != changelog.Addition && !corrected(suite.Corrections, version, c) {
			return nil, fmt.Errorf("/rest must stay as %s left it: %s", version, c)
		}
	}
	return changes, nil
}

// restChanges are the differences between the document of /rest that a release keeps and a newer one.
func restChanges(files fs.FS, version string, rest []byte) ([]Change, error) {
	released, err := fs.ReadFile(files, path.Join("released", version, LegacyDocument))
	if err != nil {
		return nil, err
	}
	changes, err := Compare(released, rest)
	if err != nil {
		return nil, fmt.Errorf("/rest against %s: %w", version, err)
	}
	return changes, nil
}

// corrected says whether a correction of a release after the given one names a difference.
func corrected(corrections []conformance.Correction, version string, change Change) bool {
	return slices.ContainsFunc(corrections, func(c conformance.Correction) bool {
		return conformance.Later(c.By, version) && slices.Contains(c.Document, change.String())
	})
}

// Announced is an error if an entry of the change log does not describe changes correctly. Its kind is their verdict; a fix
// may bring additions as well, if it is in their category. A deprecation must be in its category, so that the readers of
// that category see it.
func Announced(entry changelog.Release, changes []Change) error {
	verdict := Verdict(changes)
	fixAndMore := entry.Kind == changelog.Fix && verdict == changelog.Addition && slices.Contains(entry.Categories, string(changelog.Addition))
	if verdict != entry.Kind && !fixAndMore {
		return fmt.Errorf("the change log calls %s: %s, but it is: %s", entry.Version, entry.Kind, verdict)
	}
	for _, c := range changes {
		if c.Kind == changelog.Deprecation && !slices.Contains(entry.Terms(), string(changelog.Deprecation)) {
			return fmt.Errorf("%s deprecates something (%s), so it needs the category %s", entry.Version, c.Text, changelog.Deprecation)
		}
	}
	return nil
}
