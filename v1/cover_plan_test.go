package v1_test

import (
	"strings"
	"testing"

	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/probe"
)

func TestPlansOfCoveredPages(t *testing.T) { plantest.OnAll(t, fillShelf, checkCoveredPlans) }

// checkCoveredPlans explains pages of items of one sale type that are open or have ended: they are not probed, follow the
// index that holds just the list's rows, and sort nothing.
func checkCoveredPlans(t *testing.T, w *servertest.World, owner v1.Owner, explain explainer) {
	for query, index := range map[string]string{
		"sale_type=fixed_price&status=open":                                      "items_open",
		"status=open,open&sale_type=auction&sort=created_at_desc":                "items_open",
		"sale_type=auction&status=open&created_from=2020-01-01T00:00:00Z":        "items_open",
		"sale_type=fixed_price&status=unsold,closed":                             "items_ended",
		"sale_type=fixed_price&status=closed,unsold&sort=created_at_desc":        "items_ended",
		"sale_type=auction&status=closed,unsold&created_to=2090-01-01T00:00:00Z": "items_ended",
	} {
		t.Run("a page by "+query+" is one walk along "+index, func(t *testing.T) {
			statements, err := probe.Items.Statements(w.Service, t.Context(), owner, query, probe.UsualPlan)
			if err != nil {
				t.Fatal(err)
			}
			if statements.Probe.Text != "" {
				t.Errorf("expected no probe, got %s", statements.Probe.Text)
			}
			for _, statement := range []probe.Statement{statements.Page, statements.Next} {
				if plan := explain(t, statement.Text, statement.Args); !strings.Contains(plan, index) || sortStep.MatchString(plan) {
					t.Errorf("expected %s:\n%s\n%s", index, statement.Text, plan)
				}
			}
		})
	}
	for _, query := range []string{
		"sale_type=fixed_price&status=sold", "sale_type=fixed_price,auction&status=open", "sale_type=auction&status=open&sort=ends_at_asc",
		"sale_type=auction&status=open&category_id=1010101", "sale_type=auction&status=unsold",
	} {
		t.Run("a page by "+query+" is probed, as no index holds just its rows", func(t *testing.T) {
			statements, err := probe.Items.Statements(w.Service, t.Context(), owner, query, probe.UsualPlan)
			if err != nil {
				t.Fatal(err)
			}
			if statements.Probe.Text == "" {
				t.Errorf("expected a probe before %s", statements.Page.Text)
			}
		})
	}
}
