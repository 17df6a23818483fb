package v1_test

import (
	"context"
	"fmt"
	"testing"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
)

// submitEach submits an item for each of n sellers, with these members.
func submitEach(t *testing.T, w *servertest.World, n int, members map[string]any) (paths, keys []string) {
	t.Helper()
	for i := range n {
		_, key, _ := w.Seller(t, fmt.Sprintf("seller%d", i))
		got := w.Do(t, servertest.Request{Path: "/v1/items", Key: key, Body: servertest.FixedPrice(members)})
		if got.Status != 202 {
			t.Fatalf("submit: %d %s", got.Status, got.Body)
		}
		paths, keys = append(paths, got.Header.Get("Location")), append(keys, key)
	}
	return paths, keys
}

// The items of many small sellers share transactions, whatever database. With one for each item, they would cost four times as much.
func TestItemsOfManySellersShareATransaction(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		const n = 30
		paths, keys := submitEach(t, w, n, nil)
		before := w.Store.Stats()
		if published, err := w.Service.PublishOnce(t.Context()); published != n || err != nil {
			t.Fatalf("%d published: %v", published, err)
		}
		after := w.Store.Stats()
		for i, path := range paths {
			if got := w.Do(t, servertest.Request{Path: path, Key: keys[i]}); got.Status != 200 {
				t.Errorf("item %d: %d %s", i, got.Status, got.Body)
			}
		}
		if items, events := w.Count(t, "items", "true"), w.Count(t, "events", "type = 'item.published'"); items != n || events != n {
			t.Errorf("%d items and %d events", items, events)
		}
		most := uint64(2) // SQLite: that of the lease, and one that reserves numbers
		if w.Store.ManyWriters() {
			most = 6 // that of the lease, and those of the sets, of which the first goes alone
		}
		if writes := after.Writes - before.Writes; writes > most {
			t.Errorf("%d transactions, not %d", writes, most)
		}
	})
}

// A submission that cannot be stored fails none of other sellers.
func TestAnItemThatCannotBeStoredFailsNoOtherSellers(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		paths, _ := submitEach(t, w, 5, nil)
		const odd = 2
		var ids []any
		w.EachRow(t, "SELECT id FROM submissions ORDER BY id", func(values []any) { ids = append(ids, values[0]) })
		refuse := fmt.Sprintf("ALTER TABLE items ADD CONSTRAINT odd CHECK (id <> %d)", ids[odd])
		if !w.Store.ManyWriters() {
			refuse = fmt.Sprintf("CREATE TRIGGER odd BEFORE INSERT ON items WHEN NEW.id = %d BEGIN SELECT RAISE(ABORT, 'odd'); END", ids[odd])
		}
		err := w.Store.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
			_, err := tx.ExecContext(ctx, refuse)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if n, err := w.Service.PublishOnce(t.Context()); n != len(paths) || err == nil {
			t.Errorf("%d leased: %v", n, err)
		}
		for i := range paths {
			want := "published"
			if i == odd {
				want = "processing"
			}
			if n := w.Count(t, "submissions", fmt.Sprintf("id = %d AND status = '%s'", ids[i], want)); n != 1 {
				t.Errorf("submission %d is not %s", i, want)
			}
		}
	})
}
