package v1_test

import (
	"fmt"
	"sync"
	"testing"

	"sellerd/internal/proof/servertest"
)

// Numbers come from the database in blocks. Taking a new block waits for the writer, and the writer may at that moment
// run a batch that needs a clock-made id: neither may wait for the other.
func TestNewBlocksOfNumbersDoNotBlockBatchesInHand(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		batch := make([]map[string]any, 40)
		for i := range batch {
			batch[i] = servertest.FixedPrice()
		}
		var all sync.WaitGroup
		for n := range 64 { // 2,560 numbers: more than two blocks
			all.Go(func() {
				got := w.Do(t, servertest.Request{
					Path: "/v1/item-batches", Body: map[string]any{"items": batch},
					Header: map[string]string{"Idempotency-Key": fmt.Sprintf("batch-%d", n)},
				})
				if got.Status != 202 {
					t.Errorf("batch %d: %d %s", n, got.Status, got.Body)
				}
			})
		}
		all.Wait()
		if got := w.Count(t, "submissions", "1 = 1"); got != 64*40 {
			t.Errorf("want %d submissions, got %d", 64*40, got)
		}
	})
}
