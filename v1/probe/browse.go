package probe

import (
	"context"

	v1 "sellerd/v1"
	"sellerd/v1/core"
	"sellerd/v1/hooks"
	"sellerd/v1/items"
	"sellerd/v1/refusal"
	"sellerd/v1/rows"
	"sellerd/v1/trade"
	"sellerd/v1/wire"
)

// Browse is an operation that lists objects, by the methods that it consists of. A test chooses how the list is run.
type Browse[I, T any] struct {
	list func(s *v1.Service, owner core.Owner, in *I) (*rows.List, error)
	page func(s *v1.Service, ctx context.Context, l *rows.List, after wire.Opt[string], limit int) (*rows.Page[T], error)
}

// These are the operations that list objects. Deliveries come without their bodies.
var (
	Items = Browse[items.BrowseItemsInput, items.Item]{(*v1.Service).ItemList, (*v1.Service).ItemPage}
	Sales = Browse[trade.BrowseSalesInput, trade.Sale]{
		func(s *v1.Service, owner core.Owner, in *trade.BrowseSalesInput) (*rows.List, error) {
			return s.SaleList(owner, in), nil
		},
		(*v1.Service).SalePage,
	}
	Bills = Browse[trade.BrowseBillsInput, trade.Bill]{
		func(_ *v1.Service, owner core.Owner, in *trade.BrowseBillsInput) (*rows.List, error) {
			return trade.BillList(owner, in), nil
		},
		(*v1.Service).BillPage,
	}
	Deliveries = Browse[hooks.BrowseDeliveriesInput, hooks.Delivery]{
		func(_ *v1.Service, owner core.Owner, in *hooks.BrowseDeliveriesInput) (*rows.List, error) {
			return hooks.DeliveryList(owner, in), nil
		},
		(*v1.Service).DeliveryPage,
	}
)

// listOf reads a query string as the operation does.
func (b Browse[I, T]) listOf(s *v1.Service, owner core.Owner, query string, gather int) (*rows.List, error) {
	in, err := readQuery[I](query)
	if err != nil {
		return nil, err
	}
	l, err := b.list(s, owner, in)
	if err == nil {
		l.Gather = gather
	}
	return l, err
}

// By reads a page.
func (b Browse[I, T]) By(s *v1.Service, ctx context.Context, owner core.Owner, query string, gather int) (*rows.Page[T], error) {
	l, err := b.listOf(s, owner, query, gather)
	if err != nil {
		return nil, err
	}
	var page items.ShortListInput
	var unknown refusal.Problems // the filters
	if err := wire.BindQuery(query, &page, &unknown); err != nil {
		return nil, err
	}
	return b.page(s, ctx, l, page.After, page.Limit.Or(items.DefaultPageSize))
}

// Statements are the statements that read a page.
func (b Browse[I, T]) Statements(s *v1.Service, ctx context.Context, owner core.Owner, query string, gather int) (ListStatements, error) {
	l, err := b.listOf(s, owner, query, gather)
	if err != nil {
		return ListStatements{}, err
	}
	return statementsOf(s, ctx, l)
}

// PageStatements are the statements that may read a page. middle is a value of the sort column.
func (b Browse[I, T]) PageStatements(s *v1.Service, owner core.Owner, query string, middle int64) (*PageStatements, error) {
	l, err := b.listOf(s, owner, query, UsualPlan)
	if err != nil {
		return nil, err
	}
	return pageStatements(s, l, middle), nil
}
