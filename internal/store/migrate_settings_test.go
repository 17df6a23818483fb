package store

import (
	"database/sql"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// before0007 is two settings of /rest of different sellers and a webhook that is none.
const before0007 = `INSERT INTO webhooks (id, owner, url, events, events_key, format, status, secret, secret_hint, created_at, updated_at) VALUES
 (118000000000000003, 7, 'http://c.example.com', '[]', '*', 'legacy_xml', 'paused', 'x', 'y', 1, 1),
 (118000000000000001, 5, 'http://a.example.com', '[]', '*', 'legacy_xml', 'active', 'x', 'y', 1, 1),
 (118000000000000002, 5, 'https://b.example.com', '[]', '*', 'standard', 'active', 'x', 'y', 1, 1)`

// TestMigratingNumbersTheSettingsThereAre brings settings that have long numbers alone to the present schema.
func TestMigratingNumbersTheSettingsThereAre(t *testing.T) {
	onBothEmpty(t, func(t *testing.T, database emptyDatabase) {
		pool := migratedTo(t, 6, database, before0007)
		open(t, Config{URL: database.url})

		rows, err := pool.QueryContext(t.Context(), `SELECT id, setting_number FROM webhooks UNION ALL SELECT 0, next FROM number_ranges WHERE id = 'setting' ORDER BY 1`)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = rows.Close() }()
		var got []string
		for rows.Next() {
			var id int64
			var number sql.NullInt64
			if err := rows.Scan(&id, &number); err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(id, " ", number.Int64, " ", number.Valid))
		}
		want := []string{"0 1003 true", "118000000000000001 1001 true", "118000000000000002 0 false", "118000000000000003 1002 true"}
		if diff := cmp.Diff(want, got); diff != "" || rows.Err() != nil {
			t.Errorf("numbers (-want +got):\n%s%v", diff, rows.Err())
		}
	})
}
