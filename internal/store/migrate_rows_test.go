package store

import (
	"database/sql"
	"strings"
	"testing"

	"entgo.io/ent/dialect"
	"github.com/google/go-cmp/cmp"

	"sellerd/internal/store/migrations"
)

// migratedTo is a connection to a new database that the first migrations were applied to and statements then filled.
func migratedTo(t *testing.T, version int64, database emptyDatabase, statements string) *sql.DB {
	t.Helper()
	pool, err := sql.Open(database.driver, strings.Replace(database.url, "sqlite:", "file:", 1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Close() })
	provider, err := migrations.Provider(database.dialect, pool)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(t.Context(), version); err != nil {
		t.Fatal(err)
	}
	for statement := range strings.SplitSeq(statements, ";\n") {
		if _, err := pool.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	return pool
}

// theirWebhooks are subscriptions beside the rows of before0005, one for each sale. What stands for the secret differs by database.
const theirWebhooks = `INSERT INTO webhooks (id, owner, url, events, events_key, format, status, secret, secret_hint, failures, breaker_level, resuming, created_at, updated_at)
 SELECT id, 4, 'https://example.com/' || id, '[]', 'all', 'standard', 'active', address, 'hint', 0, 0, false, 1, 1 FROM
 (SELECT id, shipping_address AS address FROM sales) AS numbers`

// TestMigratingLeavesTheRowsThereAre brings a database of release 1.2.0 to the present schema: every row is still there,
// and the database belongs to no secret yet.
func TestMigratingLeavesTheRowsThereAre(t *testing.T) {
	secrets := map[string]string{dialect.SQLite: "address", dialect.Postgres: "convert_to(address, 'UTF8')"}
	onBothEmpty(t, func(t *testing.T, database emptyDatabase) {
		statements := before0005 + ";\n" + strings.Replace(theirWebhooks, "'active', address", "'active', "+secrets[database.dialect], 1)
		pool := migratedTo(t, 5, database, statements)
		tables := []string{"buyers", "bills", "items", "sales", "webhooks"}
		count := func() map[string]int {
			t.Helper()
			counts := map[string]int{}
			for _, table := range tables {
				var n int
				if err := pool.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
					t.Fatal(err)
				}
				counts[table] = n
			}
			return counts
		}
		before := count()
		if before["items"] != 120 || before["webhooks"] != 120 {
			t.Fatalf("too few rows to tell anything: %v", before)
		}
		open(t, Config{URL: database.url})
		tables = append(tables, "secret_fingerprints")
		before["secret_fingerprints"] = 0
		if diff := cmp.Diff(before, count()); diff != "" {
			t.Errorf("rows (-before +after):\n%s", diff)
		}
	})
}

// linesOf are the texts that a query returns, a text a row.
func linesOf(t *testing.T, pool *sql.DB, query string) []string {
	t.Helper()
	lines, err := names(t.Context(), pool, query)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}
