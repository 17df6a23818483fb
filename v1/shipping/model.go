package shipping

import (
	"context"
	"fmt"

	"sellerd/ent"
	"sellerd/ent/shippingmodel"
	"sellerd/internal/base/wrap"
	"sellerd/v1/reference"
	"sellerd/v1/wire"
)

// The ways to charge for shipping.
const (
	Fixed    = "fixed"
	ByWeight = "weight"
	Free     = "free"
)

// Model is how a seller charges for shipping.
type Model struct {
	ID        wire.ID          `json:"id"`
	Name      string           `json:"name"`
	Type      string           `json:"type" enum:"fixed weight free"`
	Currency  wire.Currency    `json:"currency"`
	IsDefault bool             `json:"is_default"`
	Retired   bool             `json:"retired" since:"1.2.1" doc:"items, sales and bills keep it, and nothing new can have it"`
	Zones     wire.Raw[[]Zone] `json:"zones"`
	UpdatedAt wire.Time        `json:"updated_at"`
}

// The states of a shipping model. Rows of removed models stay, because sales may refer to them.
const (
	Active  = "active"
	Retired = "retired"
	Removed = "removed"
)

// From is the one conversion from the database to the API.
func From(row *ent.ShippingModel) Model {
	return Model{
		ID: wire.ID(row.ID), Name: row.Name, Type: row.Type, Currency: wire.Currency(row.Currency), IsDefault: row.IsDefault,
		Retired: row.State == Retired, Zones: wire.Raw[[]Zone]{Text: row.Zones}, UpdatedAt: wire.Time(row.UpdatedAt),
	}
}

// Zone is a set of destinations with the same rates.
type Zone struct {
	Name      string   `json:"name"`
	Countries []string `json:"countries" doc:"empty: everywhere else"`
	Rates     []Rate   `json:"rates"`
}

// Rate is what one delivery service costs.
type Rate struct {
	DeliveryServiceID wire.ID       `json:"delivery_service_id"`
	From              wire.Opt[int] `json:"from" doc:"grams, inclusive; null unless the model is by weight"`
	To                wire.Opt[int] `json:"to" doc:"grams, exclusive; null is without limit"`
	Price             Price         `json:"price" doc:"0.00 when shipping is free"`
}

// Price is a cost: an amount that may be 0.00.
type Price struct {
	Amount   wire.CostAmount `json:"amount" doc:"decimal string, 0.00 to 999999.99" example:"4.50"`
	Currency wire.Currency   `json:"currency" doc:"ISO 4217 code" example:"EUR"`
}

// zonesOf are the stored zones of a model.
func zonesOf(row *ent.ShippingModel) ([]Zone, error) {
	zones, err := wire.Raw[[]Zone]{Text: row.Zones}.Value()
	return zones, wrap.Err(err, "shipping model %d", row.ID)
}

// Of are an owner's models by id, retired ones too.
func Of(ctx context.Context, client *ent.Client, owner int64) ([]*ent.ShippingModel, error) {
	rows, err := client.ShippingModel.Query().Where(shippingmodel.Owner(owner), shippingmodel.StateNEQ(Removed)).
		Order(ent.Asc(shippingmodel.FieldID)).All(ctx)
	return rows, wrap.Err(err, "browse shipping models")
}

// CreateFirst gives a new account its first models. Their ids are first and those after it.
func CreateFirst(ctx context.Context, tx *ent.Client, owner int64, templates []reference.Model, first, now int64) error {
	creates := make([]*ent.ShippingModelCreate, len(templates))
	for i := range templates {
		template := &templates[i]
		zones, err := zonesFrom(template)
		if err != nil {
			return fmt.Errorf("shipping model %s: %w", template.Name, err)
		}
		creates[i] = tx.ShippingModel.Create().SetID(first + int64(i)).SetOwner(owner).SetName(template.Name).SetType(template.Type).
			SetCurrency(template.Currency).SetIsDefault(template.IsDefault).SetZones(wire.RawOf(zones).Text).SetCreatedAt(now).SetUpdatedAt(now)
	}
	return wrap.Err(tx.ShippingModel.CreateBulk(creates...).Exec(ctx), "create shipping models")
}

// zonesFrom are a template's zones as the API shows them.
func zonesFrom(template *reference.Model) ([]Zone, error) {
	zones := make([]Zone, len(template.Zones))
	for i, zone := range template.Zones {
		zones[i] = Zone{Name: zone.Name, Countries: zone.Countries}
		for _, rate := range zone.Rates {
			price := Price{Currency: wire.Currency(template.Currency)}
			if err := price.Amount.UnmarshalText([]byte(rate.Price)); err != nil {
				return nil, err
			}
			zones[i].Rates = append(zones[i].Rates, Rate{wire.ID(rate.DeliveryServiceID), wire.Maybe(rate.From), wire.Maybe(rate.To), price})
		}
	}
	return zones, nil
}
