package v1_test

import (
	"testing"

	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// fillWebhooks writes subscriptions behind the service's back, and returns their numbers.
func fillWebhooks(tb testing.TB, w *servertest.World, owner v1.Owner, n int) []int64 {
	tb.Helper()
	return plantest.FillWebhooks(tb, w, owner, n)
}

// fillDispatches writes dispatches with their deliveries and events behind the service's back, round the webhooks, and
// returns the number of the first.
func fillDispatches(tb testing.TB, w *servertest.World, owner v1.Owner, webhooks []int64, n int, status string) int64 {
	tb.Helper()
	return plantest.FillDispatches(tb, w, owner, webhooks, n, status)
}
