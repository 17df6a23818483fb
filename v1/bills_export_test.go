package v1

import (
	"context"
	"sellerd/v1/rows"
)

// billListOf reads a query string as BrowseBills does.
func billListOf(owner Owner, query string, gather int) (*rows.List, *BrowseBillsInput, error) {
	in, err := readQuery[BrowseBillsInput](query)
	if err != nil {
		return nil, nil, err
	}
	l := billList(owner, in)
	l.Gather = gather
	return l, in, nil
}

// BrowseBillsBy is BrowseBills with the plan in the test's hand.
func (s *Service) BrowseBillsBy(ctx context.Context, owner Owner, query string, gather int) (*Page[Bill], error) {
	l, in, err := billListOf(owner, query, gather)
	if err != nil {
		return nil, err
	}
	return s.billPage(ctx, l, in.After, in.Limit.Or(DefaultPageSize))
}

// BillStatements are the statements of BrowseBills.
func (s *Service) BillStatements(ctx context.Context, owner Owner, query string, gather int) (ListStatements, error) {
	l, _, err := billListOf(owner, query, gather)
	if err != nil {
		return ListStatements{}, err
	}
	return s.statementsOf(ctx, l)
}
