package publishing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sellerd/ent"
	"sellerd/internal/base/combine"
	"sellerd/internal/base/each"
	"sellerd/v1/core"
)

// This file stores small sets that wait at the same time in one transaction, those of all owners together. So a hundred sellers who submit
// one item each, and pictures that arrive one by one, cost hardly more than a batch.
//
// The transaction waits for no owner's row. A set whose owner is busy is tried again with the next ones, and alone when it has yielded for
// long. A set that the database does not take is stored alone, too, so that it fails no other.

// smallSet is a set that waits for its transaction, and what became of it.
type smallSet struct {
	*outcomeSet
	outcomes []*outcome
	err      error // nil if it is stored
}

// errAlone says that a set is to be stored alone.
var errAlone = errors.New("the set is to be stored alone")

const (
	smallMost = 32              // sets in one transaction
	smallTime = 2 * time.Second // bounds the transaction: sets that need more are stored alone, with more and more time
)

// finishSmall stores outcomes of a set, which is the first in its owner's line, together with other small sets.
func (p *Publisher) finishSmall(ctx context.Context, set *outcomeSet, outcomes []*outcome) error {
	s := &smallSet{outcomeSet: set, outcomes: outcomes}
	began := p.core.Config.Uptime()
	if err := p.small.Do(ctx, struct{}{}, s); err != nil {
		return err
	}
	if errors.Is(s.err, core.ErrOwnerTaken) {
		set.yielded += p.core.Config.Uptime() - began
	}
	return s.err
}

// storeSmall is the work on a group of small sets. Sets behind them in the lines of their owners are stored with them.
func (p *Publisher) storeSmall(_ struct{}, group *combine.Group[*smallSet]) {
	ctx, cancel := context.WithTimeout(p.core.Store.Patient(context.Background()), smallTime)
	defer cancel()
	var (
		done   finished
		others []*outcomeSet
		owners []core.Owner
	)
	err := p.core.AsOwners(ctx, func() []core.Owner {
		owners = owners[:0]
		for _, s := range group.Take() {
			owners = append(owners, s.Key)
		}
		return owners
	}, func(ctx context.Context, client *ent.Client, changes []*core.Change) (err error) {
		others = nil
		var outcomes []*outcome
		locked := each.Keyed(changes, func(tx *core.Change) (core.Owner, bool) { return tx.Owner, true })
		room := publishSet
		for _, s := range group.Take() {
			if s.err = nil; !locked[s.Key] || len(s.outcomes) > room {
				s.err = core.ErrOwnerTaken // it comes again
				continue
			}
			outcomes = append(outcomes, s.outcomes...)
			room -= len(s.outcomes)
			behind, more := p.waiting.behind(s.outcomeSet, room)
			others, outcomes = append(others, behind...), append(outcomes, more...)
			room -= len(more)
		}
		done, err = p.store(ctx, client, changes, outcomes)
		return err
	})
	if err == nil {
		p.waiting.stored(others)
		p.count(done)
		return
	}
	err = fmt.Errorf("finish submissions of %d owners: %w", len(owners), err)
	if errors.Is(err, context.DeadlineExceeded) || !p.core.Retrier.WillPass(err) {
		p.core.Config.Logger.Warn("small sets cannot be stored together: each is stored alone", "error", err)
		err = errAlone
	}
	for _, s := range group.Take() {
		s.err = err
	}
}
