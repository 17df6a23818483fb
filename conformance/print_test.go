package conformance

import (
	"fmt"
	"slices"
	"strings"
)

// Text prints a transcript as Parse reads it.
func (t *Transcript) Text() string {
	var b strings.Builder
	if len(t.For) > 0 {
		for names := range slices.Chunk(t.For, 8) {
			fmt.Fprintf(&b, "For: %s\n", strings.Join(names, ", "))
		}
		b.WriteByte('\n')
	}
	printEach(&b, "Given:", t.Given)
	printEach(&b, "Finally:", t.Finally)
	if len(t.Given)+len(t.Finally) > 0 {
		b.WriteByte('\n')
	}
	for i, s := range t.Sections {
		if i > 0 {
			b.WriteByte('\n')
		}
		s.print(&b)
	}
	return b.String()
}
