package trade

import (
	"cmp"
	"context"
	"fmt"

	"sellerd/ent"
	"sellerd/ent/bill"
	"sellerd/ent/sale"
	"sellerd/ent/tracking"
	"sellerd/internal/base/wrap"
	"sellerd/v1/core"
	"sellerd/v1/items"
	"sellerd/v1/refusal"
	"sellerd/v1/shipping"
	"sellerd/v1/wire"
)

// Bill gathers one buyer's purchases: the seller's shipping worklist. Its states are in docs/seller/states.md, Bills.
type Bill struct {
	ID              wire.ID              `json:"id"`
	Number          string               `json:"number" doc:"the year and the bill's place among the account's"`
	Status          string               `json:"status" enum:"to_invoice awaiting_payment to_send sent cancelled"`
	Buyer           Buyer                `json:"buyer"`
	ShippingAddress wire.Raw[Address]    `json:"shipping_address"`
	Sales           []BilledSale         `json:"sales" doc:"without the cancelled ones"`
	Subtotal        wire.Money           `json:"subtotal" doc:"of the sales"`
	ShippingCost    wire.Opt[wire.Money] `json:"shipping_cost" doc:"null until invoiced"`
	Total           wire.Money           `json:"total"`
	ShippingModelID wire.Opt[wire.ID]    `json:"shipping_model_id" doc:"null when the sales differ in it"`
	Payment         Payment              `json:"payment"`
	Trackings       []shipping.Tracking  `json:"trackings"`
	CreatedAt       wire.Time            `json:"created_at"`
	PaidAt          wire.Opt[wire.Time]  `json:"paid_at"`
	SentAt          wire.Opt[wire.Time]  `json:"sent_at"`
	CancelledAt     wire.Opt[wire.Time]  `json:"cancelled_at"`
	UpdatedAt       wire.Time            `json:"updated_at"`
}

// ShownBuyer is the buyer whose data the bill has. See core.ShowsBuyer.
func (b *Bill) ShownBuyer() wire.ID { return b.Buyer.ID }

var _ core.ShowsBuyer = (*Bill)(nil)

// BilledSale is a sale on a bill.
type BilledSale struct {
	ID                wire.ID          `json:"id"`
	ItemID            wire.ID          `json:"item_id"`
	Title             string           `json:"title"`
	PersonalReference wire.Opt[string] `json:"personal_reference"`
	Quantity          int              `json:"quantity"`
	TotalPrice        wire.Money       `json:"total_price"`
}

// Payment is a bill's payment.
type Payment struct {
	Status     string               `json:"status" enum:"pending received refunded"`
	Method     wire.Opt[string]     `json:"method"`
	Amount     wire.Opt[wire.Money] `json:"amount"`
	ReceivedAt wire.Opt[wire.Time]  `json:"received_at"`
}

// The states of a payment.
const (
	PaymentPending  = "pending"
	PaymentReceived = "received"
	PaymentRefunded = "refunded"
)

// billFrom is the conversion of a bill's own row. fill adds the data of other tables.
func billFrom(row *ent.Bill, buyer *ent.Buyer) Bill {
	return Bill{
		ID: wire.ID(row.ID), Number: row.Number, Status: row.Status, Buyer: buyerFrom(buyer), ShippingAddress: wire.Raw[Address]{Text: row.ShippingAddress},
		Subtotal:        wire.Money{Amount: wire.Amount(row.Subtotal), Currency: wire.Currency(row.Currency)},
		ShippingCost:    wire.MaybeMoney(row.ShippingCost, row.Currency),
		Total:           wire.Money{Amount: wire.Amount(billTotal(row)), Currency: wire.Currency(row.Currency)},
		ShippingModelID: wire.MaybeID(row.ShippingModelID),
		Payment: Payment{
			row.PaymentStatus, wire.Maybe(row.PaymentMethod), wire.MaybeMoney(row.PaymentAmount, row.Currency),
			wire.MaybeTime(row.PaidAt),
		},
		CreatedAt: wire.Time(row.CreatedAt), PaidAt: wire.MaybeTime(row.PaidAt), SentAt: wire.MaybeTime(row.SentAt), CancelledAt: wire.MaybeTime(row.CancelledAt),
		UpdatedAt: wire.Time(row.UpdatedAt),
	}
}

// fill adds the sales and trackings of some of an owner's bills: two statements, however many bills there are.
func (s *Market) fill(ctx context.Context, client *ent.Client, owner core.Owner, bills []Bill) error {
	if len(bills) == 0 {
		return nil
	}
	ids := make([]int64, len(bills))
	byID := make(map[int64]*Bill, len(bills))
	for i := range bills {
		ids[i] = int64(bills[i].ID)
		byID[ids[i]] = &bills[i]
	}
	sales, err := salesOn(ctx, client, owner, ids...)
	if err != nil {
		return err
	}
	for _, row := range sales {
		out := byID[row.BillID]
		out.Sales = append(out.Sales, BilledSale{
			wire.ID(row.ID), wire.ID(row.ItemID), row.ItemTitle, wire.Maybe(row.ItemReference), row.Quantity,
			wire.Money{Amount: wire.Amount(row.TotalPrice), Currency: wire.Currency(row.Currency)},
		})
	}
	trackings, err := trackingsOn(ctx, client, owner, ids...)
	if err != nil {
		return err
	}
	for _, row := range trackings {
		shown, err := shipping.TrackingFrom(s.Reference, row)
		if err != nil {
			return err
		}
		out := byID[row.BillID]
		out.Trackings = append(out.Trackings, shown)
	}
	return nil
}

// billTotal is the amount that the buyer has to pay.
func billTotal(row *ent.Bill) int64 {
	if row.ShippingCost == nil {
		return row.Subtotal
	}
	return row.Subtotal + *row.ShippingCost
}

// BillRef names a bill in a path.
type BillRef struct {
	ID wire.ID `path:"id" missing:"bill_not_found"`
}

// getBill reads one of the caller's bills. All of it is read from one snapshot, so its sums match the sales it shows.
func (s *Market) getBill(ctx context.Context, c *core.Call, in *BillRef) (out *Bill, err error) {
	err = s.Reads.Snapshot(ctx, func(ctx context.Context, tx *ent.Client) error {
		row, err := loadBill(ctx, tx, c.Owner, in.ID)
		if err != nil {
			return err
		}
		out, err = s.wholeBill(ctx, tx, row)
		return err
	})
	return out, err
}

// loadBill loads one of the owner's bills.
func loadBill(ctx context.Context, client *ent.Client, owner core.Owner, id wire.ID) (*ent.Bill, error) {
	row, err := client.Bill.Query().Where(bill.ID(int64(id)), bill.Owner(int64(owner))).Only(ctx)
	return row, core.NotLoaded(err, refusal.BillNotFound, "bill", int64(id))
}

// wholeBill completes a bill's row with its buyer, sales and trackings, in a change or in a snapshot.
func (s *Market) wholeBill(ctx context.Context, client *ent.Client, row *ent.Bill) (*Bill, error) {
	buyer, err := client.Buyer.Get(ctx, row.BuyerID)
	if err != nil {
		return nil, fmt.Errorf("load buyer of bill %d: %w", row.ID, err)
	}
	out := []Bill{billFrom(row, buyer)}
	if err := s.fill(ctx, client, core.Owner(row.Owner), out); err != nil {
		return nil, err
	}
	return &out[0], nil
}

// tagBill gives an answer with a whole bill the entity tag of a read of the bill.
func tagBill(c *core.Call, out *Bill, err error) (*Bill, error) {
	if err == nil {
		c.Meta.ETag, err = tagOf(c, out)
	}
	return out, err
}

// activeSales loads a bill's sales without the cancelled ones.
func activeSales(ctx context.Context, client *ent.Client, row *ent.Bill) ([]*ent.Sale, error) {
	return salesOn(ctx, client, core.Owner(row.Owner), row.ID)
}

// salesOn loads the active sales of some bills, each bill's in the order they were made. With one order for all of them,
// PostgreSQL might read every sale of the owner.
func salesOn(ctx context.Context, client *ent.Client, owner core.Owner, bills ...int64) ([]*ent.Sale, error) {
	rows, err := client.Sale.Query().Where(sale.Owner(int64(owner)), sale.BillIDIn(bills...), sale.Status(items.SaleActive)).
		Order(ent.Asc(sale.FieldBillID, sale.FieldSoldAt, sale.FieldID)).All(ctx)
	return rows, wrap.Err(err, "load sales of bills")
}

// trackingsOn loads the trackings of some bills, each bill's in the order they were made.
func trackingsOn(ctx context.Context, client *ent.Client, owner core.Owner, bills ...int64) ([]*ent.Tracking, error) {
	rows, err := client.Tracking.Query().Where(tracking.Owner(int64(owner)), tracking.BillIDIn(bills...)).
		Order(ent.Asc(tracking.FieldBillID, tracking.FieldID)).All(ctx)
	return rows, wrap.Err(err, "load trackings of bills")
}

// MarkBillSentInput declares a bill sent.
type MarkBillSentInput struct {
	ID       wire.ID  `path:"id" missing:"bill_not_found"`
	Shipment Shipment `body:"optional"`
}

// Shipment is the data of a shipment of a bill's sales.
type Shipment struct {
	SentAt    wire.Opt[wire.Time]      `json:"sent_at" validate:"omitnil" doc:"default now; not before the bill, at most 5 minutes ahead"`
	Trackings []shipping.TrackingInput `json:"trackings" validate:"max=20" least:"1" doc:"added to those the bill has; none are required"`
}

// markBillSent declares a paid bill sent and adds trackings to it: all of that or, if a tracking is wrong, nothing.
func (s *Market) markBillSent(ctx context.Context, c *core.Call, in *MarkBillSentInput) (*Bill, error) {
	shipment := &in.Shipment
	shipment.check(s, &c.Problems)
	if err := s.alsoCheck(ctx, c, in.ID, shipment.fits); err != nil {
		return nil, err
	}
	return change(ctx, s, c, func(ctx context.Context, tx Change) (*Bill, error) {
		row, err := tx.unchangedBill(ctx, c, in.ID)
		if err != nil {
			return nil, err
		}
		if row.Status != items.BillIsCancelled { // a cancelled bill has no sales that a tracking could name
			var problems refusal.Problems
			if err := cmp.Or(shipment.fits(ctx, tx.Client, row, &problems), problems.Err()); err != nil {
				return nil, err
			}
		}
		if err := billMustBe(row, items.BillToSend); err != nil {
			return nil, err
		}
		if len(shipment.Trackings) > 0 {
			if _, err := tx.addTrackings(ctx, row, shipment.entries()); err != nil {
				return nil, err
			}
		}
		update := tx.Bill.UpdateOneID(row.ID).SetSentAt(int64(shipment.SentAt.Or(tx.Now)))
		out, err := tx.moveBill(ctx, row, update, items.BillSent, "")
		return tagBill(c, out, err)
	})
}

// entries are the trackings with their places in the body.
func (in *Shipment) entries() []trackingEntry {
	entries := make([]trackingEntry, len(in.Trackings))
	for i := range in.Trackings {
		entries[i] = trackingEntry{&in.Trackings[i], fmt.Sprintf("trackings[%d].", i)}
	}
	return entries
}

// check adds the errors of a shipment itself.
func (in *Shipment) check(s *Market, problems *refusal.Problems) {
	wire.CheckRules(in, "", problems)
	shipping.CheckNotAhead(in.SentAt, s.Now(), "sent_at", problems)
	if in.Trackings != nil && len(in.Trackings) == 0 {
		problems.Add(refusal.TooShort, "trackings", "must have at least 1 entry; leave it out for none")
	}
	for _, e := range in.entries() {
		e.Check(s.Reference, nil, s.Now(), e.prefix, problems)
	}
}

// fits adds the errors of values that do not fit the bill.
func (in *Shipment) fits(ctx context.Context, client *ent.Client, row *ent.Bill, problems *refusal.Problems) error {
	if in.SentAt.Set && int64(in.SentAt.V) < row.CreatedAt {
		problems.Add(refusal.OutOfRange, "sent_at", "must not be before the bill, which is of %s", wire.Time(row.CreatedAt))
	}
	return checkSales(ctx, client, row, in.entries(), problems)
}
