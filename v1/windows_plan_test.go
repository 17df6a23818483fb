package v1_test

import (
	"strings"
	"testing"

	"sellerd/internal/servertest"
	"sellerd/v1"
)

func TestPlansOfWindows(t *testing.T) { onBothPlanners(t, fillSalesBook, checkWindowPlans) }

// bucketIndexes are those that tell the buckets of a list of items and, at true, of one of sales, whose cancelled ones are
// read besides.
var bucketIndexes = map[bool][]string{false: {"list_positions_bucket"}, true: {"list_positions_bucket", "sales_cancelled"}}

// checkWindowPlans explains the statements of every window: they follow the index that holds just the list's rows, and
// sort nothing.
func checkWindowPlans(t *testing.T, w *servertest.World, owner v1.Owner, explain explainer) {
	check := func(name, index string, statements v1.WindowStatements, err error) {
		t.Run(name, func(t *testing.T) {
			if err != nil {
				t.Fatal(err)
			}
			buckets := explain(t, statements.Buckets.Text, statements.Buckets.Args)
			for _, want := range bucketIndexes[strings.HasPrefix(index, "sales")] {
				if !strings.Contains(buckets, want) {
					t.Errorf("expected %s:\n%s\n%s", want, statements.Buckets.Text, buckets)
				}
			}
			for _, statement := range []v1.Statement{statements.Seek, statements.Page} {
				if plan := explain(t, statement.Text, statement.Args); !strings.Contains(plan, index) || sortStep.MatchString(plan) {
					t.Errorf("expected %s:\n%s\n%s", index, statement.Text, plan)
				}
			}
		})
	}
	for _, saleType := range []string{"auction", "fixed_price"} {
		for _, sort := range []string{"asc", "desc"} {
			open, err := w.Service.ItemWindowStatements(owner, &v1.BrowseItemsInput{SaleType: []string{saleType}, Status: []string{"open"}, Sort: "created_at_" + sort})
			check("open items by "+saleType+" "+sort, "items_open", open, err)
			ended, err := w.Service.ItemWindowStatements(owner, &v1.BrowseItemsInput{SaleType: []string{saleType}, Status: []string{"unsold", "closed"}, Sort: "created_at_" + sort})
			check("ended items by "+saleType+" "+sort, "items_ended", ended, err)
			sales, err := w.Service.SaleWindowStatements(owner, &v1.BrowseSalesInput{SaleType: []string{saleType}, CancellationStatus: v1.StandingSales, Sort: "sold_at_" + sort})
			check("sales by "+saleType+" "+sort, "sales_"+saleType, sales, err)
		}
	}
}
