package v1

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sellerd/ent"
	"sellerd/ent/tracking"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// TrackingInput is a tracking as sellers write it: alone, in a patch, or while they mark a bill as sent.
type TrackingInput struct {
	DeliveryServiceID Opt[ID]     `json:"delivery_service_id" validate:"required" doc:"see GET /v1/delivery-services"`
	Number            Opt[string] `json:"number" validate:"required,min=1,max=64,oneline,notblank" doc:"must fit the service's number_pattern"`
	SaleIDs           []ID        `json:"sale_ids" validate:"max=500" least:"1" doc:"active sales on the bill; null: all of them"`
	ShippedAt         Opt[Time]   `json:"shipped_at" validate:"omitnil" doc:"at most 5 minutes ahead"`
	Note              Opt[string] `json:"note" validate:"omitnil,max=500,plaintext"`
}

// clockSkew is how far a caller's clock may be ahead of ours.
const clockSkew = 5 * time.Minute

// check adds the errors of a tracking itself. The service and number of an existing tracking were valid when they were
// given, so they are checked only when they change.
func (in *TrackingInput) check(s *Service, before *ent.Tracking, prefix string, problems *Problems) {
	wire.CheckRules(in, prefix, problems)
	if in.SaleIDs != nil && len(in.SaleIDs) == 0 {
		problems.Add(TooShort, prefix+"sale_ids", "must have at least 1 entry; leave it out for all sales")
	}
	checkNotAhead(in.ShippedAt, s.now(), prefix+"shipped_at", problems)

	newService := before == nil || int64(in.DeliveryServiceID.V) != before.DeliveryServiceID
	newNumber := before == nil || in.Number.V != before.Number
	if !in.DeliveryServiceID.Set || !newService && !newNumber {
		return
	}
	service, known := s.reference.DeliveryService(int64(in.DeliveryServiceID.V))
	switch {
	case !known:
		problems.Add(UnknownDeliveryService, prefix+"delivery_service_id", "There is no delivery service %s.", in.DeliveryServiceID.V)
	case newService && !service.Active:
		problems.Add(UnknownDeliveryService, prefix+"delivery_service_id", "%s takes no new parcels.", service.Name)
	case in.Number.Set && !service.AcceptsNumber(in.Number.V) && !problems.Has(prefix+"number"):
		misfit := refusal.Entry(InvalidTrackingNumber, prefix+"number", fmt.Sprintf("is not a number of %s", service.Name))
		misfit.Details = map[string]any{"number_pattern": service.NumberPattern}
		problems.AddError(misfit)
	}
}

// checkNotAhead adds an error for an instant in the future, allowing for clockSkew.
func checkNotAhead(at Opt[Time], now Time, field string, problems *Problems) {
	if at.Set && at.V > now.Add(clockSkew) {
		problems.Add(OutOfRange, field, "must not be more than 5 minutes ahead of %s", now)
	}
}

// patchedTracking is a tracking after a patch; its errors go to the problems.
func (s *Service) patchedTracking(row *ent.Tracking, patch *Patch[TrackingInput], problems *Problems) (*TrackingInput, error) {
	sales, err := trackedSales(row)
	if err != nil {
		return nil, err
	}
	draft := &TrackingInput{Some(ID(row.DeliveryServiceID)), Some(row.Number), sales, MaybeTime(row.ShippedAt), Maybe(row.Note)}
	patch.Apply(draft)
	draft.check(s, row, "", problems)
	return draft, nil
}

// setTracking puts an input into a row. Sales named twice count once.
func setTracking(m *ent.TrackingMutation, in *TrackingInput) {
	m.SetDeliveryServiceID(int64(in.DeliveryServiceID.V))
	m.SetNumber(in.Number.V)
	m.SetSaleIds("")
	if in.SaleIDs != nil {
		var once []ID
		for _, id := range in.SaleIDs {
			if !slices.Contains(once, id) {
				once = append(once, id)
			}
		}
		m.SetSaleIds(RawOf(once).Text)
	}
	if in.ShippedAt.Set {
		m.SetShippedAt(int64(in.ShippedAt.V))
	} else {
		m.ClearShippedAt()
	}
	if in.Note.Set {
		m.SetNote(in.Note.V)
	} else {
		m.ClearNote()
	}
}

// trackingEntry is a tracking's input with its place in the body: a prefix such as "trackings[1].".
type trackingEntry struct {
	*TrackingInput
	prefix string
}

// field is the path of the whole tracking, "" if it is the body.
func (e trackingEntry) field() string { return strings.TrimSuffix(e.prefix, ".") }

// fitsBill adds the errors of an input for a bill.
type fitsBill func(ctx context.Context, client *ent.Client, row *ent.Bill, problems *Problems) error

// alsoCheck adds to the problems of an invalid body those that depend on the bill. If the bill does not exist, it adds
// none; if the bill is cancelled, it adds only that.
func (s *Service) alsoCheck(ctx context.Context, c *Call, id ID, fits fitsBill) error {
	if c.Problems.Err() == nil {
		return nil
	}
	row, err := loadBill(ctx, s.store.Reader(), c.Owner, id)
	switch {
	case errors.As(err, new(Errors)), err == nil && row.Status == BillIsCancelled:
		return nil
	case err != nil:
		return err
	}
	return fits(ctx, s.store.Reader(), row, &c.Problems)
}

// checkSales adds errors for sales that are not active sales of the bill.
func checkSales(ctx context.Context, client *ent.Client, on *ent.Bill, entries []trackingEntry, problems *Problems) error {
	if !slices.ContainsFunc(entries, func(e trackingEntry) bool { return len(e.SaleIDs) > 0 }) {
		return nil
	}
	rows, err := activeSales(ctx, client, on)
	if err != nil {
		return err
	}
	active := make(map[ID]bool, len(rows))
	for _, row := range rows {
		active[ID(row.ID)] = true
	}
	for _, e := range entries {
		for i, id := range e.SaleIDs {
			if !active[id] {
				problems.Add(SaleNotOnBill, fmt.Sprintf("%ssale_ids[%d]", e.prefix, i), "Sale %s is not an active sale on this bill.", id)
			}
		}
	}
	return nil
}

// numbersMustBeNew rejects trackings that are on the bill already, or twice in the input. The owner's row is locked, so
// none can be added before the end of the transaction.
func (tx *Change) numbersMustBeNew(ctx context.Context, bill int64, entries []trackingEntry) error {
	type label struct {
		service ID
		number  string
	}
	numbers := make([]string, len(entries))
	for i, e := range entries {
		numbers[i] = e.Number.V
	}
	rows, err := tx.Tracking.Query().Where(tracking.BillID(bill), tracking.NumberIn(numbers...)).All(ctx)
	if err != nil {
		return fmt.Errorf("look for equal trackings on bill %d: %w", bill, err)
	}
	known := make(map[label]map[string]any, len(rows))
	for _, row := range rows {
		known[label{ID(row.DeliveryServiceID), row.Number}] = map[string]any{"tracking_id": TrackingID(row.ID).String()}
	}
	var exist Errors
	for _, e := range entries {
		this := label{e.DeliveryServiceID.V, e.Number.V}
		details, twice := known[this]
		if twice {
			problem := refusal.Entry(TrackingExists, e.field(), "")
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
