package store

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"sellerd/ent"
	"sellerd/internal/proof/pgtest"
	"sellerd/internal/store/connect"
)

const fillDeliveries = `INSERT INTO deliveries (id, owner, dispatch_id, webhook_id, event_id, event_type, resource_id, attempt, trigger, status, final, url,
 request_headers, response_body, response_truncated, scheduled_at, created_at)
 SELECT i, 2, i, 41, i, 'item.published', 'r', 1, 'automatic', 'succeeded', true, 'https://example.com/', '', '', false, 0, i FROM generate_series(1, 5000) AS i`

// TestPlansForEmptyTables makes plans for a table that is empty, or is taken to be, fills it, and looks whether a single
// row is found by its primary key then.
func TestPlansForEmptyTables(t *testing.T) {
	for _, test := range []struct {
		name  string
		empty []string
	}{
		{"the table grows", nil},
		{"the rows come back to the pages they left", []string{fillDeliveries, "DELETE FROM deliveries", "VACUUM (TRUNCATE off) deliveries"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			url := pgtest.URL(t, migrated)
			db := open(t, Config{URL: url})
			conn, err := pgx.Connect(t.Context(), url)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = conn.Close(context.Background()) })
			exec := func(statement string) {
				t.Helper()
				if _, err := conn.Exec(t.Context(), statement); err != nil {
					t.Fatalf("%s: %v", statement, err)
				}
			}
			ask := func(query string) string {
				t.Helper()
				rows, err := conn.Query(t.Context(), query)
				if err != nil {
					t.Fatalf("%s: %v", query, err)
				}
				lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
				if err != nil {
					t.Fatalf("%s: %v", query, err)
				}
				return strings.Join(lines, "\n")
			}
			for name, value := range connect.Settings {
				exec("SET " + name + " = '" + value + "'")
			}
			for _, statement := range test.empty {
				exec(statement)
			}
			exec("ANALYZE")
			exec("PREPARE get AS SELECT status FROM deliveries WHERE id = $1")
			exec("EXECUTE get(1)")
			exec(fillDeliveries)
			ask("SELECT pg_stat_force_next_flush()::text") // the counters of this connection, which otherwise come a second later
			if plan := ask("EXPLAIN EXECUTE get(1)"); strings.Contains(plan, "deliveries_pkey") {
				t.Errorf("this test shows nothing, the first plan is right:\n%s", plan)
			}
			if err := db.RefreshStatistics(t.Context()); err != nil {
				t.Fatal(err)
			}
			if plan := ask("EXPLAIN EXECUTE get(1)"); !strings.Contains(plan, "deliveries_pkey") {
				t.Errorf("a row is not found by its primary key:\n%s", plan)
			}
			analyzed := func() string {
				return ask("SELECT relname || ' ' || pg_stat_get_analyze_count(oid) FROM pg_class WHERE relname = 'deliveries'")
			}
			before := analyzed()
			if err := db.RefreshStatistics(t.Context()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, analyzed()); diff != "" {
				t.Errorf("it is analyzed again for nothing (-want +got):\n%s", diff)
			}
		})
	}
}

// Statistics of a table with one row make SQLite read the whole table for every row of another.
func TestSQLiteForgetsWhatAnalyzeStored(t *testing.T) {
	url := "sqlite:" + filepath.Join(t.TempDir(), "sellerd.db")
	running := open(t, Config{URL: url})
	first := func(query string, targets ...any) {
		t.Helper()
		rows, err := running.reader.QueryContext(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		if !rows.Next() {
			t.Fatalf("%s: no row: %v", query, rows.Err())
		}
		if err := rows.Scan(targets...); err != nil {
			t.Fatal(err)
		}
	}
	analyzed := func() (n int) {
		first("SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_stat1'", &n)
		return n
	}
	plan := func() (step string) {
		var id, parent, unused int
		first("EXPLAIN QUERY PLAN SELECT title FROM items WHERE owner = 2 AND sale_type = 'auction'", &id, &parent, &unused, &step)
		return step
	}
	want := plan()
	for _, statement := range []string{"ANALYZE", "INSERT INTO sqlite_stat1 VALUES ('items', 'items_sale_type', '1 1 1 1 1'), ('items', NULL, '1')", "ANALYZE sqlite_schema"} {
		if err := running.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
			_, err := tx.ExecContext(ctx, statement)
			return err
		}); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	if analyzed() != 1 {
		t.Fatal("there are no statistics")
	}
	open(t, Config{URL: url})
	if analyzed() != 0 {
		t.Error("opening the file again has left the statistics")
	}
	if diff := cmp.Diff(want, plan()); diff != "" {
		t.Errorf("the plan (-want +got):\n%s", diff)
	}
}

func TestSQLiteHasNoStatistics(t *testing.T) {
	if err := newSQLite(t).RefreshStatistics(t.Context()); err != nil {
		t.Error(err)
	}
}
