package hooktest

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"sellerd/internal/proof/blackbox"
)

const (
	receiverTakes = 5 * time.Millisecond
	idleReading   = 10 * time.Second // to learn how long reads take without the load
	memoryLimit   = 300 << 20
)

// TestDrain lets deliveries pile up at paused webhooks, resumes them all, and watches them go: how long that takes,
// what memory it needs, and how it slows a caller that reads meanwhile.
func TestDrain(t *testing.T) {
	each(t, func(t *testing.T, s *blackbox.Server, database string) {
		accounts, endpoints, events := size(4, 20), size(5, 20), size(30, 250)
		all := accounts * endpoints * events
		receiver := blackbox.NewReceiver(t, func(*http.Request, *blackbox.Receipt) int {
			time.Sleep(receiverTakes)
			return http.StatusOK
		})
		bystander := blackbox.NewSeller(t, s, "bystander")
		item := bystander.Publish(t, 1)[0]
		sellers := blackbox.NewSellers(t, s, accounts)
		hooks := pileUp(t, sellers, receiver, endpoints, events)

		reading, stopReading := blackbox.Read(t, bystander.Client, "/v1/items/"+item)
		if *long {
			time.Sleep(idleReading)
		}
		idle := blackbox.Quantile(reading.Take(), 0.99)
		memory := s.WatchMemory(t)
		began := time.Now()
		resume(t, sellers, hooks)
		blackbox.Eventually(t, 10*time.Minute, "everything that waited arrived", func() bool { return receiver.Different() == all })
		took := time.Since(began)
		busy := blackbox.Quantile(reading.Take(), 0.99)
		stopReading()
		for _, seller := range sellers {
			seller.AwaitDelivered(t, time.Minute)
		}
		if extra := len(receiver.Receipts()) - all; extra != 0 {
			t.Errorf("%d deliveries came more than once, and nothing had failed", extra)
		}
		recordDrain(t, drained{database, accounts, endpoints, all, took, memory(), idle, busy})
	})
}

// pileUp makes paused webhooks for each seller and then events, which are held there. It returns the webhooks of each.
func pileUp(t *testing.T, sellers []*blackbox.Seller, r *blackbox.Receiver, endpoints, events int) [][]blackbox.Webhook {
	t.Helper()
	hooks := make([][]blackbox.Webhook, len(sellers))
	for i, seller := range sellers {
		for n := range endpoints {
			hooks[i] = append(hooks[i], seller.SubscribeAs(t, r, fmt.Sprintf("%d-%d", i, n), "paused"))
		}
		seller.Publish(t, events)
	}
	if got := r.Different(); got != 0 {
		t.Fatalf("%d events arrived at paused webhooks", got)
	}
	return hooks
}

// resume lets go what is held, all sellers side by side.
func resume(t *testing.T, sellers []*blackbox.Seller, hooks [][]blackbox.Webhook) {
	t.Helper()
	var resuming sync.WaitGroup
	for i, seller := range sellers {
		resuming.Go(func() {
			for _, hook := range hooks[i] {
				got, err := seller.Do(http.MethodPatch, "/v1/webhooks/"+hook.ID, "", []byte(`{"status":"active"}`))
				if err != nil || got.Status != http.StatusOK {
					t.Errorf("resume a webhook: %d %s %v", got.Status, got.Errors, err)
				}
			}
		})
	}
	resuming.Wait()
}

// drained is what TestDrain measured.
type drained struct {
	database                 string
	accounts, endpoints, all int
	took                     time.Duration
	memory                   int64
	idle, busy               time.Duration // p99 of reads
}

func recordDrain(t *testing.T, d drained) {
	t.Helper()
	onSQLite := d.database == "SQLite"
	what := fmt.Sprintf("%s deliveries that wait at %d endpoints of %d accounts (%d each), receivers take %s, %s",
		blackbox.Thousands(int64(d.all)), d.accounts*d.endpoints, d.accounts, d.endpoints, receiverTakes, d.database)
	blackbox.Record(t, blackbox.Figure{
		Number: "R5", What: what + ": drained in", Aim: "≤ 120 s on SQLite",
		Measured: fmt.Sprintf("%.1f s, %s/s", d.took.Seconds(), blackbox.Thousands(int64(float64(d.all)/d.took.Seconds()))),
		Reached:  d.took <= 2*time.Minute || !onSQLite,
	})
	blackbox.Record(t, blackbox.Figure{
		Number: "R5", What: "… the server's memory meanwhile, at most, " + d.database, Aim: "< 300 MB",
		Measured: blackbox.Mebibytes(d.memory), Reached: d.memory < memoryLimit,
	})
	blackbox.Record(t, blackbox.Figure{
		Number: "R5", What: fmt.Sprintf("… p99 of GET /v1/items/{id}, 100 a second, %s", d.database), Aim: "< 2 × idle",
		Measured: fmt.Sprintf("%s, idle %s", blackbox.Milliseconds(d.busy), blackbox.Milliseconds(d.idle)),
		Reached:  d.busy < 2*d.idle || !*long,
	})
}
