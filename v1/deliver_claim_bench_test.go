package v1_test

import (
	"fmt"
	"testing"

	"sellerd/internal/servertest"
	"sellerd/v1"
)

// BenchmarkClaim claims where little is due: two thousand endpoints rest, or are paused, with something waiting for each.
func BenchmarkClaim(b *testing.B) {
	for _, beside := range []struct{ name, webhooks string }{
		{"resting", "paused_until = %d"},
		{"paused", "status = 'paused'"},
	} {
		b.Run(beside.name, func(b *testing.B) {
			w := servertest.New(b, servertest.SQLite(b))
			owner := v1.OwnerOf(w.Account, true)
			fillDispatches(b, w, owner, fillWebhooks(b, w, owner, 2000), 10_000, "pending")
			set := beside.webhooks
			if beside.name == "resting" {
				set = fmt.Sprintf(set, w.Clock.Now().UnixMicro()+1e9)
			}
			fill(b, w, "UPDATE webhooks SET "+set)
			for b.Loop() {
				if claimed, err := w.Service.Claim(b.Context()); err != nil || len(claimed) > 0 {
					b.Fatalf("claimed %d: %v", len(claimed), err)
				}
			}
		})
	}
}
