package bridge_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"sellerd/internal/bridge"
	"sellerd/internal/proof/servertest"
	"sellerd/v1"
)

// BenchmarkCalls makes calls of the service's own /rest and through a bridge, over loopback, in turn. It reports the medians in
// milliseconds and what the bridge adds.
func BenchmarkCalls(b *testing.B) {
	w := servertest.New(b, servertest.SQLite(b), servertest.NewWeb(b).Production)
	service := httptest.NewServer(w.Server.Public)
	b.Cleanup(service.Close)
	made, err := bridge.New(bridge.Config{To: service.URL, Secret: secret, Clock: v1.SystemClock{}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	between := httptest.NewServer(made)
	b.Cleanup(between.Close)
	item := w.List(b, servertest.FixedPrice())
	for range 49 {
		w.List(b, servertest.FixedPrice())
	}
	for name, path := range map[string]string{"item": "/rest/item/" + item, "page of 50": "/rest/item/fixedprice/opened?numberOfItems=50"} {
		b.Run(name, func(b *testing.B) {
			var direct, bridged []time.Duration
			for b.Loop() {
				direct = append(direct, ask(b, service.URL+path, w.Key))
				bridged = append(bridged, ask(b, between.URL+path, w.Key))
			}
			b.ReportMetric(median(direct), "direct-ms")
			b.ReportMetric(median(bridged), "bridged-ms")
			b.ReportMetric(median(bridged)-median(direct), "added-ms")
		})
	}
}

func ask(tb testing.TB, address, key string) time.Duration {
	tb.Helper()
	r, err := http.NewRequest("GET", address, nil)
	if err != nil {
		tb.Fatal(err)
	}
	r.Header.Set("X-Api-Key", key)
	began := time.Now()
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		tb.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, response.Body)
	took := time.Since(began)
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		tb.Fatal(response.Status)
	}
	return took
}

// median is the median in milliseconds.
func median(all []time.Duration) float64 {
	slices.Sort(all)
	return float64(all[len(all)/2].Microseconds()) / 1000
}
