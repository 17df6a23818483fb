package probe

import (
	"context"

	v1 "sellerd/v1"
	"sellerd/v1/core"
	"sellerd/v1/items"
	"sellerd/v1/rows"
	"sellerd/v1/trade"
)

// saleListOf reads a query string as BrowseSales does.
func saleListOf(s *v1.Service, owner core.Owner, query string, gather int) (*rows.List, *trade.BrowseSalesInput, error) {
	in, err := readQuery[trade.BrowseSalesInput](query)
	if err != nil {
		return nil, nil, err
	}
	l := s.SaleList(owner, in)
	l.Gather = gather
	return l, in, nil
}

// BrowseSalesBy is BrowseSales with the plan in the test's hand.
func BrowseSalesBy(s *v1.Service, ctx context.Context, owner core.Owner, query string, gather int) (*rows.Page[trade.Sale], error) {
	l, in, err := saleListOf(s, owner, query, gather)
	if err != nil {
		return nil, err
	}
	return s.SalePage(ctx, l, in.After, in.Limit.Or(items.DefaultPageSize))
}

// SaleStatements are the statements of BrowseSales.
func SaleStatements(s *v1.Service, ctx context.Context, owner core.Owner, query string, gather int) (ListStatements, error) {
	l, _, err := saleListOf(s, owner, query, gather)
	if err != nil {
		return ListStatements{}, err
	}
	return statementsOf(s, ctx, l)
}
