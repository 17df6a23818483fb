package store

import (
	"bytes"
	"database/sql"
	"os"
	"regexp"
	"slices"
	"testing"

	"sellerd/internal/proof/pgtest"
)

// TestThePageRemovesOldVersionsFromPostgres changes rows, runs the command of the page about forgotten buyers, and looks into the files of
// its tables.
func TestThePageRemovesOldVersionsFromPostgres(t *testing.T) {
	page, err := os.ReadFile("../../docs/operator/operating-buyers.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`psql "\$SELLERD_DB" -c '(VACUUM [^']+)'`).FindSubmatch(page)
	if found == nil {
		t.Fatal("the page has no VACUUM")
	}
	pool, err := sql.Open("pgx", pgtest.Direct(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Close() })
	execute := func(command string) {
		t.Helper()
		if _, err := pool.ExecContext(t.Context(), command); err != nil {
			t.Fatal(command, err)
		}
	}
	tables := []string{"buyers", "bills", "sales", "events", "deliveries", "idempotency_keys"}
	for _, table := range tables {
		execute("CREATE TABLE " + table + " (id int, text text)")
		execute("INSERT INTO " + table + " SELECT n, 'carl@example.org' FROM generate_series(1, 20) n")
		execute("UPDATE " + table + " SET text = 'forgotten'")
	}
	// holding are the tables in whose files the name is.
	holding := func() (holding []string) {
		t.Helper()
		execute("CHECKPOINT")
		for _, table := range tables {
			var file []byte
			if err := pool.QueryRowContext(t.Context(), "SELECT pg_read_binary_file(pg_relation_filepath('"+table+"'))").Scan(&file); err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(file, []byte("carl@example.org")) {
				holding = append(holding, table)
			}
		}
		return holding
	}
	if got := holding(); !slices.Equal(got, tables) {
		t.Fatalf("before, the name is in the files of %v", got)
	}
	// A connection that is being made has no database yet, so PostgreSQL keeps for it what it might see. Other tests make many.
	got := tables
	for tries := 0; len(got) > 0 && tries < 50; tries++ {
		execute(string(found[1]))
		got = holding()
	}
	if len(got) > 0 {
		t.Errorf("after %s the name is still in the files of %v", found[1], got)
	}
}
