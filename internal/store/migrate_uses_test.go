package store

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMigratingTakesOverTheCountsOfCalls brings a database whose calls of /rest were counted by day to the present schema: each
// call of a key has its first day, its last use, and the lossy fields of all days, in the order of their bytes and at most 50.
func TestMigratingTakesOverTheCountsOfCalls(t *testing.T) {
	many := make([]string, 60)
	for i := range many {
		many[i] = fmt.Sprintf(`"f%02d"`, i)
	}
	before := `INSERT INTO legacy_usage (owner, key_id, call, day, count, lossy_fields, last_used_at) VALUES
 (4, 'key000000001', 'item', 20000, 3, '["b","É","a\"b"]', 1728000000000005),
 (4, 'key000000001', 'item', 20002, 1, '["Z","b"]', 1728172800000007),
 (4, 'key000000001', 'login', 20001, 1, '', 1728086400000000),
 (4, 'key000000002', 'item', 20001, 1, '', 1728086400000000),
 (5, 'key000000001', 'item', 20001, 1, '[` + strings.Join(many[:40], ",") + `]', 1728086400000001),
 (5, 'key000000001', 'item', 20002, 1, '[` + strings.Join(many[20:], ",") + `]', 1728172800000001)`
	onBothEmpty(t, func(t *testing.T, database emptyDatabase) {
		pool := migratedTo(t, 11, database, before)
		open(t, Config{URL: database.url})
		got := linesOf(t, pool, `SELECT owner || ' ' || key_id || ' ' || call || ' ' || first_used_at || ' ' || last_used_at || ' ' ||
			replace(lossy_fields, ', ', ',') ||
 CASE WHEN drilled_at IS NULL THEN ' true' ELSE ' false' END FROM legacy_uses ORDER BY owner, key_id, call`)
		want := []string{
			`4 key000000001 item 1728000000000000 1728172800000007 ["Z","a\"b","b","É"] true`,
			`4 key000000001 login 1728086400000000 1728086400000000  true`,
			`4 key000000002 item 1728086400000000 1728086400000000  true`,
			`5 key000000001 item 1728086400000000 1728172800000001 [` + strings.Join(many[:50], ",") + `] true`,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("uses (-want +got):\n%s", diff)
		}
		var counts int
		if err := pool.QueryRowContext(t.Context(), "SELECT (SELECT count(*) FROM legacy_usage) * 100 + (SELECT count(*) FROM successor_usage)").Scan(&counts); err != nil || counts != 600 {
			t.Errorf("counts by day and of requests: %d, %v", counts, err)
		}
	})
}
