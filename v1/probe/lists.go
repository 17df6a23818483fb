package probe

import (
	"context"

	v1 "sellerd/v1"
	"sellerd/v1/items"
	"sellerd/v1/refusal"
	"sellerd/v1/rows"
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
