package accounts

import (
	"context"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"sellerd/ent"
	"sellerd/ent/item"
	"sellerd/ent/sale"
	"sellerd/ent/shippingmodel"
	"sellerd/ent/submission"
	"sellerd/internal/base/wrap"
	"sellerd/v1/core"
	"sellerd/v1/etag"
	"sellerd/v1/numbering"
	"sellerd/v1/refusal"
	"sellerd/v1/shipping"
	"sellerd/v1/wire"
)

// This file changes a seller's shipping models, for the operator. Prices that buyers were shown stay valid: a model that an
// item or a sale has is retired and not removed.

// MaxShippingModels is how many models an account may have in each mode, not counting retired ones.
const MaxShippingModels = 100

// NewShippingModel is a shipping model for an account.
type NewShippingModel struct {
	ID    wire.ID                   `path:"id" missing:"route_not_found"`
	Model ShippingModelInputForMode `body:"json"`
}

// ShippingModelInputForMode is a model for the account's data in one mode.
type ShippingModelInputForMode struct {
	shipping.ModelInput
	Mode wire.Opt[string] `json:"mode" validate:"required,oneof=live test"`
}

// operatorCreateShippingModel gives an account another model.
func (s *Accounts) operatorCreateShippingModel(ctx context.Context, c *core.Call, in *NewShippingModel) (*shipping.Model, error) {
	core.TraceFrom(ctx).Account = int64(in.ID)
	err := s.ActAs(ctx, c, core.OwnerOf(int64(in.ID), in.Model.Mode.V == core.ModeName(true)))
	if ent.IsNotFound(err) {
		return nil, errNoSuchAccount
	}
	if err != nil {
		return nil, err
	}
	wire.CheckRules(&in.Model, "", &c.Problems)
	model := &in.Model.ModelInput
	if err := s.checkShippingModel(c, model, nil); err != nil {
		return nil, err
	}
	if err := c.Problems.Err(); err != nil {
		return nil, err
	}
	number, err := s.IDs.Numbers(ctx, numbering.ShippingModels, 1)
	if err != nil {
		return nil, err
	}
	auditModel(c, number)
	return change(ctx, s, c, func(ctx context.Context, tx Change) (*shipping.Model, error) {
		if err := tx.roomForModels(ctx, model, "mode"); err != nil {
			return nil, err
		}
		row, err := tx.createShippingModel(ctx, number, model)
		if err != nil {
			return nil, err
		}
		c.Meta.Location = fmt.Sprintf("/operator/accounts/%s/shipping-models/%s", in.ID, wire.ID(row.ID))
		return taggedShippingModel(c, row), nil
	})
}

// ReplacedShippingModel is the new content of a shipping model.
type ReplacedShippingModel struct {
	AccountID wire.ID             `path:"id" missing:"route_not_found"`
	ID        wire.ID             `path:"model_id" missing:"route_not_found"`
	Model     shipping.ModelInput `body:"json"`
}

// ShippingModelRef names a shipping model of an account in a path.
type ShippingModelRef struct {
	AccountID wire.ID `path:"id" missing:"route_not_found"`
	ID        wire.ID `path:"model_id" missing:"route_not_found"`
}

// operatorReplaceShippingModel replaces all of a model but its number. Bills that are invoiced keep their cost.
func (s *Accounts) operatorReplaceShippingModel(ctx context.Context, c *core.Call,
	in *ReplacedShippingModel,
) (*shipping.Model, error) {
	before, err := s.actForShippingModel(ctx, c, &ShippingModelRef{in.AccountID, in.ID})
	if err != nil {
		return nil, err
	}
	if err := s.checkShippingModel(c, &in.Model, before); err != nil {
		return nil, err
	}
	return change(ctx, s, c, func(ctx context.Context, tx Change) (*shipping.Model, error) {
		row, err := tx.loadShippingModel(ctx, c, in.ID)
		if err != nil {
			return nil, err
		}
		if row.State != shipping.Active {
			if err := tx.roomForModels(ctx, &in.Model, "retired"); err != nil {
				return nil, err
			}
		}
		row, err = tx.replaceShippingModel(ctx, row, &in.Model)
		if err != nil {
			return nil, err
		}
		return taggedShippingModel(c, row), nil
	})
}

// RemovedShippingModel is the result of a removal.
type RemovedShippingModel struct {
	ID      wire.ID `json:"id"`
	Deleted bool    `json:"deleted" doc:"nothing has it, and no list shows it any more"`
	Retired bool    `json:"retired" doc:"an item or a sale has it, and lists show it as retired"`
}

// operatorRemoveShippingModel removes a model, or retires it if it is in use. No other model becomes the default.
func (s *Accounts) operatorRemoveShippingModel(ctx context.Context, c *core.Call, in *ShippingModelRef) (*RemovedShippingModel, error) {
	before, err := s.actForShippingModel(ctx, c, in)
	if err != nil {
		return nil, err
	}
	use, err := s.useOfShippingModel(ctx, before)
	if err != nil {
		return nil, err
	}
	return change(ctx, s, c, func(ctx context.Context, tx Change) (*RemovedShippingModel, error) {
		row, err := tx.loadShippingModel(ctx, c, in.ID)
		if err != nil {
			return nil, err
		}
		used, err := tx.shippingModelInUse(ctx, row, use)
		if err != nil {
			return nil, err
		}
		if err := tx.takeShippingModelAway(ctx, row, used); err != nil {
			return nil, err
		}
		return &RemovedShippingModel{ID: in.ID, Deleted: !used, Retired: used}, nil
	})
}

// actForShippingModel completes the operator's call with the owner of a model, if it is the account's.
func (s *Accounts) actForShippingModel(ctx context.Context, c *core.Call, ref *ShippingModelRef) (*ent.ShippingModel, error) {
	row, err := s.Store.Reader().ShippingModel.Query().
		Where(shippingmodel.ID(int64(ref.ID)), shippingmodel.StateNEQ(shipping.Removed)).Only(ctx)
	if ent.IsNotFound(err) || err == nil && core.Owner(row.Owner).Account() != int64(ref.AccountID) {
		return nil, errNoSuchShippingModel
	}
	if err != nil {
		return nil, fmt.Errorf("load shipping model %d: %w", ref.ID, err)
	}
	auditModel(c, row.ID)
	return row, s.ActAs(ctx, c, core.Owner(row.Owner))
}

// auditModel has the audit log show a model before and after the call, without what is in no list.
func auditModel(c *core.Call, id int64) {
	c.Audits(wire.ID(id).String(), func(ctx context.Context, tx *ent.Client) (any, error) {
		row, err := tx.ShippingModel.Query().Where(shippingmodel.ID(id), shippingmodel.StateNEQ(shipping.Removed)).Only(ctx)
		if ent.IsNotFound(err) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return new(shipping.From(row)), nil
	})
}

// errNoSuchShippingModel is the operator API's error for a model that does not belong to the account.
var errNoSuchShippingModel = refusal.Newf(refusal.RouteNotFound, "", "The account has no such shipping model.")

// checkShippingModel gives a model its currency and adds its errors to the call's problems.
func (s *Accounts) checkShippingModel(c *core.Call, in *shipping.ModelInput, before *ent.ShippingModel) error {
	check, err := shipping.NewCheck(s.Reference, before, &c.Problems)
	if err != nil {
		return err
	}
	in.Currency = wire.Some(in.Currency.Or(c.Currency))
	check.Model(in, "")
	return nil
}

// taggedShippingModel is a model with its entity tag, which no read returns.
func taggedShippingModel(c *core.Call, row *ent.ShippingModel) *shipping.Model {
	out := shipping.From(row)
	c.Meta.ETag = etag.Of(wire.EncodeJSON(nil, &out))
	return &out
}

func (tx Change) loadShippingModel(ctx context.Context, c *core.Call, id wire.ID) (*ent.ShippingModel, error) {
	row, err := tx.ShippingModel.Query().
		Where(shippingmodel.ID(int64(id)), shippingmodel.Owner(int64(tx.Owner)), shippingmodel.StateNEQ(shipping.Removed)).Only(ctx)
	if err != nil {
		return nil, core.Missing(err, errNoSuchShippingModel, "load shipping model %d", id)
	}
	out := shipping.From(row)
	return row, c.Precondition(etag.Of(wire.EncodeJSON(nil, &out)))
}

// roomForModels is an error if the account would have too many models.
func (tx Change) roomForModels(ctx context.Context, in *shipping.ModelInput, field string) error {
	if in.Retired {
		return nil
	}
	n, err := tx.ShippingModel.Query().Where(shippingmodel.Owner(int64(tx.Owner)), shippingmodel.State(shipping.Active)).Count(ctx)
	if err != nil {
		return fmt.Errorf("count shipping models: %w", err)
	}
	if n >= MaxShippingModels {
		return refusal.Newf(refusal.OutOfRange, field, "The account has %d shipping models: remove one first.", n)
	}
	return nil
}

func (tx Change) createShippingModel(ctx context.Context, number int64, in *shipping.ModelInput) (*ent.ShippingModel, error) {
	if err := tx.makeWayForDefault(ctx, number, in); err != nil {
		return nil, err
	}
	row, err := tx.ShippingModel.Create().SetID(number).SetOwner(int64(tx.Owner)).SetName(in.Name.V).SetType(in.Type.V).
		SetCurrency(string(in.Currency.V)).SetIsDefault(in.IsDefault).SetState(in.State()).SetZones(in.StoredZones()).
		SetCreatedAt(int64(tx.Now)).SetUpdatedAt(int64(tx.Now)).Save(ctx)
	return row, wrap.Err(err, "create shipping model")
}

// replaceShippingModel gives a model its new content. A model that does not change keeps its updated_at.
func (tx Change) replaceShippingModel(ctx context.Context, row *ent.ShippingModel,
	in *shipping.ModelInput,
) (*ent.ShippingModel, error) {
	zones := in.StoredZones()
	if row.Name == in.Name.V && row.Type == in.Type.V && row.Currency == string(in.Currency.V) && row.IsDefault == in.IsDefault &&
		row.State == in.State() && row.Zones == zones {
		return row, nil
	}
	if err := tx.makeWayForDefault(ctx, row.ID, in); err != nil {
		return nil, err
	}
	row, err := tx.ShippingModel.UpdateOne(row).SetName(in.Name.V).SetType(in.Type.V).SetCurrency(string(in.Currency.V)).
		SetIsDefault(in.IsDefault).SetState(in.State()).SetZones(zones).SetUpdatedAt(int64(tx.Now)).Save(ctx)
	return row, wrap.Err(err, "replace shipping model")
}

// makeWayForDefault makes another default model an ordinary one if this model becomes the default.
func (tx Change) makeWayForDefault(ctx context.Context, id int64, in *shipping.ModelInput) error {
	if !in.IsDefault {
		return nil
	}
	err := tx.ShippingModel.Update().Where(shippingmodel.Owner(int64(tx.Owner)), shippingmodel.IsDefault(true), shippingmodel.IDNEQ(id)).
		SetIsDefault(false).SetUpdatedAt(int64(tx.Now)).Exec(ctx)
	return wrap.Err(err, "change the default shipping model")
}

// takeShippingModelAway retires a model that is in use and removes an unused one.
func (tx Change) takeShippingModelAway(ctx context.Context, row *ent.ShippingModel, used bool) error {
	state := shipping.Removed
	if used {
		state = shipping.Retired
	}
	if row.State == state {
		return nil
	}
	err := tx.ShippingModel.UpdateOne(row).SetState(state).SetIsDefault(false).SetUpdatedAt(int64(tx.Now)).Exec(ctx)
	return wrap.Err(err, "take shipping model %d away", row.ID)
}

// modelUse is the use of a model, as found before its owner was locked.
type modelUse struct {
	inUse bool
	sales int64 // the last change of the owner's sales: all sales up to then were checked
}

// useOfShippingModel looks for a model's use outside a transaction: it reads all sales of the owner, which takes too long
// to keep the owner locked.
func (s *Accounts) useOfShippingModel(ctx context.Context, row *ent.ShippingModel) (use modelUse, err error) {
	reader := s.Store.Reader()
	last, err := reader.Sale.Query().Where(sale.Owner(row.Owner)).Order(ent.Desc(sale.FieldUpdatedAt)).First(ctx)
	if err != nil && !ent.IsNotFound(err) {
		return use, fmt.Errorf("find the last sale: %w", err)
	}
	if last != nil {
		use.sales = last.UpdatedAt
	}
	use.inUse, err = shippingModelInUse(ctx, reader, row, 0)
	return use, err
}

// shippingModelInUse looks again if there was no use, because the model may be in use since. A model that was in use either
// still is, or is retired without need, which does no harm.
func (tx Change) shippingModelInUse(ctx context.Context, row *ent.ShippingModel, use modelUse) (bool, error) {
	if use.inUse {
		return true, nil
	}
	return shippingModelInUse(ctx, tx.Client, row, use.sales)
}

// waits is the condition of the partial index that finds an owner's submissions which wait.
const waits = "status IN ('pending','processing')"

// shippingModelInUse says whether an item, a submission that waits or a sale that changed at since or later has a model. A submission
// that a program stored which does not note its model may have any.
func shippingModelInUse(ctx context.Context, client *ent.Client, row *ent.ShippingModel, since int64) (bool, error) {
	listed := client.Item.Query().Where(item.Owner(row.Owner), item.ShippingModelID(row.ID))
	sales := client.Sale.Query().Where(sale.Owner(row.Owner), sale.UpdatedAtGTE(since), sale.ShippingModelID(row.ID))
	submitted := client.Submission.Query().Where(submission.Owner(row.Owner), func(s *entsql.Selector) { s.Where(entsql.ExprP(waits)) },
		submission.Or(submission.ShippingModelID(row.ID), submission.ShippingModelIDIsNil()))
	for _, found := range []func(context.Context) (bool, error){listed.Exist, sales.Exist, submitted.Exist} {
		if used, err := found(ctx); used || err != nil {
			return used, err
		}
	}
	return false, nil
}
