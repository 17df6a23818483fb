package limit

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// largestGroup is how many turns share a transaction at most, and largestSet how many items are published in one. They wait for
// others for no longer than gather.
const (
	largestGroup = 128
	largestSet   = 500
	gather       = 20 * time.Millisecond
)

// write stores the turns that wait, and publishes the items that are ready, until the queue is closed and nothing waits. The whole
// group fails if one of its turns does. The service would run them again one by one; measured requests do not fail, and no item does.
func (h *Handler) write() {
	var due <-chan time.Time
	if h.images != nil {
		ticker := time.NewTicker(gather)
		defer ticker.Stop()
		due = ticker.C
	}
	var turns []*turn
	var ready []*submission
	waiting := 0 // items that are not published
	for queue := h.queue; queue != nil || waiting > 0; {
		turns = turns[:0]
		n := 0
		select {
		case first, open := <-queue:
			if !open {
				queue = nil
				continue
			}
			for turns = append(turns, first); len(queue) > 0 && len(turns) < largestGroup; {
				turns = append(turns, <-queue)
			}
		case fetched := <-h.fetched:
			ready = append(ready, fetched)
		case <-due:
			n = min(len(ready), largestSet)
		}
		if len(ready) >= largestSet {
			n = largestSet
		}
		if len(turns)+n == 0 {
			continue
		}
		err := h.db.store(charges(turns, ready[:n], h.now().UnixMicro()), h.rowsOf)
		if err != nil && n > 0 {
			panic(err)
		}
		for _, t := range turns {
			t.done <- err
		}
		ready, waiting = ready[n:], waiting-n
		if err != nil || h.images == nil {
			continue
		}
		for _, t := range turns {
			for i := range t.submissions {
				waiting++
				if s := &t.submissions[i]; len(s.in.Images) == 0 {
					ready = append(ready, s)
				} else {
					h.ended.Go(func() { h.fetch(s) })
				}
			}
		}
	}
}

// charge is what a group asks of one owner: units of the store's limits, an instant for each of its turns, and one for its items.
type charge struct {
	owner  int64
	turns  []*turn
	items  []*submission // to publish
	units  int64
	latest int64 // instant of the request that came last, or of the publication
}

// charges divides a group by owner. They are in rising order, so that two transactions do not lock them crosswise.
func charges(turns []*turn, items []*submission, now int64) []*charge {
	of := map[int64]*charge{}
	from := func(owner, at int64) *charge {
		c := of[owner]
		if c == nil {
			c = &charge{owner: owner}
			of[owner] = c
		}
		c.latest = max(c.latest, at)
		return c
	}
	for _, t := range turns {
		c := from(t.owner, t.now)
		c.turns, c.units = append(c.turns, t), c.units+int64(len(t.submissions))
	}
	for _, s := range items {
		c := from(s.owner, now)
		c.items = append(c.items, s)
	}
	return slices.SortedFunc(maps.Values(of), func(a, b *charge) int { return cmp.Compare(a.owner, b.owner) })
}

// args are those of the statement that charges the owner.
func (c *charge) args() []any {
	steps := len(c.turns) - 1 + min(1, len(c.items))
	return []any{c.latest, int64(steps), c.units, c.latest / microsADay, c.owner}
}

// ids are those of the items.
func (c *charge) ids() (all []int64) {
	for _, s := range c.items {
		all = append(all, s.id)
	}
	return all
}

// date gives each turn its instant, and after them one to all items. The last is the one that the owner's row has now. It writes the
// answers.
func (c *charge) date(last int64) {
	for _, s := range c.items {
		s.at = last
	}
	last -= int64(min(1, len(c.items)))
	for i, t := range c.turns {
		t.at = last - int64(len(c.turns)-1-i)
		t.data = t.appendAnswer(nil)
	}
}
