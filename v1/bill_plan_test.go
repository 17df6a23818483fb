package v1_test

import (
	"fmt"
	"strings"
	"testing"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/probe"
)

// fillBillBook writes the shelf, and as many bills with a sale each, of both owners. One item has sold so often that
// half of all sales are of it.
func fillBillBook(tb testing.TB, w *servertest.World) v1.Owner {
	tb.Helper()
	owner := fillShelf(tb, w)
	fill(tb, w, append([]string{insertCollectors(servertest.Start.UnixMicro())}, billRows(owner, 1, shelf)...)...)
	return owner
}

// billRows are the statements that write the bills of some numbers with their sales.
func billRows(owner v1.Owner, first, last int64) []string {
	day := servertest.Start.UnixMicro()
	return []string{
		numbered(first, last) + fmt.Sprintf(`INSERT INTO bills (id, owner, number, status, currency, buyer_id, shipping_address, payment_status, tracking_count,
 created_at, paid_at, sent_at, updated_at, forgotten_at)
 SELECT 8000000 + i, %d + i %% 2, 'N' || i, CASE i %% 7 WHEN 0 THEN 'to_invoice' WHEN 1 THEN 'awaiting_payment' WHEN 2 THEN 'to_send' WHEN 3 THEN 'cancelled' ELSE 'sent' END,
 'EUR', 70002 + i %% 3990, '{}', 'pending', CASE i %% 5 WHEN 0 THEN 0 ELSE 1 END,
 %d + i, CASE WHEN i %% 7 > 1 THEN %d + i * 7919 %% 24001 END, CASE WHEN i %% 7 > 3 THEN %d + i * 7907 %% 24001 END, %d + i * 104729 %% 24001,
 CASE WHEN i %% 90 < 2 THEN %d + i END FROM n`,
			owner, day, day, day, day, day),
		numbered(first, last) + fmt.Sprintf(`INSERT INTO sales (id, owner, item_id, bill_id, buyer_id, item_title, item_category_id, item_sale_type, currency, quantity, unit_price, total_price,
 shipping_address, status, cancellation_status, sold_at, created_at, updated_at)
 SELECT 9000000 + i, %d + i %% 2, CASE WHEN i %% 4 < 2 THEN 5000002 + i %% 2 ELSE 5000004 + i %% 2000 END, 8000000 + i, 70002 + i %% 3990, 'Stamp', 1010101, 'fixed_price', 'EUR', 1, 100, 100,
 '{}', 'active', 'none', %d + i, %d, %d FROM n`, owner, day, day, day),
	}
}

// billFilters are the filters of GET /v1/bills.
var billFilters = []plannedFilter{
	{"", "", ""},
	{"status=to_send", "bills_status", "created_at"},
	{"status=to_send,sent", "bills_status", ""},
	{"buyer_id=70004", "bills_buyer", "created_at"},
	{"buyer_id=70004,70006", "bills_buyer", ""},
	{"sale_id=9000002", "PRIMARY KEY|sales_pkey", ""},
	{"sale_id=9000002,9000004", "PRIMARY KEY|sales_pkey", ""},
	{"item_id=5000006", "sales_item", ""},
	{"item_id=5000002", "sales_item", ""},
	{"item_id=5000002,5000006", "sales_item", ""},
	{"has_tracking=true", "bills_tracked", "created_at"},
	{"has_tracking=false", "bills_untracked", "created_at"},
	{"created_from=2020-01-01T00:00:00Z", "bills_created", "created_at"},
	{"created_from=2020-01-01T00:00:00Z&created_to=2090-01-01T00:00:00Z", "bills_created", "created_at"},
	{"paid_from=2020-01-01T00:00:00Z", "bills_paid", ""},
	{"paid_from=2020-01-01T00:00:00Z&paid_to=2090-01-01T00:00:00Z", "bills_paid", ""},
	{"sent_from=2020-01-01T00:00:00Z", "bills_sent", ""},
	{"sent_to=2090-01-01T00:00:00Z", "bills_sent", ""},
	{"updated_from=2020-01-01T00:00:00Z", "bills_updated", ""},
	{"updated_from=2020-01-01T00:00:00Z&updated_to=2090-01-01T00:00:00Z", "bills_updated", ""},
	{"forgotten_from=2020-01-01T00:00:00Z", "bills_forgotten", "created_at"},
	{"forgotten_from=2020-01-01T00:00:00Z&buyer_id=70004", "bills_forgotten|bills_buyer", "created_at"},
	{"status=to_send&has_tracking=false", "bills_status|bills_untracked", "created_at"},
	{"buyer_id=70004&item_id=5000006&paid_from=2020-01-01T00:00:00Z", "bills_buyer|sales_item|bills_paid", "created_at"},
}

func TestPlansOfBillPages(t *testing.T) {
	onBothPlanners(t, fillBillBook, plannedList{
		tables: "bills|sales|buyers", sorts: []string{"created_at_asc", "created_at_desc"}, filters: billFilters, statements: probe.Bills.Statements,
	}.check)
}

func TestAWalkAsksEachBillForItsOwnSales(t *testing.T) {
	onBothPlanners(t, fillBillBook, func(t *testing.T, w *servertest.World, owner v1.Owner, explain explainer) {
		for _, query := range []string{"item_id=5000002", "item_id=5000002,5000006", "sale_id=9000002"} {
			statements, err := probe.Bills.Statements(w.Service, t.Context(), owner, query, probe.AlwaysWalk)
			if err != nil {
				t.Fatal(err)
			}
			plan := explain(t, statements.Page.Text, statements.Page.Args)
			if !strings.Contains(plan, "sales_bill") || strings.Contains(plan, "sales_item") || strings.Contains(plan, "sales_pkey") || strings.Contains(plan, "hashed") {
				t.Errorf("%s\n%s", statements.Page.Text, plan)
			}
		}
	})
}
