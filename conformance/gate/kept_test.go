package gate_test

import (
	"testing"

	"sellerd/changelog"
	"sellerd/conformance"
	"sellerd/conformance/gate"
	"sellerd/translate/openapi"
	v1openapi "sellerd/v1/openapi"
)

// TestEveryReleaseIsKept compares today's documents with those of each release. What the newest entry of the change log
// announces must be what has changed since the release before it.
func TestEveryReleaseIsKept(t *testing.T) {
	newest := changelog.Releases()[0]
	before := changelog.Releases()[1].Version
	suite, err := conformance.Load()
	if err != nil {
		t.Fatal(err)
	}
	released, err := conformance.Released()
	if err != nil {
		t.Fatal(err)
	}
	versions, err := conformance.Versions(released)
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range versions {
		changes, err := gate.Check(suite, released, version, v1openapi.Document("/"), openapi.Document("/"))
		if err != nil {
			t.Error(err)
			continue
		}
		if version == before {
			if err := gate.Announced(newest, changes); err != nil {
				t.Error(err)
			}
		}
	}
}
