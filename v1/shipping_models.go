package v1

import (
	"context"
	"fmt"

	"sellerd/ent"
	"sellerd/v1/rows"
	"sellerd/v1/shipping"
)

// browseShippingModels lists the caller's shipping models, of which there are few.
func (s *Service) browseShippingModels(ctx context.Context, c *Call, in *ShortListInput) (*Page[ShippingModel], error) {
	found, err := shipping.Of(ctx, s.store.Reader(), int64(c.Owner))
	if err != nil {
		return nil, err
	}
	all := make([]ShippingModel, len(found))
	for i, row := range found {
		all[i] = shipping.From(row)
	}
	limit := in.Limit.Or(MaxPageSize)
	if c.Legacy { // has no pages // sunset
		limit = max(limit, len(all)) // sunset
	} // sunset
	scope := rows.Scope("BrowseShippingModels", int64(c.Owner))
	return rows.Cut(s.cursors, scope, all, func(m *ShippingModel) int64 { return int64(m.ID) }, in.After, limit)
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
