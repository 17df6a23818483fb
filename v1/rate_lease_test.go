package v1_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/throttled/throttled/v2"

	"sellerd/internal/proof/servertest"
	"sellerd/v1/ratelimit"
)

// One process counts as a library does that knows no leases, on both databases: no request more or less, with the same headers.
func TestOneProcessCountsToTheRequest(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for _, perMinute := range []int{1, 10, 19, 20, 180, 6000} {
			t.Run(fmt.Sprint(perMinute), func(t *testing.T) {
				limiter := ratelimit.New(w.Store, w.Clock)
				library, err := throttled.NewGCRARateLimiterCtx(&plainWindows{clock: w.Clock, tat: -1},
					throttled.RateQuota{MaxRate: throttled.PerMin(perMinute), MaxBurst: perMinute - 1})
				if err != nil {
					t.Fatal(err)
				}
				random := rand.New(rand.NewPCG(1, uint64(perMinute)))
				for i := range 600 {
					w.Clock.Advance(time.Duration(random.Int64N(int64(3 * time.Minute / time.Duration(perMinute)))).Truncate(time.Microsecond))
					if random.IntN(200) == 0 {
						w.Clock.Advance(50 * time.Second)
					}
					n := 1
					if random.IntN(20) == 0 {
						n = -1 // a replay costs nothing
					}
					limited, counted, err := library.RateLimitCtx(t.Context(), "", n)
					if err != nil {
						t.Fatal(err)
					}
					want := ratelimit.Result{
						State: ratelimit.State{
							Limit: perMinute, Remaining: max(0, min(counted.Remaining, perMinute)), ResetAfter: max(0, counted.ResetAfter),
						},
						Limited: limited,
					}
					if limited {
						want.RetryAfter = counted.RetryAfter
					}
					if diff := cmp.Diff(want, take(t, limiter, perMinute, n)); diff != "" {
						t.Fatalf("request %d of %d (-library +limiter):\n%s", i, n, diff)
					}
				}
			})
		}
	})
}

// plainWindows is the state of one limit, for the library.
type plainWindows struct {
	clock ratelimit.Clock
	tat   int64
	ends  time.Time
}

func (p *plainWindows) GetWithTime(context.Context, string) (int64, time.Time, error) {
	now := p.clock.Now()
	if !p.ends.After(now) {
		p.tat = -1
	}
	return p.tat, now, nil
}

func (p *plainWindows) SetIfNotExistsWithTTL(_ context.Context, _ string, tat int64, lasts time.Duration) (bool, error) {
	p.tat, p.ends = tat, p.clock.Now().Add(max(lasts, time.Second))
	return true, nil
}

func (p *plainWindows) CompareAndSwapWithTTL(ctx context.Context, key string, _, tat int64, lasts time.Duration) (bool, error) {
	return p.SetIfNotExistsWithTTL(ctx, key, tat, lasts)
}

// Callers of several processes that come at once are admitted to the request, and a lease that is left comes back.
func TestManyCallersShareALimit(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		limiters := []*ratelimit.Limiter{ratelimit.New(w.Store, w.Clock)}
		if w.Store.ManyWriters() {
			limiters = append(limiters, ratelimit.New(w.Store, w.Clock), ratelimit.New(w.Store, w.Clock))
		}
		var admitted atomic.Int64
		var wg sync.WaitGroup
		for i := range 30 {
			wg.Go(func() {
				for range 20 {
					if !take(t, limiters[i%len(limiters)], 180, 1).Limited {
						admitted.Add(1)
					}
				}
			})
		}
		wg.Wait()
		if n := admitted.Load(); n != 180 {
			t.Errorf("%d of 180 requests are admitted", n)
		}
	})
}

// A limit that the operator changes holds from the next request on.
func TestAChangedLimitHoldsAtOnce(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		limiter := ratelimit.New(w.Store, w.Clock)
		var got []string
		for _, perMinute := range []int{600, 60, 600, ratelimit.MostPerMinute} {
			result := take(t, limiter, perMinute, 1)
			got = append(got, fmt.Sprint(result.Limited, " ", result.Limit, " ", result.Remaining))
		}
		// A request of a minute's 600 is a tenth of one of 60, and one of 60 is ten of 600.
		if diff := cmp.Diff([]string{"false 600 599", "false 60 58", "false 600 588", "false 1000000 979999"}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// Processes that share a limit admit what it allows, and at most one lease each beyond. A small limit is exact.
func TestProcessesShareALimitToALease(t *testing.T) {
	w := servertest.New(t, servertest.Postgres(t))
	const minutes = 3
	for _, test := range []struct{ perMinute, processes, lease int }{
		{10, 1, 0}, {10, 2, 0}, {10, 3, 0}, {180, 1, 0}, {180, 2, 18}, {180, 3, 18}, {600, 3, 60},
	} {
		t.Run(fmt.Sprintf("%d a minute, %d processes", test.perMinute, test.processes), func(t *testing.T) {
			limiters := make([]*ratelimit.Limiter, test.processes)
			for i := range limiters {
				limiters[i] = ratelimit.New(w.Store, w.Clock)
			}
			admitted, allowed := 0, test.perMinute*(1+minutes)
			step := time.Minute / time.Duration(test.perMinute) / 2 // twice as many requests as the limit allows, of each process
			for range int(minutes * time.Minute / step) {
				for _, limiter := range limiters {
					if !take(t, limiter, test.perMinute, 1).Limited {
						admitted++
					}
				}
				w.Clock.Advance(step)
			}
			if spare := test.lease * test.processes; admitted > allowed+spare || admitted < allowed-spare-test.processes {
				t.Errorf("%d requests are admitted, not %d by at most %d", admitted, allowed, spare)
			}
		})
	}
}

// A lease is spent without the database.
func TestALeaseIsSpentInMemory(t *testing.T) {
	w := servertest.New(t, servertest.Postgres(t))
	limiter := ratelimit.New(w.Store, w.Clock)
	written := func() (at int64) {
		w.EachRow(t, "SELECT tat FROM rate_windows", func(values []any) { at = values[0].(int64) })
		return at
	}
	var changes []int
	last := int64(0)
	for i := range 40 {
		take(t, limiter, 180, 1)
		if at := written(); at != last {
			changes, last = append(changes, i), at
		}
	}
	if diff := cmp.Diff([]int{0, 18, 36}, changes); diff != "" {
		t.Errorf("requests that were written (-want +got):\n%s", diff)
	}
}

// take charges requests to a limiter of the test.
func take(t *testing.T, limiter *ratelimit.Limiter, perMinute, n int) ratelimit.Result {
	t.Helper()
	result, err := limiter.Take(t.Context(), t.Name(), perMinute, n)
	if err != nil {
		t.Error(err)
	}
	return result
}
