package v1_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sellerd/internal/servertest"
	"sellerd/v1"
)

// Changes of one owner wait for the owner's row, and most of them wait without a connection: the requests of others need it.
func TestChangesThatWaitForAnOwnersRowLeaveConnectionsToOthers(t *testing.T) {
	const changes = 12 // more than there are connections
	url := servertest.Postgres(t) + "&lock_timeout=30s"
	w := servertest.New(t, url)
	path := "/v1/items/" + w.List(t, servertest.FixedPrice())
	connect := func() *pgx.Conn {
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close(context.Background()) })
		return conn
	}
	observer := connect() // in a transaction, the list of connections would stay as it was at first
	other, err := connect().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	owner := v1.OwnerOf(w.Account, true)
	if _, err := other.Exec(t.Context(), "UPDATE owners SET day = day WHERE id = $1", int64(owner)); err != nil {
		t.Fatal(err)
	}
	statuses := make([]int, changes)
	var answered sync.WaitGroup
	for i := range changes {
		answered.Go(func() {
			statuses[i] = w.Do(t, servertest.Request{
				Method: "PATCH", Path: path, Body: map[string]any{"personal_reference": fmt.Sprint("number ", i)},
			}).Status
		})
	}
	began, waiting := time.Now(), 0
	for w.Service.ChangesWaiting(owner) < changes || waiting < v1.ChangesAtOnce {
		if err := observer.QueryRow(t.Context(), "SELECT count(DISTINCT pid) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND datname = current_database()").Scan(&waiting); err != nil {
			t.Fatal(err)
		}
		if time.Since(began) > 30*time.Second {
			t.Fatalf("of %d changes %d have come, and %d wait for the row", changes, w.Service.ChangesWaiting(owner), waiting)
		}
	}
	if waiting != v1.ChangesAtOnce {
		t.Errorf("%d connections wait for the row", waiting)
	}
	if got := w.Do(t, servertest.Request{Method: "GET", Path: path}); got.Status != 200 {
		t.Errorf("a read meanwhile was answered %d %s", got.Status, got.Body)
	}
	if err := other.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	answered.Wait()
	for i, status := range statuses {
		if status != 200 {
			t.Errorf("change %d was answered %d", i, status)
		}
	}
	if n := w.Service.ChangesWaiting(owner); n != 0 {
		t.Errorf("%d turns are left", n)
	}
}
