package gate

import (
	"fmt"
	"io/fs"
	"path"

	"sellerd/changelog"
)

// The documents that a release keeps.
const (
	Document       = "openapi.json"
	LegacyDocument = "openapi-rest.json"
)

// Check compares today's documents of /v1 and /rest with those that a release keeps under released/VERSION, and says of what
// kind the changes are. It is an error to break /v1, or to change anything of /rest.
func Check(files fs.FS, version string, v1, rest []byte) (changelog.Kind, error) {
	released, err := fs.ReadFile(files, path.Join("released", version, Document))
	if err != nil {
		return "", err
	}
	changes, err := Compare(released, v1)
	if err != nil {
		return "", fmt.Errorf("/v1 against %s: %w", version, err)
	}
	for _, c := range changes {
		if c.Kind == changelog.Breaking {
			return "", fmt.Errorf("this breaks what %s promised, and nothing published may break: %s (%s)", version, c.Text, c.Rule)
		}
	}
	legacy, err := fs.ReadFile(files, path.Join("released", version, LegacyDocument))
	if err != nil {
		return "", err
	}
	frozen, err := Compare(legacy, rest)
	if err != nil {
		return "", fmt.Errorf("/rest against %s: %w", version, err)
	}
	if len(frozen) > 0 {
		return "", fmt.Errorf("/rest must stay as %s left it: %s (%s)", version, frozen[0].Text, frozen[0].Rule)
	}
	return Verdict(changes), nil
}
