package turns_test

import (
	"testing"

	"sellerd/internal/base/turns"
)

func TestTheFirstOfALineLeavesToTheNext(t *testing.T) {
	var lines turns.Lines[string]
	woken := make(chan struct{}, 1)
	first, second, third := lines.Join("one", woken), lines.Join("one", woken), lines.Join("one", woken)
	other := lines.Join("another", woken)
	if !lines.First(first) || lines.First(second) || !lines.First(other) {
		t.Fatalf("first: %t, %t, of another: %t", lines.First(first), lines.First(second), lines.First(other))
	}
	lines.Leave(second) // from the middle
	if lines.First(third) {
		t.Error("the third came before the first")
	}
	lines.Leave(first)
	select {
	case <-woken:
	default:
		t.Error("the third was not woken")
	}
	if !lines.First(third) {
		t.Error("the third is not the first")
	}
	lines.Leave(third)
	lines.Leave(other)
	if n := lines.Len(); n != 0 {
		t.Errorf("%d lines are left", n)
	}
}
