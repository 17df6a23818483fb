package hooks

import (
	"context"
	"time"

	"sellerd/ent"
	"sellerd/v1/core"
	"sellerd/v1/delivery"
	"sellerd/v1/feed"
	"sellerd/v1/items"
)

// Webhooks are the operations of events, subscriptions and deliveries.
type Webhooks struct {
	*items.Items

	Deliverer     *delivery.Engine
	feed          *feed.Reader
	notifications LegacyNotifications // nil without the interface that they belong to

	// Listed is called with the webhooks that a list will show.
	Listed func(ctx context.Context, c *core.Call, found []*ent.Webhook) error
}

// New makes the room, and the engine that delivers events.
func New(items *items.Items, notifications LegacyNotifications) (*Webhooks, error) {
	s := &Webhooks{Items: items, notifications: notifications}
	s.feed = &feed.Reader{Store: s.Store, Reads: s.Reads}
	var err error
	if s.Deliverer, err = s.newDeliverer(); err != nil {
		return nil, err
	}
	s.WakesBy(core.DelivererWorker, s.Deliverer.Wake)
	s.Register(s, core.Room{
		Engines: []func(context.Context){s.Deliverer.Run},
		Loops:   []core.Loop{{Name: "purger", Step: s.PurgeOnce, Every: time.Minute, Woken: nil}},
		Resume:  s.Deliverer.Resume,
		Release: s.Deliverer.Release,
		Writes:  s.formatKnows,
	})
	return s, nil
}

// Change is a change with the steps of this room.
type Change struct {
	*core.Change
	s *Webhooks
}

// in is a change in this room.
func (s *Webhooks) in(tx *core.Change) Change { return Change{tx, s} }

// change runs fn in a transaction on the caller's data, see core.DoAs.
func change[O any](ctx context.Context, s *Webhooks, c *core.Call, fn func(ctx context.Context, tx Change) (*O, error)) (*O, error) {
	return core.DoAs(ctx, s.Core, c, core.Entry{}, 0, func(ctx context.Context, tx *core.Change) (*O, error) { return fn(ctx, s.in(tx)) })
}
