package trade

import (
	"context"
	"time"

	"sellerd/v1/core"
	"sellerd/v1/items"
	"sellerd/v1/sandbox"
)

// Market is what happens between the seller and buyers: sales, bills, trackings and ratings, the marketplace's side of them,
// and the sandbox, in which a seller acts as the marketplace.
type Market struct {
	*items.Items

	resets *sandbox.Remover
}

// New makes the room, and the workers that close items and reset sandboxes.
func New(items *items.Items) *Market {
	s := &Market{Items: items}
	s.resets = s.newRemover()
	s.Register(s, core.Room{Loops: []core.Loop{
		{Name: "closer", Step: s.CloseDueOnce, Every: time.Second, Woken: s.SignalFor(core.CloserWorker)},
		{Name: "sandbox", Step: s.ResetOnce, Every: 5 * time.Second, Woken: s.SignalFor(core.SandboxWorker)},
	}})
	return s
}

// Change is a change with the steps of this room.
type Change struct {
	items.Change
	s *Market
}

// in is a change in this room.
func (s *Market) in(tx *core.Change) Change { return Change{s.Items.In(tx), s} }

// change runs fn in a transaction on the caller's data, see core.DoAs.
func change[O any](ctx context.Context, s *Market, c *core.Call, fn func(ctx context.Context, tx Change) (*O, error)) (*O, error) {
	return core.DoAs(ctx, s.Core, c, core.Entry{}, 0, func(ctx context.Context, tx *core.Change) (*O, error) { return fn(ctx, s.in(tx)) })
}
