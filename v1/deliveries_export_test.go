package v1

import (
	"context"
	"sellerd/v1/rows"
)

// deliveryListOf reads a query string as BrowseDeliveries does, which has one sort only.
func deliveryListOf(owner Owner, query string, gather int) (*rows.List, *BrowseDeliveriesInput, error) {
	in, err := readQuery[BrowseDeliveriesInput](query)
	if err != nil {
		return nil, nil, err
	}
	l := deliveryList(owner, in)
	l.Gather = gather
	return l, in, nil
}

// BrowseDeliveriesBy is BrowseDeliveries with the plan in the test's hand, and without the bodies.
func (s *Service) BrowseDeliveriesBy(ctx context.Context, owner Owner, query string, gather int) (*Page[Delivery], error) {
	l, in, err := deliveryListOf(owner, query, gather)
	if err != nil {
		return nil, err
	}
	return s.deliveryPage(ctx, l, in.After, in.Limit.Or(DefaultPageSize))
}

// DeliveryStatements are the statements of BrowseDeliveries.
func (s *Service) DeliveryStatements(ctx context.Context, owner Owner, query string, gather int) (ListStatements, error) {
	l, _, err := deliveryListOf(owner, query, gather)
	if err != nil {
		return ListStatements{}, err
	}
	return s.statementsOf(ctx, l)
}
