package items

import (
	"context"
	"fmt"
	"sync/atomic"

	"sellerd/internal/base/combine"
	"sellerd/v1/core"
	"sellerd/v1/intake"
	"sellerd/v1/publishing"
)

// Items are the operations of items and submissions.
type Items struct {
	*core.Core

	Submits *combine.Combiner[core.Owner, *newSubmission]
	intake  intake.Intake

	SubmitsSince atomic.Int64 // the uptime at which the group of all owners began that is being stored; 0 if there is none

	Publisher *publishing.Publisher
	Fetcher   *publishing.Fetcher
}

// New makes the room, and the workers that publish.
func New(c *core.Core) (*Items, error) {
	s := &Items{Core: c, intake: intake.For(c.Store.ManyWriters())}
	s.Submits = combine.New(submitMost, s.storeGroup)
	if err := s.newWorkers(); err != nil {
		return nil, fmt.Errorf("items: %w", err)
	}
	s.Register(s, core.Room{Engines: []func(context.Context){s.Publisher.Run, s.Fetcher.Run}, Resume: s.resume, Release: s.release})
	return s, nil
}

// Change is a change with the steps of this room.
type Change struct {
	*core.Change
	s *Items
}

// In is a change in this room.
func (s *Items) In(tx *core.Change) Change { return Change{tx, s} }

// change runs fn in a transaction on the caller's data, see core.DoAs.
func change[O any](ctx context.Context, s *Items, c *core.Call, units int,
	fn func(ctx context.Context, tx Change) (*O, error),
) (*O, error) {
	return core.DoAs(ctx, s.Core, c, core.Entry{}, units, func(ctx context.Context, tx *core.Change) (*O, error) { return fn(ctx, s.In(tx)) })
}
