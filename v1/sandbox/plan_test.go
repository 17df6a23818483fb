package sandbox_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
	"sellerd/v1"
)

// TestARemovalReadsNoOtherSellersRows explains the statements that find the next chunk of a table as ent writes them, and
// those with which the database looks for the sales of what is deleted. Each has to use the index that is named.
func TestARemovalReadsNoOtherSellersRows(t *testing.T) {
	const others = 20_000
	fill := func(tb testing.TB, w *servertest.World) v1.Owner {
		owner, live := v1.OwnerOf(w.Account, true), v1.OwnerOf(w.Account, false)
		plantest.Fill(tb, w,
			plantest.Numbered(1, others)+fmt.Sprintf(`INSERT INTO submissions (id, owner, status, created_at, publish_deadline, due_at, completed_at)
 SELECT 7000000 + i, CASE WHEN i %% 1000 = 0 THEN %d ELSE %d END, 'rejected', 1, 1, 1, 1 FROM n`, owner, live),
			plantest.Numbered(1, others)+fmt.Sprintf(`INSERT INTO events (id, owner, type, resource_type, resource_id, sequence, body, created_at)
 SELECT i, CASE WHEN i %% 1000 = 0 THEN %d ELSE %d END, 'item.closed', 'item', i, 1, '{}', i FROM n`, owner, live),
			`INSERT INTO buyers (id, scope, nickname, language, country, created_at, updated_at) VALUES (1, 0, 'carl', 'nl', 'BE', 1, 1)`,
			plantest.Numbered(1, others)+fmt.Sprintf(`INSERT INTO item_words (owner, word, item_id)
 SELECT CASE WHEN i %% 1000 = 0 THEN %d ELSE %d END, 'stamp', i FROM n`, owner, live),
			plantest.Numbered(1, others)+fmt.Sprintf(`INSERT INTO items (id, owner, sale_type, title, category_id, currency, current_price, quantity, ends_at, created_at,
 updated_at, site, status, run_started_at) SELECT i, %d, 'fixed_price', 'Stamp', 1010101, 'EUR', 100, 1, 1, 1, 1, 'net', 'sold', 0 FROM n`, live),
			plantest.Numbered(1, others)+fmt.Sprintf(`INSERT INTO bills (id, owner, number, status, currency, buyer_id, payment_status, created_at, updated_at)
 SELECT i, %d, 'n', 'sent', 'EUR', 1, 'received', 1, 1 FROM n`, live),
			plantest.Numbered(1, others)+fmt.Sprintf(`INSERT INTO sales (id, owner, item_id, bill_id, buyer_id, item_title, item_category_id, item_sale_type, currency,
 quantity, unit_price, total_price, status, cancellation_status, sold_at, created_at, updated_at)
 SELECT i, %d, i, i, 1, 'Stamp', 1010101, 'fixed_price', 'EUR', 1, 1, 1, 'active', 'none', 1, 1, 1 FROM n`, live))
		return owner
	}
	plantest.OnBoth(t, fill, func(t *testing.T, w *servertest.World, owner v1.Owner, explain plantest.Explainer) {
		for _, statement := range []struct {
			text, index string
			arg         int64
		}{
			{"SELECT submissions.id, submissions.batch_id FROM submissions WHERE submissions.owner = $1 AND owner % 2 = 1 ORDER BY submissions.id LIMIT 200", "submissions_test", int64(owner)},
			{"SELECT events.id FROM events WHERE events.owner = $1 ORDER BY events.created_at, events.id LIMIT 200", "events_feed", int64(owner)},
			{"SELECT items.id FROM items WHERE items.owner = $1 ORDER BY items.created_at, items.id LIMIT 200", "items_created", int64(owner)},
			{"SELECT bills.id FROM bills WHERE bills.owner = $1 ORDER BY bills.created_at, bills.id LIMIT 200", "bills_created", int64(owner)},
			{"SELECT item_words.owner, item_words.word, item_words.item_id FROM item_words WHERE item_words.owner = $1" +
				" ORDER BY item_words.word, item_words.item_id LIMIT 1000", "item_words_pkey|item_words USING PRIMARY KEY", int64(owner)},
			{"SELECT 1 FROM sales x WHERE item_id = $1", "sales_of_item", 1},
			{"SELECT 1 FROM sales x WHERE bill_id = $1", "sales_of_bill", 1},
		} {
			plan := explain(t, statement.text, []any{statement.arg})
			if !regexp.MustCompile(statement.index).MatchString(plan) || strings.Contains(plan, "Sort") || strings.Contains(plan, "TEMP B-TREE") {
				t.Errorf("%s does not follow %s:\n%s", statement.text, statement.index, plan)
			}
		}
	})
}
