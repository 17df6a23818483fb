package trade

import (
	"cmp"
	"context"
	"fmt"

	"sellerd/ent"
	"sellerd/ent/item"
	"sellerd/internal/base/wrap"
	"sellerd/v1/core"
	"sellerd/v1/items"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// This file has the marketplace's side of a cancellation.

// CancellationStep is a step in the cancellation of a sale.
type CancellationStep struct {
	Decision wire.Opt[string] `json:"decision" validate:"required,oneof=request accept refuse"`
	Reason   wire.Opt[string] `json:"reason" validate:"omitnil,min=1,max=500,plaintext"`
}

// cancellationSteps is the next state for each decision.
var cancellationSteps = map[string]string{
	"request": items.CancellationRequested, "accept": items.CancellationCancelled, "refuse": items.CancellationRefused,
}

// decideCancellation requests, accepts or refuses the cancellation of a sale. Accepting it returns the pieces to the item,
// opens the item again when none of it is sold any more, and cancels a bill without other sales.
func (s *Market) decideCancellation(ctx context.Context, c *core.Call, in *CancellationInput) (*SaleWithRating, error) {
	wire.CheckRules(&in.Cancellation, "", &c.Problems)
	return change(ctx, s, c, func(ctx context.Context, tx Change) (*SaleWithRating, error) {
		row, err := loadSale(ctx, tx.Client, tx.Owner, in.ID)
		if err != nil {
			return nil, err
		}
		if err := tx.saleUnchanged(ctx, c, in.ID); err != nil {
			return nil, err
		}
		onBill, err := loadBill(ctx, tx.Client, tx.Owner, wire.ID(row.BillID))
		if err != nil {
			return nil, err
		}
		to := cancellationSteps[in.Cancellation.Decision.V]
		if onBill.Status == items.BillSent && to != items.CancellationRefused {
			return nil, billMustBe(onBill, items.BillToSend)
		}
		if items.Allow(items.CancellationTransitions, row.CancellationStatus, to) != nil {
			return nil, refusal.Newf(refusal.InvalidValue, "decision", "The cancellation is %s and cannot become %s.", row.CancellationStatus, to).
				With(map[string]any{"status": row.CancellationStatus})
		}
		update := tx.Sale.UpdateOneID(row.ID).SetCancellationStatus(to).SetUpdatedAt(int64(tx.Now))
		if to == items.CancellationRequested {
			update.SetCancellationRequestedAt(int64(tx.Now)).ClearCancellationDecidedAt()
		} else {
			update.SetCancellationDecidedAt(int64(tx.Now))
		}
		switch {
		case in.Cancellation.Reason.Set:
			update.SetCancellationReason(in.Cancellation.Reason.V)
		case to == items.CancellationRequested:
			update.ClearCancellationReason() // the reason of an earlier request does not belong to this one
		}
		if to == items.CancellationCancelled {
			if err := items.Allow(items.SaleTransitions, row.Status, items.SaleCancelled); err != nil {
				return nil, fmt.Errorf("sale %d: %w", row.ID, err)
			}
			update.SetStatus(items.SaleCancelled).SetSequence(row.Sequence + 1)
		}
		saved, err := update.Save(ctx)
		if err != nil {
			return nil, fmt.Errorf("update sale %d: %w", row.ID, err)
		}
		if to == items.CancellationCancelled {
			if err := tx.undoSale(ctx, saved, onBill); err != nil {
				return nil, err
			}
		}
		out, err := tx.s.readSale(ctx, tx.Client, tx.Owner, in.ID)
		if err != nil {
			return nil, err
		}
		if to == items.CancellationCancelled {
			tx.Emit("sale.cancelled", core.Subject{Kind: "sale", Number: saved.ID, ID: wire.ID(saved.ID).String(), Sequence: saved.Sequence},
				&saleEvent{*out})
		}
		return out, nil
	})
}

// saleUnchanged rejects a change of a sale that has changed since the caller read it.
func (tx Change) saleUnchanged(ctx context.Context, c *core.Call, id wire.ID) error {
	if c.IfMatch == "" {
		return nil
	}
	whole, err := tx.s.readSale(ctx, tx.Client, tx.Owner, id)
	if err != nil {
		return err
	}
	tag, err := tagOf(c, whole)
	return cmp.Or(err, c.Precondition(tag))
}

// undoSale removes a cancelled sale from its bill and returns its pieces to the item.
func (tx Change) undoSale(ctx context.Context, sold *ent.Sale, onBill *ent.Bill) error {
	left, err := activeSales(ctx, tx.Client, onBill)
	if err != nil {
		return err
	}
	update := tx.Bill.UpdateOneID(onBill.ID).SetSubtotal(onBill.Subtotal - sold.TotalPrice).SetUpdatedAt(int64(tx.Now))
	if len(left) > 0 {
		update.ClearShippingModelID()
		if model := commonShippingModel(left); model != nil {
			update.SetShippingModelID(*model)
		}
		err = update.Exec(ctx)
	} else {
		update.SetCancelledAt(int64(tx.Now)).ClearShippingCost()
		if onBill.PaymentStatus == PaymentReceived {
			update.SetPaymentStatus(PaymentRefunded)
		}
		_, err = tx.moveBill(ctx, onBill, update, items.BillIsCancelled, "")
	}
	if err != nil {
		return fmt.Errorf("take sale %d off bill %d: %w", sold.ID, onBill.ID, err)
	}
	row, err := tx.Item.Query().Where(item.ID(sold.ItemID), item.Owner(sold.Owner)).Only(ctx)
	if err != nil {
		return fmt.Errorf("load item of sale %d: %w", sold.ID, err)
	}
	return tx.returnPieces(ctx, row, sold.Quantity)
}

// commonShippingModel is the shipping model of all given sales, nil if they have different ones.
func commonShippingModel(sales []*ent.Sale) *int64 {
	model := sales[0].ShippingModelID
	for _, sale := range sales[1:] {
		if model == nil || sale.ShippingModelID == nil || *sale.ShippingModelID != *model {
			return nil
		}
	}
	return model
}

// returnPieces makes pieces of an item available again. A sold item opens once all pieces are back, as if the seller had
// restarted it, for the rest of its run or for another run.
func (tx Change) returnPieces(ctx context.Context, row *ent.Item, quantity int) error {
	update := tx.Item.UpdateOneID(row.ID).SetQuantitySold(row.QuantitySold - quantity)
	if row.Status != items.ItemSold || row.QuantitySold > quantity {
		return wrap.Err(update.SetUpdatedAt(int64(tx.Now)).Exec(ctx), "return pieces of item %d", row.ID)
	}
	draft, err := items.InputOfItem(row)
	if err != nil {
		return err
	}
	if ends := wire.Time(row.EndsAt); ends <= tx.Clock {
		account, err := tx.Account.Get(ctx, tx.Owner.Account())
		if err != nil {
			return fmt.Errorf("load account: %w", err)
		}
		ends = draft.NextEnd(row, tx.Clock, account.TimeZone)
		update.SetRunStartedAt(int64(tx.Clock)).SetEndsAt(int64(ends)).SetDueAt(int64(ends))
	} else {
		update.SetDueAt(row.EndsAt)
	}
	update.SetBidCount(0).ClearFirstBidAt().ClearHighBidderID().SetCurrentPrice(int64(draft.Price.V.Amount + draft.StartingPrice.V.Amount)).
		ClearClosedAt().SetRestartCount(row.RestartCount + 1)
	if err := tx.Release(ctx, -1, 0); err != nil {
		return err
	}
	tx.Wake(core.CloserWorker)
	_, err = tx.MoveItem(ctx, row, update, items.Move{To: items.ItemOpen, Event: "item.restarted"})
	return err
}
