package limit

import (
	"cmp"
	"slices"
)

// largestGroup is how many turns share a transaction at most.
const largestGroup = 128

// storeInGroups stores the turns of a queue until it is closed. It takes all turns that wait and has them stored in one transaction. The
// whole group fails if one of its turns does. The service would run them again one by one; measured requests do not fail.
func storeInGroups(queue chan *turn, store func([]*turn) error) {
	var group []*turn
	for first := range queue {
		group = append(group[:0], first)
		for waiting := true; waiting && len(group) < largestGroup; {
			select {
			case next, open := <-queue:
				if waiting = open; open {
					group = append(group, next)
				}
			default:
				waiting = false
			}
		}
		// Owners are in rising order, so that two transactions do not lock them crosswise.
		slices.SortStableFunc(group, func(a, b *turn) int { return cmp.Compare(a.owner, b.owner) })
		err := store(group)
		for _, t := range group {
			t.done <- err
		}
	}
}

// charge is what a group asks of one owner: units of the store's limits, and an instant for each of its turns.
type charge struct {
	turns  []*turn
	units  int64
	latest int64 // instant of the request that came last
}

// charges divides a group by owner.
func charges(group []*turn) (all []*charge) {
	for i, t := range group {
		if i == 0 || t.owner != group[i-1].owner {
			all = append(all, &charge{})
		}
		c := all[len(all)-1]
		c.turns, c.units, c.latest = append(c.turns, t), c.units+int64(len(t.submissions)), max(c.latest, t.now)
	}
	return all
}

// args are those of the statement that charges the owner.
func (c *charge) args() []any {
	return []any{c.latest, int64(len(c.turns) - 1), c.units, c.latest / microsADay, c.turns[0].owner}
}

// date gives each turn its instant, the last of them the one that the owner's row has now, and writes the answers.
func (c *charge) date(last int64) {
	for i, t := range c.turns {
		t.at = last - int64(len(c.turns)-1-i)
		t.data = t.appendAnswer(nil)
	}
}
