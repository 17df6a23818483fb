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

// What tests outside the package need of lists: to choose the plan, and to see the statements.

// The choices of how a list is run.
const (
	AlwaysWalk   = 0
	UsualPlan    = rows.GatherLimit
	AlwaysGather = 1 << 30
)

// readQuery reads a query string as an operation does.
func readQuery[I any](query string) (*I, error) {
	var problems refusal.Problems
	in := new(I)
	if err := wire.BindQuery(query, in, &problems); err != nil {
		return nil, err
	}
	wire.CheckParameters(in, &problems)
	return in, problems.Err()
}

// Statement is a query with its arguments. Without text, there is none.
type Statement struct {
	Text string
	Args []any
}

// ListStatements are the statements that read a page of a list: the probe of its filters, if there is one, the first
// page, and a page after some row.
type ListStatements struct{ Probe, Page, Next Statement }

func statementsOf(s *v1.Service, ctx context.Context, l *rows.List) (out ListStatements, err error) {
	if probe, probed := l.Probes(s.Store.ManyWriters()); len(probed) > 0 {
		out.Probe = Statement{probe.Text.String(), probe.Args}
	}
	if out.Page.Text, out.Page.Args, err = s.Lists().Plan(ctx, l, wire.Opt[string]{}, items.DefaultPageSize); err != nil {
		return out, err
	}
	after := s.Cursors.Encode(rows.Cursor{Scope: l.Scope(), Key: int64(s.Now()), ID: 0})
	out.Next.Text, out.Next.Args, err = s.Lists().Plan(ctx, l, wire.Some(after), items.DefaultPageSize)
	return out, err
}

// PageStatements are the statements that may read a page of a list. They are made without a look at the rows.
type PageStatements struct {
	Probe, Walk, Next Statement
	Gathers           []Statement // by each of the filters that can be gathered

	s *v1.Service
	l *rows.List
}

// Chosen is the text of the statement that reads the first page of the rows that there are. It is empty if none matches.
func (p *PageStatements) Chosen(ctx context.Context) (string, error) {
	text, _, err := p.s.Lists().Plan(ctx, p.l, wire.Opt[string]{}, items.DefaultPageSize)
	return text, err
}

// pageStatements makes the statements; middle is a value of the sort column.
func pageStatements(s *v1.Service, l *rows.List, middle int64) *PageStatements {
	out := &PageStatements{s: s, l: l}
	statement := func(q *rows.Statement) Statement { return Statement{q.Text.String(), q.Args} }
	probe, probed := l.Probes(s.Store.ManyWriters())
	if len(probed) > 0 {
		out.Probe = statement(probe)
	}
	out.Walk = statement(l.Page(s.Store.ManyWriters(), nil, wire.Opt[rows.Cursor]{}, items.DefaultPageSize))
	out.Next = statement(l.Page(s.Store.ManyWriters(), nil, wire.Some(rows.Cursor{Key: middle}), items.DefaultPageSize))
	for i := range l.Filters {
		if l.Filters[i].Hits != "" {
			out.Gathers = append(out.Gathers, statement(l.Page(s.Store.ManyWriters(), &l.Filters[i], wire.Opt[rows.Cursor]{},
				items.DefaultPageSize)))
		}
	}
	return out
}

// WordRemoval removes words of items on PostgreSQL: each with its owner and its item.
func WordRemoval(given []any) Statement {
	text, args, _ := rows.WordRemoval.On(true).Next(given)
	return Statement{text, args}
}

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
