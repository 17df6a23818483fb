package v1

import (
	"context"
	"time"

	"sellerd/v1/sandbox"
)

// Market is what happens between the seller and buyers: sales, bills, trackings and ratings, the marketplace's side of them,
// and the sandbox, in which a seller acts as the marketplace.
type Market struct {
	*Items

	resets *sandbox.Remover
}

// newMarket makes the room, and the workers that close items and reset sandboxes.
func newMarket(items *Items) *Market {
	s := &Market{Items: items}
	s.resets = s.newRemover()
	s.enter(s, Room{Loops: []Loop{
		{"closer", s.CloseDueOnce, time.Second, s.signalFor(CloserWorker)},
		{"sandbox", s.ResetOnce, 5 * time.Second, s.signalFor(SandboxWorker)},
	}})
	return s
}

// tradeChange is a change with the steps of this room.
type tradeChange struct {
	itemsChange
	s *Market
}

// in is a change in this room.
func (s *Market) in(tx *Change) tradeChange { return tradeChange{s.Items.in(tx), s} }

// tradeDo runs fn in a transaction on the caller's data, see doAs.
func tradeDo[O any](ctx context.Context, s *Market, c *Call, units int, fn func(ctx context.Context, tx tradeChange) (*O, error)) (*O, error) {
	return doAs(ctx, s.Core, c, entry{}, units, func(ctx context.Context, tx *Change) (*O, error) { return fn(ctx, s.in(tx)) })
}

// asOwner runs fn in a transaction on an owner's data.
func (s *Market) asOwner(ctx context.Context, owner Owner, units int, fn func(ctx context.Context, tx tradeChange) error) error {
	return s.Core.asOwner(ctx, owner, units, func(ctx context.Context, tx *Change) error { return fn(ctx, s.in(tx)) })
}
