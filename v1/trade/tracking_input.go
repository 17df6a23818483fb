package trade

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sellerd/ent"
	"sellerd/ent/tracking"
	"sellerd/internal/base/each"
	"sellerd/v1/core"
	"sellerd/v1/items"
	"sellerd/v1/refusal"
	"sellerd/v1/shipping"
	"sellerd/v1/wire"
)

// patchedTracking is a tracking after a patch; its errors go to the problems.
func (s *Market) patchedTracking(row *ent.Tracking, patch *wire.Patch[shipping.TrackingInput],
	problems *refusal.Problems,
) (*shipping.TrackingInput, error) {
	sales, err := shipping.TrackedSales(row)
	if err != nil {
		return nil, err
	}
	draft := &shipping.TrackingInput{
		DeliveryServiceID: wire.Some(wire.ID(row.DeliveryServiceID)), Number: wire.Some(row.Number), SaleIDs: sales,
		ShippedAt: wire.MaybeTime(row.ShippedAt), Note: wire.MaybeText(row.Note),
	}
	patch.Apply(draft)
	draft.Check(s.Reference, row, s.Now(), "", problems)
	return draft, nil
}

// trackingEntry is a tracking's input with its place in the body: a prefix such as "trackings[1].".
type trackingEntry struct {
	*shipping.TrackingInput
	prefix string
}

// field is the path of the whole tracking, "" if it is the body.
func (e trackingEntry) field() string { return strings.TrimSuffix(e.prefix, ".") }

// fitsBill adds the errors of an input for a bill.
type fitsBill func(ctx context.Context, client *ent.Client, row *ent.Bill, problems *refusal.Problems) error

// alsoCheck adds to the problems of an invalid body those that depend on the bill. If the bill does not exist, it adds
// none; if the bill is cancelled, it adds only that.
func (s *Market) alsoCheck(ctx context.Context, c *core.Call, id wire.ID, fits fitsBill) error {
	if c.Problems.Err() == nil {
		return nil
	}
	row, err := loadBill(ctx, s.Store.Reader(), c.Owner, id)
	switch {
	case errors.As(err, new(refusal.Errors)), err == nil && row.Status == items.BillIsCancelled:
		return nil
	case err != nil:
		return err
	}
	return fits(ctx, s.Store.Reader(), row, &c.Problems)
}

// checkSales adds errors for sales that are not active sales of the bill.
func checkSales(ctx context.Context, client *ent.Client, on *ent.Bill, entries []trackingEntry, problems *refusal.Problems) error {
	if !slices.ContainsFunc(entries, func(e trackingEntry) bool { return len(e.SaleIDs) > 0 }) {
		return nil
	}
	rows, err := activeSales(ctx, client, on)
	if err != nil {
		return err
	}
	active := each.Keyed(rows, func(row *ent.Sale) (wire.ID, bool) { return wire.ID(row.ID), true })
	for _, e := range entries {
		for i, id := range e.SaleIDs {
			if !active[id] {
				problems.Add(refusal.SaleNotOnBill, fmt.Sprintf("%ssale_ids[%d]", e.prefix, i), "Sale %s is not an active sale on this bill.", id)
			}
		}
	}
	return nil
}

// numbersMustBeNew rejects trackings that are on the bill already, but for the one that is changed, or twice in the input. The owner's
// row is locked, so none can be added before the end of the transaction.
func (tx Change) numbersMustBeNew(ctx context.Context, bill, changed int64, entries []trackingEntry) error {
	type label struct {
		service wire.ID
		number  string
	}
	rows, err := tx.Tracking.Query().Where(tracking.BillID(bill), tracking.IDNEQ(changed)).All(ctx)
	if err != nil {
		return fmt.Errorf("look for equal trackings on bill %d: %w", bill, err)
	}
	known := make(map[label]map[string]any, len(rows))
	for _, row := range rows {
		number := row.Number
		if service, ok := tx.s.Reference.DeliveryService(row.DeliveryServiceID); ok {
			number = service.NormalNumber(number) // earlier releases took a hyphen where a service writes one
		}
		known[label{wire.ID(row.DeliveryServiceID), number}] = map[string]any{"tracking_id": wire.TrackingID(row.ID).String()}
	}
	var exist refusal.Errors
	for _, e := range entries {
		this := label{e.DeliveryServiceID.V, e.Number.V}
		details, twice := known[this]
		if twice {
			problem := refusal.Entry(refusal.TrackingExists, e.field(), "")
			problem.Details = details // no details if the body itself has it twice
			exist = append(exist, problem)
		}
		known[this] = details
	}
	if len(exist) > 0 {
		return exist
	}
	return nil
}
