package trade

import (
	"context"
	"slices"
	"sync"

	"sellerd/ent"
	"sellerd/ent/buyer"
	"sellerd/ent/sale"
	"sellerd/v1/core"
	"sellerd/v1/items"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// BrowseSalesInput are the filters of a list of sales; values of one filter are alternatives, and all filters apply.
// Cancelled sales are in the list as well.
type BrowseSalesInput struct {
	ItemID             []wire.ID           `query:"item_id"`
	BillID             []wire.ID           `query:"bill_id"`
	BuyerID            []wire.ID           `query:"buyer_id"`
	SaleType           []string            `query:"sale_type" enum:"auction fixed_price" since:"1.2.0" doc:"of the item"`
	SoldFrom           wire.Opt[wire.Time] `query:"sold_from"`
	SoldTo             wire.Opt[wire.Time] `query:"sold_to" doc:"exclusive"`
	CancellationStatus []string            `query:"cancellation_status" enum:"none requested cancelled refused"`
	RatingStatus       wire.Opt[string]    `query:"rating_status" enum:"unrated rated expired" doc:"one value; expired sales were not rated in time"`
	UpdatedFrom        wire.Opt[wire.Time] `query:"updated_from"`
	UpdatedTo          wire.Opt[wire.Time] `query:"updated_to" doc:"exclusive"`
	ForgottenFrom      wire.Opt[wire.Time] `query:"forgotten_from" since:"1.6.0" doc:"sales to buyers who were forgotten from then on"`
	Sort               string              `query:"sort" enum:"sold_at_asc sold_at_desc" default:"sold_at_asc" since:"1.1.0" doc:"pass the same with after"`
	Limit              wire.Opt[int]       `query:"limit" min:"1" max:"200" default:"50"`
	After              wire.Opt[string]    `query:"after" doc:"next_cursor of the page before"`
}

// browseSales lists the caller's sales.
func (s *Market) browseSales(ctx context.Context, c *core.Call, in *BrowseSalesInput) (*rows.Page[Sale], error) {
	return s.SalePage(ctx, c.ConfirmBy(s.SaleList(c.Owner, in)), in.After, in.Limit.Or(items.DefaultPageSize))
}

// SalePage reads one page of a list of sales with their buyers.
func (s *Market) SalePage(ctx context.Context, list *rows.List, after wire.Opt[string], limit int) (*rows.Page[Sale], error) {
	scan := SaleScans.Get().(*SaleScan)
	defer SaleScans.Put(scan)
	now := s.Now()
	return rows.Reader[Sale]{List: list, Limit: limit, Targets: scan.Targets, Convert: func() (Sale, int64, int64) {
		row := &scan.Sale.Row
		return s.SaleFrom(row, &scan.Buyer.Row, now), row.SoldAt, row.ID
	}}.Read(ctx, s.Lists(), after)
}

// SaleList translates the filters. All filters with a single value, except updated_at, have an index in the order of the
// sort.
func (s *Market) SaleList(owner core.Owner, in *BrowseSalesInput) *rows.List {
	l := rows.NewList("BrowseSales", sale.Table, saleColumnList, int64(owner), in.Sort, sale.FieldSoldAt)
	l.Joined, l.JoinedBy = buyer.Table, sale.FieldBuyerID
	l.In(sale.FieldItemID, items.AnyInts(in.ItemID), sale.FieldSoldAt)
	l.In(sale.FieldBillID, items.AnyInts(in.BillID), sale.FieldSoldAt)
	l.In(sale.FieldBuyerID, items.AnyInts(in.BuyerID), sale.FieldSoldAt)
	l.In(sale.FieldCancellationStatus, items.AnyStrings(in.CancellationStatus), sale.FieldSoldAt)
	// Each value has a partial index. With one index over both values, PostgreSQL would assume that each value matches half
	// of every seller's sales.
	switch types := items.Distinct(in.SaleType); {
	case slices.Equal(types, []string{items.SaleTypeAuction}):
		l.Literal(sale.FieldItemSaleType, "%s = 'auction'", sale.FieldSoldAt, true)
	case slices.Equal(types, []string{items.SaleTypeFixedPrice}):
		l.Literal(sale.FieldItemSaleType, "%s = 'fixed_price'", sale.FieldSoldAt, true)
	}
	l.Between(sale.FieldSoldAt, wire.Int64Ptr(in.SoldFrom), wire.Int64Ptr(in.SoldTo), false)
	l.Between(sale.FieldUpdatedAt, wire.Int64Ptr(in.UpdatedFrom), wire.Int64Ptr(in.UpdatedTo), false)
	l.Since(sale.FieldForgottenAt, wire.Int64Ptr(in.ForgottenFrom), sale.FieldSoldAt)
	open := int64(s.Now().Add(-RatingWindow)) + 1 // the first instant whose sales can still be rated; see ratingStatus
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

// A page of sales is one statement with the buyers joined to it, read as pages of items are (v1/items/store.go).

// saleColumns and buyerColumns are what a page shows of a sale and of its buyer.
var (
	saleColumns = rows.ColumnsBut(sale.Columns,
		sale.FieldBuyerID, sale.FieldWeightGrams, sale.FieldShippingModelID, sale.FieldSequence, sale.FieldForgottenAt)
	buyerColumns = rows.ColumnsBut(buyer.Columns,
		buyer.FieldScope, buyer.FieldAddress, buyer.FieldCreatedAt, buyer.FieldUpdatedAt)
	saleColumnList = rows.ColumnList(sale.Table, saleColumns) + ", " + rows.ColumnList(buyer.Table, buyerColumns)
)

// SaleScan scans a sale and its buyer.
type SaleScan struct {
	Sale    *rows.Scanner[ent.Sale]
	Buyer   *rows.Scanner[ent.Buyer]
	Targets []any
}

// SaleScans are spare scans, for reads that convert the row at once.
var SaleScans = sync.Pool{New: func() any {
	scan := &SaleScan{Sale: rows.NewScanner[ent.Sale](saleColumns), Buyer: rows.NewScanner[ent.Buyer](buyerColumns)}
	scan.Targets = slices.Concat(scan.Sale.Targets, scan.Buyer.Targets)
	return scan
}}
