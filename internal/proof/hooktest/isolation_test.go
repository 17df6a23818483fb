package hooktest

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sellerd/internal/proof/blackbox"
)

// Events come at a steady pace, so that they arrive as soon as they can.
const (
	isolationItems = 50                     // of each account, changed in turn
	isolationPace  = 500 * time.Millisecond // between two events of an account
)

// TestBlackHoles has endpoints that take a request and never answer, a fifth of all, in every account. The others must
// not notice: they are measured before and after those go silent.
func TestBlackHoles(t *testing.T) {
	each(t, func(t *testing.T, s *blackbox.Server, database string) {
		accounts, endpoints := size(2, 5), size(5, 20)
		phase := time.Duration(size(2, 60)) * time.Second
		var silent atomic.Bool
		receiver := blackbox.NewReceiver(t, func(request *http.Request, r *blackbox.Receipt) int {
			if silent.Load() && blackHole(*r) {
				<-request.Context().Done() // the sender gave up
			}
			return http.StatusOK
		})
		sellers := blackbox.NewSellers(t, s, accounts)
		items := make([][]string, accounts)
		for i, seller := range sellers {
			items[i] = seller.Publish(t, isolationItems)
			for n := range endpoints {
				name := fmt.Sprintf("healthy-%d-%d", i, n)
				if n%5 == 4 {
					name = fmt.Sprintf("hole-%d-%d", i, n)
				}
				seller.Subscribe(t, receiver, name)
			}
		}
		settled := endpoints * change(t, sellers, items, phase)
		blackbox.Eventually(t, 15*time.Second, "everything arrived before the silence", func() bool { return receiver.Different() == settled })
		silent.Store(true)
		changed := change(t, sellers, items, phase)
		healthy := endpoints * 4 / 5
		blackbox.Eventually(t, 15*time.Second, "the healthy endpoints have everything", func() bool {
			return len(latencies(receiver.Receipts()[settled:], isHealthy)) == changed*healthy
		})

		receipts := receiver.Receipts()
		before := blackbox.Quantile(latencies(receipts[:settled], isHealthy), 0.99)
		after := latencies(receipts[settled:], isHealthy)
		p99 := blackbox.Quantile(after, 0.99)
		blackbox.Record(t, blackbox.Figure{
			Number: "R6", What: fmt.Sprintf("%d of %d endpoints are black holes, %s events to the healthy ones, event → receipt, %s",
				accounts*endpoints/5, accounts*endpoints, blackbox.Thousands(int64(len(after))), database),
			Aim: "p99 ≤ 2 s, ≤ 2 × without",
			Measured: fmt.Sprintf("p99 %s, without %s; the slowest %s", blackbox.Milliseconds(p99), blackbox.Milliseconds(before),
				blackbox.Milliseconds(blackbox.Quantile(after, 1))),
			Reached: p99 <= 2*time.Second && p99 <= 2*before || !*long,
		})
	})
}

func blackHole(r blackbox.Receipt) bool { return strings.HasPrefix(r.Endpoint, "hole") }
func isHealthy(r blackbox.Receipt) bool { return !blackHole(r) }

// change changes items of all sellers for a while, and says how many events each of a seller's endpoints shall get,
// of all sellers together.
func change(t *testing.T, sellers []*blackbox.Seller, items [][]string, phase time.Duration) int {
	t.Helper()
	var changed atomic.Int64
	var changing sync.WaitGroup
	for i, seller := range sellers {
		changing.Go(func() {
			tick := time.NewTicker(isolationPace)
			defer tick.Stop()
			for n, began := 0, time.Now(); time.Since(began) < phase; n++ {
				<-tick.C
				if !mustPatch(t, seller, items[i][n%isolationItems], fmt.Sprintf("Ceres, state %d of %s", n, began)) {
					return
				}
				changed.Add(1)
			}
		})
	}
	changing.Wait()
	return int(changed.Load())
}
