package store

import (
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
		got := linesOf(t, pool, "SELECT id || ': ' || coalesce(permissions, 'NULL') FROM api_keys ORDER BY id")
		want := []string{
			"all: NULL", "bills: bills:write buyers:read", "items: items:write webhooks:write",
			"reads: items:read sales:read bills:read webhooks:read account:read buyers:read", "sales: items:read sales:read buyers:read",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("permissions (-want +got):\n%s", diff)
		}
	})
}
