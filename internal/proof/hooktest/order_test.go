package hooktest

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sellerd/internal/proof/blackbox"
)

// eventsOfEach is how many events each resource has: it is published and then changed.
const eventsOfEach = 8

// TestOrder changes many items many times, while the receiver refuses one event in a hundred the first time it comes. At
// the receiver the events of each item must come in their order, without a gap, whatever was refused.
func TestOrder(t *testing.T) {
	each(t, func(t *testing.T, s *blackbox.Server, database string) {
		accounts, each := size(2, 10), size(100, 1000)
		order := &order{last: map[string]int64{}}
		receiver := blackbox.NewReceiver(t, order.take)
		sellers := blackbox.NewSellers(t, s, accounts)
		var changing sync.WaitGroup
		for i, seller := range sellers {
			seller.Subscribe(t, receiver, fmt.Sprint(i))
			items := seller.Publish(t, each)
			changing.Go(func() {
				for n := 2; n <= eventsOfEach; n++ {
					for _, item := range items {
						if !mustPatch(t, seller, item, fmt.Sprintf("Ceres, state %d", n)) {
							return
						}
					}
				}
			})
		}
		changing.Wait()
		all := accounts * each * eventsOfEach
		blackbox.Eventually(t, 10*time.Minute, "every event was accepted", func() bool { return order.accepted() == all })
		for _, what := range order.wrong {
			t.Error(what)
		}
		blackbox.Record(t, blackbox.Figure{
			Number: "R15", What: fmt.Sprintf("%s items × %d events, 1 %% refused once, %s", blackbox.Thousands(int64(accounts*each)), eventsOfEach, database),
			Aim: "0 inversions, no gap",
			Measured: fmt.Sprintf("%d inversions, %d gaps, %s events, %s refused", order.inversions, order.gaps,
				blackbox.Thousands(int64(all)), blackbox.Thousands(order.refused.Load())),
			Reached: order.inversions == 0 && order.gaps == 0,
		})
	})
}

// order checks at the receiver that sequences rise by one. What was refused has not come.
type order struct {
	refused atomic.Int64

	mu               sync.Mutex
	last             map[string]int64 // the highest sequence accepted of each resource
	count            int              // of accepted events
	inversions, gaps int
	wrong            []string
}

func (o *order) take(_ *http.Request, r *blackbox.Receipt) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch last := o.last[r.Resource]; {
	case r.Sequence <= last:
		o.inversions++
		o.note("%s: sequence %d came after %d was accepted", r.Resource, r.Sequence, last)
	case r.Sequence > last+1:
		o.gaps++
		o.note("%s: sequence %d came, and %d was accepted last", r.Resource, r.Sequence, last)
	}
	if r.Times == 1 && unlucky(r.Event) {
		o.refused.Add(1)
		return http.StatusInternalServerError
	}
	o.last[r.Resource] = max(o.last[r.Resource], r.Sequence)
	o.count++
	return http.StatusOK
}

// note keeps the first things that are wrong.
func (o *order) note(format string, args ...any) {
	if len(o.wrong) < 10 {
		o.wrong = append(o.wrong, fmt.Sprintf(format, args...))
	}
}

func (o *order) accepted() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.count
}

// unlucky chooses one event in a hundred.
func unlucky(event string) bool {
	hash := fnv.New32a()
	hash.Write([]byte(event))
	return hash.Sum32()%100 == 0
}
