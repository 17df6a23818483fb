package delivery_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sellerd/internal/plantest"
	"sellerd/internal/servertest"
	"sellerd/v1/delivery"
	"sellerd/v1/wire"
)

// PostgreSQL keeps a plan that it made for empty tables while they fill. The leaps from webhook to webhook must be leaps all
// the same: each reads one entry of the index, and not all that waits.
func TestLeapsFromWebhookToWebhookReadOneEntryOfTablesThatAreTakenToBeEmpty(t *testing.T) {
	for name, believe := range map[string]string{
		"empty": "",
		"stale": plantest.Stale,
	} {
		t.Run(name, func(t *testing.T) {
			url := servertest.Postgres(t)
			w := servertest.New(t, url)
			conn := plantest.OnEmptyTables(t, url, believe)
			statements := delivery.Statements(3, wire.TimeOf(w.Clock.Now()))
			for _, name := range []string{"due webhooks", "first webhooks"} {
				statement := statements[name]
				if _, err := conn.Exec(t.Context(), "PREPARE statement AS "+statement.Text); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				args := make([]string, len(statement.Args))
				for i, arg := range statement.Args {
					args[i] = strings.ReplaceAll(fmt.Sprintf("%#v", arg), `"`, "'")
				}
				found, err := conn.Query(t.Context(), "EXPLAIN EXECUTE statement("+strings.Join(args, ", ")+")")
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				lines, err := pgx.CollectRows(found, pgx.RowTo[string])
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				leaps, _, _ := strings.Cut(strings.Join(lines, "\n"), "CTE endpoints")
				if strings.Contains(leaps, "Aggregate") || strings.Contains(leaps, "Sort") || strings.Count(leaps, "Limit") != 1 {
					t.Errorf("%s are found by\n%s", name, leaps)
				}
				if _, err := conn.Exec(t.Context(), "DEALLOCATE statement"); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
