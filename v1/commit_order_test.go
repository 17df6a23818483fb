package v1_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sellerd/ent"
	"sellerd/ent/event"
	"sellerd/internal/proof/servertest"
)

// changeTime is the instant an answer gives its change: a submission's created_at, an item's updated_at.
type changeTime struct {
	CreatedAt time.Time  `json:"created_at"`
	UpdatedAt *time.Time `json:"updated_at"`
}

// stamp reads that instant.
func stamp(t *testing.T, r servertest.Response) time.Time {
	t.Helper()
	at := servertest.Into[changeTime](t, r)
	if at.UpdatedAt != nil {
		return *at.UpdatedAt
	}
	return at.CreatedAt
}

// outbox are all events of an owner in the order of their ids.
func outbox(t *testing.T, w *servertest.World, owner int64) []*ent.Event {
	t.Helper()
	rows, err := w.Store.Reader().Event.Query().Where(event.Owner(owner)).Order(ent.Asc(event.FieldID)).All(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestChangesOfAnOwnerHappenOneAfterTheOther has eight callers change one seller's data while the clock stands still, so
// that only the service can tell their changes apart.
func TestChangesOfAnOwnerHappenOneAfterTheOther(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		const writers, rounds = 8, 4
		var listed [writers]string
		for i := range listed {
			listed[i] = w.List(t, servertest.FixedPrice())
		}
		first := len(outbox(t, w, 2*w.Account+1))
		var (
			wg    sync.WaitGroup
			mu    sync.Mutex
			taken = map[time.Time]string{}
			start = make(chan struct{})
		)
		do := func(what string, want int, request servertest.Request) {
			got := w.Do(t, request)
			if got.Status != want {
				t.Errorf("%s: %d %s", what, got.Status, got.Body)
				return
			}
			at := stamp(t, got)
			mu.Lock()
			defer mu.Unlock()
			if other, ok := taken[at]; ok {
				t.Errorf("%s and %s both have the instant %v", what, other, at)
			}
			taken[at] = what
		}
		for i, id := range listed {
			wg.Go(func() {
				<-start
				for round := range rounds {
					do(fmt.Sprintf("submission %d of %d", round, i), http.StatusAccepted, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice()})
					do(fmt.Sprintf("change %d of %d", round, i), http.StatusOK, servertest.Request{
						Method: http.MethodPatch, Path: "/v1/items/" + id, Body: object{"title": fmt.Sprintf("Title %d", round)},
					})
					if _, err := w.Service.PublishOnce(context.Background()); err != nil {
						t.Errorf("publish: %v", err)
					}
				}
				do(fmt.Sprintf("the end of %d", i), http.StatusOK, servertest.Request{Path: "/v1/items/" + id + "/close", Body: object{}})
			})
		}
		close(start)
		wg.Wait()
		w.Publish(t)

		if want := writers * (2*rounds + 1); len(taken) != want {
			t.Errorf("%d instants for %d changes", len(taken), want)
		}
		stored := outbox(t, w, 2*w.Account+1)[first:]
		if want := writers * (2*rounds + 1); len(stored) != want { // each submission's item, each change, each end
			t.Errorf("%d events, not %d", len(stored), want)
		}
		for i, row := range stored {
			body := servertest.Into[struct {
				Data struct {
					Item struct {
						UpdatedAt time.Time `json:"updated_at"`
					} `json:"item"`
				} `json:"data"`
			}](t, servertest.Response{Data: []byte(row.Body)})
			at := body.Data.Item.UpdatedAt
			if at.UnixMicro() != row.CreatedAt {
				t.Errorf("event %d of %d has the instant %v", row.ID, row.CreatedAt, at)
			}
			// One publication may make several items, all of them at one instant that no caller was given.
			if what, ok := taken[at]; ok == (row.Type == "item.published") {
				t.Errorf("%s has the instant %v, as has %q", row.Type, at, what)
			}
			if i == 0 {
				continue
			}
			before := stored[i-1]
			together := row.Type == "item.published" && before.Type == "item.published"
			if row.CreatedAt < before.CreatedAt || row.CreatedAt == before.CreatedAt && !together {
				t.Errorf("event %d (%s) is of %d, but its predecessor (%s) of %d", row.ID, row.Type, row.CreatedAt, before.Type, before.CreatedAt)
			}
		}
		checkOpenCount(t, w)
	})
}

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
