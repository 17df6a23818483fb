package fuzzhttp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// This file makes a sequence that failed shorter.

// shrink takes steps away as long as the same check fails for the same operation. It returns what was sent and answered in the
// shortest sequence that it found.
func (f *fuzzer) shrink(tb testing.TB, list []*step, failed *failure, log []string) (*failure, []string) {
	tb.Helper()
	for size := len(list) / 2; size > 0; size /= 2 {
		for at := 0; at < len(list); {
			fewer := slices.Concat(list[:at], list[min(at+size, len(list)):])
			again, said := f.run(tb, fewer)
			if again == nil || again.check != failed.check || again.operation != failed.operation {
				at += size
				continue
			}
			list, failed, log = fewer, again, said
		}
	}
	return failed, log
}

// report says how to repeat a failure.
func (f *failure) report(seed uint64, log []string) string {
	return fmt.Sprintf("%s: %s %s\nThe requests, without what has no part in it:\n  %s\nRun it again: go test ./internal/proof/fuzzhttp -run TestTheService -args -seed %d -sequences 1",
		f.check, f.operation, f.text, strings.Join(log, "\n  "), seed)
}
