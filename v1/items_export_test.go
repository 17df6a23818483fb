package v1

import "context"

// What tests outside the package need of its inside: the choice of a list's plan, and how words are indexed.

// The choices of how a list of items is run.
const (
	AlwaysWalk   = 0
	UsualPlan    = gatherLimit
	AlwaysGather = 1 << 30
)

// itemListOf reads a query string as BrowseItems does.
func (s *Service) itemListOf(owner Owner, query string, gather int) (*list, *BrowseItemsInput, error) {
	var (
		in       BrowseItemsInput
		problems Problems
	)
	if err := bindQuery(query, &in, &problems); err != nil {
		return nil, nil, err
	}
	checkParameters(&in, &problems)
	if err := problems.Err(); err != nil {
		return nil, nil, err
	}
	l, err := s.itemList(owner, &in)
	if err != nil {
		return nil, nil, err
	}
	l.gather = gather
	return l, &in, nil
}

// BrowseItemsBy is BrowseItems with the plan in the test's hand.
func (s *Service) BrowseItemsBy(ctx context.Context, owner Owner, query string, gather int) (*Page[Item], error) {
	l, in, err := s.itemListOf(owner, query, gather)
	if err != nil {
		return nil, err
	}
	return s.itemPage(ctx, l, in.After, in.Limit.Or(DefaultPageSize))
}

// ItemPageQuery is the statement that reads a page, and its arguments.
func (s *Service) ItemPageQuery(ctx context.Context, owner Owner, query string, gather int) (string, []any, error) {
	l, in, err := s.itemListOf(owner, query, gather)
	if err != nil {
		return "", nil, err
	}
	return s.planList(ctx, l, in.After, in.Limit.Or(DefaultPageSize))
}

// ReadItemRow is the hand-made read of an item's row.
var ReadItemRow = (*Service).readItem

// Words are the search words of some texts.
var Words = words
