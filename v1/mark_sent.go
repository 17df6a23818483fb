package v1

import (
	"cmp"
	"context"
	"fmt"

	"sellerd/ent"
	"sellerd/v1/wire"
)

// MarkBillSentInput declares a bill sent.
type MarkBillSentInput struct {
	ID       ID       `path:"id" missing:"bill_not_found"`
	Shipment Shipment `body:"optional"`
}

// Shipment is the data of a shipment of a bill's sales.
type Shipment struct {
	SentAt    Opt[Time]       `json:"sent_at" validate:"omitnil" doc:"default now; not before the bill, at most 5 minutes ahead"`
	Trackings []TrackingInput `json:"trackings" validate:"max=20" least:"1" doc:"added to those the bill has; none are required"`
}

// markBillSent declares a paid bill sent and adds trackings to it: all of that or, if a tracking is wrong, nothing.
func (s *Service) markBillSent(ctx context.Context, c *Call, in *MarkBillSentInput) (*Bill, error) {
	shipment := &in.Shipment
	shipment.check(s, &c.Problems)
	if err := s.alsoCheck(ctx, c, in.ID, shipment.fits); err != nil {
		return nil, err
	}
	return change(ctx, s, c, 0, func(ctx context.Context, tx *Change) (*Bill, error) {
		row, err := tx.unchangedBill(ctx, c, in.ID)
		if err != nil {
			return nil, err
		}
		if row.Status != BillIsCancelled { // a cancelled bill has no sales that a tracking could name
			var problems Problems
			if err := cmp.Or(shipment.fits(ctx, tx.Client, row, &problems), problems.Err()); err != nil {
				return nil, err
			}
		}
		if err := billMustBe(row, BillToSend); err != nil {
			return nil, err
		}
		if len(shipment.Trackings) > 0 {
			if _, err := tx.addTrackings(ctx, row, shipment.entries()); err != nil {
				return nil, err
			}
		}
		update := tx.Bill.UpdateOneID(row.ID).SetSentAt(int64(shipment.SentAt.Or(tx.Now)))
		return c.tagBill(tx.moveBill(ctx, row, update, BillSent, ""))
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
func (in *Shipment) check(s *Service, problems *Problems) {
	wire.CheckRules(in, "", problems)
	checkNotAhead(in.SentAt, s.now(), "sent_at", problems)
	if in.Trackings != nil && len(in.Trackings) == 0 {
		problems.Add(TooShort, "trackings", "must have at least 1 entry; leave it out for none")
	}
	for _, e := range in.entries() {
		e.check(s, nil, e.prefix, problems)
	}
}

// fits adds the errors of values that do not fit the bill.
func (in *Shipment) fits(ctx context.Context, client *ent.Client, row *ent.Bill, problems *Problems) error {
	if in.SentAt.Set && int64(in.SentAt.V) < row.CreatedAt {
		problems.Add(OutOfRange, "sent_at", "must not be before the bill, which is of %s", Time(row.CreatedAt))
	}
	return checkSales(ctx, client, row, in.entries(), problems)
}
