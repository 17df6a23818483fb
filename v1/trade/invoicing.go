package trade

import (
	"cmp"
	"context"
	"fmt"

	"sellerd/ent"
	"sellerd/v1/core"
	"sellerd/v1/items"
	"sellerd/v1/refusal"
	"sellerd/v1/shipping"
	"sellerd/v1/wire"
)

// This file has the marketplace's side of bills: invoices and payments.

// Invoice closes a bill for further purchases and adds the cost of shipping.
type Invoice struct {
	ShippingCost wire.Opt[shipping.Charge] `json:"shipping_cost" validate:"omitnil" doc:"default: computed from the seller's shipping models and the weights"`
}

// invoiceBill invoices an open bill.
func (s *Market) invoiceBill(ctx context.Context, c *core.Call, in *InvoiceInput) (*Bill, error) {
	wire.CheckRules(&in.Invoice, "", &c.Problems)
	given := in.Invoice.ShippingCost
	return change(ctx, s, c, func(ctx context.Context, tx Change) (*Bill, error) {
		row, err := tx.billIn(ctx, c, in.ID, items.BillToInvoice)
		if err != nil {
			return nil, err
		}
		cost := int64(given.V.Amount.V)
		switch {
		case !given.Set:
			if cost, err = tx.shippingCost(ctx, row); err != nil {
				return nil, err
			}
		case string(given.V.Currency) != row.Currency:
			return nil, refusal.Newf(refusal.CurrencyMismatch, "shipping_cost.currency", "The bill is in %s.", row.Currency)
		}
		out, err := tx.moveBill(ctx, row, tx.Bill.UpdateOneID(row.ID).SetShippingCost(cost).SetInvoicedAt(int64(tx.Now)),
			items.BillAwaitingPayment, "")
		return tagBill(c, out, err)
	})
}

// PaymentInput is a received payment.
type PaymentInput struct {
	Method wire.Opt[string] `json:"method" validate:"omitnil,min=1,max=40,oneline" default:"bank_transfer"`
	Amount wire.Opt[Total]  `json:"amount" validate:"omitnil" doc:"must be the bill's total, which is the default"`
}

// Total is the total of a bill.
type Total struct {
	Amount   wire.Opt[wire.TotalAmount] `json:"amount" validate:"required" doc:"decimal string" example:"49.50"`
	Currency wire.Currency              `json:"currency" validate:"required" doc:"ISO 4217 code" example:"EUR"`
}

// receivePayment marks a bill as paid.
func (s *Market) receivePayment(ctx context.Context, c *core.Call, in *BillPaymentInput) (*Bill, error) {
	wire.CheckRules(&in.Payment, "", &c.Problems)
	return change(ctx, s, c, func(ctx context.Context, tx Change) (*Bill, error) {
		row, err := tx.billIn(ctx, c, in.ID, items.BillAwaitingPayment)
		if err != nil {
			return nil, err
		}
		total := wire.Amount(billTotal(row))
		switch paid := in.Payment.Amount; {
		case paid.Set && string(paid.V.Currency) != row.Currency:
			return nil, refusal.Newf(refusal.CurrencyMismatch, "amount.currency", "The bill is in %s.", row.Currency)
		case paid.Set && wire.Amount(paid.V.Amount.V) != total:
			return nil, refusal.Newf(refusal.InvalidValue, "amount", "must be the bill's total, %s", total).
				With(map[string]any{"total": total.String()})
		}
		update := tx.Bill.UpdateOneID(row.ID).SetPaymentStatus(PaymentReceived).SetPaymentMethod(in.Payment.Method.Or("bank_transfer")).
			SetPaymentAmount(int64(total)).SetPaidAt(int64(tx.Now))
		out, err := tx.moveBill(ctx, row, update, items.BillToSend, "payment.received")
		return tagBill(c, out, err)
	})
}

// billIn loads a bill that must be in a given state, else it returns the error for the bill's state.
func (tx Change) billIn(ctx context.Context, c *core.Call, id wire.ID, status string) (*ent.Bill, error) {
	row, err := tx.unchangedBill(ctx, c, id)
	if err != nil {
		return nil, err
	}
	return row, billMustBe(row, status)
}

// unchangedBill loads a bill, and returns an error if the bill has changed since the caller read it.
func (tx Change) unchangedBill(ctx context.Context, c *core.Call, id wire.ID) (*ent.Bill, error) {
	row, err := loadBill(ctx, tx.Client, tx.Owner, id)
	if err != nil || c.IfMatch == "" {
		return row, err
	}
	whole, err := tx.s.wholeBill(ctx, tx.Client, row)
	if err != nil {
		return nil, err
	}
	tag, err := tagOf(c, whole)
	return row, cmp.Or(err, c.Precondition(tag))
}

// billMustBe is an error if a bill is not in a given state.
func billMustBe(row *ent.Bill, status string) error {
	switch {
	case row.Status == status:
		return nil
	case row.Status == items.BillIsCancelled:
		return refusal.New(refusal.BillCancelled)
	case row.Status == items.BillSent:
		return refusal.With(refusal.BillAlreadySent, map[string]any{"sent_at": wire.Time(*row.SentAt).String()})
	case status == items.BillToSend:
		return refusal.With(refusal.BillNotPaid, map[string]any{"status": row.Status})
	default:
		return refusal.Newf(refusal.InvalidValue, "status", "The bill is %s, not %s.", row.Status, status).
			With(map[string]any{"status": row.Status, "required": status})
	}
}

// moveBill moves a bill to another state, with the other changes of the update, and emits the event.
func (tx Change) moveBill(ctx context.Context, row *ent.Bill, update *ent.BillUpdateOne, to, eventType string) (*Bill, error) {
	if err := items.Allow(items.BillTransitions, row.Status, to); err != nil {
		return nil, fmt.Errorf("bill %d: %w", row.ID, err)
	}
	if eventType != "" {
		update.SetSequence(row.Sequence + 1)
	}
	saved, err := update.SetStatus(to).SetUpdatedAt(int64(tx.Now)).Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("move bill %d to %s: %w", row.ID, to, err)
	}
	out, err := tx.s.wholeBill(ctx, tx.Client, saved)
	if err != nil {
		return nil, err
	}
	if eventType != "" {
		tx.Emit(eventType, core.Subject{Kind: "bill", Number: saved.ID, ID: wire.ID(saved.ID).String(), Sequence: saved.Sequence},
			&billEvent{Bill: *out})
	}
	return out, nil
}

// shippingCost is the cost of shipping a bill by the seller's shipping models, in minor units.
func (tx Change) shippingCost(ctx context.Context, row *ent.Bill) (int64, error) {
	sales, err := activeSales(ctx, tx.Client, row)
	if err != nil {
		return 0, err
	}
	address, err := wire.Raw[Address]{Text: row.ShippingAddress}.Value()
	if err != nil {
		return 0, fmt.Errorf("bill %d: %w", row.ID, err)
	}
	return shipping.Cost(ctx, tx.Client, row, sales, address.Country.V)
}
