package trade

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"sellerd/ent"
	"sellerd/v1/core"
	"sellerd/v1/items"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// This file has the marketplace's side: bids, purchases and the ends of items. With invoicing.go, cancellation.go and
// operator.go it is the only way in for what buyers and the marketplace do; the operator API, the simulation endpoints and the
// demo use it. Each method is one transaction with its events, and acts for the call's owner.

// The times of auctions.
const (
	// lastMinutes is how close to its end an auction with last_minute_bidding moves its end at a bid, and how far: after a
	// bid in the last five minutes the other bidders have five minutes to answer.
	lastMinutes = 5 * time.Minute
)

// defaultIncrements are the minimum differences between bids in minor units, if the seller names none: each holds for
// prices below its bound.
var defaultIncrements = []struct{ below, increment wire.Amount }{
	{10_00, 10}, {50_00, 50}, {250_00, 1_00}, {1_000_00, 5_00}, {math.MaxInt64, 10_00},
}

// Bid is an offer on an auction.
type Bid struct {
	Buyer  BuyerInput           `json:"buyer" validate:"required"`
	Amount wire.Opt[wire.Money] `json:"amount" validate:"required"`
}

// placeBid makes a buyer's bid the highest.
func (s *Market) placeBid(ctx context.Context, c *core.Call, in *BidInput) (*items.Item, error) {
	bid := &in.Bid
	bid.Buyer.dropEmpty()
	wire.CheckRules(bid, "", &c.Problems)
	bid.Buyer.check(&c.Problems)
	if err := c.Problems.Err(); err != nil {
		return nil, err
	}
	number, err := s.buyerNumber(ctx, c.Owner, &bid.Buyer)
	if err != nil {
		return nil, err
	}
	return change(ctx, s, c, func(ctx context.Context, tx Change) (*items.Item, error) {
		row, err := tx.itemOnSale(ctx, c, in.ID, items.SaleTypeAuction)
		if err != nil {
			return nil, err
		}
		if bid.Amount.V.Currency != wire.Currency(row.Currency) {
			return nil, refusal.Newf(refusal.CurrencyMismatch, "amount.currency", "The item is sold in %s.", row.Currency)
		}
		least := nextBid(row)
		if least > wire.MaxAmount {
			return nil, refusal.Newf(refusal.OutOfRange, "amount", "No bid can be higher than the last one.")
		}
		if bid.Amount.V.Amount < least {
			return nil, refusal.Newf(refusal.OutOfRange, "amount", "must be at least %s", least).
				With(map[string]any{"minimum": least.String()})
		}
		buyer, err := tx.buyer(ctx, &bid.Buyer, number)
		if err != nil {
			return nil, err
		}
		return tx.bid(ctx, row, buyer, int64(bid.Amount.V.Amount))
	})
}

// nextBid is the smallest amount of the next bid.
func nextBid(row *ent.Item) wire.Amount {
	price := wire.Amount(row.CurrentPrice)
	if row.BidCount == 0 {
		return price
	}
	if row.BidIncrement != nil {
		return price + wire.Amount(*row.BidIncrement)
	}
	for _, step := range defaultIncrements {
		if price < step.below {
			return price + step.increment
		}
	}
	return price
}

func (tx Change) bid(ctx context.Context, row *ent.Item, buyer *ent.Buyer, amount int64) (*items.Item, error) {
	err := tx.Bid.Create().SetID(tx.s.IDs.Ordered()).SetOwner(int64(tx.Owner)).SetItemID(row.ID).SetRound(row.RestartCount).
		SetBuyerID(buyer.ID).SetAmount(amount).SetCreatedAt(int64(tx.Now)).Exec(ctx)
	if err != nil {
		return nil, fmt.Errorf("store bid: %w", err)
	}
	first := row.BidCount == 0
	update := tx.Item.UpdateOneID(row.ID).SetBidCount(row.BidCount + 1).SetCurrentPrice(amount).SetHighBidderID(buyer.ID).
		SetUpdatedAt(int64(tx.Now))
	if first {
		update.SetFirstBidAt(int64(tx.Now)).SetSequence(row.Sequence + 1)
	}
	if items.OptionsOf(row.Options).LastMinuteBidding && wire.Time(row.EndsAt).Sub(tx.Clock) < lastMinutes {
		ends := int64(tx.Clock.Add(lastMinutes))
		update.SetEndsAt(ends).SetDueAt(ends)
	}
	saved, err := update.Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("bid on item %d: %w", row.ID, err)
	}
	if first {
		tx.EmitItem("item.first_bid", saved, nil)
	}
	return new(tx.s.ItemFrom(saved)), nil
}

// itemOnSale loads an item that buyers can act on now: open, of the right type, and before its end, even if the closer has
// not processed it yet.
func (tx Change) itemOnSale(ctx context.Context, c *core.Call, id wire.ID, saleType string) (*ent.Item, error) {
	row, err := tx.LoadItem(ctx, c, id)
	if err != nil {
		return nil, err
	}
	details := map[string]any{"status": row.Status, "sale_type": row.SaleType, "ends_at": wire.Time(row.EndsAt).String()}
	switch {
	case row.Status != items.ItemOpen || wire.Time(row.EndsAt) <= tx.Clock:
		return nil, refusal.With(refusal.ItemNotOpen, details)
	case row.SaleType != saleType:
		return nil, refusal.Newf(refusal.ItemNotOpen, "", "Buyers bid on auctions, and buy items of a fixed price.").With(details)
	}
	return row, nil
}

// Purchase is a buyer's purchase of a fixed-price item.
type Purchase struct {
	Buyer           BuyerInput             `json:"buyer" validate:"required"`
	ShippingAddress wire.Opt[AddressInput] `json:"shipping_address" validate:"omitnil" doc:"default: that of the buyer's open bill, else the buyer's"`
	Quantity        wire.Opt[int]          `json:"quantity" validate:"omitnil,min=1,max=50000" doc:"default 1"`
}

// purchase sells some of a fixed-price item.
func (s *Market) purchase(ctx context.Context, c *core.Call, in *PurchaseInput) (*SaleWithRating, error) {
	purchase := &in.Purchase
	purchase.Buyer.dropEmpty()
	purchase.ShippingAddress.V.dropEmpty()
	wire.CheckRules(purchase, "", &c.Problems)
	purchase.Buyer.check(&c.Problems)
	if err := c.Problems.Err(); err != nil {
		return nil, err
	}
	number, err := s.buyerNumber(ctx, c.Owner, &purchase.Buyer)
	if err != nil {
		return nil, err
	}
	numbers, err := s.saleNumbers(ctx, 1)
	if err != nil {
		return nil, err
	}
	return change(ctx, s, c, func(ctx context.Context, tx Change) (*SaleWithRating, error) {
		numbers := numbers
		row, err := tx.itemOnSale(ctx, c, in.ID, items.SaleTypeFixedPrice)
		if err != nil {
			return nil, err
		}
		quantity, available := purchase.Quantity.Or(1), row.Quantity-row.QuantitySold
		if quantity > available {
			return nil, refusal.Newf(refusal.OutOfRange, "quantity", "must be at most %d, which is what is left", available).
				With(map[string]any{"quantity_available": available})
		}
		buyer, err := tx.buyer(ctx, &purchase.Buyer, number)
		if err != nil {
			return nil, err
		}
		address := ""
		if purchase.ShippingAddress.Set {
			address = wire.RawOf(purchase.ShippingAddress.V).Text
		}
		return tx.sell(ctx, row, tx.Item.UpdateOneID(row.ID), buyer, address, quantity, *row.Price, &numbers)
	})
}

// endItem ends an open item as if its end had come: an auction is won or ends unsold, and an item with renewals left is
// renewed.
func (s *Market) endItem(ctx context.Context, c *core.Call, in *items.ItemRef) (*items.Item, error) {
	numbers, err := s.saleNumbers(ctx, 1)
	if err != nil {
		return nil, err
	}
	var counter *atomic.Int64
	out, err := change(ctx, s, c, func(ctx context.Context, tx Change) (*items.Item, error) {
		numbers := numbers
		row, err := tx.LoadItem(ctx, c, in.ID)
		if err != nil {
			return nil, err
		}
		if row.Status != items.ItemOpen {
			return nil, refusal.With(refusal.ItemNotOpen, map[string]any{"status": row.Status})
		}
		if counter, err = tx.passDueDate(ctx, row, &numbers); err != nil {
			return nil, err
		}
		if row, err = tx.LoadItem(ctx, &core.Call{}, in.ID); err != nil {
			return nil, err
		}
		return new(tx.s.ItemFrom(row)), nil
	})
	if err == nil {
		counter.Add(1)
	}
	return out, err
}

// reserveMet says whether an auction's highest bid is enough to sell.
func reserveMet(row *ent.Item) bool {
	return row.BidCount > 0 && (row.ReservePrice == nil || row.CurrentPrice >= *row.ReservePrice)
}

// endAuction sells an auction to its highest bidder.
func (tx Change) endAuction(ctx context.Context, row *ent.Item, update *ent.ItemUpdateOne, numbers *saleNumbers) error {
	buyer, err := tx.Buyer.Get(ctx, *row.HighBidderID)
	if err != nil {
		return fmt.Errorf("load the winner of item %d: %w", row.ID, err)
	}
	_, err = tx.sell(ctx, row, update, buyer, "", 1, row.CurrentPrice, numbers)
	return err
}

// These are the inputs of the operator's side. The simulation endpoints share those whose bodies may be empty.

// BidInput is a bid on an item.
type BidInput struct {
	ID  wire.ID `path:"id" missing:"item_not_found"`
	Bid Bid     `body:"json"`
}

// PurchaseInput is a purchase of an item.
type PurchaseInput struct {
	ID       wire.ID  `path:"id" missing:"item_not_found"`
	Purchase Purchase `body:"json"`
}

// ItemMoveInput moves an item to another category.
type ItemMoveInput struct {
	ID   wire.ID      `path:"id" missing:"item_not_found"`
	Move CategoryMove `body:"json"`
}

// InvoiceInput is a bill's invoicing.
type InvoiceInput struct {
	ID      wire.ID `path:"id" missing:"bill_not_found"`
	Invoice Invoice `body:"optional"`
}

// BillPaymentInput is the payment of a bill.
type BillPaymentInput struct {
	ID      wire.ID      `path:"id" missing:"bill_not_found"`
	Payment PaymentInput `body:"optional"`
}

// CancellationInput is a step in the cancellation of a sale.
type CancellationInput struct {
	ID           wire.ID          `path:"id" missing:"sale_not_found"`
	Cancellation CancellationStep `body:"json"`
}
