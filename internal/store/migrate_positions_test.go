package store

import (
	"database/sql"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// before0005 is a database of two owners as the migrations before 0005_list_positions leave it: items of both sale types
// in every state, some of them of one instant, some days apart, and a sale of each.
const before0005 = `
INSERT INTO buyers (id, scope, nickname, language, country, created_at, updated_at) VALUES (1, 0, 'bob', 'en', 'BE', 1, 1);
INSERT INTO bills (id, owner, number, status, currency, buyer_id, payment_status, created_at, updated_at) VALUES (1, 4, 'N1', 'sent', 'EUR', 1, 'received', 1, 1);
INSERT INTO items (id, owner, sale_type, title, category_id, currency, current_price, bid_count, quantity, quantity_sold,
 ends_at, created_at, updated_at, renewals, renewals_left, images, options, site, status, restart_count, visit_count, sequence, run_started_at, search, lease)
 SELECT i, 4 + i % 2, CASE i % 3 WHEN 0 THEN 'auction' ELSE 'fixed_price' END, 'Stamp', 1, 'EUR', 1, 0, 1, 0,
 2, 1800000000000000 + i / 4 * 40000000000, 2, 0, 0, '', 0, 'net',
 CASE i % 5 WHEN 0 THEN 'open' WHEN 1 THEN 'unsold' WHEN 2 THEN 'closed' WHEN 3 THEN 'sold' ELSE 'scheduled' END, 0, 0, 1, 2, '', 0 FROM
 (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120) SELECT CAST(i AS bigint) AS i FROM n) AS numbers;
INSERT INTO sales (id, owner, item_id, bill_id, buyer_id, item_title, item_category_id, item_sale_type, currency, quantity, unit_price, total_price,
 shipping_address, status, cancellation_status, sold_at, created_at, updated_at)
 SELECT id, owner, id, 1, 1, title, 1, sale_type, 'EUR', 1, 1, 1, '{}', CASE id % 7 WHEN 0 THEN 'cancelled' ELSE 'active' END, 'none', created_at + 5, 1, 1 FROM items`

// TestMigratingCountsTheRowsThereAre brings a database with rows from the schema before the counters to the present one.
func TestMigratingCountsTheRowsThereAre(t *testing.T) {
	onBothEmpty(t, func(t *testing.T, database emptyDatabase) {
		pool := migratedTo(t, 4, database, before0005)
		open(t, Config{URL: database.url})

		want := []string{}
		for _, level := range []struct{ level, shift int }{{0, 27}, {1, 37}} {
			for _, list := range []struct{ name, column, rows string }{
				{"'item/' || sale_type || '/open'", "created_at", "items WHERE status = 'open'"},
				{"'item/' || sale_type || '/ended'", "created_at", "items WHERE status = 'unsold' OR status = 'closed'"},
				{"'sale/' || item_sale_type", "sold_at", "sales"},
			} {
				want = append(want, positionLines(t, pool, fmt.Sprintf("SELECT owner, %s, %d, %s >> %d, count(*) FROM %s GROUP BY 1, 2, 3, 4",
					list.name, level.level, list.column, level.shift, list.rows))...)
			}
		}
		got := positionLines(t, pool, "SELECT owner, list, level, bucket, n FROM list_positions")
		if len(got) < 100 {
			t.Errorf("only %d counters: too few to tell anything", len(got))
		}
		if diff := cmp.Diff(want, got, cmp.Transformer("set", func(lines []string) map[string]bool {
			set := map[string]bool{}
			for _, line := range lines {
				set[line] = true
			}
			return set
		})); diff != "" {
			t.Errorf("counters (-want +got):\n%s", diff)
		}
	})
}

func positionLines(t *testing.T, db *sql.DB, query string) (lines []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var owner, level, bucket, n int64
		var list string
		if err := rows.Scan(&owner, &list, &level, &bucket, &n); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprint(owner, " ", list, " ", level, " ", bucket, ": ", n))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}
