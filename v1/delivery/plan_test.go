package delivery_test

import (
	"regexp"
	"strings"
	"testing"

	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
	"sellerd/v1"
	"sellerd/v1/wire"
)

var sortStep = regexp.MustCompile(`TEMP B-TREE|Sort`)

func TestTheStatementsOfTheEngineReadWhatTheyNeed(t *testing.T) {
	fill := func(tb testing.TB, w *servertest.World) v1.Owner {
		owner := v1.OwnerOf(w.Account, true)
		webhooks := plantest.FillWebhooks(tb, w, owner, 60_000) // so many that a planner would not read them all either
		plantest.FillDispatches(tb, w, owner, webhooks[:100], 20_000, "pending")
		return owner
	}
	plantest.OnBoth(t, fill, func(t *testing.T, w *servertest.World, _ v1.Owner, explain plantest.Explainer) {
		for name, statement := range newEngine(t, w).Statements(3, 3, wire.TimeOf(w.Clock.Now())) {
			plan := explain(t, statement.Text, statement.Args)
			for _, line := range strings.Split(plan, "\n") {
				for _, table := range []string{"dispatches", "deliveries", "events", "webhooks", " d", " p", " n", " v", " e", " w"} {
					if strings.HasSuffix(line, "SCAN "+strings.TrimSpace(table)) || strings.Contains(line, "Seq Scan on "+strings.TrimSpace(table)) {
						t.Errorf("%s reads a whole table:\n%s", name, plan)
					}
				}
				// What these two sort is bounded: attempts in flight, and the rows of a chunk.
				if name != "lost deliveries" && !strings.HasPrefix(name, "old dispatches") && sortStep.MatchString(line) {
					t.Errorf("%s sorts:\n%s", name, plan)
				}
			}
		}
	})
}
