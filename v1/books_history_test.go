package v1_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sellerd/internal/proof/servertest"
)

// history is a seller's life as a test draws it.
type history struct {
	*servertest.World
	t           *testing.T
	owner       int64
	key         string
	submissions []string // paths of what may not be published yet
	items       []string
}

// send makes a request that may be refused for the state its object is in, but never fails.
func (h *history) send(t *rapid.T, request servertest.Request) servertest.Response {
	request.Key = h.key
	got := h.Do(h.t, request)
	if got.Status >= 500 || got.Status == http.StatusNotFound {
		t.Fatalf("%s: %d %s", request.Path, got.Status, got.Body)
	}
	return got
}

// publish publishes what is due, and learns which items that made.
func (h *history) publish(t *rapid.T) {
	h.Publish(h.t)
	for _, path := range h.submissions {
		if done := servertest.Into[submissionView](h.t, h.send(t, servertest.Request{Path: path})); done.ItemID != nil {
			h.items = append(h.items, *done.ItemID)
		}
	}
	h.submissions = nil
}

// step does one of the things that happen to a seller's items.
func (h *history) step(t *rapid.T) {
	kinds := []string{"submit", "submit", "publish", "wait"}
	if len(h.items) > 0 {
		kinds = append(kinds, "close", "restart", "patch")
	}
	kind := rapid.SampledFrom(kinds).Draw(t, "step")
	switch kind {
	case "submit":
		item := servertest.FixedPrice(object{"renewals": rapid.SampledFrom([]int{0, 1, 99}).Draw(t, "renewals"), "duration_days": 7})
		if rapid.Bool().Draw(t, "later") {
			item["starts_at"] = h.Clock.Now().Add(48 * time.Hour).Format(time.RFC3339)
		}
		if got := h.send(t, servertest.Request{Path: "/v1/items", Body: item}); got.Status == http.StatusAccepted {
			h.submissions = append(h.submissions, got.Header.Get("Location"))
		}
	case "publish":
		h.publish(t)
	case "wait":
		h.Clock.Advance(rapid.SampledFrom([]time.Duration{time.Minute, 16 * time.Minute, 3 * 24 * time.Hour, 8 * 24 * time.Hour}).Draw(t, "wait"))
		h.PassDueDates(h.t)
	default:
		path := "/v1/items/" + rapid.SampledFrom(h.items).Draw(t, "item")
		request := servertest.Request{Method: http.MethodPost, Path: path + "/" + kind}
		if kind == "patch" {
			request = servertest.Request{Method: http.MethodPatch, Path: path, Body: object{"quantity": rapid.IntRange(1, 9).Draw(t, "quantity")}}
		}
		h.send(t, request)
	}
}

func TestAfterAnyHistoryTheBooksAreInOrder(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		sellers := 0
		rapid.Check(t, func(rt *rapid.T) {
			sellers++
			account, key, _ := w.Seller(t, fmt.Sprintf("seller-%d", sellers))
			h := &history{World: w, t: t, owner: 2*account + 1, key: key}
			for range rapid.IntRange(1, 12).Draw(rt, "steps") {
				h.step(rt)
			}
			h.checkBooks(rt)
		})
	})
}

// checkBooks compares the seller's counter with what it counts, and each resource's events with the numbers from 1 on.
func (h *history) checkBooks(t *rapid.T) {
	row, err := h.Store.Reader().Owner.Get(context.Background(), h.owner)
	if err != nil {
		t.Fatal(err)
	}
	open := h.Count(h.t, "items", fmt.Sprintf("owner = %d AND status IN ('scheduled','open')", h.owner)) +
		h.Count(h.t, "submissions", fmt.Sprintf("owner = %d AND status IN ('pending','processing')", h.owner))
	if row.OpenCount != open {
		t.Fatalf("the store's counter says %d, but %d items and submissions are open", row.OpenCount, open)
	}
	last := map[string]int64{}
	for _, event := range outbox(h.t, h.World, h.owner) {
		resource := fmt.Sprint(event.ResourceType, event.ResourceID)
		if event.Sequence != last[resource]+1 {
			t.Fatalf("event %d of %s follows %d", event.Sequence, resource, last[resource])
		}
		last[resource] = event.Sequence
	}
	rows, err := h.Store.Reader().Item.Query().All(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range rows {
		if diff := cmp.Diff(last[fmt.Sprint("item", item.ID)], item.Sequence); item.Owner == h.owner && diff != "" {
			t.Fatalf("item %d has another sequence than its events (-events +item):\n%s", item.ID, diff)
		}
	}
}
