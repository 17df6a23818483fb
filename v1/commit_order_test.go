package v1_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

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
