package probe

import (
	"context"

	v1 "sellerd/v1"
	"sellerd/v1/core"
	"sellerd/v1/hooks"
	"sellerd/v1/items"
	"sellerd/v1/rows"
)

// deliveryListOf reads a query string as BrowseDeliveries does, which has one sort only.
func deliveryListOf(owner core.Owner, query string, gather int) (*rows.List, *hooks.BrowseDeliveriesInput, error) {
	in, err := readQuery[hooks.BrowseDeliveriesInput](query)
	if err != nil {
		return nil, nil, err
	}
	l := hooks.DeliveryList(owner, in)
	l.Gather = gather
	return l, in, nil
}

// BrowseDeliveriesBy is BrowseDeliveries with the plan in the test's hand, and without the bodies.
func BrowseDeliveriesBy(s *v1.Service, ctx context.Context, owner core.Owner, query string,
	gather int,
) (*rows.Page[hooks.Delivery], error) {
	l, in, err := deliveryListOf(owner, query, gather)
	if err != nil {
		return nil, err
	}
	return s.DeliveryPage(ctx, l, in.After, in.Limit.Or(items.DefaultPageSize))
}

// DeliveryStatements are the statements of BrowseDeliveries.
func DeliveryStatements(s *v1.Service, ctx context.Context, owner core.Owner, query string, gather int) (ListStatements, error) {
	l, _, err := deliveryListOf(owner, query, gather)
	if err != nil {
		return ListStatements{}, err
	}
	return statementsOf(s, ctx, l)
}
