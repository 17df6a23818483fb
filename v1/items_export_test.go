package v1

import (
	"context"
	"sellerd/v1/rows"
)

// What tests outside the package need of items' inside: the choice of a list's plan, and how words are indexed.

// itemListOf reads a query string as BrowseItems does.
func (s *Service) itemListOf(owner Owner, query string, gather int) (*rows.List, *BrowseItemsInput, error) {
	in, err := readQuery[BrowseItemsInput](query)
	if err != nil {
		return nil, nil, err
	}
	l, err := s.itemList(owner, in)
	if err != nil {
		return nil, nil, err
	}
	l.Gather = gather
	return l, in, nil
}

// BrowseItemsBy is BrowseItems with the plan in the test's hand.
func (s *Service) BrowseItemsBy(ctx context.Context, owner Owner, query string, gather int) (*Page[Item], error) {
	l, in, err := s.itemListOf(owner, query, gather)
	if err != nil {
		return nil, err
	}
	return s.itemPage(ctx, l, in.After, in.Limit.Or(DefaultPageSize))
}

// ItemStatements are the statements of BrowseItems.
func (s *Service) ItemStatements(ctx context.Context, owner Owner, query string, gather int) (ListStatements, error) {
	l, _, err := s.itemListOf(owner, query, gather)
	if err != nil {
		return ListStatements{}, err
	}
	return s.statementsOf(ctx, l)
}

// ReadItemRow is the hand-made read of an item's row.
var ReadItemRow = (*Service).readItem
