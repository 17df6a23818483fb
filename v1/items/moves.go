package items

import (
	"context"
	"fmt"
	"time"

	"sellerd/ent"
	"sellerd/v1/core"
	"sellerd/v1/itemset"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// This file moves items to other states for their sellers: it closes and restarts them.

// CloseItemInput ends an item early.
type CloseItemInput struct {
	ID     wire.ID `path:"id" missing:"item_not_found"`
	Reason Closing `body:"optional"`
}

// Closing is a seller's reason for closing an item.
type Closing struct {
	Reason wire.Opt[string] `json:"reason" validate:"omitnil,oneof=test lost_or_broken not_available incorrect sold_elsewhere other" default:"other"`
	Note   wire.Opt[string] `json:"note" validate:"omitnil,max=255,plaintext"`
}

// closeItem takes an item off sale at once. An auction with bids must run to its end.
func (s *Items) closeItem(ctx context.Context, c *core.Call, in *CloseItemInput) (*Item, error) {
	wire.CheckRules(&in.Reason, "", &c.Problems)
	return change(ctx, s, c, 0, func(ctx context.Context, tx Change) (*Item, error) {
		row, err := tx.LoadItem(ctx, c, in.ID)
		if err != nil {
			return nil, err
		}
		return tx.closeItem(ctx, c, row, &in.Reason)
	})
}

func (tx Change) closeItem(ctx context.Context, c *core.Call, row *ent.Item, why *Closing) (*Item, error) {
	if !itemIsListed(row.Status) {
		return nil, refusal.With(refusal.ItemNotOpen, map[string]any{"status": row.Status})
	}
	if row.BidCount > 0 {
		return nil, refusal.Newf(refusal.ItemHasBids, "", "The auction has bids, so it cannot be closed. It runs to its end.")
	}
	update := tx.Item.UpdateOneID(row.ID).SetCloseReason(why.Reason.Or("other")).SetNillableCloseNote(why.Note.Ptr()).
		SetClosedAt(int64(tx.Now))
	out, err := tx.MoveItem(ctx, row, update, Move{ItemClosed, "item.closed"})
	if err != nil {
		return nil, err
	}
	c.Meta.ETag = out.Etag()
	return out, nil
}

// RestartItemInput puts an ended item on sale again.
type RestartItemInput struct {
	ID      wire.ID `path:"id" missing:"item_not_found"`
	Restart Restart `body:"optional"`
}

// Restart has the fields that may differ from the item's earlier run.
type Restart struct {
	Price         wire.Opt[wire.Money] `json:"price" validate:"omitnil" doc:"fixed_price only; null is as before"`
	StartingPrice wire.Opt[wire.Money] `json:"starting_price" validate:"omitnil" doc:"auction only; null is as before"`
	DurationDays  wire.Opt[int]        `json:"duration_days" validate:"omitnil,oneof=7 10 14 21 28" doc:"from now on; null is as before, and after an ends_at the default of the sale type"`
	Renewals      wire.Opt[int]        `json:"renewals" validate:"omitnil,oneof=0 1 2 3 4 5 10 99" doc:"null is as before"`
}

// restartItem opens an unsold or closed item again under the same id, without bids, from now on. Sold pieces stay sold:
// only the rest is for sale.
func (s *Items) restartItem(ctx context.Context, c *core.Call, in *RestartItemInput) (*Item, error) {
	wire.CheckRules(&in.Restart, "", &c.Problems)
	return change(ctx, s, c, 1, func(ctx context.Context, tx Change) (*Item, error) {
		row, err := tx.LoadItem(ctx, c, in.ID)
		if err != nil {
			return nil, err
		}
		out, err := tx.restartItem(ctx, c, row, &in.Restart)
		if err != nil {
			return nil, err
		}
		c.Meta.Store = tx.StoreLimits(c)
		return out, nil
	})
}

// restartItem restarts an item for a unit that the change was charged.
func (tx Change) restartItem(ctx context.Context, c *core.Call, row *ent.Item, in *Restart) (*Item, error) {
	if row.Status != ItemUnsold && row.Status != ItemClosed {
		return nil, refusal.With(refusal.ItemNotRestartable, map[string]any{"status": row.Status})
	}
	if _, err := tx.Room(c, 1); err != nil {
		return nil, err
	}
	out, err := tx.restart(ctx, c, row, in)
	if err != nil {
		return nil, err
	}
	c.Meta.ETag = out.Etag()
	return out, nil
}

func (tx Change) restart(ctx context.Context, c *core.Call, row *ent.Item, in *Restart) (*Item, error) {
	draft, err := InputOfItem(row)
	if err != nil {
		return nil, err
	}
	draft.EndsAt = wire.Opt[wire.Time]{} // the old end has passed: the item runs its duration again
	var problems refusal.Problems
	if in.Price.Set {
		draft.Price = in.Price
	}
	if in.StartingPrice.Set {
		draft.StartingPrice = in.StartingPrice
	}
	if in.DurationDays.Set {
		draft.DurationDays = in.DurationDays
	}
	if in.Renewals.Set {
		draft.Renewals = in.Renewals
	}
	draft.checkSaleType("", &problems)
	draft.checkCurrency("", &problems)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	ends := int64(draft.endOf(tx.Clock, c.TimeZone))
	update := tx.Item.UpdateOneID(row.ID)
	setItem(update.Mutation(), &draft, false)
	if row.StartsAt != nil && *row.StartsAt > int64(tx.Clock) {
		update.ClearStartsAt() // it starts now
	}
	update.SetBidCount(0).ClearFirstBidAt().ClearHighBidderID().
		SetRunStartedAt(int64(tx.Clock)).SetEndsAt(ends).SetDueAt(ends).SetRenewalsLeft(draft.Renewals.Or(0)).
		ClearClosedAt().ClearCloseReason().ClearCloseNote().SetRestartCount(row.RestartCount + 1)
	tx.Wake(core.CloserWorker)
	return tx.MoveItem(ctx, row, update, Move{ItemOpen, "item.restarted"})
}

// Move is a move of an item to another state.
type Move struct {
	To    string
	Event string // the type of the event that says so; empty for none
}

// MoveItem moves an item to another state, with the other changes of the update, adjusts the store's counter and emits the
// event.
func (tx Change) MoveItem(ctx context.Context, row *ent.Item, update *ent.ItemUpdateOne, move Move) (*Item, error) {
	if move.Event != "" {
		update.SetSequence(row.Sequence + 1)
	}
	saved, err := tx.SetItemStatus(ctx, row, update, move.To)
	if err != nil {
		return nil, err
	}
	if move.Event != "" {
		tx.EmitItem(move.Event, saved, nil)
	}
	return new(tx.s.ItemFrom(saved)), nil
}

// SetItemStatus is MoveItem without the event, for callers that emit one themselves.
func (tx Change) SetItemStatus(ctx context.Context, row *ent.Item, update *ent.ItemUpdateOne, to string) (*ent.Item, error) {
	if err := Allow(ItemTransitions, row.Status, to); err != nil {
		return nil, fmt.Errorf("item %d: %w", row.ID, err)
	}
	if itemIsListed(row.Status) && !itemIsListed(to) {
		update.ClearDueAt()
		if err := tx.Release(ctx, 1, 0); err != nil {
			return nil, err
		}
	}
	saved, err := tx.saveItem(ctx, row, update.SetStatus(to))
	if err != nil {
		return nil, fmt.Errorf("move item %d to %s: %w", row.ID, to, err)
	}
	tx.ItemChanged(row, saved)
	return saved, nil
}

// saveItem stores what an update has set, and returns the row as it is then. In a call with many changes, the items are stored at its
// end.
func (tx Change) saveItem(ctx context.Context, row *ent.Item, update *ent.ItemUpdateOne) (*ent.Item, error) {
	if tx.Items != nil {
		return tx.Items.Apply(row.ID, update.SetUpdatedAt(int64(tx.instantFor(row))).Mutation())
	}
	return itemset.Save(ctx, tx.s.Store.Late(ctx), tx.Client, row, update.SetUpdatedAt(int64(tx.Now)))
}

// NextEnd is the end of the item's next run. A run to a date of the seller's choice is repeated with the same length, but
// at least a day.
func (in *ItemInput) NextEnd(row *ent.Item, start wire.Time, zone string) wire.Time {
	if row.DurationDays == nil {
		return start.Add(max(24*time.Hour, wire.Time(row.EndsAt).Sub(wire.Time(row.RunStartedAt))))
	}
	return in.endOf(start, zone)
}
