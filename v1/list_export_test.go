package v1

import "context"
import (
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
	var problems Problems
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

func (s *Service) statementsOf(ctx context.Context, l *rows.List) (out ListStatements, err error) {
	if probe, probed := l.Probes(s.store.Dialect()); len(probed) > 0 {
		out.Probe = Statement{probe.Text.String(), probe.Args}
	}
	if out.Page.Text, out.Page.Args, err = s.lists().Plan(ctx, l, Opt[string]{}, DefaultPageSize); err != nil {
		return out, err
	}
	after := s.cursors.Encode(rows.Cursor{Scope: l.Scope(), Key: int64(s.now()), ID: 0})
	out.Next.Text, out.Next.Args, err = s.lists().Plan(ctx, l, Some(after), DefaultPageSize)
	return out, err
}
