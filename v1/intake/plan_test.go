package intake_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
	"sellerd/v1"
	"sellerd/v1/intake"
)

// The first submissions find no keys. The plan that PostgreSQL makes then stays in use, and must be right for many keys.
func TestAKeyIsLookedUpByItsNameWhateverTheStatisticsSay(t *testing.T) {
	for name, believe := range map[string]string{"none": "SELECT 1", "stale": plantest.Stale} {
		t.Run(name, func(t *testing.T) {
			url := servertest.Postgres(t)
			w := servertest.New(t, url)
			conn := plantest.OnEmptyTables(t, url, believe)
			now := servertest.Start.UnixMicro()
			explain := func() string {
				t.Helper()
				found, err := conn.Query(t.Context(), fmt.Sprintf(
					"EXPLAIN (ANALYZE, TIMING OFF) EXECUTE charge (%d, 1, ARRAY[%d, %[2]d], ARRAY['a/new', 'a/7'], ARRAY[0, 1], ARRAY['\\x00'::bytea], ARRAY[''], ARRAY['x'])", now, v1.OwnerOf(w.Account, true)))
				if err != nil {
					t.Fatal(err)
				}
				lines, err := pgx.CollectRows(found, pgx.RowTo[string])
				if err != nil {
					t.Fatal(err)
				}
				return strings.Join(lines, "\n")
			}
			if _, err := conn.Exec(t.Context(), "PREPARE charge AS "+intake.ChargeSet); err != nil {
				t.Fatal(err)
			}
			explain()
			plantest.Fill(t, w, plantest.Numbered(1, 2000)+fmt.Sprintf(`INSERT INTO idempotency_keys (id, fingerprint, status, body, location, expires_at)
 SELECT 'a/' || i, '', 202, '', '', %d FROM n`, now+1_000_000))
			plan := explain()
			if !strings.Contains(plan, "idempotency_keys_pkey") || strings.Contains(plan, "idempotency_keys_expiry") {
				t.Errorf("the keys are not found by their names:\n%s", plan)
			}
		})
	}
}
