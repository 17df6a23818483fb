package trade

import (
	"cmp"
	"context"
	"fmt"

	"sellerd/ent"
	"sellerd/ent/tracking"
	"sellerd/internal/base/wrap"
	"sellerd/v1/core"
	"sellerd/v1/etag"
	"sellerd/v1/items"
	"sellerd/v1/refusal"
	"sellerd/v1/rows"
	"sellerd/v1/shipping"
	"sellerd/v1/wire"
)

// MaxTrackings is how many trackings a bill may have.
const MaxTrackings = 100

// BrowseTrackingsInput asks for the trackings of a bill.
type BrowseTrackingsInput struct {
	ID    wire.ID          `path:"id" missing:"bill_not_found"`
	Limit wire.Opt[int]    `query:"limit" since:"1.3.0" min:"1" max:"200" default:"200"`
	After wire.Opt[string] `query:"after" since:"1.3.0" doc:"next_cursor of the page before"`
}

// browseTrackings lists a bill's trackings, of which there are few.
func (s *Market) browseTrackings(ctx context.Context, c *core.Call, in *BrowseTrackingsInput) (*rows.Page[shipping.Tracking], error) {
	row, err := loadBill(ctx, s.Reads.Reader(), c.Owner, in.ID)
	if err != nil {
		return nil, err
	}
	found, err := trackingsOn(ctx, s.Reads.Reader(), c.Owner, row.ID)
	if err != nil {
		return nil, err
	}
	all := make([]shipping.Tracking, len(found))
	for i, row := range found {
		if all[i], err = shipping.TrackingFrom(s.Reference, row); err != nil {
			return nil, err
		}
	}
	scope := rows.Scope("BrowseTrackings", int64(c.Owner), []byte(in.ID.String()))
	return rows.Cut(s.Cursors, scope, all, func(t *shipping.Tracking) int64 { return int64(t.ID) }, in.After, in.Limit.Or(items.MaxPageSize))
}

// getTracking reads one of the trackings of a bill.
func (s *Market) getTracking(ctx context.Context, c *core.Call, in *TrackingRef) (*shipping.Tracking, error) {
	row, err := loadTracking(ctx, s.Reads.Reader(), c.Owner, *in)
	if err != nil {
		return nil, err
	}
	return s.taggedTracking(c, row)
}

// AddTrackingInput adds a tracking to a bill.
type AddTrackingInput struct {
	ID       wire.ID                `path:"id" missing:"bill_not_found"`
	Tracking shipping.TrackingInput `body:"json"`
}

// addTracking adds a tracking in every state of a bill but cancelled: labels are often printed before the payment arrives,
// and numbers are often known only after the parcel was sent.
func (s *Market) addTracking(ctx context.Context, c *core.Call, in *AddTrackingInput) (*shipping.Tracking, error) {
	entries := []trackingEntry{{&in.Tracking, ""}}
	fits := func(ctx context.Context, client *ent.Client, row *ent.Bill, problems *refusal.Problems) error {
		return checkSales(ctx, client, row, entries, problems)
	}
	in.Tracking.Check(s.Reference, nil, s.Now(), "", &c.Problems)
	if err := s.alsoCheck(ctx, c, in.ID, fits); err != nil {
		return nil, err
	}
	return change(ctx, s, c, func(ctx context.Context, tx Change) (*shipping.Tracking, error) {
		onto, err := loadBill(ctx, tx.Client, tx.Owner, in.ID)
		if err != nil {
			return nil, err
		}
		if onto.Status == items.BillIsCancelled { // checked first, because it has no sales that the tracking could name
			return nil, refusal.New(refusal.BillCancelled)
		}
		var problems refusal.Problems
		if err := cmp.Or(fits(ctx, tx.Client, onto, &problems), problems.Err()); err != nil {
			return nil, err
		}
		rows, err := tx.addTrackings(ctx, onto, entries)
		if err != nil {
			return nil, err
		}
		c.Meta.Location = fmt.Sprintf("/v1/bills/%s/trackings/%s", in.ID, wire.TrackingID(rows[0].ID))
		return s.taggedTracking(c, rows[0])
	})
}

// addTrackings stores new trackings of a bill, all of them or none, and counts them. The caller has checked that they fit the
// bill.
func (tx Change) addTrackings(ctx context.Context, onto *ent.Bill, entries []trackingEntry) ([]*ent.Tracking, error) {
	if err := tx.numbersMustBeNew(ctx, onto.ID, 0, entries); err != nil {
		return nil, err
	}
	if onto.TrackingCount+len(entries) > MaxTrackings {
		return nil, refusal.With(refusal.TrackingLimitReached, map[string]any{"limit": MaxTrackings})
	}
	creates := make([]*ent.TrackingCreate, len(entries))
	for i, e := range entries {
		creates[i] = tx.Tracking.Create().SetID(tx.s.IDs.Ordered()).SetOwner(int64(tx.Owner)).SetBillID(onto.ID).
			SetCreatedAt(int64(tx.Now)).SetUpdatedAt(int64(tx.Now))
		e.Store(creates[i].Mutation())
	}
	rows, err := tx.Tracking.CreateBulk(creates...).Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("add trackings to bill %d: %w", onto.ID, err)
	}
	return rows, tx.countTrackings(ctx, onto.ID, len(rows))
}

// countTrackings updates a bill whose trackings have changed.
func (tx Change) countTrackings(ctx context.Context, bill int64, more int) error {
	err := tx.Bill.UpdateOneID(bill).AddTrackingCount(more).SetUpdatedAt(int64(tx.Now)).Exec(ctx)
	return wrap.Err(err, "count trackings of bill %d", bill)
}

// TrackingRef names a tracking in a path.
type TrackingRef struct {
	BillID wire.ID         `path:"id" missing:"bill_not_found"`
	ID     wire.TrackingID `path:"tracking_id" missing:"tracking_not_found"`
}

// loadTracking loads a tracking of one of the owner's bills.
func loadTracking(ctx context.Context, client *ent.Client, owner core.Owner, ref TrackingRef) (*ent.Tracking, error) {
	if _, err := loadBill(ctx, client, owner, ref.BillID); err != nil {
		return nil, err
	}
	row, err := client.Tracking.Query().
		Where(tracking.ID(int64(ref.ID)), tracking.Owner(int64(owner)), tracking.BillID(int64(ref.BillID))).Only(ctx)
	return row, core.NotLoaded(err, refusal.TrackingNotFound, "tracking", int64(ref.ID))
}

// unchangedTracking loads a tracking, and returns an error if it has changed since the caller read it.
func (tx Change) unchangedTracking(ctx context.Context, c *core.Call, ref TrackingRef) (*ent.Tracking, error) {
	row, err := loadTracking(ctx, tx.Client, tx.Owner, ref)
	if err != nil {
		return nil, err
	}
	shown, err := shipping.TrackingFrom(tx.s.Reference, row)
	if err != nil {
		return nil, err
	}
	return row, c.Precondition(etag.Of(wire.EncodeJSON(nil, &shown)))
}

// UpdateTrackingInput is a change of a tracking.
type UpdateTrackingInput struct {
	BillID wire.ID                            `path:"id" missing:"bill_not_found"`
	ID     wire.TrackingID                    `path:"tracking_id" missing:"tracking_not_found"`
	Patch  wire.Patch[shipping.TrackingInput] `body:"json"`
}

// updateTracking changes a tracking, whatever the state of its bill.
func (s *Market) updateTracking(ctx context.Context, c *core.Call, in *UpdateTrackingInput) (*shipping.Tracking, error) {
	if len(in.Patch.Fields) == 0 && c.Problems.Err() == nil {
		return nil, refusal.New(refusal.EmptyPatch)
	}
	ref := TrackingRef{in.BillID, in.ID}
	// The patched tracking is checked twice: here, so that all errors are reported together and without a transaction, and
	// in the transaction, because the tracking may have changed in between.
	row, err := loadTracking(ctx, s.Store.Reader(), c.Owner, ref)
	if err != nil {
		return nil, err
	}
	draft, err := s.patchedTracking(row, &in.Patch, &c.Problems)
	if err != nil {
		return nil, err
	}
	if in.Patch.Names("sale_ids") {
		err := s.alsoCheck(ctx, c, in.BillID, func(ctx context.Context, client *ent.Client, row *ent.Bill, problems *refusal.Problems) error {
			return checkSales(ctx, client, row, []trackingEntry{{draft, ""}}, problems)
		})
		if err != nil {
			return nil, err
		}
	}
	return change(ctx, s, c, func(ctx context.Context, tx Change) (*shipping.Tracking, error) {
		row, err := tx.unchangedTracking(ctx, c, ref)
		if err != nil {
			return nil, err
		}
		var problems refusal.Problems
		draft, err := s.patchedTracking(row, &in.Patch, &problems)
		if err := cmp.Or(err, problems.Err()); err != nil {
			return nil, err
		}
		return tx.patchTracking(ctx, c, row, draft, in.Patch.Names("sale_ids"))
	})
}

// patchTracking stores a patched tracking.
func (tx Change) patchTracking(ctx context.Context, c *core.Call, row *ent.Tracking, draft *shipping.TrackingInput,
	otherSales bool,
) (*shipping.Tracking, error) {
	entries := []trackingEntry{{draft, ""}}
	if otherSales {
		on, err := loadBill(ctx, tx.Client, tx.Owner, wire.ID(row.BillID))
		if err != nil {
			return nil, err
		}
		var problems refusal.Problems
		if err := cmp.Or(checkSales(ctx, tx.Client, on, entries, &problems), problems.Err()); err != nil {
			return nil, err
		}
	}
	if draft.DeliveryServiceID.V != wire.ID(row.DeliveryServiceID) || draft.Number.V != row.Number {
		if err := tx.numbersMustBeNew(ctx, row.BillID, row.ID, entries); err != nil {
			return nil, err
		}
	}
	update := tx.Tracking.UpdateOneID(row.ID).SetUpdatedAt(int64(tx.Now))
	draft.Store(update.Mutation())
	saved, err := update.Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("update tracking %d: %w", row.ID, err)
	}
	if err := tx.countTrackings(ctx, row.BillID, 0); err != nil {
		return nil, err
	}
	return tx.s.taggedTracking(c, saved)
}

// Deleted is the answer about a deleted object.
type Deleted[T any] struct {
	ID      T    `json:"id"`
	Deleted bool `json:"deleted" enum:"true"`
}

// removeTracking deletes a tracking, whatever the state of its bill.
func (s *Market) removeTracking(ctx context.Context, c *core.Call, in *TrackingRef) (*Deleted[wire.TrackingID], error) {
	return change(ctx, s, c, func(ctx context.Context, tx Change) (*Deleted[wire.TrackingID], error) {
		row, err := tx.unchangedTracking(ctx, c, *in)
		if err != nil {
			return nil, err
		}
		if err := tx.Tracking.DeleteOneID(row.ID).Exec(ctx); err != nil {
			return nil, fmt.Errorf("delete tracking %d: %w", row.ID, err)
		}
		return &Deleted[wire.TrackingID]{in.ID, true}, tx.countTrackings(ctx, row.BillID, -1)
	})
}

// taggedTracking shows a tracking with its entity tag.
func (s *Market) taggedTracking(c *core.Call, row *ent.Tracking) (*shipping.Tracking, error) {
	out, err := shipping.TrackingFrom(s.Reference, row)
	if err != nil {
		return nil, err
	}
	c.Meta.ETag = etag.Of(wire.EncodeJSON(nil, &out))
	return &out, nil
}
