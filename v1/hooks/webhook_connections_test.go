package hooks_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"sellerd/internal/proof/servertest"
	"sellerd/v1/delivery"
)

// Several webhooks of a seller may be at one host, such as that of a provider. The requests that are in flight there at once
// leave their connections to the next ones.
func TestDeliveriesToOneHostReuseItsConnections(t *testing.T) {
	const webhooks, rounds = 8, 3 // as many attempts in flight as an account may have
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		var opened atomic.Int64
		var together sync.WaitGroup // the requests of a round, which are answered when all are there
		receiver := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			together.Done()
			together.Wait()
		}))
		receiver.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				opened.Add(1)
			}
		}
		receiver.Start()
		t.Cleanup(receiver.Close)
		for i := range webhooks {
			w.Subscribe(t, object{"url": fmt.Sprintf("%s/%d", receiver.URL, i), "events": []string{"item.published"}})
		}
		for range rounds {
			for range delivery.SlotsPerEndpoint {
				w.List(t, servertest.FixedPrice())
			}
			together.Add(delivery.SlotsPerOwner)
			servertest.DeliverAll(t, w.Service)
		}
		if n := opened.Load(); n > delivery.SlotsPerOwner {
			t.Errorf("%d connections were opened for %d deliveries, %d at a time", n, rounds*delivery.SlotsPerOwner, delivery.SlotsPerOwner)
		}
	})
}
