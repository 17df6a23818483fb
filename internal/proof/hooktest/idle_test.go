package hooktest

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"sellerd/internal/proof/blackbox"
)

// idlePace is the time between two submissions. It is longer than the publisher's pause after work (50 ms), during which
// it lets submissions gather: an idle server is in none.
const idlePace = 100 * time.Millisecond

// TestIdle submits items one by one to a server that has nothing else to do, and waits for the event of each. The time
// runs from before the request is sent, so accepting, publishing and delivering are all in it.
func TestIdle(t *testing.T) {
	each(t, func(t *testing.T, s *blackbox.Server, database string) {
		arrived := make(chan time.Time, 1)
		receiver := blackbox.NewReceiver(t, func(_ *http.Request, r *blackbox.Receipt) int {
			arrived <- r.At
			return http.StatusOK
		})
		seller := blackbox.NewSeller(t, s, "idle")
		seller.Subscribe(t, receiver, "all")
		times := make([]time.Duration, size(20, 200))
		tick := time.NewTicker(idlePace)
		defer tick.Stop()
		for i := range times {
			<-tick.C
			began := time.Now()
			blackbox.Call[struct{ ID string }](t, seller.Client, http.MethodPost, "/v1/items", blackbox.Item(fmt.Sprint(i)))
			select {
			case at := <-arrived:
				times[i] = at.Sub(began)
			case <-time.After(10 * time.Second):
				t.Fatalf("the event of item %d does not come", i)
			}
		}
		median, p99 := blackbox.Quantile(times, 0.5), blackbox.Quantile(times, 0.99)
		blackbox.Record(t, blackbox.Figure{
			Number: "idle", What: fmt.Sprintf("POST /v1/items → receipt of item.published, %d times, one every %d ms, %s", len(times), idlePace.Milliseconds(), database),
			Aim:      "p50 ≤ 50 ms",
			Measured: fmt.Sprintf("p50 %s, p99 %s", blackbox.Milliseconds(median), blackbox.Milliseconds(p99)),
			Reached:  median <= 50*time.Millisecond || !*long,
		})
	})
}
