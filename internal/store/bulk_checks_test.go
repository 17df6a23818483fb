package store

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"sellerd/internal/proof/pgtest"
	"sellerd/internal/store/connect"
)

// TestASessionThatEndsIsNoServer closes a server's connection only after the list of sessions has been read.
func TestASessionThatEndsIsNoServer(t *testing.T) {
	url := pgtest.URL(t, migrated)
	dial := func(name string) *pgx.Conn {
		config, err := pgx.ParseConfig(url)
		if err != nil {
			t.Fatal(err)
		}
		config.RuntimeParams["application_name"] = name
		conn, err := pgx.ConnectConfig(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close(t.Context()) })
		return conn
	}
	session, watcher := dial(connect.ApplicationName), dial("watcher")
	closed := make(chan error, 1)
	go func() {
		const looked = `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1
			AND (query LIKE '%FROM pg_stat_activity%' OR query LIKE '%clear_snapshot%'))`
		for seen := false; !seen; {
			if err := watcher.QueryRow(t.Context(), looked, bulkName).Scan(&seen); err != nil {
				closed <- err
				return
			}
		}
		closed <- session.Close(t.Context())
	}()
	b, err := OpenBulkWriter(t.Context(), Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	got, err := b.Served(t.Context())
	if err != nil || got != NotServed {
		t.Errorf("%v, %v: the session has ended", got, err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}
