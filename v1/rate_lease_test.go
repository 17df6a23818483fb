package v1_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	"sellerd/v1/ratelimit"
)

// One process that leases requests from PostgreSQL counts as one that counts in memory: no request more or less, with the same headers.
func TestOneProcessCountsToTheRequest(t *testing.T) {
	shared := servertest.New(t, servertest.Postgres(t))
	counted := servertest.New(t, servertest.SQLite(t))
	for _, perMinute := range []int{1, 10, 19, 20, 180, 6000} {
		t.Run(fmt.Sprint(perMinute), func(t *testing.T) {
			leasing, counting := ratelimit.New(shared.Store, shared.Clock), ratelimit.New(counted.Store, shared.Clock)
			random := rand.New(rand.NewPCG(1, uint64(perMinute)))
			for i := range 600 {
				shared.Clock.Advance(time.Duration(random.Int64N(int64(3 * time.Minute / time.Duration(perMinute)))).Truncate(time.Microsecond))
				if random.IntN(200) == 0 {
					shared.Clock.Advance(50 * time.Second)
				}
				n := 1
				if random.IntN(20) == 0 {
					n = -1 // a replay costs nothing
				}
				got := take(t, leasing, perMinute, n)
				want := take(t, counting, perMinute, n)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("request %d of %d (-counted +leased):\n%s", i, n, diff)
				}
			}
		})
	}
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
		t.Fatal(err)
	}
	if !result.Limited {
		result.RetryAfter = 0 // it has no meaning
	}
	return result
}
