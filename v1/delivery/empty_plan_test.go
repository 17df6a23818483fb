package delivery_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
	"sellerd/v1"
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
			statements := newEngine(t, w).Statements(3, 3, wire.TimeOf(w.Clock.Now()))
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

// PostgreSQL keeps a plan that it made for empty tables while they fill, and every index looks alike to it then. Whatever it
// believes, no statement of the engine may cost more because more waits.
func TestNoStatementCostsMoreWhenMoreWaits(t *testing.T) {
	const few, many, webhooks = 1000, 100_000, 40
	plantest.EachBelief(t, func(t *testing.T, w *servertest.World, costs *plantest.Costs) {
		statements := newEngine(t, w).Statements(3, 3, wire.TimeOf(w.Clock.Now()))
		for name, statement := range statements {
			costs.Prepare(t, name, statement.Text, statement.Args)
		}
		owner := v1.OwnerOf(w.Account, true)
		hooks := plantest.FillWebhooks(t, w, owner, webhooks)
		plantest.FillDispatches(t, w, owner, hooks, few, "pending")
		costs.Filled(t)
		before := map[string]int{}
		for name := range statements {
			_, before[name] = costs.Of(t, name)
		}
		plantest.FillDispatches(t, w, owner, hooks, many-few, "pending")
		costs.Filled(t)
		for name := range statements {
			looks := 1 // rows or webhooks that the statement looks for
			switch {
			case strings.Contains(name, ", 32 times"):
				looks = 32
			case strings.HasSuffix(name, " webhooks"):
				looks = webhooks
			case strings.HasSuffix(name, ": the chunk"): // a walk over a thousand ids
				looks = 8
			case name == "due dispatches", name == "first attempts":
				looks = 16
			}
			plan, pages := costs.Of(t, name)
			// A look goes down as many indexes as the table has, each of which may be deeper by a page or two.
			if most := before[name]*13/10 + 14*looks; pages > most {
				t.Errorf("%s: meets %d pages with %d waiting, and %d with %d:\n%s", name, before[name], few, pages, many, plan)
			}
		}
	})
}
