package delivery_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sellerd/internal/servertest"
	"sellerd/v1/delivery"
	"sellerd/v1/wire"
)

// PostgreSQL keeps a plan that it made for empty tables while they fill. The leaps from webhook to webhook must be leaps all
// the same: each reads one entry of the index, and not all that waits.
func TestLeapsFromWebhookToWebhookReadOneEntryOfTablesThatAreTakenToBeEmpty(t *testing.T) {
	for name, believe := range map[string]string{
		"empty": "SELECT 1",
		"stale": "UPDATE pg_class SET relpages = 1, reltuples = 0 WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i')",
	} {
		t.Run(name, func(t *testing.T) {
			url := servertest.Postgres(t)
			w := servertest.New(t, url)
			conn, err := pgx.Connect(t.Context(), url)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { conn.Close(context.Background()) })
			for _, text := range []string{"VACUUM ANALYZE", believe, "SET plan_cache_mode = force_generic_plan", "SET enable_seqscan = off"} {
				if _, err := conn.Exec(t.Context(), text); err != nil {
					t.Fatalf("%s: %v", text, err)
				}
			}
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
