package combine_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/base/combine"
)

// recorder works on groups of numbers. It notes each group, and waits for next before it takes it and before it ends.
type recorder struct {
	mu     sync.Mutex
	groups [][]int
	next   chan struct{}
}

func (r *recorder) work(_ string, group *combine.Group[int]) {
	<-r.next
	members := group.Take()
	r.mu.Lock()
	r.groups = append(r.groups, members)
	r.mu.Unlock()
	<-r.next
}

// enter calls Do on a goroutine of its own, and returns when it waits.
func enter(c *combine.Combiner[string, int], ctx context.Context, member int) (result chan error) {
	result = make(chan error, 1)
	go func() { result <- c.Do(ctx, "lane", member) }()
	synctest.Wait()
	return result
}

func TestThoseThatComeMeanwhileAreTheNextGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{next: make(chan struct{})}
		c := combine.New(3, r.work)
		var results []chan error
		results = append(results, enter(c, t.Context(), 1), enter(c, t.Context(), 2)) // 2 comes before the group is taken
		r.next <- struct{}{}
		synctest.Wait()
		for member := 3; member <= 7; member++ {
			results = append(results, enter(c, t.Context(), member))
		}
		if got := c.Len("lane"); got != 7 {
			t.Errorf("%d members in the lane, want 7", got)
		}
		for range 5 {
			r.next <- struct{}{}
		}
		for _, result := range results {
			if err := <-result; err != nil {
				t.Error(err)
			}
		}
		if diff := cmp.Diff([][]int{{1, 2}, {3, 4, 5}, {6, 7}}, r.groups); diff != "" {
			t.Errorf("groups (-want +got):\n%s", diff)
		}
		if got := c.Len("lane"); got != 0 {
			t.Errorf("%d members in the lane at the end", got)
		}
	})
}

func TestACallerThatLeavesInTimeIsLeftOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{next: make(chan struct{})}
		c := combine.New(10, r.work)
		ctx, leave := context.WithCancel(t.Context())
		first, second := enter(c, t.Context(), 1), enter(c, ctx, 2)
		leave()
		if err := <-second; !errors.Is(err, context.Canceled) {
			t.Errorf("the one that left: %v", err)
		}
		if err := c.Do(ctx, "lane", 3); !errors.Is(err, context.Canceled) {
			t.Errorf("one that comes too late: %v", err)
		}
		r.next <- struct{}{}
		r.next <- struct{}{}
		if err := <-first; err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([][]int{{1}}, r.groups); diff != "" {
			t.Errorf("groups (-want +got):\n%s", diff)
		}
	})
}

func TestACallerThatLeavesLateTakesNothingWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{next: make(chan struct{})}
		c := combine.New(10, r.work)
		ctx, leave := context.WithCancel(t.Context())
		first, second := enter(c, ctx, 1), enter(c, t.Context(), 2)
		r.next <- struct{}{}
		synctest.Wait() // both are taken
		leave()
		if err := <-first; !errors.Is(err, context.Canceled) {
			t.Errorf("the one that left: %v", err)
		}
		r.next <- struct{}{}
		if err := <-second; err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([][]int{{1, 2}}, r.groups); diff != "" {
			t.Errorf("groups (-want +got):\n%s", diff)
		}
	})
}

func TestLanesDoNotWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		c := combine.New(10, func(lane string, _ *combine.Group[int]) {
			if lane == "closed" {
				<-gate
			}
		})
		waits := make(chan error, 1)
		go func() { waits <- c.Do(t.Context(), "closed", 1) }()
		synctest.Wait()
		if err := c.Do(t.Context(), "open", 2); err != nil { // its work did not even take it
			t.Error(err)
		}
		close(gate)
		if err := <-waits; err != nil {
			t.Error(err)
		}
	})
}

func TestAPanicReachesTheCallersOfItsGroupAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := combine.New(1, func(_ string, group *combine.Group[int]) {
			if group.Take()[0] == 13 {
				panic("thirteen")
			}
		})
		panicked := func() (value any) {
			defer func() { value = recover() }()
			_ = c.Do(t.Context(), "lane", 13)
			return nil
		}()
		if text, _ := panicked.(string); !strings.HasPrefix(text, "thirteen\n") || !strings.Contains(text, "combine_test.go") {
			t.Errorf("Do panicked with %v", panicked)
		}
		if err := c.Do(t.Context(), "lane", 1); err != nil {
			t.Error(err)
		}
	})
}

func TestWaitingIsWhatTakeWouldReturn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var waiting, taken, again []int
		gate := make(chan struct{})
		c := combine.New(2, func(_ string, group *combine.Group[int]) {
			<-gate
			if taken == nil {
				waiting, taken, again = group.Waiting(), group.Take(), group.Take()
			}
		})
		results := []chan error{enter(c, t.Context(), 1), enter(c, t.Context(), 2), enter(c, t.Context(), 3)}
		close(gate)
		for _, result := range results {
			if err := <-result; err != nil {
				t.Error(err)
			}
		}
		want := []int{1, 2}
		for name, got := range map[string][]int{"waiting": waiting, "taken": taken, "taken again": again} {
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	})
}
