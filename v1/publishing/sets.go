package publishing

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"sellerd/ent"
	"sellerd/internal/base/each"
	"sellerd/v1/core"
)

// This file decides in which sets, and in which order, outcomes of submissions are stored.

// publishSet is how many items are made in one transaction. Sellers' requests wait meanwhile: on SQLite those of all sellers for
// the writer, on PostgreSQL those of the same seller for the owner's row.
const publishSet = 50

// outcomeSet are outcomes of one owner and one claim that are stored together.
type outcomeSet struct {
	*place
	outcomes []*outcome
	left     []*outcome // those that are not stored, see waitingSets
	failed   error      // of those that never will be
}

// waitingSets are the sets of this process that are not stored yet, by owner. The set that is first in its owner's line stores those
// behind it, too: items whose images have come while it waited for the writer or for the owner's row, and on PostgreSQL, where under
// load a claim takes only a few submissions, those of other claims.
//
// Of the sets in line, only the first changes what is left of itself and of the others. The lock is for those that leave meanwhile.
type waitingSets struct {
	mu   sync.Mutex
	sets map[core.Owner][]*outcomeSet
}

func (w *waitingSets) add(set *outcomeSet) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sets == nil {
		w.sets = map[core.Owner][]*outcomeSet{}
	}
	w.sets[set.Key] = append(w.sets[set.Key], set)
}

// remove takes a set out. From then on what is left of it stays as it is.
func (w *waitingSets) remove(set *outcomeSet) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sets[set.Key] = slices.DeleteFunc(w.sets[set.Key], func(other *outcomeSet) bool { return other == set })
	if len(w.sets[set.Key]) == 0 {
		delete(w.sets, set.Key)
	}
}

// behind are other sets of the same owner, and what is left of them: so many outcomes at most.
func (w *waitingSets) behind(set *outcomeSet, most int) (others []*outcomeSet, outcomes []*outcome) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, other := range w.sets[set.Key] {
		if n := len(other.left); other != set && n > 0 && len(outcomes)+n <= most {
			others, outcomes = append(others, other), append(outcomes, other.left...)
		}
	}
	return others, outcomes
}

// stored notes that nothing is left of sets, apart from those that were taken out meanwhile.
func (w *waitingSets) stored(sets []*outcomeSet) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, set := range sets {
		if slices.Contains(w.sets[set.Key], set) {
			set.left = nil
		}
	}
}

// isStored says whether nothing is left of a set.
func (w *waitingSets) isStored(set *outcomeSet) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(set.left) == 0
}

// SetsWaiting is how many sets of an owner's items are not stored yet.
func (p *Publisher) SetsWaiting(owner core.Owner) int {
	p.waiting.mu.Lock()
	defer p.waiting.mu.Unlock()
	return len(p.waiting.sets[owner])
}

// OwnersInLine is how many owners have work of this process in their lines.
func (p *Publisher) OwnersInLine() int { return p.lines.Len() }

// bySize divides outcomes, which are in the order of their submissions, into those of owners with few of them, and the others.
func bySize(outcomes []*outcome) (small, large []*outcome) {
	counts := make(map[int64]int, 1)
	for _, o := range outcomes {
		counts[o.row.Owner]++
	}
	for _, o := range outcomes {
		if counts[o.row.Owner] < patientFrom {
			small = append(small, o)
		} else {
			large = append(large, o)
		}
	}
	return small, large
}

// setsOf divides outcomes, which are in the order of their submissions, into sets. The sets of an owner have that order, too. What waits for
// the sets is woken for each of them if they are apart, else for any.
func (p *Publisher) setsOf(outcomes []*outcome, apart bool) (sets []*outcomeSet) {
	slices.SortStableFunc(outcomes, func(a, b *outcome) int { return cmp.Compare(a.row.Owner, b.row.Owner) })
	woken := make(chan struct{}, 1)
	for len(outcomes) > 0 {
		if apart {
			woken = make(chan struct{}, 1)
		}
		owner := outcomes[0].row.Owner
		n := 1
		for n < min(len(outcomes), publishSet) && outcomes[n].row.Owner == owner {
			n++
		}
		set := &outcomeSet{place: p.lines.join(core.Owner(owner), woken, true), outcomes: outcomes[:n:n], left: outcomes[:n:n]}
		p.waiting.add(set)
		sets = append(sets, set)
		outcomes = outcomes[n:]
	}
	return sets
}

// storeInLine stores sets of a lease, each when it is first in its owner's line.
//
// Each owner is tried, and those whose rows are taken once more after the others. So a busy owner does not hold up the others, for
// longer than the database lets an attempt wait for a row.
func (p *Publisher) storeInLine(ctx context.Context, b *batch[ent.Submission], sets []*outcomeSet) {
	for times := 0; len(sets) > 0; {
		var taken []*outcomeSet
		for _, set := range sets {
			if ctx.Err() != nil {
				p.endSet(b, set, nil)
				continue
			}
			err := p.finishWhileLeased(p.patient(ctx, p.SetsWaiting(set.Key)), b.held, set)
			if errors.Is(err, core.ErrOwnerTaken) && p.claims.Lasts(b.held) {
				taken = append(taken, set)
				continue
			}
			p.endSet(b, set, err)
		}
		if len(taken) < len(sets) {
			times = 0
		} else {
			p.lines.yield(ctx, times, placesOf(taken)...)
			times++
		}
		sets = taken
	}
}

// endSet ends the work on a set. err is why something is left of it.
func (p *Publisher) endSet(b *batch[ent.Submission], set *outcomeSet, err error) {
	p.waiting.remove(set)
	p.lines.Leave(set.Place)
	b.note(errors.Join(set.failed, err))
	for _, o := range set.left {
		b.leave(o.row.ID)
	}
	ended(set.outcomes)
	for _, o := range set.outcomes {
		b.done(o.row.Owner)
	}
}

func placesOf(sets []*outcomeSet) []*place {
	return each.Of(sets, func(set *outcomeSet) *place { return set.place })
}

// patientFrom is the number of outcomes from which a set is long, so that others go before it.
const patientFrom = 8

// patient returns the context with which a set is stored that has so many outcomes, or as many with those behind it.
func (p *Publisher) patient(ctx context.Context, outcomes int) context.Context {
	if outcomes < patientFrom {
		return ctx
	}
	return p.core.Store.Patient(ctx)
}
