package accounts

import (
	"context"

	"sellerd/v1/core"
	"sellerd/v1/delivery"
	"sellerd/v1/trade"
)

// Accounts are the operations of accounts, keys, shipping models and the lists that all sellers share.
type Accounts struct {
	*trade.Market

	backlog func(context.Context) (delivery.Backlog, error) // of webhooks
}

// New makes the room.
func New(market *trade.Market, backlog func(context.Context) (delivery.Backlog, error)) *Accounts {
	s := &Accounts{Market: market, backlog: backlog}
	s.Register(s, core.Room{})
	return s
}

// Change is a change with the steps of this room.
type Change struct{ *core.Change }

// change runs fn in a transaction on the caller's data, see core.DoAs.
func change[O any](ctx context.Context, s *Accounts, c *core.Call, fn func(ctx context.Context, tx Change) (*O, error)) (*O, error) {
	return core.DoAs(ctx, s.Core, c, core.Entry{}, 0, func(ctx context.Context, tx *core.Change) (*O, error) { return fn(ctx, Change{tx}) })
}
