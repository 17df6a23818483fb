package v1_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

func TestTheEnvelopeOfAnEvent(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id := w.List(t, servertest.FixedPrice())
		all := events(t, w, id)
		if len(all) != 1 {
			t.Fatalf("%d events", len(all))
		}
		got := all[0]
		if !strings.HasPrefix(got.ID, "evt_") || got.APIVersion != "v1" || got.Mode != "test" || got.AccountID != fmt.Sprint(w.Account) ||
			got.Resource.Type != "item" || got.Resource.Sequence != 1 || got.CreatedAt.Before(servertest.Start) || got.Data.Previous != nil {
			t.Errorf("event: %+v", got)
		}
		if diff := cmp.Diff(readItem(t, w, id), *got.Data.Item); diff != "" {
			t.Errorf("data.item is not what a read shows (-read +event):\n%s", diff)
		}
	})
}

func TestTheLargestEventFits(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id := w.List(t, servertest.FixedPrice(map[string]any{"description": strings.Repeat("é", 10_000)}))
		images := make([]string, 99)
		for i := range images {
			images[i] = fmt.Sprintf("http://images.example/%d/%s", i, strings.Repeat("x", 500))
		}
		if got := w.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/items/" + id, Body: map[string]any{"images": images, "title": "New"}}); got.Status != 200 {
			t.Fatalf("patch: %s", got.Body)
		}
		all := events(t, w, id)
		for _, event := range all {
			if event.size > 20<<10 {
				t.Errorf("%s has %d bytes", event.Type, event.size)
			}
		}
		last := all[len(all)-1]
		if diff := cmp.Diff([]string{"item.images", "item.description"}, last.Data.Truncated); diff != "" {
			t.Errorf("truncated (-want +got):\n%s", diff)
		}
		if last.Data.Item.Title != "New" {
			t.Errorf("the rest of the item is gone: %+v", last.Data.Item)
		}
	})
}

func TestTheLongestPartOfAnEventIsLeftOut(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		images := make([]string, 99)
		for i := range images {
			images[i] = fmt.Sprintf("http://images.example/%d/%s", i, strings.Repeat("x", 90))
		}
		id := w.List(t, servertest.FixedPrice(map[string]any{"description": "<p>short</p>"}))
		for _, patch := range []map[string]any{{"images": images}, {"title": "New"}} {
			if got := w.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/items/" + id, Body: patch}); got.Status != 200 {
				t.Fatalf("patch: %s", got.Body)
			}
		}
		marketOf(t, w).sold(id, "bob")
		for _, event := range events(t, w, id)[1:] {
			if diff := cmp.Diff([]string{"item.images"}, event.Data.Truncated); diff != "" || event.Data.Item.Description == nil {
				t.Errorf("%s, truncated (-want +got):\n%s", event.Type, diff)
			}
		}
	})
}
