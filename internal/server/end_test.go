package server_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sellerd/internal/proof/servertest"
	"sellerd/internal/server"
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

// A request that does not end is cut off, which is no error. Both servers are ended, the one with nothing to do as well.
func TestARequestThatDoesNotEndIsCutOff(t *testing.T) {
	began, cut := make(chan struct{}), make(chan struct{})
	busy := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(began)
		<-r.Context().Done()
		close(cut)
	}))
	idle := httptest.NewServer(http.NotFoundHandler())
	answered := make(chan error, 1)
	go func() {
		_, err := http.Get(busy.URL) //nolint:bodyclose // there is no answer
		answered <- err
	}()
	<-began
	var log bytes.Buffer
	err := server.Drain(t.Context(), []*http.Server{busy.Config, idle.Config}, time.Millisecond, slog.New(slog.NewTextHandler(&log, nil)))
	<-cut
	if err != nil || <-answered == nil {
		t.Errorf("drain: %v, and the request was answered", err)
	}
	if _, err := http.Get(idle.URL); err == nil { //nolint:bodyclose // there is no answer
		t.Error("the idle server still accepts")
	}
	if got, want := strings.Count(log.String(), "requests that had not ended were cut off"), 1; got != want {
		t.Errorf("the log says %d times that requests were cut off, want %d:\n%s", got, want, log.String())
	}
}
