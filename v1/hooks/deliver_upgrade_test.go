package hooks_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
)

// Servers are replaced one by one, so programs from before the sequence was stored in dispatches, and from when pausing
// marked them as held, may write rows after the migration.
func TestWhatAnOlderProgramLeavesIsSentInOrder(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := servertest.NewReceiver(t)
		hook := w.Subscribe(t, object{"url": r.URL})
		item := w.List(t, servertest.FixedPrice())
		for _, title := range []string{"One", "Two"} {
			w.Do(t, servertest.Request{Method: http.MethodPatch, Path: "/v1/items/" + item, Body: object{"title": title}})
		}
		plantest.Fill(t, w, "UPDATE dispatches SET status = 'held', sequence = 0")
		for range 4 {
			w.DeliverOnce(t)
		}
		var sequences []int
		for _, got := range sentEvents(t, r.Take()) {
			sequences = append(sequences, got.Resource.Sequence)
		}
		if diff := cmp.Diff([]int{1, 2, 3}, sequences); diff != "" {
			t.Errorf("sequences sent to %s (-want +got):\n%s", hook.ID, diff)
		}
	})
}
