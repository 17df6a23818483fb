package v1

import (
	"context"
	"sellerd/v1/rows"
)

// saleListOf reads a query string as BrowseSales does.
func (s *Service) saleListOf(owner Owner, query string, gather int) (*rows.List, *BrowseSalesInput, error) {
	in, err := readQuery[BrowseSalesInput](query)
	if err != nil {
		return nil, nil, err
	}
	l := s.saleList(owner, in)
	l.Gather = gather
	return l, in, nil
}

// BrowseSalesBy is BrowseSales with the plan in the test's hand.
func (s *Service) BrowseSalesBy(ctx context.Context, owner Owner, query string, gather int) (*Page[Sale], error) {
	l, in, err := s.saleListOf(owner, query, gather)
	if err != nil {
		return nil, err
	}
	return s.salePage(ctx, l, in.After, in.Limit.Or(DefaultPageSize))
}

// SaleStatements are the statements of BrowseSales.
func (s *Service) SaleStatements(ctx context.Context, owner Owner, query string, gather int) (ListStatements, error) {
	l, _, err := s.saleListOf(owner, query, gather)
	if err != nil {
		return ListStatements{}, err
	}
	return s.statementsOf(ctx, l)
}
