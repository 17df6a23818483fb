package v1

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"sellerd/ent"
	"sellerd/ent/shippingmodel"
	"sellerd/v1/reference"
	"sellerd/v1/refusal"
)

// This file lists shipping models, and gives new accounts their first ones.

// The ways to charge for shipping.
const (
	ShippingFixed    = "fixed"
	ShippingByWeight = "weight"
	ShippingFree     = "free"
)

// ShippingModel is how a seller charges for shipping.
type ShippingModel struct {
	ID        ID                  `json:"id"`
	Name      string              `json:"name"`
	Type      string              `json:"type" enum:"fixed weight free"`
	Currency  Currency            `json:"currency"`
	IsDefault bool                `json:"is_default"`
	Retired   bool                `json:"retired" since:"1.2.1" doc:"items, sales and bills keep it, and nothing new can have it"`
	Zones     Raw[[]ShippingZone] `json:"zones"`
	UpdatedAt Time                `json:"updated_at"`
}

// The states of a shipping model. Rows of removed models stay, because sales may refer to them.
const (
	shippingModelActive  = "active"
	shippingModelRetired = "retired"
	shippingModelRemoved = "removed"
)

// shippingModelFrom is the one conversion from the database to the API.
func shippingModelFrom(row *ent.ShippingModel) ShippingModel {
	return ShippingModel{
		ID: ID(row.ID), Name: row.Name, Type: row.Type, Currency: Currency(row.Currency), IsDefault: row.IsDefault,
		Retired: row.State == shippingModelRetired, Zones: Raw[[]ShippingZone]{Text: row.Zones}, UpdatedAt: Time(row.UpdatedAt),
	}
}

// ShippingZone is a set of destinations with the same rates.
type ShippingZone struct {
	Name      string         `json:"name"`
	Countries []string       `json:"countries" doc:"empty: everywhere else"`
	Rates     []ShippingRate `json:"rates"`
}

// ShippingRate is what one delivery service costs.
type ShippingRate struct {
	DeliveryServiceID ID       `json:"delivery_service_id"`
	From              Opt[int] `json:"from" doc:"grams, inclusive; null unless the model is by weight"`
	To                Opt[int] `json:"to" doc:"grams, exclusive; null is without limit"`
	Price             Price    `json:"price" doc:"0.00 when shipping is free"`
}

// browseShippingModels lists the caller's shipping models, of which there are few.
func (s *Service) browseShippingModels(ctx context.Context, c *Call, _ *NoInput) (*Page[ShippingModel], error) {
	rows, err := shippingModelsOf(ctx, s.store.Reader(), c.Owner)
	if err != nil {
		return nil, err
	}
	out := &Page[ShippingModel]{Results: make([]ShippingModel, len(rows))}
	for i, row := range rows {
		out.Results[i] = shippingModelFrom(row)
	}
	return out, nil
}

// shippingModelsOf are an owner's models by id, retired ones too.
func shippingModelsOf(ctx context.Context, client *ent.Client, owner Owner) ([]*ent.ShippingModel, error) {
	rows, err := client.ShippingModel.Query().Where(shippingmodel.Owner(int64(owner)), shippingmodel.StateNEQ(shippingModelRemoved)).
		Order(ent.Asc(shippingmodel.FieldID)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("browse shipping models: %w", err)
	}
	return rows, nil
}

// createShippingModels gives a new account its first models.
func createShippingModels(ctx context.Context, tx *ent.Client, owner Owner, templates []reference.Model, first, now int64) error {
	creates := make([]*ent.ShippingModelCreate, len(templates))
	for i := range templates {
		template := &templates[i]
		zones, err := shippingZonesFrom(template)
		if err != nil {
			return fmt.Errorf("shipping model %s: %w", template.Name, err)
		}
		creates[i] = tx.ShippingModel.Create().SetID(first + int64(i)).SetOwner(int64(owner)).SetName(template.Name).SetType(template.Type).
			SetCurrency(template.Currency).SetIsDefault(template.IsDefault).SetZones(RawOf(zones).Text).SetCreatedAt(now).SetUpdatedAt(now)
	}
	if err := tx.ShippingModel.CreateBulk(creates...).Exec(ctx); err != nil {
		return fmt.Errorf("create shipping models: %w", err)
	}
	return nil
}

// shippingZonesFrom are a template's zones as the API shows them.
func shippingZonesFrom(template *reference.Model) ([]ShippingZone, error) {
	zones := make([]ShippingZone, len(template.Zones))
	for i, zone := range template.Zones {
		zones[i] = ShippingZone{Name: zone.Name, Countries: zone.Countries}
		for _, rate := range zone.Rates {
			price := Price{Currency: Currency(template.Currency)}
			if err := price.Amount.UnmarshalText([]byte(rate.Price)); err != nil {
				return nil, err
			}
			zones[i].Rates = append(zones[i].Rates, ShippingRate{ID(rate.DeliveryServiceID), Maybe(rate.From), Maybe(rate.To), price})
		}
	}
	return zones, nil
}

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
