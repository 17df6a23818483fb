package shipping

import (
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"sellerd/ent"
	"sellerd/internal/base/wrap"
	"sellerd/v1/reference"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// This file has the form of trackings, in answers and as sellers write them, and the check against the delivery services.

// Tracking is a parcel's number with its delivery service.
type Tracking struct {
	ID                wire.TrackingID     `json:"id"`
	BillID            wire.ID             `json:"bill_id"`
	DeliveryServiceID wire.ID             `json:"delivery_service_id"`
	Number            string              `json:"number"`
	TrackingURL       wire.Opt[string]    `json:"tracking_url" doc:"null when the service has no tracking page"`
	SaleIDs           wire.Opt[[]wire.ID] `json:"sale_ids" doc:"null: all of the bill's sales"`
	ShippedAt         wire.Opt[wire.Time] `json:"shipped_at"`
	Note              wire.Opt[string]    `json:"note"`
	CreatedAt         wire.Time           `json:"created_at"`
	UpdatedAt         wire.Time           `json:"updated_at"`
}

// TrackingFrom is the one conversion from the database to the API. The delivery services, with their tracking pages, are in
// data. An error means that the stored sales cannot be read.
func TrackingFrom(data *reference.Data, row *ent.Tracking) (Tracking, error) {
	out := Tracking{
		ID: wire.TrackingID(row.ID), BillID: wire.ID(row.BillID), DeliveryServiceID: wire.ID(row.DeliveryServiceID), Number: row.Number,
		ShippedAt: wire.MaybeTime(row.ShippedAt), Note: wire.MaybeText(row.Note), CreatedAt: wire.Time(row.CreatedAt), UpdatedAt: wire.Time(row.UpdatedAt),
	}
	if service, ok := data.DeliveryService(row.DeliveryServiceID); ok {
		page := service.TrackingURL(row.Number)
		out.TrackingURL = wire.Opt[string]{V: page, Set: page != ""}
	}
	ids, err := TrackedSales(row)
	out.SaleIDs = wire.Opt[[]wire.ID]{V: ids, Set: ids != nil}
	return out, err
}

// TrackedSales are the sales in a parcel, nil for all of the bill's.
func TrackedSales(row *ent.Tracking) ([]wire.ID, error) {
	ids, err := wire.Raw[[]wire.ID]{Text: row.SaleIds}.Value()
	return ids, wrap.Err(err, "sales of tracking %d", row.ID)
}

// TrackingInput is a tracking as sellers write it: alone, in a patch, or while they mark a bill as sent.
type TrackingInput struct {
	DeliveryServiceID wire.Opt[wire.ID]   `json:"delivery_service_id" validate:"required" doc:"see GET /v1/delivery-services"`
	Number            wire.Opt[string]    `json:"number" validate:"required,min=1,max=64,oneline,notblank" doc:"as it stands on the label; if the service has a number_pattern, blanks, hyphens and dots are dropped, letters made capitals, and it must fit the pattern"`
	SaleIDs           []wire.ID           `json:"sale_ids" validate:"max=500" least:"1" doc:"active sales on the bill; null: all of them"`
	ShippedAt         wire.Opt[wire.Time] `json:"shipped_at" validate:"omitnil" doc:"at most 5 minutes ahead"`
	Note              wire.Opt[string]    `json:"note" validate:"omitnil,max=500,plaintext"`
}

// clockSkew is how far a caller's clock may be ahead of ours.
const clockSkew = 5 * time.Minute

// Check adds the errors of a tracking itself. The service and number of an existing tracking were valid when they were
// given, so they are checked only when they change; before is nil for a new tracking. The prefix is the path of the tracking
// in the body, such as "trackings[1].", or empty. What is checked is the number as its service writes it, and the input has it then.
func (in *TrackingInput) Check(data *reference.Data, before *ent.Tracking, now wire.Time, prefix string, problems *refusal.Problems) {
	in.normalize(data, before)
	wire.CheckRules(in, prefix, problems)
	if in.SaleIDs != nil && len(in.SaleIDs) == 0 {
		problems.Add(refusal.TooShort, prefix+"sale_ids", "must have at least 1 entry; leave it out for all sales")
	}
	CheckNotAhead(in.ShippedAt, now, prefix+"shipped_at", problems)

	newService, newNumber := in.differs(before)
	if !in.DeliveryServiceID.Set || !newService && !newNumber {
		return
	}
	service, known := data.DeliveryService(int64(in.DeliveryServiceID.V))
	switch {
	case !known:
		problems.Add(refusal.UnknownDeliveryService, prefix+"delivery_service_id", "There is no delivery service %s.", in.DeliveryServiceID.V)
	case newService && !service.Active:
		problems.Add(refusal.UnknownDeliveryService, prefix+"delivery_service_id", "%s takes no new parcels.", service.Name)
	case in.Number.Set && !service.AcceptsNumber(in.Number.V) && !problems.Has(prefix+"number"):
		misfit := refusal.Entry(refusal.InvalidTrackingNumber, prefix+"number", "must have visible characters and blanks only")
		if service.NumberPattern != "" {
			misfit.Message = fmt.Sprintf("is not a number of %s", service.Name)
			misfit.Details = map[string]any{"number_pattern": service.NumberPattern}
		}
		problems.AddError(misfit)
	}
}

// differs says whether an input has another service or number than the tracking had.
func (in *TrackingInput) differs(before *ent.Tracking) (service, number bool) {
	if before == nil {
		return true, true
	}
	return int64(in.DeliveryServiceID.V) != before.DeliveryServiceID, in.Number.V != before.Number
}

// normalize writes a new number as its service does. A number that is too long stays, so that the caller learns it.
func (in *TrackingInput) normalize(data *reference.Data, before *ent.Tracking) {
	service, known := data.DeliveryService(int64(in.DeliveryServiceID.V))
	if otherService, otherNumber := in.differs(before); !known || !otherService && !otherNumber || utf8.RuneCountInString(in.Number.V) > 64 {
		return
	}
	in.Number.V = service.NormalNumber(in.Number.V)
}

// CheckNotAhead adds an error for an instant more than 5 minutes after now: a caller's clock may be ahead of ours.
func CheckNotAhead(at wire.Opt[wire.Time], now wire.Time, field string, problems *refusal.Problems) {
	if at.Set && at.V > now.Add(clockSkew) {
		problems.Add(refusal.OutOfRange, field, "must not be more than 5 minutes ahead of %s", now)
	}
}

// Store puts an input into a row. Sales named twice count once.
func (in *TrackingInput) Store(m *ent.TrackingMutation) {
	m.SetDeliveryServiceID(int64(in.DeliveryServiceID.V))
	m.SetNumber(in.Number.V)
	m.SetSaleIds("")
	if in.SaleIDs != nil {
		var once []wire.ID
		for _, id := range in.SaleIDs {
			if !slices.Contains(once, id) {
				once = append(once, id)
			}
		}
		m.SetSaleIds(wire.RawOf(once).Text)
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
