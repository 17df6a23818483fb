package itemset_test

import (
	"fmt"
	"testing"

	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
	"sellerd/v1"
	"sellerd/v1/itemset"
)

// TestStatementsMeetFewPages has the plans made when there are no items, as at a seller's first call, and looks at what they cost for a
// seller with many.
func TestStatementsMeetFewPages(t *testing.T) {
	plantest.EachBelief(t, func(t *testing.T, w *servertest.World, costs *plantest.Costs) {
		owner := int64(v1.OwnerOf(w.Account, true))
		for _, s := range itemset.Statements(owner, 32) {
			costs.Prepare(t, s.Name, s.Text, s.Args)
		}
		for first, of := range map[int64]int64{1: owner, 5001: owner + 2} {
			plantest.Fill(t, w, plantest.Numbered(first, first+4999)+fmt.Sprintf(`INSERT INTO items (id, owner, sale_type, title, personal_reference, category_id, currency, price, current_price,
 bid_count, quantity, quantity_sold, ends_at, created_at, updated_at, renewals, renewals_left, images, options, site, status, restart_count, visit_count, sequence,
 run_started_at, due_at, search, lease)
 SELECT i, %d, 'fixed_price', 'x', 'R-' || i, 1010101, 'EUR', 100, 100, 0, 1, 0, i, i, i, 0, 0, '[]', 0, 'net', 'open', 0, 0, 1, i, i, '', 0 FROM n`, of))
		}
		costs.Filled(t)
		for _, s := range itemset.Statements(owner, 32) {
			// An update of 32 rows writes to every index that has one of its columns.
			if plan, pages := costs.Of(t, s.Name); pages > 2500 {
				t.Errorf("%s meets %d pages:\n%s", s.Name, pages, plan)
			} else {
				t.Logf("%s: %d pages", s.Name, pages)
			}
		}
	})
}
