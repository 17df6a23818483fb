package v1_test

import (
	"fmt"
	"testing"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/probe"
)

// fillSalesBook writes the shelf and as many sales of it, of both owners, to a good number of buyers with a bill each.
// One sale in twenty has a cancellation on its way or behind it.
func fillSalesBook(tb testing.TB, w *servertest.World) v1.Owner {
	tb.Helper()
	owner := fillShelf(tb, w)
	fill(tb, w, append(billedCollectors(owner), saleRows(owner, 1, shelf))...)
	return owner
}

// billedCollectors are the statements that write buyers with a bill each.
func billedCollectors(owner v1.Owner) []string {
	day := servertest.Start.UnixMicro()
	return []string{
		insertCollectors(day),
		numbered(1, collectors) + fmt.Sprintf(`INSERT INTO bills (id, owner, number, status, currency, buyer_id, payment_status, created_at, updated_at)
 SELECT 90000 + i, %d + i %% 2, 'N' || i, 'to_invoice', 'EUR', 70000 + i, 'pending', %d, %d FROM n`, owner, day, day),
	}
}

// saleRows is the statement that writes the sales of some numbers.
func saleRows(owner v1.Owner, first, last int64) string {
	day := servertest.Start.UnixMicro()
	return numbered(first, last) + fmt.Sprintf(`INSERT INTO sales (id, owner, item_id, bill_id, buyer_id, item_title, item_category_id, item_sale_type, currency, quantity, unit_price, total_price,
 shipping_address, status, cancellation_status, sold_at, rated_at, created_at, updated_at, forgotten_at)
 SELECT 8000000 + i, %d + i %% 2, 5000002 + i %% 2000, 90002 + i %% 3990, 70002 + i %% 3990, 'Stamp', 1010101, CASE i %% 4 WHEN 0 THEN 'auction' ELSE 'fixed_price' END, 'EUR', 1, 100, 100,
 '{}', 'active', CASE i %% 60 WHEN 0 THEN 'requested' WHEN 1 THEN 'refused' WHEN 2 THEN 'cancelled' ELSE 'none' END,
 %d - i * 7919 %% 24001 * 1000000, CASE WHEN i %% 10 < 7 THEN %d END, %d, %d + i * 104729 %% 24001,
 CASE WHEN i %% 90 < 2 THEN %d + i END FROM n`, owner, day, day, day, day, day)
}

// saleFilters are the filters of GET /v1/sales.
var saleFilters = []plannedFilter{
	{"", "", ""},
	{"item_id=5000002", "sales_item", "sold_at"},
	{"item_id=5000002,5000004", "sales_item", ""},
	{"bill_id=90002", "sales_bill", "sold_at"},
	{"bill_id=90002,90004", "sales_bill", ""},
	{"buyer_id=70002", "sales_buyer", "sold_at"},
	{"buyer_id=70002,70004", "sales_buyer", ""},
	{"sale_type=auction", "sales_auction", "sold_at"},
	{"sale_type=fixed_price", "sales_fixed_price", "sold_at"},
	{"sale_type=auction,fixed_price", "", ""}, // all there is
	{"sold_from=2020-01-01T00:00:00Z", "sales_sold", "sold_at"},
	{"sold_from=2020-01-01T00:00:00Z&sold_to=2090-01-01T00:00:00Z", "sales_sold", "sold_at"},
	{"cancellation_status=requested", "sales_cancellation", "sold_at"},
	{"cancellation_status=none", "sales_cancellation", "sold_at"},
	{"cancellation_status=requested,refused", "sales_cancellation", ""},
	{"rating_status=unrated", "sales_unrated", "sold_at"},
	{"rating_status=rated", "sales_rated", "sold_at"},
	{"rating_status=expired", "sales_unrated", "sold_at"},
	{"rating_status=unrated&sold_from=2020-01-01T00:00:00Z", "sales_unrated", "sold_at"},
	{"updated_from=2020-01-01T00:00:00Z", "sales_updated", ""},
	{"updated_from=2020-01-01T00:00:00Z&updated_to=2090-01-01T00:00:00Z", "sales_updated", ""},
	{"forgotten_from=2020-01-01T00:00:00Z", "sales_forgotten", "sold_at"},
	{"forgotten_from=2020-01-01T00:00:00Z&cancellation_status=none", "sales_forgotten|sales_cancellation", "sold_at"},
	{"item_id=5000002&cancellation_status=none", "sales_item|sales_cancellation", "sold_at"},
	{"buyer_id=70002&rating_status=unrated&updated_from=2020-01-01T00:00:00Z", "sales_buyer|sales_unrated", "sold_at"},
	{"bill_id=90002,90004&cancellation_status=none", "sales_bill|sales_cancellation", "sold_at"},
	{"sale_type=auction&rating_status=rated", "sales_auction|sales_rated", "sold_at"},
}

func TestPlansOfSalePages(t *testing.T) {
	onBothPlanners(t, fillSalesBook, plannedList{
		tables: "sales|buyers", sorts: []string{"sold_at_asc", "sold_at_desc"}, filters: saleFilters, statements: probe.Sales.Statements,
	}.check)
}
