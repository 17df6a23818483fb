package server_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
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

// A caller who does not read its answer holds up the end as long as other requests may, and is no reason for it to fail.
func TestASlowCallerIsCutOffAtTheEnd(t *testing.T) {
	t.Parallel() // it waits as long as a server does
	_, s, log := served(t)
	public := listen(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, public, listen(t)) }()
	connection := readingNothing(t, public.Addr().String(), "the-slow-reader")
	if _, err := io.ReadFull(connection, make([]byte, 1)); err != nil { // the answer has begun
		t.Fatal(err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("run: %v", err)
	}
	if want := "requests of slow callers were cut off"; !strings.Contains(log.String(), want) {
		t.Errorf("the log lacks %q:\n%s", want, log.String())
	}
}
