package outagetest

import (
	"flag"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sellerd/internal/proof/blackbox"
	"sellerd/internal/proof/pgtest"
)

var long = flag.Bool("long", false, "run under load for longer, and record figures")

func TestMain(m *testing.M) { blackbox.Main(m) }

// TestFrozenDatabase lets PostgreSQL stand still, as on a machine that hangs: the kernel goes on to accept connections, and
// nothing is answered.
func TestFrozenDatabase(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Own(t, pgtest.Options{})
	server := blackbox.NewServer(t, cluster.AdminURL())
	server.Start(t)
	seller := blackbox.NewSeller(t, server, "anna")
	item := seller.Publish(t, 1)[0]
	awaitServing(t, server, seller.Key, item)

	for round, name := range []string{"the first time", "and again"} {
		t.Run(name, func(t *testing.T) {
			if err := cluster.Freeze(); err != nil {
				t.Fatal(err)
			}
			if round > 0 { // nothing has noticed yet
				checkReady(t, server, http.StatusServiceUnavailable)
			}
			t.Run("every request is refused in time", func(t *testing.T) {
				requests := requestsOf(server, seller.Key, item, round+1)
				sendAll(requests)
				checkRefused(t, requests)
			})
			t.Run("readiness is answered at once", func(t *testing.T) { checkReady(t, server, http.StatusServiceUnavailable) })
			t.Run("20 reads wait no longer than one", func(t *testing.T) {
				reads := make([]*request, 20)
				for i := range reads {
					reads[i] = &request{name: "read an item", method: http.MethodGet, url: server.URL() + "/v1/items/" + item, header: map[string]string{"X-Api-Key": seller.Key}}
				}
				sendAll(reads)
				checkRefused(t, reads)
			})
			if err := cluster.Thaw(); err != nil {
				t.Fatal(err)
			}
			if took := awaitServing(t, server, seller.Key, item); took > backLimit {
				t.Errorf("served again after %s", took)
			}
			checkReady(t, server, http.StatusOK)
		})
	}
	t.Run("a server that is stopped ends", func(t *testing.T) {
		if err := cluster.Freeze(); err != nil {
			t.Fatal(err)
		}
		requests := requestsOf(server, seller.Key, item, 9)
		done := make(chan struct{})
		go func() { defer close(done); sendAll(requests) }()
		time.Sleep(200 * time.Millisecond) // until they wait
		began := time.Now()
		server.Stop(t)
		if took := time.Since(began); took > endLimit {
			t.Errorf("it took %s", took)
		}
		<-done
		checkRefused(t, requests)
	})
}

// endLimit is how long a server may take to end.
const endLimit = 20 * time.Second

// TestFrozenBackends stops what works for the server's connections, while PostgreSQL goes on to accept new ones: as when
// one statement hangs, and not the machine.
func TestFrozenBackends(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Own(t, pgtest.Options{})
	server := blackbox.NewServer(t, cluster.AdminURL())
	server.Start(t)
	seller := blackbox.NewSeller(t, server, "anna")
	item := seller.Publish(t, 1)[0]
	admin, err := pgx.Connect(t.Context(), cluster.AdminURL())
	if err != nil {
		t.Fatal(err)
	}
	rows, err := admin.Query(t.Context(), `SELECT pid FROM pg_stat_activity WHERE application_name = 'sellerd'`)
	if err != nil {
		t.Fatal(err)
	}
	backends, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil || len(backends) == 0 {
		t.Fatalf("the server has %d connections: %v", len(backends), err)
	}
	for _, pid := range backends {
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
	}
	requests := requestsOf(server, seller.Key, item, 1)
	sendAll(requests)
	for _, r := range requests { // those for which there was room got a connection that works
		if r.err != nil || r.took > answerLimit || r.status/100 == 5 && r.status != http.StatusServiceUnavailable {
			t.Errorf("%s: %d (%v) after %s", r.name, r.status, r.err, r.took)
		}
	}
	if took := awaitServing(t, server, seller.Key, item); took > backLimit {
		t.Errorf("served again after %s", took)
	}
}
