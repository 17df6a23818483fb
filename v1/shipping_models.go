package v1

import (
	"context"
	"fmt"

	"sellerd/ent"
	"sellerd/v1/shipping"
)

// browseShippingModels lists the caller's shipping models, of which there are few.
func (s *Service) browseShippingModels(ctx context.Context, c *Call, _ *NoInput) (*Page[ShippingModel], error) {
	rows, err := shipping.Of(ctx, s.store.Reader(), int64(c.Owner))
	if err != nil {
		return nil, err
	}
	out := &Page[ShippingModel]{Results: make([]ShippingModel, len(rows))}
	for i, row := range rows {
		out.Results[i] = shipping.From(row)
	}
	return out, nil
}

// shippingCost is the cost of shipping a bill by the seller's shipping models, in minor units.
func (tx *Change) shippingCost(ctx context.Context, row *ent.Bill) (int64, error) {
	sales, err := activeSales(ctx, tx.Client, row)
	if err != nil {
		return 0, err
	}
	address, err := Raw[Address]{Text: row.ShippingAddress}.Value()
	if err != nil {
		return 0, fmt.Errorf("bill %d: %w", row.ID, err)
	}
	return shipping.Cost(ctx, tx.Client, row, sales, address.Country.V)
}
