package trade

import (
	"context"
	"database/sql"
	"fmt"

	"sellerd/ent"
	"sellerd/ent/bill"
	"sellerd/ent/shippingmodel"
	"sellerd/internal/base/wrap"
	"sellerd/v1/items"
	"sellerd/v1/numbering"
	"sellerd/v1/rows"
)

// This file makes sales, from purchases and from auctions, and adds them to bills.

// saleNumbers are numbers for sales and for the bills they may open, taken before a transaction. Unused numbers are lost.
type saleNumbers struct {
	sale, bill int64
	left       int
}

func (s *Market) saleNumbers(ctx context.Context, n int) (numbers saleNumbers, err error) {
	if n == 0 {
		return numbers, nil
	}
	numbers.left = n
	if numbers.sale, err = s.IDs.Numbers(ctx, numbering.Sales, n); err != nil {
		return numbers, err
	}
	numbers.bill, err = s.IDs.Numbers(ctx, numbering.Bills, n)
	return numbers, err
}

// next uses up one sale's numbers.
func (n *saleNumbers) next() (sale, bill int64) {
	sale, bill = n.sale, n.bill
	n.sale, n.bill, n.left = n.sale+1, n.bill+1, n.left-1
	return sale, bill
}

// sell makes a sale of an open item: the sale, its place on the buyer's bill, the item with the changes of the update, and
// the event. If the address is empty, that of the buyer's open bill is used, or the buyer's own.
func (tx Change) sell(ctx context.Context, row *ent.Item, update *ent.ItemUpdateOne, buyer *ent.Buyer, address string, quantity int,
	unitPrice int64,
	numbers *saleNumbers,
) (*SaleWithRating, error) {
	saleNumber, billNumber := numbers.next()
	model, err := tx.shippingModelOf(ctx, row)
	if err != nil {
		return nil, err
	}
	total := unitPrice * int64(quantity)
	onBill, err := tx.putOnBill(ctx, buyer, row.Currency, address, model, total, billNumber)
	if err != nil {
		return nil, err
	}
	create := tx.Sale.Create().SetID(saleNumber).SetOwner(int64(tx.Owner)).SetItemID(row.ID).SetBillID(onBill.ID).SetBuyerID(buyer.ID).
		SetItemTitle(row.Title).SetNillableItemReference(row.PersonalReference).SetItemCategoryID(row.CategoryID).SetItemSaleType(row.SaleType).
		SetCurrency(row.Currency).SetQuantity(quantity).SetUnitPrice(unitPrice).SetTotalPrice(total).
		SetNillableShippingModelID(model).SetShippingAddress(onBill.ShippingAddress).
		SetStatus(items.SaleActive).SetCancellationStatus(items.CancellationNone).
		SetSoldAt(int64(tx.Now)).SetCreatedAt(int64(tx.Now)).SetUpdatedAt(int64(tx.Now))
	if row.WeightGrams != nil {
		create.SetWeightGrams(*row.WeightGrams * int64(quantity))
	}
	sold, err := create.Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("store sale %d: %w", saleNumber, err)
	}
	tx.SaleMade(sold)
	update.SetQuantitySold(row.QuantitySold + quantity).SetSequence(row.Sequence + 1)
	saved := row
	if row.QuantitySold+quantity == row.Quantity {
		saved, err = tx.SetItemStatus(ctx, row, update.SetClosedAt(int64(tx.Now)), items.ItemSold)
	} else if saved, err = update.SetUpdatedAt(int64(tx.Now)).Save(ctx); err != nil {
		err = fmt.Errorf("sell item %d: %w", row.ID, err)
	}
	if err != nil {
		return nil, err
	}
	out := &SaleWithRating{Sale: tx.s.SaleFrom(sold, buyer, tx.Clock)}
	tx.Emit("item.sold", items.AboutItem(saved), &soldEvent{Item: tx.s.ItemFrom(saved), Sale: *out})
	return out, nil
}

// putOnBill adds a sale's price to the buyer's open bill, or opens one. Sales in another currency or to another address go
// to another bill: a bill has one payment and one address.
func (tx Change) putOnBill(ctx context.Context, buyer *ent.Buyer, currency, address string, model *int64, total,
	number int64,
) (*ent.Bill, error) {
	query := tx.Bill.Query().Where(bill.Owner(int64(tx.Owner)), bill.BuyerID(buyer.ID), bill.Status(items.BillToInvoice),
		bill.Currency(currency))
	if address != "" {
		query.Where(bill.ShippingAddress(address))
	}
	open, err := query.Order(ent.Desc(bill.FieldCreatedAt, bill.FieldID)).First(ctx)
	switch {
	case ent.IsNotFound(err):
		return tx.openBill(ctx, buyer, currency, address, model, total, number)
	case err != nil:
		return nil, fmt.Errorf("look for an open bill: %w", err)
	}
	update := tx.Bill.UpdateOneID(open.ID).SetSubtotal(open.Subtotal + total).SetUpdatedAt(int64(tx.Now))
	if model == nil || open.ShippingModelID == nil || *model != *open.ShippingModelID {
		update.ClearShippingModelID()
	}
	saved, err := update.Save(ctx)
	return saved, wrap.Err(err, "add to bill %d", open.ID)
}

func (tx Change) openBill(ctx context.Context, buyer *ent.Buyer, currency, address string, model *int64, total,
	number int64,
) (*ent.Bill, error) {
	if address == "" {
		address = addressOf(buyer)
	}
	place, err := tx.nextBillPlace(ctx)
	if err != nil {
		return nil, err
	}
	saved, err := tx.Bill.Create().SetID(number).SetOwner(int64(tx.Owner)).SetNumber(fmt.Sprintf("%d-%05d", tx.Now.Std().Year(), place)).
		SetStatus(items.BillToInvoice).SetCurrency(currency).SetBuyerID(buyer.ID).SetShippingAddress(address).SetSubtotal(total).
		SetNillableShippingModelID(model).SetPaymentStatus(PaymentPending).SetCreatedAt(int64(tx.Now)).SetUpdatedAt(int64(tx.Now)).Save(ctx)
	return saved, wrap.Err(err, "open bill %d", number)
}

// nextBillPlace counts the owner's bills, without gaps, as bookkeeping requires. It is by hand, because builders have no
// RETURNING.
func (tx Change) nextBillPlace(ctx context.Context) (place int64, err error) {
	const counted = `UPDATE owners SET bill_count = bill_count + 1 WHERE id = $1 RETURNING bill_count`
	err = rows.Query(ctx, tx.Client, counted, []any{int64(tx.Owner)}, func(r *sql.Rows) error { return r.Scan(&place) })
	return place, wrap.Err(err, "count bills")
}

// shippingModelOf is the model an item ships by: its own, else the seller's default one.
func (tx Change) shippingModelOf(ctx context.Context, row *ent.Item) (*int64, error) {
	if row.ShippingModelID != nil {
		return row.ShippingModelID, nil
	}
	ids, err := tx.ShippingModel.Query().Where(shippingmodel.Owner(int64(tx.Owner)), shippingmodel.IsDefault(true)).
		Order(ent.Asc(shippingmodel.FieldID)).Limit(1).IDs(ctx)
	if err != nil {
		return nil, fmt.Errorf("load default shipping model: %w", err)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return &ids[0], nil
}
