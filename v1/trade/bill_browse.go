package trade

import (
	"context"
	"slices"

	"sellerd/ent"
	"sellerd/ent/bill"
	"sellerd/ent/buyer"
	"sellerd/ent/sale"
	"sellerd/v1/core"
	"sellerd/v1/items"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// BrowseBillsInput are the filters of a list of bills; values of one filter are alternatives, and all filters apply.
type BrowseBillsInput struct {
	Status        []string            `query:"status" enum:"to_invoice awaiting_payment to_send sent cancelled"`
	BuyerID       []wire.ID           `query:"buyer_id"`
	SaleID        []wire.ID           `query:"sale_id" doc:"cancelled sales lead to their bill as well"`
	ItemID        []wire.ID           `query:"item_id" doc:"bills with a sale of the item, active or cancelled"`
	HasTracking   wire.Opt[bool]      `query:"has_tracking"`
	CreatedFrom   wire.Opt[wire.Time] `query:"created_from"`
	CreatedTo     wire.Opt[wire.Time] `query:"created_to" doc:"exclusive"`
	PaidFrom      wire.Opt[wire.Time] `query:"paid_from"`
	PaidTo        wire.Opt[wire.Time] `query:"paid_to" doc:"exclusive"`
	SentFrom      wire.Opt[wire.Time] `query:"sent_from"`
	SentTo        wire.Opt[wire.Time] `query:"sent_to" doc:"exclusive"`
	UpdatedFrom   wire.Opt[wire.Time] `query:"updated_from"`
	UpdatedTo     wire.Opt[wire.Time] `query:"updated_to" doc:"exclusive"`
	ForgottenFrom wire.Opt[wire.Time] `query:"forgotten_from" since:"1.6.0" doc:"bills of buyers who were forgotten from then on"`
	Sort          string              `query:"sort" default:"created_at_asc" enum:"created_at_asc created_at_desc"`
	Limit         wire.Opt[int]       `query:"limit" min:"1" max:"200" default:"50"`
	After         wire.Opt[string]    `query:"after" doc:"next_cursor of the page before"`
}

// browseBills lists the caller's bills.
func (s *Market) browseBills(ctx context.Context, c *core.Call, in *BrowseBillsInput) (*rows.Page[Bill], error) {
	return s.BillPage(ctx, BillList(c.Owner, in), in.After, in.Limit.Or(items.DefaultPageSize))
}

// BillList translates the filters.
func BillList(owner core.Owner, in *BrowseBillsInput) *rows.List {
	l := rows.NewList("BrowseBills", bill.Table, billColumnList, int64(owner), in.Sort, bill.FieldCreatedAt)
	l.Joined, l.JoinedBy = buyer.Table, bill.FieldBuyerID
	l.InParts(soldParts, sale.FieldID, items.AnyInts(in.SaleID))
	l.In(bill.FieldBuyerID, items.AnyInts(in.BuyerID), bill.FieldCreatedAt)
	l.InParts(soldParts, sale.FieldItemID, items.AnyInts(in.ItemID))
	l.Between(bill.FieldCreatedAt, wire.Int64Ptr(in.CreatedFrom), wire.Int64Ptr(in.CreatedTo), false)
	l.Between(bill.FieldPaidAt, wire.Int64Ptr(in.PaidFrom), wire.Int64Ptr(in.PaidTo), false)
	l.Between(bill.FieldSentAt, wire.Int64Ptr(in.SentFrom), wire.Int64Ptr(in.SentTo), false)
	l.Between(bill.FieldUpdatedAt, wire.Int64Ptr(in.UpdatedFrom), wire.Int64Ptr(in.UpdatedTo), false)
	l.Since(bill.FieldForgottenAt, wire.Int64Ptr(in.ForgottenFrom), bill.FieldCreatedAt)
	switch in.HasTracking {
	case wire.Some(true):
		l.Literal(bill.FieldTrackingCount, "%s > 0", bill.FieldCreatedAt, true)
	case wire.Some(false):
		l.Literal(bill.FieldTrackingCount, "%s = 0", bill.FieldCreatedAt, true)
	}
	l.In(bill.FieldStatus, items.AnyStrings(in.Status), bill.FieldCreatedAt)
	return l
}

// soldParts are the sales of bills, cancelled or not.
var soldParts = rows.Parts{Table: sale.Table, Leads: sale.FieldBillID, SortColumn: sale.FieldSoldAt}

// billColumns are the columns of a bill's own row that a page shows.
var (
	billColumns    = rows.ColumnsBut(bill.Columns, bill.FieldOwner, bill.FieldInvoicedAt, bill.FieldTrackingCount, bill.FieldSequence, bill.FieldForgottenAt)
	billColumnList = rows.ColumnList(bill.Table, billColumns) + ", " + rows.ColumnList(buyer.Table, buyerColumns)
)

// BillPage reads one page of a list of bills: one statement for the bills with their buyers, and two for their sales and
// trackings. All three read one snapshot, so every bill's sums match the sales it shows.
func (s *Market) BillPage(ctx context.Context, list *rows.List, after wire.Opt[string], limit int) (*rows.Page[Bill], error) {
	query, args, err := s.Lists().Plan(ctx, list, after, limit)
	if err != nil {
		return nil, err
	}
	if query == "" {
		return &rows.Page[Bill]{}, nil
	}
	var out *rows.Page[Bill]
	ofBill, ofBuyer := rows.NewScanner[ent.Bill](billColumns), rows.NewScanner[ent.Buyer](buyerColumns)
	reader := rows.Reader[Bill]{
		List: list, Limit: limit, Targets: slices.Concat(ofBill.Targets, ofBuyer.Targets),
		Convert: func() (Bill, int64, int64) {
			return billFrom(&ofBill.Row, &ofBuyer.Row), ofBill.Row.CreatedAt, ofBill.Row.ID
		},
	}
	err = s.Reads.Snapshot(ctx, func(ctx context.Context, tx *ent.Client) error {
		out, err = reader.Page(ctx, rows.In{Tx: tx}, s.Cursors, query, args)
		if err != nil {
			return err
		}
		return s.fill(ctx, tx, core.Owner(list.Owner), out.Results)
	})
	return out, err
}
