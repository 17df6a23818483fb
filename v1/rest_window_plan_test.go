package v1_test

import (
	"strings"
	"testing"

	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/probe"
)

func TestPlansOfWindows(t *testing.T) { plantest.OnAll(t, fillSalesBook, checkWindowPlans) }

// checkWindowPlans explains the statements of every window: they follow the index that holds just the list's rows, and
// sort nothing. Cancelled sales are subtracted by an index of their own.
func checkWindowPlans(t *testing.T, w *servertest.World, owner v1.Owner, explain explainer) {
	check := func(name, index string, statements probe.WindowStatements, err error) {
		t.Run(name, func(t *testing.T) {
			if err != nil {
				t.Fatal(err)
			}
			// Here nothing is counted, so that only the rows that are read besides have a plan worth a look.
			if plan := explain(t, statements.Buckets.Text, statements.Buckets.Args); strings.HasPrefix(index, "sales") && !strings.Contains(plan, "sales_cancelled") {
				t.Errorf("expected sales_cancelled:\n%s\n%s", statements.Buckets.Text, plan)
			}
			for _, statement := range []probe.Statement{statements.Seek, statements.Page} {
				if plan := explain(t, statement.Text, statement.Args); !strings.Contains(plan, index) || sortStep.MatchString(plan) {
					t.Errorf("expected %s:\n%s\n%s", index, statement.Text, plan)
				}
			}
		})
	}
	for _, saleType := range []string{"auction", "fixed_price"} {
		for _, sort := range []string{"asc", "desc"} {
			open, err := probe.ItemWindowStatements(w.Service, owner, &v1.BrowseItemsInput{SaleType: []string{saleType}, Status: []string{"open"}, Sort: "created_at_" + sort})
			check("open items by "+saleType+" "+sort, "items_open", open, err)
			ended, err := probe.ItemWindowStatements(w.Service, owner, &v1.BrowseItemsInput{
				SaleType: []string{saleType}, Status: []string{"unsold", "closed"},
				Sort: "created_at_" + sort,
			})
			check("ended items by "+saleType+" "+sort, "items_ended", ended, err)
			sales, err := probe.SaleWindowStatements(w.Service, owner, &v1.BrowseSalesInput{SaleType: []string{saleType}, CancellationStatus: v1.StandingSales, Sort: "sold_at_" + sort})
			check("sales by "+saleType+" "+sort, "sales_"+saleType, sales, err)
		}
	}
}
