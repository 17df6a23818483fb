package each_test

import (
	"maps"
	"slices"
	"strconv"
	"testing"

	"sellerd/internal/base/each"
)

func TestOf(t *testing.T) {
	if got := each.Of([]int{2, 1, 2}, strconv.Itoa); !slices.Equal(got, []string{"2", "1", "2"}) {
		t.Errorf("got %q", got)
	}
	if got := each.Of(nil, strconv.Itoa); got == nil || len(got) > 0 {
		t.Errorf("of no list: %#v", got)
	}
}

func TestKeyed(t *testing.T) {
	got := each.Keyed([]string{"a", "bc", "d"}, func(s string) (int, string) { return len(s), s })
	if !maps.Equal(got, map[int]string{1: "d", 2: "bc"}) {
		t.Errorf("got %v", got)
	}
}
