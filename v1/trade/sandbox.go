package trade

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sellerd/v1/core"
	"sellerd/v1/items"
	"sellerd/v1/reference"
	"sellerd/v1/refusal"
	"sellerd/v1/sandbox"
	"sellerd/v1/shipping"
	"sellerd/v1/wire"
)

// With the simulation endpoints the owner of a test key acts as the marketplace: bid, buy, end, invoice, pay, cancel
// (docs/seller/sandbox-calls.md). They add defaults for what a body leaves out and call the marketplace's own methods, so all rules,
// errors and events are the real ones. Operation.Run rejects live keys.

// sandboxShipping is the cost of shipping if the seller's shipping models give none, in the bill's currency.
const sandboxShipping = wire.CostAmount(5_00)

// SimulatedBid is a bid on an auction.
type SimulatedBid struct {
	Buyer  wire.Opt[BuyerInput] `json:"buyer" validate:"omitnil" doc:"default: a made-up one, another for each bid"`
	Amount wire.Opt[wire.Money] `json:"amount" validate:"omitnil" doc:"default: the least that the next bid must be"`
}

// SimulatedBidInput is a simulated bid on an item.
type SimulatedBidInput struct {
	ID  wire.ID      `path:"id" missing:"item_not_found"`
	Bid SimulatedBid `body:"optional"`
}

// simulateBid bids on an auction of the caller. A default bid that another bid overtakes is computed again.
func (s *Market) simulateBid(ctx context.Context, c *core.Call, in *SimulatedBidInput) (*items.Item, error) {
	in.Bid.Buyer.V.dropEmpty()
	wire.CheckRules(&in.Bid, "", &c.Problems)
	if err := c.Problems.Err(); err != nil {
		return nil, err
	}
	for range items.PatchAttempts {
		row, err := s.ReadItem(ctx, c.Owner, in.ID)
		if err != nil {
			return nil, err
		}
		bid := Bid{Amount: wire.Some(in.Bid.Amount.Or(wire.Money{Amount: nextBid(row), Currency: wire.Currency(row.Currency)}))}
		if bid.Buyer, err = s.sandboxBuyer(ctx, c, in.Bid.Buyer, row.ID+int64(row.BidCount)); err != nil {
			return nil, err
		}
		out, err := s.placeBid(ctx, c, &BidInput{in.ID, bid})
		if in.Bid.Amount.Set || !refusedFor(err, "amount") || bid.Amount.V.Amount > wire.MaxAmount {
			return out, err
		}
	}
	return nil, refusal.Later(refusal.ServiceUnavailable, time.Second)
}

// SimulatedPurchase is a buyer's purchase of a fixed-price item.
type SimulatedPurchase struct {
	Buyer           wire.Opt[BuyerInput]   `json:"buyer" validate:"omitnil" doc:"default: a made-up one, the same for each purchase of the item"`
	ShippingAddress wire.Opt[AddressInput] `json:"shipping_address" validate:"omitnil" doc:"default: that of the buyer's open bill, else the buyer's"`
	Quantity        wire.Opt[int]          `json:"quantity" validate:"omitnil,min=1,max=50000" default:"1"`
}

// SimulatedPurchaseInput is a simulated purchase of an item.
type SimulatedPurchaseInput struct {
	ID       wire.ID           `path:"id" missing:"item_not_found"`
	Purchase SimulatedPurchase `body:"optional"`
}

// simulatePurchase buys pieces of a fixed-price item of the caller.
func (s *Market) simulatePurchase(ctx context.Context, c *core.Call, in *SimulatedPurchaseInput) (*SaleWithRating, error) {
	in.Purchase.Buyer.V.dropEmpty()
	in.Purchase.ShippingAddress.V.dropEmpty()
	wire.CheckRules(&in.Purchase, "", &c.Problems)
	if err := c.Problems.Err(); err != nil {
		return nil, err
	}
	buyer, err := s.sandboxBuyer(ctx, c, in.Purchase.Buyer, int64(in.ID))
	if err != nil {
		return nil, err
	}
	return s.purchase(ctx, c, &PurchaseInput{in.ID, Purchase{buyer, in.Purchase.ShippingAddress, in.Purchase.Quantity}})
}

// simulateInvoice invoices a bill of the caller. Where the marketplace would need the cost of shipping, a default is used,
// so that a first walk does not end at an item without a weight.
func (s *Market) simulateInvoice(ctx context.Context, c *core.Call, in *InvoiceInput) (*Bill, error) {
	out, err := s.invoiceBill(ctx, c, in)
	if c.Problems.Err() != nil || in.Invoice.ShippingCost.Set || !refusedFor(err, "shipping_cost") {
		return out, err
	}
	row, err := loadBill(ctx, s.Store.Reader(), c.Owner, in.ID)
	if err != nil {
		return nil, err
	}
	cost := shipping.Charge{Amount: wire.Some(sandboxShipping), Currency: wire.Currency(row.Currency)}
	return s.invoiceBill(ctx, c, &InvoiceInput{in.ID, Invoice{wire.Some(cost)}})
}

// SimulatedCancellation is a step in the cancellation of a sale.
type SimulatedCancellation struct {
	Decision wire.Opt[string] `json:"decision" validate:"omitnil,oneof=request accept refuse" default:"accept" doc:"accept cancels the sale at once"`
	Reason   wire.Opt[string] `json:"reason" validate:"omitnil,min=1,max=500,plaintext"`
}

// SimulatedCancellationInput is a simulated step in the cancellation of a sale.
type SimulatedCancellationInput struct {
	ID           wire.ID               `path:"id" missing:"sale_not_found"`
	Cancellation SimulatedCancellation `body:"optional"`
}

// simulateCancellation cancels a sale of the caller, or requests or refuses its cancellation.
func (s *Market) simulateCancellation(ctx context.Context, c *core.Call, in *SimulatedCancellationInput) (*SaleWithRating, error) {
	step := CancellationStep{wire.Some(in.Cancellation.Decision.Or("accept")), in.Cancellation.Reason}
	return s.decideCancellation(ctx, c, &CancellationInput{in.ID, step})
}

// refusedFor says whether an operation was rejected because of one field alone.
func refusedFor(err error, field string) bool {
	var known refusal.Errors
	return errors.As(err, &known) && len(known) == 1 && known[0].Field == field
}

// sandboxBuyer completes the buyer. Without a name it is the invented buyer whose turn it is; missing data of a new buyer
// are invented. The marketplace's methods check the name.
func (s *Market) sandboxBuyer(ctx context.Context, c *core.Call, named wire.Opt[BuyerInput], turn int64) (BuyerInput, error) {
	in := named.V
	switch {
	case !named.Set:
		in.Nickname = wire.Some(reference.SandboxBuyerAt(turn).Nickname)
	case !in.Nickname.Set || in.ID.Set:
		return in, nil
	}
	known, err := s.knowsBuyer(ctx, c.Owner, in.Nickname.V)
	if err != nil {
		return in, err
	}
	if !known {
		in.makeUp(turn)
	}
	return in, nil
}

// Sandbox is the state of an account's test data.
type Sandbox struct {
	Resetting bool                `json:"resetting" doc:"test data is being removed; until that is done, requests that would change anything in test mode are answered 503"`
	ResetAt   wire.Opt[wire.Time] `json:"reset_at" doc:"when the last reset was done; null before the first"`
}

// newRemover makes what removes test data.
func (s *Market) newRemover() *sandbox.Remover {
	return sandbox.New(sandbox.Config{Store: s.Store, Now: s.Now, AnswersBegin: core.AnswersBegin, AnswersLast: core.IdempotencyRetention})
}

// ResetOnce removes some of the test data of the accounts that are being reset, and returns how much that was.
func (s *Market) ResetOnce(ctx context.Context) (int, error) { return s.resets.Step(ctx) }

// resetSandbox has the caller's test data removed. While that goes on, nothing is added, so a second request asks for nothing
// more.
func (s *Market) resetSandbox(ctx context.Context, c *core.Call, _ *core.NoInput) (*Sandbox, error) {
	return core.DoAs(ctx, s.Core, c, core.Entry{Resets: true}, 0, func(ctx context.Context, tx *core.Change) (*Sandbox, error) {
		row, err := tx.Client.Owner.Get(ctx, int64(tx.Owner))
		if err != nil {
			return nil, fmt.Errorf("load owner: %w", err)
		}
		if row.ResettingSince == nil {
			if err := tx.Client.Owner.UpdateOneID(row.ID).SetResettingSince(int64(tx.Now)).Exec(ctx); err != nil {
				return nil, fmt.Errorf("begin to reset: %w", err)
			}
		}
		tx.Wake(core.SandboxWorker)
		return &Sandbox{Resetting: true, ResetAt: wire.MaybeTime(row.ResetAt)}, nil
	})
}

// SandboxOf is the state of an owner's sandbox. Live data has none.
func (s *Market) SandboxOf(ctx context.Context, owner core.Owner) (wire.Opt[Sandbox], error) {
	if !owner.Test() {
		return wire.Opt[Sandbox]{}, nil
	}
	row, err := s.Store.Reader().Owner.Get(ctx, int64(owner))
	if err != nil {
		return wire.Opt[Sandbox]{}, fmt.Errorf("load owner: %w", err)
	}
	return wire.Some(Sandbox{Resetting: row.ResettingSince != nil, ResetAt: wire.MaybeTime(row.ResetAt)}), nil
}
