package v1

import (
	"context"
	"slices"
	"sync"

	"sellerd/ent"
	"sellerd/ent/buyer"
	"sellerd/ent/sale"
	"sellerd/v1/rows"
)

// BrowseSalesInput are the filters of a list of sales; values of one filter are alternatives, and all filters apply.
// Cancelled sales are in the list as well.
type BrowseSalesInput struct {
	ItemID             []ID        `query:"item_id"`
	BillID             []ID        `query:"bill_id"`
	BuyerID            []ID        `query:"buyer_id"`
	SaleType           []string    `query:"sale_type" enum:"auction fixed_price" since:"1.2.0" doc:"of the item"`
	SoldFrom           Opt[Time]   `query:"sold_from"`
	SoldTo             Opt[Time]   `query:"sold_to" doc:"exclusive"`
	CancellationStatus []string    `query:"cancellation_status" enum:"none requested cancelled refused"`
	RatingStatus       Opt[string] `query:"rating_status" enum:"unrated rated expired" doc:"one value; expired sales were not rated in time"`
	UpdatedFrom        Opt[Time]   `query:"updated_from"`
	UpdatedTo          Opt[Time]   `query:"updated_to" doc:"exclusive"`
	Sort               string      `query:"sort" enum:"sold_at_asc sold_at_desc" default:"sold_at_asc" since:"1.1.0" doc:"pass the same with after"`
	Limit              Opt[int]    `query:"limit" min:"1" max:"200" default:"50"`
	After              Opt[string] `query:"after" doc:"next_cursor of the page before"`
}

// browseSales lists the caller's sales.
func (s *Market) browseSales(ctx context.Context, c *Call, in *BrowseSalesInput) (*Page[Sale], error) {
	return s.salePage(ctx, c.confirmBy(s.saleList(c.Owner, in)), in.After, in.Limit.Or(DefaultPageSize))
}

// salePage reads one page of a list of sales with their buyers.
func (s *Market) salePage(ctx context.Context, list *rows.List, after Opt[string], limit int) (*Page[Sale], error) {
	scan := saleScans.Get().(*saleScan)
	defer saleScans.Put(scan)
	now := s.now()
	return rows.Read(ctx, s.lists(), list, after, limit, scan.targets, func() (Sale, int64, int64) {
		row := &scan.sale.Row
		return s.saleFrom(row, &scan.buyer.Row, now), row.SoldAt, row.ID
	})
}

// saleList translates the filters. All filters with a single value, except updated_at, have an index in the order of the
// sort.
func (s *Market) saleList(owner Owner, in *BrowseSalesInput) *rows.List {
	l := rows.NewList("BrowseSales", sale.Table, saleColumnList, int64(owner), in.Sort, sale.FieldSoldAt)
	l.Joined, l.JoinedBy = buyer.Table, sale.FieldBuyerID
	l.In(sale.FieldItemID, anyInts(in.ItemID), sale.FieldSoldAt)
	l.In(sale.FieldBillID, anyInts(in.BillID), sale.FieldSoldAt)
	l.In(sale.FieldBuyerID, anyInts(in.BuyerID), sale.FieldSoldAt)
	l.In(sale.FieldCancellationStatus, anyStrings(in.CancellationStatus), sale.FieldSoldAt)
	// Each value has a partial index. With one index over both values, PostgreSQL would assume that each value matches half
	// of every seller's sales.
	switch types := distinct(in.SaleType); {
	case slices.Equal(types, []string{SaleTypeAuction}):
		l.Literal(sale.FieldItemSaleType, "%s = 'auction'", sale.FieldSoldAt, true)
	case slices.Equal(types, []string{SaleTypeFixedPrice}):
		l.Literal(sale.FieldItemSaleType, "%s = 'fixed_price'", sale.FieldSoldAt, true)
	}
	l.Between(sale.FieldSoldAt, intPtr(in.SoldFrom), intPtr(in.SoldTo), false)
	l.Between(sale.FieldUpdatedAt, intPtr(in.UpdatedFrom), intPtr(in.UpdatedTo), false)
	open := int64(s.now().Add(-RatingWindow)) + 1 // the first instant whose sales can still be rated; see ratingStatus
	switch in.RatingStatus.V {
	case RatingRated:
		l.Literal(sale.FieldRatedAt, "%s IS NOT NULL", sale.FieldSoldAt, true)
	case RatingUnrated:
		l.Literal(sale.FieldRatedAt, "%s IS NULL", sale.FieldSoldAt, true)
		l.Narrow(RatingUnrated, &open, nil)
	case RatingExpired:
		l.Literal(sale.FieldRatedAt, "%s IS NULL", sale.FieldSoldAt, true)
		l.Narrow(RatingExpired, nil, &open)
	}
	return l
}

// A page of sales is one statement with the buyers joined to it, read as pages of items are (item_store.go).

// saleColumns and buyerColumns are what a page shows of a sale and of its buyer.
var (
	saleColumns = rows.ColumnsBut(sale.Columns,
		sale.FieldBuyerID, sale.FieldWeightGrams, sale.FieldShippingModelID, sale.FieldSequence)
	buyerColumns = rows.ColumnsBut(buyer.Columns,
		buyer.FieldScope, buyer.FieldAddress, buyer.FieldCreatedAt, buyer.FieldUpdatedAt, buyer.FieldForgottenAt)
	saleColumnList = rows.ColumnList(sale.Table, saleColumns) + ", " + rows.ColumnList(buyer.Table, buyerColumns)
)

// saleScan scans a sale and its buyer.
type saleScan struct {
	sale    *rows.Scanner[ent.Sale]
	buyer   *rows.Scanner[ent.Buyer]
	targets []any
}

// saleScans are spare scans, for reads that convert the row at once.
var saleScans = sync.Pool{New: func() any {
	scan := &saleScan{sale: rows.NewScanner[ent.Sale](saleColumns), buyer: rows.NewScanner[ent.Buyer](buyerColumns)}
	scan.targets = slices.Concat(scan.sale.Targets, scan.buyer.Targets)
	return scan
}}
