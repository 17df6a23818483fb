package items

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"sellerd/ent"
	"sellerd/v1/core"
	"sellerd/v1/queue"
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
	begun    func()     // called when its transaction has begun; it may be called again
}

// waitingSets are the sets of this process that are not stored yet, by owner. Under load a claim takes only a few submissions, and
// each transaction waits for the owner's row. So on PostgreSQL the set that is first in its owner's line stores those behind it, too.
//
// Only the first set of a line changes what is left of itself and of the others. The lock is for those that leave meanwhile.
type waitingSets struct {
	Mu   sync.Mutex
	Sets map[core.Owner][]*outcomeSet
}

func (w *waitingSets) add(set *outcomeSet) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	if w.Sets == nil {
		w.Sets = map[core.Owner][]*outcomeSet{}
	}
	w.Sets[set.Key] = append(w.Sets[set.Key], set)
}

// remove takes a set out. From then on what is left of it stays as it is.
func (w *waitingSets) remove(set *outcomeSet) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.Sets[set.Key] = slices.DeleteFunc(w.Sets[set.Key], func(other *outcomeSet) bool { return other == set })
	if len(w.Sets[set.Key]) == 0 {
		delete(w.Sets, set.Key)
	}
}

// behind are other sets of the same owner, and what is left of them: so many outcomes at most.
func (w *waitingSets) behind(set *outcomeSet, most int) (others []*outcomeSet, outcomes []*outcome) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	for _, other := range w.Sets[set.Key] {
		if n := len(other.left); other != set && n > 0 && len(outcomes)+n <= most {
			others, outcomes = append(others, other), append(outcomes, other.left...)
		}
	}
	return others, outcomes
}

// stored notes that nothing is left of sets, apart from those that were taken out meanwhile.
func (w *waitingSets) stored(sets []*outcomeSet) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	for _, set := range sets {
		if slices.Contains(w.Sets[set.Key], set) {
			set.left = nil
		}
	}
}

// isStored says whether nothing is left of a set.
func (w *waitingSets) isStored(set *outcomeSet) bool {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return len(set.left) == 0
}

// setsOf divides outcomes, which are in the order of their submissions, into sets. The sets of an owner have that order, too.
func (s *Items) setsOf(outcomes []*outcome) (sets []*outcomeSet) {
	slices.SortStableFunc(outcomes, func(a, b *outcome) int { return cmp.Compare(a.row.Owner, b.row.Owner) })
	woken := make(chan struct{}, 1)
	for len(outcomes) > 0 {
		owner := outcomes[0].row.Owner
		n := 1
		for n < min(len(outcomes), publishSet) && outcomes[n].row.Owner == owner {
			n++
		}
		set := &outcomeSet{place: s.join(core.Owner(owner), woken), outcomes: outcomes[:n:n], left: outcomes[:n:n], begun: func() {}}
		s.Waiting.add(set)
		sets = append(sets, set)
		outcomes = outcomes[n:]
	}
	return sets
}

// storeSets stores sets, and calls ended for each with its error.
func (s *Items) storeSets(ctx context.Context, held queue.Held[ent.Submission], sets []*outcomeSet, ended func(set *outcomeSet, err error)) {
	end := func(set *outcomeSet, err error) {
		s.Waiting.remove(set)
		s.Publishing.Leave(set.Place)
		ended(set, errors.Join(set.failed, err))
	}
	if !s.Store.ManyWriters() {
		s.storeTogether(ctx, held, sets, end)
		return
	}
	// Each owner is tried, and those whose rows are taken once more after the others. So a busy owner does not hold up the others, for
	// longer than the database lets an attempt wait for a row.
	for times := 0; len(sets) > 0; {
		var taken []*outcomeSet
		for _, set := range sets {
			if ctx.Err() != nil {
				end(set, nil)
				continue
			}
			err := s.finishWhileLeased(ctx, held, set)
			if errors.Is(err, core.ErrOwnerTaken) && s.SubmissionClaims.Lasts(held) {
				taken = append(taken, set)
				continue
			}
			end(set, err)
		}
		if len(taken) < len(sets) {
			times = 0
		} else {
			s.yield(ctx, times, placesOf(taken)...)
			times++
		}
		sets = taken
	}
}

func placesOf(sets []*outcomeSet) []*place {
	places := make([]*place, len(sets))
	for i, set := range sets {
		places[i] = set.place
	}
	return places
}

// patientFrom is the number of outcomes from which a set is long, so that others go before it.
const patientFrom = 8

// storeTogether stores sets where one writer serves all. Each set begins to wait for the writer when the one before it has begun, so
// that they can share a commit, and keep their order unless one has to be repeated.
func (s *Items) storeTogether(ctx context.Context, held queue.Held[ent.Submission], sets []*outcomeSet, end func(set *outcomeSet, err error)) {
	var wg sync.WaitGroup
	for _, set := range sets {
		if ctx.Err() != nil {
			end(set, nil)
			continue
		}
		begun := make(chan struct{})
		set.begun = sync.OnceFunc(func() { close(begun) })
		wg.Go(func() {
			defer set.begun()
			storing := ctx
			if len(set.outcomes) >= patientFrom {
				storing = s.Store.Patient(ctx)
			}
			end(set, s.finishWhileLeased(storing, held, set))
		})
		<-begun
	}
	wg.Wait()
}
