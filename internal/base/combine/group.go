package combine

import "slices"

// Group is what a function that works in a lane sees of its members.
type Group[T any] struct {
	queue  *queue[T]
	most   int
	taken  bool
	places []*place[T]
}

// Waiting returns the members that Take would return now. They may leave until then, and are not to be changed.
func (g *Group[T]) Waiting() []T {
	g.queue.mu.Lock()
	defer g.queue.mu.Unlock()
	if g.taken {
		return membersOf(g.places)
	}
	return membersOf(g.queue.waiting[:min(g.most, len(g.queue.waiting))])
}

// Take closes the group and returns its members in the order in which they came, perhaps none. The later it is called, the
// more have come. From now on until the work ends, the members belong to the work alone. Further calls return the same.
func (g *Group[T]) Take() []T {
	g.queue.mu.Lock()
	defer g.queue.mu.Unlock()
	if !g.taken {
		g.taken = true
		n := min(g.most, len(g.queue.waiting))
		g.places, g.queue.working = g.queue.waiting[:n:n], n
		g.queue.waiting = slices.Clone(g.queue.waiting[n:]) // its own array, from which members can leave
	}
	return membersOf(g.places)
}

func membersOf[T any](places []*place[T]) []T {
	members := make([]T, len(places))
	for i, p := range places {
		members[i] = p.member
	}
	return members
}
