package store

import (
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

		got := linesOf(t, pool, `SELECT id || ' ' || coalesce(setting_number, 0) ||
			CASE WHEN setting_number IS NULL THEN ' false' ELSE ' true' END FROM webhooks
 UNION ALL SELECT '0 ' || next || ' true' FROM number_ranges WHERE id = 'setting' ORDER BY 1`)
		want := []string{"0 1003 true", "118000000000000001 1001 true", "118000000000000002 0 false", "118000000000000003 1002 true"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("numbers (-want +got):\n%s", diff)
		}
	})
}
