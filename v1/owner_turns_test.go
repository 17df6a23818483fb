package v1_test

import (
	"fmt"
	"sync"
	"testing"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/core"
)

// Changes of one owner wait for the owner's row, and most of them wait without a connection: the requests of others need it.
func TestChangesThatWaitForAnOwnersRowLeaveConnectionsToOthers(t *testing.T) {
	const changes = 12 // more than there are connections
	w := servertest.New(t, servertest.Postgres(t)+"&lock_timeout=30s")
	path := "/v1/items/" + w.List(t, servertest.FixedPrice())
	owner := v1.OwnerOf(w.Account, true)
	release := hold(t, w, touchOwner, int64(owner))
	statuses := make([]int, changes)
	var answered sync.WaitGroup
	for i := range changes {
		answered.Go(func() {
			statuses[i] = w.Do(t, servertest.Request{
				Method: "PATCH", Path: path, Body: map[string]any{"personal_reference": fmt.Sprint("number ", i)},
			}).Status
		})
	}
	waiting := 0
	until(t, "all changes have come, and some wait for the row", func() bool {
		waiting = w.Count(t, "pg_stat_activity", "datname = current_database() AND wait_event_type = 'Lock'")
		return w.Service.ChangesOf(owner) == changes && waiting >= core.ChangesAtOnce
	})
	if waiting != core.ChangesAtOnce {
		t.Errorf("%d connections wait for the row", waiting)
	}
	if got := w.Do(t, servertest.Request{Method: "GET", Path: path}); got.Status != 200 {
		t.Errorf("a read meanwhile was answered %d %s", got.Status, got.Body)
	}
	release()
	answered.Wait()
	for i, status := range statuses {
		if status != 200 {
			t.Errorf("change %d was answered %d", i, status)
		}
	}
	if n := w.Service.ChangesOf(owner); n != 0 {
		t.Errorf("%d turns are left", n)
	}
}
