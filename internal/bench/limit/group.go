package limit

// groupWriter stores on one goroutine: it takes all turns that wait and has them stored in one transaction.
type groupWriter struct {
	queue chan *turn
	ended chan struct{}
}

// largestGroup is how many turns share a transaction at most.
const largestGroup = 128

func newGroupWriter(store func([]*turn) error) *groupWriter {
	w := &groupWriter{queue: make(chan *turn, largestGroup), ended: make(chan struct{})}
	go w.loop(store)
	return w
}

// close ends the writer after the last turn.
func (w *groupWriter) close() {
	close(w.queue)
	<-w.ended
}

// store returns once a turn is durable.
func (w *groupWriter) store(t *turn) error {
	w.queue <- t
	return <-t.done
}

// loop fails the whole group if one of its turns fails. The service would run them again one by one; measured requests do
// not fail.
func (w *groupWriter) loop(store func([]*turn) error) {
	defer close(w.ended)
	var group []*turn
	for first := range w.queue {
		group = append(group[:0], first)
	waiting:
		for len(group) < largestGroup {
			select {
			case next, open := <-w.queue:
				if !open {
					break waiting
				}
				group = append(group, next)
			default:
				break waiting
			}
		}
		err := store(group)
		for _, t := range group {
			t.done <- err
		}
	}
}

// charge is what a group asks of one owner: units of the store's limits, and an instant for each of its turns.
type charge struct {
	owner  int64
	turns  []*turn
	units  int64
	latest int64 // instant of the request that came last
}

// charges sorts a group by owner. Owners are in rising order, so that two transactions do not lock them crosswise.
func charges(turns []*turn) []charge {
	var all []charge
turns:
	for _, t := range turns {
		at := len(all)
		for i := range all {
			if all[i].owner == t.owner {
				all[i].add(t)
				continue turns
			}
			if all[i].owner > t.owner && at == len(all) {
				at = i
			}
		}
		all = append(all, charge{})
		copy(all[at+1:], all[at:])
		all[at] = charge{owner: t.owner}
		all[at].add(t)
	}
	return all
}

func (c *charge) add(t *turn) {
	c.turns = append(c.turns, t)
	c.units += int64(len(t.submissions))
	c.latest = max(c.latest, t.now)
}

// date gives each turn its instant, the last of them the one that the owner's row has now, and has the answers written.
func (c *charge) date(last int64) {
	for i, t := range c.turns {
		t.at = last - int64(len(c.turns)-1-i)
		t.write(t)
	}
}
