package v1_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"sellerd/internal/servertest"
	"sellerd/v1"
)

// A publisher does not stand in the line of an owner's row before it has yielded for a while, so that the requests of the
// owner go first. Then it does, or requests that never pause would keep it from publishing.
func TestThePublisherYieldsToTheOwnersRequests(t *testing.T) {
	url := servertest.Postgres(t)
	w := servertest.New(t, url)
	path := submit(t, w)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	request, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := request.Exec(t.Context(), "UPDATE owners SET day = day WHERE id = $1", int64(v1.OwnerOf(w.Account, true))); err != nil {
		t.Fatal(err)
	}
	began, published := time.Now(), make(chan error, 1)
	go func() {
		_, err := w.Service.PublishOnce(context.Background())
		published <- err
	}()
	for waiting := 0; waiting == 0; {
		if err := request.QueryRow(t.Context(), "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND datname = current_database()").Scan(&waiting); err != nil {
			t.Fatal(err)
		}
		if time.Since(began) > 30*time.Second {
			t.Fatal("the publisher never stands in line")
		}
	}
	if took := time.Since(began); took < v1.YieldAtMost {
		t.Errorf("the publisher stood in line after %s", took)
	}
	if err := request.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-published; err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"published"}, readSubmission(t, w, path).outcome()); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
}
