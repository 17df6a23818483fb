package v1

import (
	"context"
	"sync/atomic"

	"sellerd/ent"
	"sellerd/internal/combine"
	"sellerd/internal/turns"
	"sellerd/v1/intake"
	"sellerd/v1/queue"
)

// Items are the operations of items and submissions, and the publisher.
type Items struct {
	*Core

	imageTurns *turns.Turns[Owner] // of the submissions and items of an owner whose images are fetched, over all claims
	submits    *combine.Combiner[Owner, *newSubmission]
	intake     intake.Intake

	submitsSince atomic.Int64 // the uptime at which the group of all owners began that is being stored; 0 if there is none

	submissionClaims *queue.Claims[ent.Submission]
	imageClaims      *queue.Claims[ent.Item]

	publishing turns.Lines[Owner] // sets of items, and pictures, that wait for their owners' rows
	waiting    waitingSets        // those sets of items
}

// newItems makes the room, and the workers that publish.
func newItems(c *Core) *Items {
	s := &Items{Core: c, imageTurns: turns.New[Owner](ownerSlots), intake: intake.For(c.store.ManyWriters())}
	s.submits = combine.New(submitMost, s.storeGroup)
	s.submissionClaims, s.imageClaims = s.newSubmissionClaims(), s.newImageClaims()
	publisher := queue.Loop[ent.Submission]{
		Name: "publisher", Claims: s.submissionClaims, Work: s.publish, Woken: s.signalFor(PublisherWorker), Logger: s.config.Logger,
	}
	images := queue.Loop[ent.Item]{Name: "images", Claims: s.imageClaims, Work: s.refreshAll, Woken: s.signalFor(ImagesWorker), Logger: s.config.Logger}
	s.enter(s, Room{Engines: []func(context.Context){publisher.Run, images.Run}, Resume: s.resume, Release: s.release})
	return s
}

// itemsChange is a change with the steps of this room.
type itemsChange struct {
	*Change
	s *Items
}

// in is a change in this room.
func (s *Items) in(tx *Change) itemsChange { return itemsChange{tx, s} }

// itemsDo runs fn in a transaction on the caller's data, see doAs.
func itemsDo[O any](ctx context.Context, s *Items, c *Call, units int, fn func(ctx context.Context, tx itemsChange) (*O, error)) (*O, error) {
	return doAs(ctx, s.Core, c, entry{}, units, func(ctx context.Context, tx *Change) (*O, error) { return fn(ctx, s.in(tx)) })
}

// asOwner runs fn in a transaction on an owner's data.
func (s *Items) asOwner(ctx context.Context, owner Owner, units int, fn func(ctx context.Context, tx itemsChange) error) error {
	return s.Core.asOwner(ctx, owner, units, func(ctx context.Context, tx *Change) error { return fn(ctx, s.in(tx)) })
}
