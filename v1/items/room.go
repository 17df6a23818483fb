package items

import (
	"context"
	"sync/atomic"

	"sellerd/ent"
	"sellerd/internal/combine"
	"sellerd/internal/turns"
	"sellerd/v1/core"
	"sellerd/v1/intake"
	"sellerd/v1/queue"
)

// Items are the operations of items and submissions, and the publisher.
type Items struct {
	*core.Core

	imageTurns *turns.Turns[core.Owner] // of the submissions and items of an owner whose images are fetched, over all claims
	Submits    *combine.Combiner[core.Owner, *newSubmission]
	intake     intake.Intake

	SubmitsSince atomic.Int64 // the uptime at which the group of all owners began that is being stored; 0 if there is none

	SubmissionClaims *queue.Claims[ent.Submission]
	imageClaims      *queue.Claims[ent.Item]

	Publishing turns.Lines[core.Owner] // sets of items, and pictures, that wait for their owners' rows
	Waiting    waitingSets             // those sets of items
}

// New makes the room, and the workers that publish.
func New(c *core.Core) *Items {
	s := &Items{Core: c, imageTurns: turns.New[core.Owner](ownerSlots), intake: intake.For(c.Store.ManyWriters())}
	s.Submits = combine.New(submitMost, s.storeGroup)
	s.SubmissionClaims, s.imageClaims = s.newSubmissionClaims(), s.newImageClaims()
	publisher := queue.Loop[ent.Submission]{
		Name: "publisher", Claims: s.SubmissionClaims, Work: s.Publish, Woken: s.SignalFor(core.PublisherWorker), Logger: s.Config.Logger,
	}
	images := queue.Loop[ent.Item]{Name: "images", Claims: s.imageClaims, Work: s.refreshAll, Woken: s.SignalFor(core.ImagesWorker), Logger: s.Config.Logger}
	s.Register(s, core.Room{Engines: []func(context.Context){publisher.Run, images.Run}, Resume: s.resume, Release: s.release})
	return s
}

// Change is a change with the steps of this room.
type Change struct {
	*core.Change
	s *Items
}

// In is a change in this room.
func (s *Items) In(tx *core.Change) Change { return Change{tx, s} }

// change runs fn in a transaction on the caller's data, see doAs.
func change[O any](ctx context.Context, s *Items, c *core.Call, units int, fn func(ctx context.Context, tx Change) (*O, error)) (*O, error) {
	return core.DoAs(ctx, s.Core, c, core.Entry{}, units, func(ctx context.Context, tx *core.Change) (*O, error) { return fn(ctx, s.In(tx)) })
}

// asOwner runs fn in a transaction on an owner's data.
func (s *Items) asOwner(ctx context.Context, owner core.Owner, units int, fn func(ctx context.Context, tx Change) error) error {
	return s.Core.AsOwner(ctx, owner, units, func(ctx context.Context, tx *core.Change) error { return fn(ctx, s.In(tx)) })
}
