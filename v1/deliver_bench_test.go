package v1_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"sellerd/internal/servertest"
	"sellerd/v1"
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
			owner := v1.OwnerOf(w.Account, true)
			webhooks := fillWebhooks(b, w, owner, 100)
			first, left := int64(1), 0
			results := 0
			for b.Loop() {
				if left < v1.Settlers*group {
					b.StopTimer()
					first = fillDispatches(b, w, owner, webhooks, stock, "leased")
					left = stock
					b.StartTimer()
				}
				var settled sync.WaitGroup
				for range v1.Settlers {
					attempts := v1.PretendAttempts(owner, first, group, webhooks, outcome.status)
					settled.Go(func() {
						if err := w.Service.Settle(context.Background(), attempts); err != nil {
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

// fillWebhooks writes subscriptions behind the service's back, and returns their numbers.
func fillWebhooks(tb testing.TB, w *servertest.World, owner v1.Owner, n int) []int64 {
	tb.Helper()
	fill(tb, w, numbered(1, int64(n))+fmt.Sprintf(`INSERT INTO webhooks (id, owner, url, events, events_key, format, status, secret, secret_hint, failures, breaker_level, created_at, updated_at)
 SELECT i, %d, 'https://example.com/' || i, '["*"]', '*', 'standard', 'active', '', '', 0, 0, 0, 0 FROM n`, owner))
	webhooks := make([]int64, n)
	for i := range webhooks {
		webhooks[i] = int64(i + 1)
	}
	return webhooks
}

// fillDispatches writes dispatches with their deliveries and events behind the service's back, round the webhooks, and
// returns the number of the first.
func fillDispatches(tb testing.TB, w *servertest.World, owner v1.Owner, webhooks []int64, n int, status string) int64 {
	tb.Helper()
	have := int64(w.Count(tb, "events", "1 = 1"))
	now := w.Clock.Now().UnixMicro()
	numbers := numbered(have+1, have+int64(n))
	hook := fmt.Sprintf("%d + i %% %d", webhooks[0], len(webhooks))
	state, lease := "scheduled", 0
	if status == "leased" {
		state, lease = "sending", 1
	}
	fill(tb, w,
		numbers+fmt.Sprintf(`INSERT INTO events (id, owner, type, resource_type, resource_id, sequence, body, created_at)
 SELECT i, %d, 'item.published', 'item', i, 1, '{}', %d FROM n`, owner, now),
		numbers+fmt.Sprintf(`INSERT INTO dispatches (id, owner, event_id, webhook_id, delivery_id, trigger, resource, sequence, status, attempts, failures, due_at, lease, created_at, expires_at)
 SELECT i, %d, i, %s, i, 'automatic', 'item/' || i, 1, '%s', %d, 0, %d, %d, 0, %d FROM n`, owner, hook, status, lease, now, lease, now+96*3600*1e6),
		numbers+fmt.Sprintf(`INSERT INTO deliveries (id, owner, dispatch_id, webhook_id, event_id, event_type, resource_id, attempt, trigger, status, final, url, request_headers,
 response_body, response_truncated, scheduled_at, created_at)
 SELECT i, %d, i, %s, i, 'item.published', '' || i, 1, 'automatic', '%s', false, 'https://example.com/hook', '', '', false, %d, %d FROM n`, owner, hook, state, now, now),
	)
	return have + 1
}
