package v1

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"sellerd/ent"
	"sellerd/ent/shippingmodel"
	"sellerd/v1/refusal"
)

// shippingCost is the cost of shipping a bill by the seller's shipping models, in minor units: the sales of one model ship
// at one rate for their total weight, and a bill with several models pays for each. Of the rates that a model has for a
// destination and a weight, the cheapest counts.
func (tx *Change) shippingCost(ctx context.Context, row *ent.Bill) (int64, error) {
	sales, err := activeSales(ctx, tx.Client, row)
	if err != nil {
		return 0, err
	}
	address, err := Raw[Address]{Text: row.ShippingAddress}.Value()
	if err != nil {
		return 0, fmt.Errorf("bill %d: %w", row.ID, err)
	}
	shipments := map[int64]*shipment{}
	for _, sale := range sales {
		if sale.ShippingModelID == nil {
			return 0, costUnknown("A sale has no shipping model.")
		}
		p := shipments[*sale.ShippingModelID]
		if p == nil {
			p = &shipment{}
			shipments[*sale.ShippingModelID] = p
		}
		if sale.WeightGrams == nil {
			p.unweighed = true
		} else {
			p.grams += *sale.WeightGrams
		}
	}
	total := int64(0)
	for _, id := range slices.Sorted(maps.Keys(shipments)) { // in order, so that a bill with two errors always returns the same one
		p := shipments[id]
		model, err := tx.ShippingModel.Query().Where(shippingmodel.ID(id), shippingmodel.Owner(row.Owner)).Only(ctx)
		if err != nil {
			return 0, fmt.Errorf("load shipping model %d: %w", id, err)
		}
		zones, err := Raw[[]ShippingZone]{Text: model.Zones}.Value()
		if err != nil {
			return 0, fmt.Errorf("shipping model %d: %w", id, err)
		}
		cost, err := p.cost(model, zones, address.Country.V)
		if err != nil {
			return 0, err
		}
		if model.Currency != row.Currency && cost > 0 {
			return 0, refusal.Newf(CurrencyMismatch, "shipping_cost", "The shipping model %s is in %s, the bill in %s: give the cost.", ID(id), model.Currency, row.Currency)
		}
		total += int64(cost)
	}
	return total, nil
}

// Price is a cost: an amount that may be 0.00.
type Price struct {
	Amount   CostAmount `json:"amount" doc:"decimal string, 0.00 to 999999.99" example:"4.50"`
	Currency Currency   `json:"currency" doc:"ISO 4217 code" example:"EUR"`
}

// shipment is the sales that ship by one model.
type shipment struct {
	grams     int64
	unweighed bool // a sale has no weight
}

func (p *shipment) cost(model *ent.ShippingModel, zones []ShippingZone, country string) (CostAmount, error) {
	if model.Type == ShippingByWeight && p.unweighed {
		return 0, refusal.Newf(WeightRequired, "shipping_cost", "The shipping model %s charges by weight, and an item has none: give the cost.", ID(model.ID))
	}
	zone := slices.IndexFunc(zones, func(zone ShippingZone) bool {
		return len(zone.Countries) == 0 || slices.Contains(zone.Countries, country)
	})
	if zone < 0 {
		return 0, costUnknown("The shipping model %s does not reach %s.", ID(model.ID), country)
	}
	best, found := CostAmount(0), false
	for _, rate := range zones[zone].Rates {
		if model.Type == ShippingByWeight && (p.grams < int64(rate.From.V) || rate.To.Set && p.grams >= int64(rate.To.V)) {
			continue
		}
		if !found || rate.Price.Amount < best {
			best, found = rate.Price.Amount, true
		}
	}
	if !found {
		return 0, costUnknown("The shipping model %s has no rate for %d grams.", ID(model.ID), p.grams)
	}
	return best, nil
}

// costUnknown is the error that asks the marketplace for a cost, because the models give none.
func costUnknown(why string, args ...any) error {
	return refusal.Newf(MissingField, "shipping_cost", why+" Give the cost.", args...)
}
