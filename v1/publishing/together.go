package publishing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"sellerd/ent"
	"sellerd/internal/base/combine"
	"sellerd/v1/core"
	"sellerd/v1/lease"
	"sellerd/v1/queue"
)

// This file decides with which others, and in which order, outcomes of submissions are stored.
//
// Small sets that wait at the same time are stored in one transaction, those of all owners together. So a hundred sellers who submit one
// item each, and pictures that arrive one by one, cost hardly more than a batch. That transaction waits for no owner's row. The sets of a busy
// owner move to a lane of their own, which waits for that row and then stores all that have come meanwhile. A set that the database does not
// take is stored alone, so that it fails no other, and a large set always is.

const (
	// publishSet is how many items are made in one transaction. Sellers' requests wait meanwhile: on SQLite those of all sellers for the
	// writer, on PostgreSQL those of the same seller for the owner's row.
	publishSet = 50

	// patientFrom is the number of outcomes from which a set is large: it is stored by itself, and others go before it.
	patientFrom = 8

	// togetherTime bounds a transaction of small sets. Those that need more are stored alone, with more and more time.
	togetherTime = 3 * time.Second
)

// everyOwner is the lane of the sets whose owners are not known to be busy.
const everyOwner core.Owner = 0

// smallSet is a set that waits for its transaction, and what became of it.
type smallSet struct {
	owner    core.Owner
	outcomes []*outcome
	err      error // nil if it is stored
}

var (
	errAlone = errors.New("the set is to be stored alone")
	errFull  = errors.New("the set has no room in the transaction")
)

// storeSet stores outcomes of one owner, and ends the work on them. What fails for good is left to the lease, which spaces its next attempts.
func (p *Publisher) storeSet(ctx context.Context, b *batch[ent.Submission], set []*outcome) {
	left := set
	if ctx.Err() == nil {
		var err error
		if left, err = p.storeWhileLeased(ctx, b.held, set); err != nil {
			b.note(err)
		}
	}
	for _, o := range left {
		b.leave(o.row.ID)
	}
	ended(set)
	for _, o := range set {
		b.done(o.row.Owner)
	}
}

// storeWhileLeased stores a set, again and again while its owner is busy, or the database is away, and the lease lasts. It returns what is left
// to be stored later.
func (p *Publisher) storeWhileLeased(ctx context.Context, held queue.Held[ent.Submission], set []*outcome) (left []*outcome, err error) {
	if len(set) >= patientFrom {
		return p.storeAlone(p.core.Store.Patient(ctx), held, set)
	}
	for lane, owner := everyOwner, core.Owner(set[0].row.Owner); ; {
		err := p.claims.WhileLeased(ctx, held, func(ctx context.Context) error {
			waits := &smallSet{owner: owner, outcomes: set}
			if err := p.together.Do(ctx, lane, waits); err != nil {
				return err
			}
			return waits.err
		})
		switch {
		case err == nil:
			return nil, nil
		case errors.Is(err, errAlone):
			return p.storeAlone(ctx, held, set)
		case !errors.Is(err, core.ErrOwnerTaken) && !errors.Is(err, errFull), !p.claims.Lasts(held), ctx.Err() != nil:
			return set, err
		case errors.Is(err, core.ErrOwnerTaken):
			lane = owner
		}
	}
}

// storeTogether is the work on a group of small sets of a lane.
func (p *Publisher) storeTogether(lane core.Owner, group *combine.Group[*smallSet]) {
	ctx, cancel := context.WithTimeout(p.core.Store.Patient(context.Background()), togetherTime)
	defer cancel()
	var (
		done  finished
		begun bool // the transaction has the owners' rows
	)
	store := func(ctx context.Context, client *ent.Client, changes []*core.Change) (err error) {
		begun = true
		var outcomes []*outcome
		for _, s := range group.Take() {
			switch s.err = nil; {
			case !slices.ContainsFunc(changes, func(tx *core.Change) bool { return tx.Owner == s.owner }):
				s.err = core.ErrOwnerTaken
			case len(outcomes)+len(s.outcomes) > publishSet:
				s.err = errFull
			default:
				outcomes = append(outcomes, s.outcomes...)
			}
		}
		done, err = p.store(ctx, client, changes, outcomes)
		return err
	}
	var err error
	if lane == everyOwner {
		err = p.core.AsOwners(ctx, func() (owners []core.Owner) {
			for _, s := range group.Take() {
				owners = append(owners, s.owner)
			}
			return owners
		}, store)
	} else {
		err = yielding(ctx, func(yields bool) error {
			return asWorker(ctx, p.core, lane, yields, func(ctx context.Context, tx *core.Change) error {
				return store(ctx, tx.Client, []*core.Change{tx})
			})
		})
	}
	if err == nil {
		p.count(done)
		return
	}
	err = fmt.Errorf("finish small sets of submissions: %w", err)
	switch late := errors.Is(err, context.DeadlineExceeded); {
	case errors.Is(err, core.ErrBeingReset): // of the owner of the lane: they go alone, and are dropped
		err = errAlone
	case late && lane != everyOwner && !begun:
		err = core.ErrOwnerTaken
	case late, !p.passes(err):
		p.core.Config.Logger.Warn("small sets cannot be stored together: each is stored alone", "error", err)
		err = errAlone
	}
	for _, s := range group.Take() {
		s.err = err
	}
}

// SetsWaiting is how many small sets wait that may be an owner's.
func (p *Publisher) SetsWaiting(owner core.Owner) int {
	return p.together.Len(everyOwner) + p.together.Len(owner)
}

// OwnersInLine is how many lanes have small sets.
func (p *Publisher) OwnersInLine() int { return p.together.Lanes() }

// storeAlone stores a set in a transaction of its own. If that fails for good, each outcome has one, so that one submission cannot fail the
// others.
func (p *Publisher) storeAlone(ctx context.Context, held queue.Held[ent.Submission], set []*outcome) (left []*outcome, err error) {
	var lasting error
	left = set
	passing := p.whileLeased(ctx, held, func(ctx context.Context, yields bool) (passing error) {
		sets := [][]*outcome{left}
		left = nil
		for i := 0; i < len(sets); i++ {
			switch err := p.finish(ctx, core.Owner(set[0].row.Owner), yields, sets[i]); {
			case err == nil:
			case p.passes(err):
				left, passing = append(left, sets[i]...), err
			case len(sets[i]) == 1:
				lasting = errors.Join(lasting, err)
			default:
				sets = slices.AppendSeq(sets, slices.Chunk(sets[i], 1))
			}
		}
		return passing
	})
	return left, errors.Join(lasting, passing)
}

// passes says whether what failed may succeed later.
func (p *Publisher) passes(err error) bool {
	return errors.Is(err, core.ErrOwnerTaken) || p.core.Retrier.WillPass(err)
}

// Sellers' requests go before the work of publishers and fetchers on the same owner. On PostgreSQL every change of an owner locks the owner's
// row, and PostgreSQL serves those that wait for it in their order. A set of items would hold up the requests behind it, and several
// processes publish at once. So the row is taken only when it is free, or after YieldAtMost. On SQLite one writer serves all in turn.

// How long a worker waits before it looks again whether an owner's row is free, at first and at last, and how long it yields at most: an
// owner whose requests never pause is published as well.
const (
	yieldFirst  = 2 * time.Millisecond
	yieldLast   = 16 * time.Millisecond
	YieldAtMost = 300 * time.Millisecond
)

// yielding attempts work on an owner until the owner's row is had, or ctx ends.
func yielding(ctx context.Context, attempt func(yields bool) error) error {
	var yielded time.Duration
	for wait := yieldFirst; ; wait = min(2*wait, yieldLast) {
		err := attempt(yielded < YieldAtMost)
		if !errors.Is(err, core.ErrOwnerTaken) {
			return err
		}
		if lease.Pause(ctx, wait); ctx.Err() != nil {
			return err
		}
		yielded += wait
	}
}

// asWorker is AsOwner for a worker, which may yield to the owner's requests: it fails with ErrOwnerTaken if they have the owner's row.
func asWorker(ctx context.Context, c *core.Core, owner core.Owner, yields bool, fn func(ctx context.Context, tx *core.Change) error) error {
	locks := c.Store.ManyWriters()
	err := c.AsOwnerWith(ctx, core.Entry{Yields: yields && locks}, owner, 0, fn)
	if locks && c.Store.Busy(err) { // the row was not had in time
		return core.ErrOwnerTaken
	}
	return err
}
