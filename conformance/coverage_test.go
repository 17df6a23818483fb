package conformance_test

import (
	"io"
	"testing"

	"sellerd/conformance"
)

// TestNothingIsLeftUnpinned finds what an operation can answer and no transcript shows.
func TestNothingIsLeftUnpinned(t *testing.T) {
	rows, err := load(t).Coverage()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if row.Sections == 0 {
			t.Errorf("%s %d %s", row.Operation, row.Status, row.Code)
		}
	}
	if _, err := conformance.PrintCoverage(io.Discard, rows); err != nil {
		t.Error(err)
	}
}
