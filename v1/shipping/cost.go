package shipping

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"sellerd/ent"
	"sellerd/ent/shippingmodel"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// Cost is the cost of shipping the active sales of a bill by the seller's shipping models, in minor units: the sales of one
// model ship at one rate for their total weight, and a bill with several models pays for each. Of the rates that a model has
// for the destination country and a weight, the cheapest counts. It is a refusal if the models give no cost, or one in
// another currency than the bill's.
func Cost(ctx context.Context, client *ent.Client, bill *ent.Bill, sales []*ent.Sale, country string) (int64, error) {
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
		model, err := client.ShippingModel.Query().Where(shippingmodel.ID(id), shippingmodel.Owner(bill.Owner)).Only(ctx)
		if err != nil {
			return 0, fmt.Errorf("load shipping model %d: %w", id, err)
		}
		zones, err := zonesOf(model)
		if err != nil {
			return 0, err
		}
		cost, err := p.cost(model, zones, country)
		if err != nil {
			return 0, err
		}
		if model.Currency != bill.Currency && cost > 0 {
			return 0, refusal.Newf(refusal.CurrencyMismatch, "shipping_cost", "The shipping model %s is in %s, the bill in %s: give the cost.",
				wire.ID(id), model.Currency, bill.Currency)
		}
		total += int64(cost)
	}
	return total, nil
}

// shipment is the sales that ship by one model.
type shipment struct {
	grams     int64
	unweighed bool // a sale has no weight
}

func (p *shipment) cost(model *ent.ShippingModel, zones []Zone, country string) (wire.CostAmount, error) {
	if model.Type == ByWeight && p.unweighed {
		return 0, refusal.Newf(refusal.WeightRequired, "shipping_cost",
			"The shipping model %s charges by weight, and an item has none: give the cost.", wire.ID(model.ID))
	}
	zone := slices.IndexFunc(zones, func(zone Zone) bool {
		return len(zone.Countries) == 0 || slices.Contains(zone.Countries, country)
	})
	if zone < 0 {
		return 0, costUnknown("The shipping model %s does not reach %s.", wire.ID(model.ID), country)
	}
	best, found := wire.CostAmount(0), false
	for _, rate := range zones[zone].Rates {
		if model.Type == ByWeight && (p.grams < int64(rate.From.V) || rate.To.Set && p.grams >= int64(rate.To.V)) {
			continue
		}
		if !found || rate.Price.Amount < best {
			best, found = rate.Price.Amount, true
		}
	}
	if !found {
		return 0, costUnknown("The shipping model %s has no rate for %d grams.", wire.ID(model.ID), p.grams)
	}
	return best, nil
}

// costUnknown is the error that asks the marketplace for a cost, because the models give none.
func costUnknown(why string, args ...any) error {
	return refusal.Newf(refusal.MissingField, "shipping_cost", why+" Give the cost.", args...)
}
