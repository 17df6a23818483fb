package probe

import (
	"context"

	v1 "sellerd/v1"
	"sellerd/v1/core"
	"sellerd/v1/hooks"
	"sellerd/v1/items"
	"sellerd/v1/rows"
	"sellerd/v1/trade"
	"sellerd/v1/wire"
)

// browse is an operation that lists objects, by the methods that it consists of.
type browse[I, T any] struct {
	list  func(s *v1.Service, owner core.Owner, in *I) (*rows.List, error)
	page  func(s *v1.Service, ctx context.Context, l *rows.List, after wire.Opt[string], limit int) (*rows.Page[T], error)
	asked func(in *I) (after wire.Opt[string], limit wire.Opt[int])
}

var (
	browseItems = browse[items.BrowseItemsInput, items.Item]{
		func(s *v1.Service, owner core.Owner, in *items.BrowseItemsInput) (*rows.List, error) {
			return s.ItemList(owner, in)
		},
		(*v1.Service).ItemPage,
		func(in *items.BrowseItemsInput) (wire.Opt[string], wire.Opt[int]) { return in.After, in.Limit },
	}
	browseSales = browse[trade.BrowseSalesInput, trade.Sale]{
		func(s *v1.Service, owner core.Owner, in *trade.BrowseSalesInput) (*rows.List, error) {
			return s.SaleList(owner, in), nil
		},
		(*v1.Service).SalePage,
		func(in *trade.BrowseSalesInput) (wire.Opt[string], wire.Opt[int]) { return in.After, in.Limit },
	}
	browseBills = browse[trade.BrowseBillsInput, trade.Bill]{
		func(_ *v1.Service, owner core.Owner, in *trade.BrowseBillsInput) (*rows.List, error) {
			return trade.BillList(owner, in), nil
		},
		(*v1.Service).BillPage,
		func(in *trade.BrowseBillsInput) (wire.Opt[string], wire.Opt[int]) { return in.After, in.Limit },
	}
	browseDeliveries = browse[hooks.BrowseDeliveriesInput, hooks.Delivery]{
		func(_ *v1.Service, owner core.Owner, in *hooks.BrowseDeliveriesInput) (*rows.List, error) {
			return hooks.DeliveryList(owner, in), nil
		},
		(*v1.Service).DeliveryPage,
		func(in *hooks.BrowseDeliveriesInput) (wire.Opt[string], wire.Opt[int]) { return in.After, in.Limit },
	}
)

// These are the lists with the plan in the test's hand, those of deliveries without their bodies.
var (
	BrowseItemsBy      = browseItems.by
	BrowseSalesBy      = browseSales.by
	BrowseBillsBy      = browseBills.by
	BrowseDeliveriesBy = browseDeliveries.by
)

// These are the statements of the lists.
var (
	ItemStatements     = browseItems.statements
	SaleStatements     = browseSales.statements
	BillStatements     = browseBills.statements
	DeliveryStatements = browseDeliveries.statements
)

// These are the statements that may read a page. middle is a value of the sort column.
var (
	ItemPage     = browseItems.pageStatements
	SalePage     = browseSales.pageStatements
	BillPage     = browseBills.pageStatements
	DeliveryPage = browseDeliveries.pageStatements
)

// listOf reads a query string as the operation does.
func (b browse[I, T]) listOf(s *v1.Service, owner core.Owner, query string, gather int) (*rows.List, *I, error) {
	in, err := readQuery[I](query)
	if err != nil {
		return nil, nil, err
	}
	l, err := b.list(s, owner, in)
	if err == nil {
		l.Gather = gather
	}
	return l, in, err
}

func (b browse[I, T]) by(s *v1.Service, ctx context.Context, owner core.Owner, query string, gather int) (*rows.Page[T], error) {
	l, in, err := b.listOf(s, owner, query, gather)
	if err != nil {
		return nil, err
	}
	after, limit := b.asked(in)
	return b.page(s, ctx, l, after, limit.Or(items.DefaultPageSize))
}

func (b browse[I, T]) statements(s *v1.Service, ctx context.Context, owner core.Owner, query string, gather int) (ListStatements, error) {
	l, _, err := b.listOf(s, owner, query, gather)
	if err != nil {
		return ListStatements{}, err
	}
	return statementsOf(s, ctx, l)
}

func (b browse[I, T]) pageStatements(s *v1.Service, owner core.Owner, query string, middle int64) (*PageStatements, error) {
	l, _, err := b.listOf(s, owner, query, UsualPlan)
	if err != nil {
		return nil, err
	}
	return pageStatements(s, l, middle), nil
}
