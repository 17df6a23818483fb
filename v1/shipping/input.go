package shipping

import (
	"fmt"
	"slices"

	"sellerd/ent"
	"sellerd/v1/reference"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// This file checks shipping models, from the operator API and from files.

// ModelInput is a whole shipping model as the operator writes it.
type ModelInput struct {
	Name      wire.Opt[string]        `json:"name" validate:"required,min=1,max=120,oneline,notblank"`
	Type      wire.Opt[string]        `json:"type" validate:"required,oneof=fixed weight free"`
	Currency  wire.Opt[wire.Currency] `json:"currency" validate:"omitnil" doc:"default: the account's"`
	IsDefault bool                    `json:"is_default" doc:"items without a model ship by it; the one that was the default until now no longer is"`
	Retired   bool                    `json:"retired" doc:"items that have it keep it, no other one can have it"`
	Zones     []ZoneInput             `json:"zones" validate:"max=100" least:"1"`
}

// ZoneInput is a set of destinations with the same rates.
type ZoneInput struct {
	Name      wire.Opt[string] `json:"name" validate:"required,min=1,max=120,oneline,notblank"`
	Countries []string         `json:"countries" validate:"max=300" doc:"ISO 3166-1 alpha-2; empty, in the last zone only: everywhere else"`
	Rates     []RateInput      `json:"rates" validate:"max=200" least:"1"`
}

// RateInput is what one delivery service costs. Of a model by weight, the rates of a service follow each other
// without a gap, from 0 grams on.
type RateInput struct {
	DeliveryServiceID wire.Opt[wire.ID] `json:"delivery_service_id" validate:"required"`
	From              wire.Opt[int]     `json:"from" validate:"omitnil,min=0,max=1000000" doc:"grams, inclusive; with type weight only"`
	To                wire.Opt[int]     `json:"to" validate:"omitnil,min=1,max=1000000" doc:"grams, exclusive; null is without limit"`
	Price             wire.Opt[Charge]  `json:"price" validate:"required" doc:"in the model's currency; 0.00 if and only if shipping is free"`
}

// Charge is an amount that may be 0.00.
type Charge struct {
	Amount   wire.Opt[wire.CostAmount] `json:"amount" validate:"required" doc:"decimal string, 0.00 to 999999.99" example:"4.50"`
	Currency wire.Currency             `json:"currency" validate:"required" doc:"ISO 4217 code" example:"EUR"`
}

// Check has the data for the check of a model, and collects the errors.
type Check struct {
	service  func(int64) (*reference.DeliveryService, bool)
	had      []int64 // services of the earlier model, which it may keep although they take no new parcels
	problems *refusal.Problems
}

// NewCheck is the check of a new model, or of the new content of the model before, if it is not nil. The check finds delivery
// services in data and adds its errors to problems. An error means that the stored zones of before cannot be read.
func NewCheck(data *reference.Data, before *ent.ShippingModel, problems *refusal.Problems) (*Check, error) {
	check := &Check{service: data.DeliveryService, problems: problems}
	if before == nil {
		return check, nil
	}
	zones, err := zonesOf(before)
	if err != nil {
		return nil, err
	}
	for _, zone := range zones {
		for _, rate := range zone.Rates {
			check.had = append(check.had, int64(rate.DeliveryServiceID))
		}
	}
	return check, nil
}

// Model adds the errors of a model, whose currency is given or defaulted. The prefix is the path of the model in the body,
// such as "[0].", or empty.
func (check *Check) Model(in *ModelInput, prefix string) {
	problems := check.problems
	wire.CheckRules(in, prefix, problems)
	if in.IsDefault && in.Retired {
		problems.Add(refusal.ConflictingFields, prefix+"is_default", "cannot be set with retired")
	}
	switch {
	case in.Zones == nil:
		problems.Add(refusal.MissingField, prefix+"zones", "is required")
	case len(in.Zones) == 0:
		problems.Add(refusal.TooShort, prefix+"zones", "must have at least 1 entry")
	}
	zoneOf := map[string]int{}
	for i := range in.Zones {
		zone, at := &in.Zones[i], fmt.Sprintf("%szones[%d].", prefix, i)
		wire.CheckRules(zone, at, problems)
		if len(zone.Countries) == 0 && i < len(in.Zones)-1 {
			problems.Add(refusal.TooShort, at+"countries", "must name a country: only the last zone can be everywhere else")
		}
		for k, country := range zone.Countries {
			field := fmt.Sprintf("%scountries[%d]", at, k)
			if !wire.IsCountry(country) {
				problems.Add(refusal.InvalidValue, field, "must be an ISO 3166-1 code such as FR")
			} else if other, taken := zoneOf[country]; taken {
				problems.Add(refusal.InvalidValue, field, "is in zones[%d] already", other)
			}
			zoneOf[country] = i
		}
		if len(zone.Rates) == 0 {
			problems.Add(refusal.TooShort, at+"rates", "must have at least 1 entry")
		}
		check.rates(in, zone.Rates, at)
	}
}

// endless marks a service whose last rate has no upper bound.
const endless = -1

func (check *Check) rates(in *ModelInput, rates []RateInput, prefix string) {
	next := map[wire.ID]int{} // where the next rate of a service has to begin
	for i := range rates {
		rate, at := &rates[i], fmt.Sprintf("%srates[%d].", prefix, i)
		wire.CheckRules(rate, at, check.problems)
		check.price(in, rate, at)
		id := rate.DeliveryServiceID
		if !id.Set {
			continue
		}
		service, known := check.service(int64(id.V))
		if !known || !service.Active && !slices.Contains(check.had, int64(id.V)) {
			check.problems.Add(refusal.UnknownDeliveryService, at+"delivery_service_id", "There is no delivery service %s that takes parcels.", id.V)
		}
		begin := next[id.V]
		switch {
		case begin == endless:
			check.problems.Add(refusal.InvalidValue, at+"delivery_service_id", "has a rate for any weight in this zone already")
		case in.Type.V == ByWeight:
			begin = check.weights(rate, begin, at)
		case in.Type.V == Fixed, in.Type.V == Free:
			begin = endless
			check.unweighed(rate, at)
		}
		next[id.V] = begin
	}
}

// weights checks that a rate begins where the one before ended, and returns where it ends.
func (check *Check) weights(rate *RateInput, begin int, at string) int {
	switch {
	case !rate.From.Set:
		check.problems.Add(refusal.MissingField, at+"from", "is required with type weight")
	case rate.From.V != begin:
		check.problems.Add(refusal.InvalidValue, at+"from", "must be %d: the rates of a service leave no gap", begin)
	}
	if rate.To.Set && rate.To.V <= rate.From.V {
		check.problems.Add(refusal.OutOfRange, at+"to", "must be more than from")
	}
	return rate.To.Or(endless)
}

// unweighed checks that a rate has no weights.
func (check *Check) unweighed(rate *RateInput, at string) {
	if rate.From.Set {
		check.problems.Add(refusal.ConflictingFields, at+"from", "goes with type weight only")
	}
	if rate.To.Set {
		check.problems.Add(refusal.ConflictingFields, at+"to", "goes with type weight only")
	}
}

// price checks that a rate is in the model's currency, and costs something unless shipping is free.
func (check *Check) price(in *ModelInput, rate *RateInput, at string) {
	price := rate.Price.V
	if in.Currency.V != "" && price.Currency != "" && price.Currency != in.Currency.V {
		check.problems.Add(refusal.CurrencyMismatch, at+"price.currency", "must be %s like the model's", string(in.Currency.V))
	}
	switch costs := price.Amount.V > 0; {
	case !price.Amount.Set:
	case in.Type.V == Free && costs:
		check.problems.Add(refusal.OutOfRange, at+"price.amount", "must be 0.00, since shipping is free")
	case (in.Type.V == Fixed || in.Type.V == ByWeight) && !costs:
		check.problems.Add(refusal.OutOfRange, at+"price.amount", "must be at least 0.01 unless type is free")
	}
}

// State is the state of a model after the input.
func (in *ModelInput) State() string {
	if in.Retired {
		return Retired
	}
	return Active
}

// StoredZones are the input's zones in their stored form.
func (in *ModelInput) StoredZones() string {
	zones := make([]Zone, len(in.Zones))
	for i, zone := range in.Zones {
		zones[i] = Zone{Name: zone.Name.V, Countries: zone.Countries}
		for _, rate := range zone.Rates {
			zones[i].Rates = append(zones[i].Rates, Rate{
				rate.DeliveryServiceID.V, rate.From, rate.To, Price{rate.Price.V.Amount.V, rate.Price.V.Currency},
			})
		}
	}
	return wire.RawOf(zones).Text
}
