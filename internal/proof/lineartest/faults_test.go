package lineartest

import (
	"math/rand/v2"
	"testing"
	"time"

	"sellerd/internal/proof/blackbox"
)

// How long a process stays frozen, and how long the processes are left alone between two faults. A frozen process holds the rows
// that it has locked; others wait for a row for 2 s. So the longest time makes some of them give up.
const (
	leastFrozen = 20 * time.Millisecond
	mostFrozen  = 250 * time.Millisecond
	longFrozen  = 2500 * time.Millisecond
	mostRest    = 400 * time.Millisecond // for three processes; every fault of a single one affects every request
)

// faults counts what happened to the processes.
type faults struct{ Kills, Freezes, Restarts int }

// injectFaults kills, freezes and restarts processes, one at a time, until the clients are done. In the end all processes run. It
// runs on the goroutine of the test.
func injectFaults(t *testing.T, servers []*blackbox.Server, rng *rand.Rand, done <-chan struct{}) (s faults) {
	t.Helper()
	rest := int64(mostRest) * processes / int64(len(servers))
	for {
		if ends(done, time.Duration(rng.Int64N(rest))) {
			return s
		}
		server := servers[rng.IntN(len(servers))]
		switch choice := rng.IntN(40); {
		case choice < 16:
			server.Kill(t)
			ends(done, time.Duration(rng.Int64N(int64(mostRest)/4)))
			server.Start(t)
			s.Kills++
		case choice < 22:
			server.Stop(t)
			server.Start(t)
			s.Restarts++
		default:
			frozen := leastFrozen + time.Duration(rng.Int64N(int64(mostFrozen-leastFrozen)))
			if choice == 39 {
				frozen = longFrozen
			}
			server.Freeze(t)
			time.Sleep(frozen) // also when the clients that ask other processes are done
			server.Thaw(t)
			s.Freezes++
		}
	}
}

// ends waits, and says whether the clients are done.
func ends(done <-chan struct{}, wait time.Duration) bool {
	select {
	case <-done:
		return true
	case <-time.After(wait):
		return false
	}
}
