package outagetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"sellerd/internal/proof/blackbox"
)

// What the load does besides items and purchases, if it has a shelf.
const (
	batchRows = 5
	shelfRows = 3 // of each client: it alone changes them, so the order of their changes is known
	// mixedPause keeps the load below what two cores publish, so that submissions do not queue before anything goes wrong.
	mixedPause = 200 * time.Millisecond
)

// batch lists several items in one request.
func (l *load) batch(key string) entry {
	e := entry{key: key, path: "/v1/item-batches"}
	var rows []json.RawMessage
	for row := range batchRows {
		reference := fmt.Sprintf("%s-%d", key, row)
		e.listed = append(e.listed, reference)
		rows = append(rows, json.RawMessage(itemBody(reference)))
	}
	e.body = encode(map[string]any{"items": rows})
	return e
}

// changes gives each item on the shelf of client n a new title.
func (l *load) changes(key string, n int) entry {
	e := entry{key: key, path: "/v1/item-changes", changed: map[string]string{}}
	var rows []map[string]any
	for _, item := range l.shelf[n*shelfRows : (n+1)*shelfRows] {
		e.changed[item] = "Ceres, as request " + key + " has it"
		rows = append(rows, map[string]any{"item_id": item, "patch": map[string]any{"title": e.changed[item]}})
	}
	e.body = encode(map[string]any{"changes": rows})
	return e
}

func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts
	}
	return text
}

// changed is how many changes were acknowledged.
func (l *load) changed() (n int) {
	for _, e := range l.acknowledged {
		n += len(e.changed)
	}
	return n
}

// awaitBatch waits until every row of a batch is published, and notes which item each has.
func (l *load) awaitBatch(t *testing.T, limit time.Duration, e entry, items map[string]string) {
	t.Helper()
	var acknowledged struct{ ID string }
	if err := json.Unmarshal(e.data, &acknowledged); err != nil {
		t.Fatal(err)
	}
	blackbox.Eventually(t, limit, "batch "+e.key+" is published", func() bool {
		now := blackbox.Call[struct {
			Submissions []struct {
				Status string
				ItemID string `json:"item_id"`
			}
		}](t, l.seller.Client, http.MethodGet, "/v1/item-batches/"+acknowledged.ID, nil)
		if len(now.Submissions) != len(e.listed) {
			t.Fatalf("batch %s has %d submissions instead of %d", e.key, len(now.Submissions), len(e.listed))
		}
		for i, s := range now.Submissions {
			if s.Status != "published" {
				return false
			}
			items[e.listed[i]] = s.ItemID
		}
		return true
	})
}

// checkShelf compares the titles with the last acknowledged change of each item.
func (l *load) checkShelf(t *testing.T) {
	t.Helper()
	want := map[string]string{}
	for _, e := range l.acknowledged { // those of one client are in their order
		for item, title := range e.changed {
			want[item] = title
		}
	}
	for item, title := range want {
		now := blackbox.Call[struct{ Title string }](t, l.seller.Client, http.MethodGet, "/v1/items/"+item, nil)
		if now.Title != title {
			t.Errorf("item %s is %q, and its last acknowledged change made it %q", item, now.Title, title)
		}
	}
}
