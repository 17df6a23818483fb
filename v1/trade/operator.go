package trade

import (
	"context"
	"fmt"

	"sellerd/ent"
	"sellerd/ent/bill"
	"sellerd/ent/item"
	"sellerd/ent/sale"
	"sellerd/v1/core"
	"sellerd/v1/items"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// This file is the operator's side of the marketplace. Calls name objects by number alone; the object determines the
// account and the mode. Items of a suspended seller are sold, and bills are paid, all the same.

// actFor completes the operator's call with the account that it acts for: the owner of the object, if it exists.
func (s *Market) actFor(ctx context.Context, c *core.Call, findOwner func(context.Context) (int, error), missing refusal.Code) error {
	owner, err := findOwner(ctx)
	if ent.IsNotFound(err) {
		return refusal.New(missing)
	}
	if err != nil {
		return fmt.Errorf("find an object's owner: %w", err)
	}
	return s.ActAs(ctx, c, core.Owner(owner))
}

func (s *Market) actForItem(ctx context.Context, c *core.Call, id wire.ID) error {
	owner := s.Store.Reader().Item.Query().Where(item.ID(int64(id))).Select(item.FieldOwner)
	c.Audits(id.String(), func(ctx context.Context, tx *ent.Client) (any, error) {
		row, err := tx.Item.Get(ctx, int64(id))
		if err != nil {
			return nil, err
		}
		shown := s.ItemFrom(row)
		return &shown, nil
	})
	return s.actFor(ctx, c, owner.Int, refusal.ItemNotFound)
}

func (s *Market) actForBill(ctx context.Context, c *core.Call, id wire.ID) error {
	owner := s.Store.Reader().Bill.Query().Where(bill.ID(int64(id))).Select(bill.FieldOwner)
	c.Audits(id.String(), func(ctx context.Context, tx *ent.Client) (any, error) {
		row, err := tx.Bill.Get(ctx, int64(id))
		if err != nil {
			return nil, err
		}
		return &auditedBill{row.Status, wire.MaybeMoney(row.ShippingCost, row.Currency), row.PaymentStatus}, nil
	})
	return s.actFor(ctx, c, owner.Int, refusal.BillNotFound)
}

func (s *Market) actForSale(ctx context.Context, c *core.Call, id wire.ID) error {
	owner := s.Store.Reader().Sale.Query().Where(sale.ID(int64(id))).Select(sale.FieldOwner)
	c.Audits(id.String(), func(ctx context.Context, tx *ent.Client) (any, error) {
		row, err := tx.Sale.Get(ctx, int64(id))
		if err != nil {
			return nil, err
		}
		return &auditedSale{row.Status, row.CancellationStatus}, nil
	})
	return s.actFor(ctx, c, owner.Int, refusal.SaleNotFound)
}

// auditedBill and auditedSale are what the audit log has of bills and sales: nothing of their buyers.
type (
	auditedBill struct {
		Status        string               `json:"status"`
		ShippingCost  wire.Opt[wire.Money] `json:"shipping_cost"`
		PaymentStatus string               `json:"payment_status"`
	}
	auditedSale struct {
		Status             string `json:"status"`
		CancellationStatus string `json:"cancellation_status"`
	}
)

func (s *Market) operatorBid(ctx context.Context, c *core.Call, in *BidInput) (*items.Item, error) {
	if err := s.actForItem(ctx, c, in.ID); err != nil {
		return nil, err
	}
	return s.placeBid(ctx, c, in.ID, &in.Bid)
}

func (s *Market) operatorPurchase(ctx context.Context, c *core.Call, in *PurchaseInput) (*SaleWithRating, error) {
	if err := s.actForItem(ctx, c, in.ID); err != nil {
		return nil, err
	}
	return s.purchase(ctx, c, in.ID, &in.Purchase)
}

func (s *Market) operatorEnd(ctx context.Context, c *core.Call, in *items.ItemRef) (*items.Item, error) {
	if err := s.actForItem(ctx, c, in.ID); err != nil {
		return nil, err
	}
	return s.endItem(ctx, c, in.ID)
}

func (s *Market) operatorMove(ctx context.Context, c *core.Call, in *ItemMoveInput) (*items.Item, error) {
	if err := s.actForItem(ctx, c, in.ID); err != nil {
		return nil, err
	}
	return s.moveToCategory(ctx, c, in.ID, &in.Move)
}

func (s *Market) operatorInvoice(ctx context.Context, c *core.Call, in *InvoiceInput) (*Bill, error) {
	if err := s.actForBill(ctx, c, in.ID); err != nil {
		return nil, err
	}
	return s.invoiceBill(ctx, c, in.ID, &in.Invoice)
}

func (s *Market) operatorPayment(ctx context.Context, c *core.Call, in *BillPaymentInput) (*Bill, error) {
	if err := s.actForBill(ctx, c, in.ID); err != nil {
		return nil, err
	}
	return s.receivePayment(ctx, c, in.ID, &in.Payment)
}

func (s *Market) operatorCancellation(ctx context.Context, c *core.Call, in *CancellationInput) (*SaleWithRating, error) {
	if err := s.actForSale(ctx, c, in.ID); err != nil {
		return nil, err
	}
	return s.decideCancellation(ctx, c, in.ID, &in.Cancellation)
}

// VisitsInput is a report of visits to an item. The marketplace counts them and reports from time to time. They come all day, and a
// seller's tool must not take them for changes: an item keeps its updated_at, and there is no event. But a read returns the new number,
// so the entity tag changes.
type VisitsInput struct {
	ID     wire.ID `path:"id" missing:"item_not_found"`
	Visits Visits  `body:"json"`
}

// Visits is the number of visits since the last report.
type Visits struct {
	Count wire.Opt[int] `json:"count" validate:"required,min=1,max=1000000" doc:"how many came since the last report; they are added"`
}

// maxVisits is the largest whole number that JSON parsers with floating point numbers represent exactly.
const maxVisits = 1<<53 - 1

// operatorVisits adds visits to an item in any state.
func (s *Market) operatorVisits(ctx context.Context, c *core.Call, in *VisitsInput) (*items.Item, error) {
	if err := s.actForItem(ctx, c, in.ID); err != nil {
		return nil, err
	}
	wire.CheckRules(&in.Visits, "", &c.Problems)
	return change(ctx, s, c, 0, func(ctx context.Context, tx Change) (*items.Item, error) {
		row, err := tx.LoadItem(ctx, c, in.ID)
		if err != nil {
			return nil, err
		}
		count := int64(in.Visits.Count.V)
		if count > maxVisits-row.VisitCount {
			return nil, refusal.Newf(refusal.OutOfRange, "count", "would be more than %d in all", int64(maxVisits))
		}
		saved, err := tx.Item.UpdateOneID(row.ID).AddVisitCount(count).Save(ctx)
		if err != nil {
			return nil, fmt.Errorf("count visits of item %d: %w", row.ID, err)
		}
		out := s.ItemFrom(saved)
		c.Meta.ETag = out.Etag()
		return &out, nil
	})
}

// CategoryMove moves an item to its right category.
type CategoryMove struct {
	CategoryID wire.Opt[wire.ID] `json:"category_id" validate:"required"`
}

// moveToCategory corrects an item's category for the marketplace, in any state of the item.
func (s *Market) moveToCategory(ctx context.Context, c *core.Call, id wire.ID, in *CategoryMove) (*items.Item, error) {
	wire.CheckRules(in, "", &c.Problems)
	if in.CategoryID.Set {
		s.CheckCategory(in.CategoryID.V, "", &c.Problems)
	}
	return change(ctx, s, c, 0, func(ctx context.Context, tx Change) (*items.Item, error) {
		row, err := tx.LoadItem(ctx, c, id)
		if err != nil {
			return nil, err
		}
		if row.CategoryID == int64(in.CategoryID.V) {
			out := s.ItemFrom(row)
			return &out, nil
		}
		saved, err := tx.Item.UpdateOneID(row.ID).SetCategoryID(int64(in.CategoryID.V)).SetUpdatedAt(int64(tx.Now)).SetSequence(row.Sequence + 1).
			Save(ctx)
		if err != nil {
			return nil, fmt.Errorf("move item %d: %w", row.ID, err)
		}
		tx.EmitItem("item.moved", saved, row)
		out := s.ItemFrom(saved)
		return &out, nil
	})
}
