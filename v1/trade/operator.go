package trade

import (
	"context"
	"fmt"
	"reflect"

	"sellerd/ent"
	"sellerd/v1/core"
	"sellerd/v1/items"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// This file is the operator's side of the marketplace. Calls name objects by number alone; the object determines the
// account and the mode. Items of a suspended seller are sold, and bills are paid, all the same.

// look reads an object for the operator: its owner, and what the audit log has of it.
type look func(s *Market, ctx context.Context, tx *ent.Client, id int64) (owner int64, audited any, err error)

// onBehalf makes of an operation on a seller's own object, which the input calls ID, that of the operator, who acts for the object's owner.
func onBehalf[I, O any](at look, do func(*Market, context.Context, *core.Call, *I) (*O, error),
) func(*Market, context.Context, *core.Call, *I) (*O, error) {
	field, ok := reflect.TypeFor[I]().FieldByName("ID")
	if !ok || field.Type != reflect.TypeFor[wire.ID]() {
		panic(fmt.Sprintf("trade: %s has no ID", reflect.TypeFor[I]())) // when the program starts, in every test
	}
	return func(s *Market, ctx context.Context, c *core.Call, in *I) (*O, error) {
		id := reflect.ValueOf(in).Elem().FieldByIndex(field.Index).Interface().(wire.ID)
		owner, _, err := at(s, ctx, s.Store.Reader(), int64(id))
		if err != nil {
			return nil, err
		}
		c.Audits(id.String(), func(ctx context.Context, tx *ent.Client) (any, error) {
			_, audited, err := at(s, ctx, tx, int64(id))
			return audited, err
		})
		if err := s.ActAs(ctx, c, core.Owner(owner)); err != nil {
			return nil, err
		}
		return do(s, ctx, c, in)
	}
}

func (s *Market) lookAtItem(ctx context.Context, tx *ent.Client, id int64) (int64, any, error) {
	row, err := tx.Item.Get(ctx, id)
	if err != nil {
		return 0, nil, core.NotLoaded(err, refusal.ItemNotFound, "item", id)
	}
	shown := s.ItemFrom(row)
	return row.Owner, &shown, nil
}

func (s *Market) lookAtBill(ctx context.Context, tx *ent.Client, id int64) (int64, any, error) {
	row, err := tx.Bill.Get(ctx, id)
	if err != nil {
		return 0, nil, core.NotLoaded(err, refusal.BillNotFound, "bill", id)
	}
	return row.Owner, &auditedBill{row.Status, wire.MaybeMoney(row.ShippingCost, row.Currency), row.PaymentStatus}, nil
}

func (s *Market) lookAtSale(ctx context.Context, tx *ent.Client, id int64) (int64, any, error) {
	row, err := tx.Sale.Get(ctx, id)
	if err != nil {
		return 0, nil, core.NotLoaded(err, refusal.SaleNotFound, "sale", id)
	}
	return row.Owner, &auditedSale{row.Status, row.CancellationStatus}, nil
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

// addVisits adds visits to an item in any state.
func (s *Market) addVisits(ctx context.Context, c *core.Call, in *VisitsInput) (*items.Item, error) {
	wire.CheckRules(&in.Visits, "", &c.Problems)
	return change(ctx, s, c, func(ctx context.Context, tx Change) (*items.Item, error) {
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
func (s *Market) moveToCategory(ctx context.Context, c *core.Call, in *ItemMoveInput) (*items.Item, error) {
	wire.CheckRules(&in.Move, "", &c.Problems)
	to := in.Move.CategoryID
	if to.Set {
		s.CheckCategory(to.V, "", &c.Problems)
	}
	return change(ctx, s, c, func(ctx context.Context, tx Change) (*items.Item, error) {
		row, err := tx.LoadItem(ctx, c, in.ID)
		if err != nil {
			return nil, err
		}
		if row.CategoryID == int64(to.V) {
			return new(s.ItemFrom(row)), nil
		}
		saved, err := tx.Item.UpdateOneID(row.ID).SetCategoryID(int64(to.V)).SetUpdatedAt(int64(tx.Now)).SetSequence(row.Sequence + 1).
			Save(ctx)
		if err != nil {
			return nil, fmt.Errorf("move item %d: %w", row.ID, err)
		}
		tx.EmitItem("item.moved", saved, row)
		return new(s.ItemFrom(saved)), nil
	})
}
