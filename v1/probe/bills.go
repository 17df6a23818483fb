package probe

import (
	"context"

	v1 "sellerd/v1"
	"sellerd/v1/core"
	"sellerd/v1/items"
	"sellerd/v1/rows"
	"sellerd/v1/trade"
)

// billListOf reads a query string as BrowseBills does.
func billListOf(owner core.Owner, query string, gather int) (*rows.List, *trade.BrowseBillsInput, error) {
	in, err := readQuery[trade.BrowseBillsInput](query)
	if err != nil {
		return nil, nil, err
	}
	l := trade.BillList(owner, in)
	l.Gather = gather
	return l, in, nil
}

// BrowseBillsBy is BrowseBills with the plan in the test's hand.
func BrowseBillsBy(s *v1.Service, ctx context.Context, owner core.Owner, query string, gather int) (*rows.Page[trade.Bill], error) {
	l, in, err := billListOf(owner, query, gather)
	if err != nil {
		return nil, err
	}
	return s.BillPage(ctx, l, in.After, in.Limit.Or(items.DefaultPageSize))
}

// BillStatements are the statements of BrowseBills.
func BillStatements(s *v1.Service, ctx context.Context, owner core.Owner, query string, gather int) (ListStatements, error) {
	l, _, err := billListOf(owner, query, gather)
	if err != nil {
		return ListStatements{}, err
	}
	return statementsOf(s, ctx, l)
}
