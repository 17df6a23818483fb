package v1_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

// Servers are replaced one by one, so programs from before the sequence was stored in dispatches, and from when pausing
// marked them as held, may write rows after the migration.
func TestWhatAnOlderProgramLeavesIsSentInOrder(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := newReceiver(t)
		hook := subscribe(t, w, object{"url": r.URL})
		item := w.List(t, servertest.FixedPrice())
		for _, title := range []string{"One", "Two"} {
			w.Do(t, servertest.Request{Method: http.MethodPatch, Path: "/v1/items/" + item, Body: object{"title": title}})
		}
		fill(t, w, "UPDATE dispatches SET status = 'held', sequence = 0")
		for range 4 {
			deliverOnce(t, w)
		}
		var sequences []int
		for _, got := range r.take() {
			sequences = append(sequences, got.Resource.Sequence)
		}
		if diff := cmp.Diff([]int{1, 2, 3}, sequences); diff != "" {
			t.Errorf("sequences sent to %s (-want +got):\n%s", hook.ID, diff)
		}
	})
}
