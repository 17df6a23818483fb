package v1

import (
	"context"
	"fmt"

	"sellerd/ent"
	"sellerd/ent/shippingmodel"
	"sellerd/v1/reference"
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
