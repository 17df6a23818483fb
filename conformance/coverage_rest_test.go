package conformance_test

import "testing"

// TestNothingOfTheLegacyInterfaceIsLeftUnpinned finds what a call of /rest can answer and no transcript shows.
func TestNothingOfTheLegacyInterfaceIsLeftUnpinned(t *testing.T) {
	rows, err := load(t).LegacyCoverage()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if row.Sections == 0 {
			t.Errorf("%s %d %s", row.Operation, row.Status, row.Code)
		}
	}
}
