package store

import (
	"database/sql"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMigratingLetsKeysReadBuyersAsBefore brings keys of release 1.5.2 to the present schema: what reads sales or bills reads buyers, and
// nothing else does.
func TestMigratingLetsKeysReadBuyersAsBefore(t *testing.T) {
	before := `INSERT INTO api_keys (id, account_id, test, name, secret_sha256, last_four, created_at, permissions) VALUES
 ('all', 1, true, '', 'x', '', 1, NULL), ('sales', 1, true, '', 'x', '', 1, 'items:read sales:read'), ('bills', 1, true, '', 'x', '', 1, 'bills:write'),
 ('reads', 1, true, '', 'x', '', 1, 'items:read sales:read bills:read webhooks:read account:read'), ('items', 1, true, '', 'x', '', 1, 'items:write webhooks:write')`
	onBothEmpty(t, func(t *testing.T, database emptyDatabase) {
		pool := migratedTo(t, 16, database, before)
		open(t, Config{URL: database.url})
		found, err := pool.QueryContext(t.Context(), "SELECT id, permissions FROM api_keys")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = found.Close() }()
		got := map[string]sql.Null[string]{}
		for found.Next() {
			var id string
			var permissions sql.Null[string]
			if err := found.Scan(&id, &permissions); err != nil {
				t.Fatal(err)
			}
			got[id] = permissions
		}
		if err := found.Err(); err != nil {
			t.Fatal(err)
		}
		text := func(permissions string) sql.Null[string] { return sql.Null[string]{V: permissions, Valid: true} }
		want := map[string]sql.Null[string]{
			"all": {}, "sales": text("items:read sales:read buyers:read"), "bills": text("bills:write buyers:read"),
			"reads": text("items:read sales:read bills:read webhooks:read account:read buyers:read"), "items": text("items:write webhooks:write"),
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("permissions (-want +got):\n%s", diff)
		}
	})
}
