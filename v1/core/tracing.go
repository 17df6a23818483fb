package core

import (
	"context"

	"sellerd/ent"
	"sellerd/internal/base/tracing"
)

// This file traces transactions: those of requests, and others that are a part of a span. What a group of callers shares is a part of none.

// tracedStore is a Store whose transactions are spans.
type tracedStore struct {
	Store
	tracer tracing.Tracer
	system string
}

// newTracedStore makes a store trace. A service that is not traced has its store as it is.
func newTracedStore(of Store, tracer tracing.Tracer) Store {
	s := &tracedStore{Store: of, tracer: tracer, system: "sqlite"}
	if of.ManyWriters() {
		s.system = "postgresql"
	}
	return s
}

// Write implements Store. The span has the wait for a turn and for the commit.
func (s *tracedStore) Write(ctx context.Context, fn func(ctx context.Context, tx *ent.Client) error) error {
	if s.tracer.Parent(ctx) == "" {
		return s.Store.Write(ctx, fn)
	}
	ctx, span := s.tracer.Start(ctx, tracing.Start{Name: TransactionSpan})
	span.Text("db.system.name", s.system)
	err := s.Store.Write(ctx, fn)
	s.end(span, err)
	return err
}

// end ends the span of a transaction. Rules that refuse a request undo its transaction, too, and are no problem of the service.
func (s *tracedStore) end(span tracing.Span, err error) {
	problem := ""
	switch {
	case err == nil:
	case s.Unavailable(err):
		problem = "unavailable"
	case s.Busy(err):
		problem = "busy"
	default:
		span.Text("sellerd.undone", "true")
	}
	span.End(problem)
}

// TransactionSpan is the name of the spans of transactions.
const TransactionSpan = "transaction"

// StartShared starts the span of a request's wait for a transaction that it shares with others, which EndShared ends. It is nil if nothing is
// traced.
func (s *Core) StartShared(ctx context.Context) tracing.Span {
	if s.Config.Tracer == nil || s.Config.Tracer.Parent(ctx) == "" {
		return nil
	}
	_, span := s.Config.Tracer.Start(ctx, tracing.Start{Name: TransactionSpan})
	span.Text("db.system.name", s.Store.(*tracedStore).system)
	span.Text("sellerd.shared", "true")
	return span
}

// EndShared ends a span of StartShared. err is why the request's part of the transaction failed.
func (s *Core) EndShared(span tracing.Span, err error) {
	if span != nil {
		s.Store.(*tracedStore).end(span, err)
	}
}
