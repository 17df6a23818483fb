package v1

import (
	"context"
	"fmt"

	"sellerd/ent"
	"sellerd/ent/bill"
	"sellerd/ent/item"
	"sellerd/ent/sale"
	"sellerd/v1/refusal"
)

// This file is the operator's side of the marketplace. Calls name objects by number alone; the object determines the
// account and the mode. Items of a suspended seller are sold, and bills are paid, all the same.

// actFor completes the operator's call with the account that it acts for: the owner of the object, if it exists.
func (s *Service) actFor(ctx context.Context, c *Call, findOwner func(context.Context) (int, error), missing Code) error {
	owner, err := findOwner(ctx)
	if ent.IsNotFound(err) {
		return refusal.New(missing)
	}
	if err != nil {
		return fmt.Errorf("find an object's owner: %w", err)
	}
	return s.actAs(ctx, c, Owner(owner))
}

// actAs completes the operator's call with an account in a mode.
func (s *Service) actAs(ctx context.Context, c *Call, owner Owner) error {
	row, err := s.store.Reader().Account.Get(ctx, owner.Account())
	if err != nil {
		return fmt.Errorf("load account %d: %w", owner.Account(), err)
	}
	c.Owner, c.AccountID, c.Test, c.TimeZone, c.Currency = owner, row.ID, owner.Test(), row.TimeZone, Currency(row.Currency)
	c.limits = accountLimits{nullable(row.LimitRequestsPerMinute), nullable(row.LimitOpenItems), nullable(row.LimitNewItemsPerDay)}
	TraceFrom(ctx).Account = row.ID
	return nil
}

func (s *Service) actForItem(ctx context.Context, c *Call, id ID) error {
	owner := s.store.Reader().Item.Query().Where(item.ID(int64(id))).Select(item.FieldOwner)
	return s.actFor(ctx, c, owner.Int, ItemNotFound)
}

func (s *Service) actForBill(ctx context.Context, c *Call, id ID) error {
	owner := s.store.Reader().Bill.Query().Where(bill.ID(int64(id))).Select(bill.FieldOwner)
	return s.actFor(ctx, c, owner.Int, BillNotFound)
}

func (s *Service) actForSale(ctx context.Context, c *Call, id ID) error {
	owner := s.store.Reader().Sale.Query().Where(sale.ID(int64(id))).Select(sale.FieldOwner)
	return s.actFor(ctx, c, owner.Int, SaleNotFound)
}

func (s *Service) operatorBid(ctx context.Context, c *Call, in *BidInput) (*Item, error) {
	if err := s.actForItem(ctx, c, in.ID); err != nil {
		return nil, err
	}
	return s.placeBid(ctx, c, in.ID, &in.Bid)
}

func (s *Service) operatorPurchase(ctx context.Context, c *Call, in *PurchaseInput) (*SaleWithRating, error) {
	if err := s.actForItem(ctx, c, in.ID); err != nil {
		return nil, err
	}
	return s.purchase(ctx, c, in.ID, &in.Purchase)
}

func (s *Service) operatorEnd(ctx context.Context, c *Call, in *ItemRef) (*Item, error) {
	if err := s.actForItem(ctx, c, in.ID); err != nil {
		return nil, err
	}
	return s.endItem(ctx, c, in.ID)
}

func (s *Service) operatorMove(ctx context.Context, c *Call, in *ItemMoveInput) (*Item, error) {
	if err := s.actForItem(ctx, c, in.ID); err != nil {
		return nil, err
	}
	return s.moveToCategory(ctx, c, in.ID, &in.Move)
}

func (s *Service) operatorInvoice(ctx context.Context, c *Call, in *InvoiceInput) (*Bill, error) {
	if err := s.actForBill(ctx, c, in.ID); err != nil {
		return nil, err
	}
	return s.invoiceBill(ctx, c, in.ID, &in.Invoice)
}

func (s *Service) operatorPayment(ctx context.Context, c *Call, in *BillPaymentInput) (*Bill, error) {
	if err := s.actForBill(ctx, c, in.ID); err != nil {
		return nil, err
	}
	return s.receivePayment(ctx, c, in.ID, &in.Payment)
}

func (s *Service) operatorCancellation(ctx context.Context, c *Call, in *CancellationInput) (*SaleWithRating, error) {
	if err := s.actForSale(ctx, c, in.ID); err != nil {
		return nil, err
	}
	return s.decideCancellation(ctx, c, in.ID, &in.Cancellation)
}
