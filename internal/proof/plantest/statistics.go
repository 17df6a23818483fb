package plantest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Stale has PostgreSQL believe that tables and indexes with a page or more are empty, as old statistics may.
const Stale = "UPDATE pg_class SET relpages = 1, reltuples = 0 WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i')"

// OnEmptyTables is a connection to a PostgreSQL database whose tables were empty when their statistics were made. It plans like the
// service's own: without the arguments, and without reading whole tables. believe is a statement about the statistics, such as
// Stale; it may be empty.
func OnEmptyTables(t *testing.T, url, believe string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	for _, text := range []string{"VACUUM ANALYZE", believe, "SET plan_cache_mode = force_generic_plan", "SET enable_seqscan = off"} {
		if _, err := conn.Exec(t.Context(), text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	return conn
}
