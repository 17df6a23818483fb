package bridge

import (
	"testing"

	"sellerd/v1"
)

// TestAListThatIsTooLongKeepsSomeMarks reads to the end of a list that has more pages than the memory may hold segments.
func TestAListThatIsTooLongKeepsSomeMarks(t *testing.T) {
	m := newMemory(4)
	for n := range 8 {
		if _, err := readWindow(t.Context(), m, rowsOf("long", 8*v1.MaxPageSize), v1.Window{Start: n * v1.MaxPageSize, Count: v1.MaxPageSize}); err != nil {
			t.Fatal(err)
		}
	}
	if kept := len(m.of("long").segments); kept < 2 || kept > 4 || m.total != kept {
		t.Errorf("it has %d segments, and the memory %d of at most 4", kept, m.total)
	}
}
