package v1

import (
	"context"
	"time"

	"sellerd/ent"
	"sellerd/v1/delivery"
	"sellerd/v1/feed"
)

// Webhooks are the operations of events, subscriptions and deliveries.
type Webhooks struct {
	*Items

	deliverer     *delivery.Engine
	feed          *feed.Reader
	notifications LegacyNotifications // nil without the interface that they belong to

	// Listed is called with the webhooks that a list will show.
	Listed func(ctx context.Context, c *Call, found []*ent.Webhook) error
}

// newWebhooks makes the room, and the engine that delivers events.
func newWebhooks(items *Items, notifications LegacyNotifications) (*Webhooks, error) {
	s := &Webhooks{Items: items, notifications: notifications}
	s.feed = &feed.Reader{Store: s.store, Reads: s.reads}
	var err error
	if s.deliverer, err = s.newDeliverer(); err != nil {
		return nil, err
	}
	s.wakesBy(DelivererWorker, s.deliverer.Wake)
	s.knowsFormat = s.formatKnows
	s.enter(s, Room{
		Engines: []func(context.Context){s.deliverer.Run},
		Loops:   []Loop{{"purger", s.PurgeOnce, time.Minute, nil}},
		Resume:  func(ctx context.Context, tx *ent.Client, now Time) error { return s.deliverer.Resume(ctx, tx, now) },
		Release: s.deliverer.Release,
	})
	return s, nil
}

// hooksChange is a change with the steps of this room.
type hooksChange struct {
	*Change
	s *Webhooks
}

// in is a change in this room.
func (s *Webhooks) in(tx *Change) hooksChange { return hooksChange{tx, s} }

// hooksDo runs fn in a transaction on the caller's data, see doAs.
func hooksDo[O any](ctx context.Context, s *Webhooks, c *Call, units int, fn func(ctx context.Context, tx hooksChange) (*O, error)) (*O, error) {
	return doAs(ctx, s.Core, c, entry{}, units, func(ctx context.Context, tx *Change) (*O, error) { return fn(ctx, s.in(tx)) })
}
