// Package combine lets callers that wait at the same time have their work done together, where the work on a group costs
// hardly more than the work on one. A database transaction is an example: its round trips and its commit are paid once.
//
// A Combiner works on one group at a time in each lane. The first caller of an idle lane starts a group at once. The callers
// that come while a group is worked on are the next one. So there is no timer: a lone caller never waits for company, and
// groups grow by themselves as the load grows.
//
// The work runs on a goroutine of its own and not on a caller's, so a caller that leaves takes nothing with it.
package combine

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
)

// Combiner forms groups of members of type T in lanes named by K. It is safe for concurrent use.
type Combiner[K comparable, T any] struct {
	most  int
	work  func(lane K, group *Group[T])
	mu    sync.Mutex
	lanes map[K]*queue[T] // those in which a goroutine works
}

// queue has the members of a lane that wait, in the order in which they came.
type queue[T any] struct {
	mu      *sync.Mutex // the combiner's
	waiting []*place[T]
	working int // how many are worked on
}

// place is one caller's place in a lane.
type place[T any] struct {
	member   T
	done     chan struct{} // closed when the work on the member's group is over
	panicked any           // what that work panicked with
}

// New makes a combiner for groups of at most so many members. It calls work for each group. Work tells each member what
// became of it by changing the member.
func New[K comparable, T any](most int, work func(lane K, group *Group[T])) *Combiner[K, T] {
	return &Combiner[K, T]{most: most, work: work, lanes: map[K]*queue[T]{}}
}

// Len is how many members of a lane wait or are worked on.
func (c *Combiner[K, T]) Len(lane K) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if q := c.lanes[lane]; q != nil {
		return len(q.waiting) + q.working
	}
	return 0
}

// Do waits until a group with the member has been worked on, and returns nil; the member then belongs to the caller again.
// If ctx ends before, Do returns its error. A member that no group has taken is then left out. Otherwise the work goes on,
// and the member belongs to it for good.
//
// If work panics, Do panics with a text that has the value and the stack of the work.
func (c *Combiner[K, T]) Do(ctx context.Context, lane K, member T) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p := &place[T]{member: member, done: make(chan struct{})}
	q := c.enter(lane, p)
	select {
	case <-p.done:
	case <-ctx.Done():
		q.leave(p)
		select {
		case <-p.done: // both at once: what was done counts
		default:
			return ctx.Err()
		}
	}
	if p.panicked != nil {
		panic(p.panicked)
	}
	return nil
}

// enter has a member wait in a lane, and starts the lane if it is idle.
func (c *Combiner[K, T]) enter(lane K, p *place[T]) *queue[T] {
	c.mu.Lock()
	defer c.mu.Unlock()
	q := c.lanes[lane]
	if q == nil {
		q = &queue[T]{mu: &c.mu}
		c.lanes[lane] = q
		go c.serve(lane, q)
	}
	q.waiting = append(q.waiting, p)
	return q
}

func (q *queue[T]) leave(p *place[T]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = slices.DeleteFunc(q.waiting, func(other *place[T]) bool { return other == p })
}

// serve works on groups of a lane until no member waits.
func (c *Combiner[K, T]) serve(lane K, q *queue[T]) {
	for c.more(lane, q) {
		c.serveGroup(lane, &Group[T]{queue: q, most: c.most})
	}
}

// more says whether members wait, and ends the lane if there are none.
func (c *Combiner[K, T]) more(lane K, q *queue[T]) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	q.working = 0
	if len(q.waiting) == 0 {
		delete(c.lanes, lane)
		return false
	}
	return true
}

func (c *Combiner[K, T]) serveGroup(lane K, g *Group[T]) {
	defer func() {
		panicked := recover()
		if panicked != nil {
			panicked = fmt.Sprintf("%v\n%s", panicked, debug.Stack())
		}
		g.Take() // members that work did not take learn that it is over, too
		for _, p := range g.places {
			p.panicked = panicked
			close(p.done)
		}
	}()
	c.work(lane, g)
}

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
