package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"sellerd/internal/proof/servertest"
)

// An attempt in flight has about as long as the requests in hand.
func TestADeliveryInFlightHasTimeToEnd(t *testing.T) {
	t.Parallel() // it waits for a slow receiver
	w := servertest.New(t, servertest.SQLite(t))
	ctx, stop := context.WithCancel(context.Background())
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		stop()
		select {
		case <-r.Context().Done(): // cut short
		case <-time.After(3500 * time.Millisecond):
		}
	}))
	defer receiver.Close()
	if made := w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: map[string]any{"url": receiver.URL}}); made.Status != 201 {
		t.Fatalf("subscribe: %d %s", made.Status, made.Body)
	}
	w.List(t, servertest.FixedPrice())
	if err := w.Server.Run(ctx, listen(t), listen(t)); err != nil {
		t.Errorf("run: %v", err)
	}
	if n := w.Count(t, "deliveries", "status = 'succeeded'"); n != 1 {
		t.Error("the attempt in flight was cut short")
	}
}
