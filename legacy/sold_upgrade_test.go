package legacy_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
)

// TestSoldListsAfterAnOlderProgramCancelled cancels sales as a program of the release before does during an upgrade: it
// writes the sale and knows nothing of what this one keeps besides. The list has the sales that stand, each once.
func TestSoldListsAfterAnOlderProgramCancelled(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		for _, list := range []string{"auction", "fixedprice"} {
			var sold []string
			for i := range 5 {
				item := servertest.Auction()
				if list == "fixedprice" {
					item = servertest.FixedPrice()
				}
				id := w.List(t, item)
				sellOne(t, w, list, id)
				sold = append(sold, id)
				if i%2 == 1 { // some share a bucket, others have one for themselves
					w.Clock.Advance(50 * time.Hour)
				}
			}
			for _, gone := range [][]int{{4}, {0}, {1, 2}, {3}} {
				for _, i := range gone {
					cancelAsBefore(t, w, sold[i])
					sold[i] = ""
				}
				var standing []string
				for _, id := range sold {
					if id != "" {
						standing = append(standing, id)
					}
				}
				for start := range len(standing) + 1 {
					answer := w.Rest(t, "GET", fmt.Sprintf("/rest/item/%s/sold?startingItem=%d&numberOfItems=100", list, start), "", "X-Api-Key", w.Key)
					want := append([]string(nil), standing[start:]...)
					if diff := cmp.Diff(want, answer.Texts("body/item/id_item")); diff != "" || answer.Status != http.StatusOK {
						t.Errorf("%s from %d on, without %v: %d\n%s", list, start, gone, answer.Status, diff)
					}
				}
			}
		}
	})
}

// sellOne sells an auction to its bidder, or a piece of an item at a fixed price.
func sellOne(t *testing.T, w *servertest.World, list, item string) {
	t.Helper()
	if list == "fixedprice" {
		w.Do(t, servertest.Request{Path: "/v1/test/items/" + item + "/purchase", Body: map[string]any{"quantity": 1}})
		return
	}
	w.Do(t, servertest.Request{Path: "/v1/test/items/" + item + "/bids", Body: map[string]any{"amount": map[string]any{"amount": "12.00", "currency": "EUR"}}})
	w.Do(t, servertest.Request{Path: "/v1/test/items/" + item + "/end", Method: "POST", Body: map[string]any{}})
}

// cancelAsBefore cancels the sale of an item with no more than the row that says so.
func cancelAsBefore(t *testing.T, w *servertest.World, item string) {
	t.Helper()
	if err := w.Store.Write(context.Background(), func(ctx context.Context, tx *ent.Client) error {
		_, err := tx.ExecContext(ctx, "UPDATE sales SET status = 'cancelled', cancellation_status = 'cancelled' WHERE item_id = "+item)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}
