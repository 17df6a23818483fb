package each_test

import (
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
