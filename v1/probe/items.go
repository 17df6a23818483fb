package probe

import (
	"context"

	v1 "sellerd/v1"
	"sellerd/v1/core"
	"sellerd/v1/items"
	"sellerd/v1/rows"
)

// What tests outside the package need of items' inside: the choice of a list's plan, and how words are indexed.

// itemListOf reads a query string as BrowseItems does.
func itemListOf(s *v1.Service, owner core.Owner, query string, gather int) (*rows.List, *items.BrowseItemsInput, error) {
	in, err := readQuery[items.BrowseItemsInput](query)
	if err != nil {
		return nil, nil, err
	}
	l, err := s.ItemList(owner, in)
	if err != nil {
		return nil, nil, err
	}
	l.Gather = gather
	return l, in, nil
}

// BrowseItemsBy is BrowseItems with the plan in the test's hand.
func BrowseItemsBy(s *v1.Service, ctx context.Context, owner core.Owner, query string, gather int) (*rows.Page[items.Item], error) {
	l, in, err := itemListOf(s, owner, query, gather)
	if err != nil {
		return nil, err
	}
	return s.ItemPage(ctx, l, in.After, in.Limit.Or(items.DefaultPageSize))
}

// ItemStatements are the statements of BrowseItems.
func ItemStatements(s *v1.Service, ctx context.Context, owner core.Owner, query string, gather int) (ListStatements, error) {
	l, _, err := itemListOf(s, owner, query, gather)
	if err != nil {
		return ListStatements{}, err
	}
	return statementsOf(s, ctx, l)
}

// ReadItemRow is the hand-made read of an item's row.
var ReadItemRow = (*v1.Service).ReadItem
