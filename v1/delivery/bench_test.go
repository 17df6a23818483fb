package delivery_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
	"sellerd/v1"
	"sellerd/v1/delivery"
)

// BenchmarkSettle stores the outcomes of deliveries as the deliverer does: in groups of 32, as many at a time as it has
// settlers, which share commits. SQLite makes each durable (synchronous FULL).
func BenchmarkSettle(b *testing.B) {
	for _, outcome := range []struct {
		name   string
		status int
	}{{"delivered", http.StatusOK}, {"failed", http.StatusInternalServerError}} {
		b.Run(outcome.name, func(b *testing.B) {
			const group, stock = 32, 32_000
			w := servertest.New(b, servertest.SQLite(b))
			engine := newEngine(b, w)
			owner := v1.OwnerOf(w.Account, true)
			webhooks := plantest.FillWebhooks(b, w, owner, 100)
			first, left := int64(1), 0
			results := 0
			for b.Loop() {
				if left < delivery.Settlers*group {
					b.StopTimer()
					first = plantest.FillDispatches(b, w, owner, webhooks, stock, "leased")
					left = stock
					b.StartTimer()
				}
				var settled sync.WaitGroup
				for range delivery.Settlers {
					attempts := delivery.PretendAttempts(int64(owner), first, group, webhooks, outcome.status)
					settled.Go(func() {
						if err := engine.Settle(context.Background(), attempts); err != nil {
							b.Error(err)
						}
					})
					first, left, results = first+group, left-group, results+group
				}
				settled.Wait()
			}
			b.ReportMetric(float64(results)/b.Elapsed().Seconds(), "results/s")
		})
	}
}

// BenchmarkClaim claims where little is due: two thousand endpoints rest, or are paused, with something waiting for each.
func BenchmarkClaim(b *testing.B) {
	for _, beside := range []struct{ name, webhooks string }{
		{"resting", "paused_until = %d"},
		{"paused", "status = 'paused'"},
	} {
		b.Run(beside.name, func(b *testing.B) {
			w := servertest.New(b, servertest.SQLite(b))
			engine := newEngine(b, w)
			owner := v1.OwnerOf(w.Account, true)
			plantest.FillDispatches(b, w, owner, plantest.FillWebhooks(b, w, owner, 2000), 10_000, "pending")
			set := beside.webhooks
			if beside.name == "resting" {
				set = fmt.Sprintf(set, w.Clock.Now().UnixMicro()+1e9)
			}
			plantest.Fill(b, w, "UPDATE webhooks SET "+set)
			for b.Loop() {
				if claimed, _, err := engine.Claim(b.Context(), delivery.NewSlots()); err != nil || len(claimed) > 0 {
					b.Fatalf("claimed %d: %v", len(claimed), err)
				}
			}
		})
	}
}
