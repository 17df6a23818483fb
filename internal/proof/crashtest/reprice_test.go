package crashtest

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/ent/event"
	"sellerd/internal/proof/blackbox"
	"sellerd/internal/proof/installed"
	"sellerd/internal/proof/pgtest"
	"sellerd/internal/store"
)

var prices = flag.Int("prices", 1000, "how many prices docs/examples/reprice.py sets on each database while it and the server are killed")

// TestTheRepricingExampleSurvivesKills kills the example and the server in turn, at random instants, until the example has set all
// prices of a file. Each item then has its price, and exactly one event of a change. A run with other prices under another name, undisturbed and
// within the limit of 180 requests a minute, adds one event to each; repeating that run adds none.
func TestTheRepricingExampleSurvivesKills(t *testing.T) {
	installed.Require(t, "THE REPRICING EXAMPLE WAS NOT RUN", "python3")
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	t.Logf("repeat with -seed %d", *seed)
	for name, database := range map[string]func(*testing.T) string{
		"SQLite":     func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "sellerd.db") },
		"PostgreSQL": func(t *testing.T) string { return pgtest.URL(t, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testRepricing(t, database(t))
		})
	}
}

func testRepricing(t *testing.T, database string) {
	server := blackbox.NewServer(t, database).With("--rate-limit=180")
	server.Start(t)
	seller := blackbox.NewSeller(t, server, "reprice")
	blackbox.Operate[map[string]any](t, server, http.MethodPatch, "/operator/accounts/"+seller.Account, map[string]any{"limits": map[string]any{"requests_per_minute": 0}})
	seller.Publish(t, *prices)
	e := &example{T: t, server: server, seller: seller, file: filepath.Join(t.TempDir(), "prices.csv"), least: 1000}
	e.write()
	e.listen()

	rng := rand.New(rand.NewPCG(*seed, 1))
	e.start()
	for kill := range 2 * *kills {
		e.awaitRequests(e.requests.Load() + int64(rng.IntN(3)))
		time.Sleep(time.Duration(rng.IntN(40_000)) * time.Microsecond) // into the middle of whatever is going on
		if kill%2 == 0 {
			e.kill()
			e.start()
			continue
		}
		server.Kill(t)
		server.Start(t)
	}
	e.finish()
	killed := e.requests.Load()
	server.Stop(t)
	e.check(database, 2)
	e.least += 1000
	e.write()
	server.Start(t)

	blackbox.Operate[map[string]any](t, server, http.MethodPatch, "/operator/accounts/"+seller.Account, map[string]any{"limits": map[string]any{"requests_per_minute": 180}})
	began := time.Now()
	e.start("again")
	e.finish()
	took := time.Since(began)
	e.start("again")
	e.finish()
	server.Stop(t)
	e.check(database, 2, 3)
	t.Logf("%d kills, %d requests; %d prices set in %s at 180 requests a minute", 2**kills, killed, *prices, took.Round(10*time.Millisecond))
	if took > time.Minute {
		t.Errorf("%d prices took %s", *prices, took)
	}
}

// TestRepriceNamesLinesThatSetNoPrice runs the program with a file that ends in the middle of a line. It says so before it sends anything.
func TestRepriceNamesLinesThatSetNoPrice(t *testing.T) {
	installed.Require(t, "THE REPRICING EXAMPLE WAS NOT RUN", "python3")
	file := filepath.Join(t.TempDir(), "prices.csv")
	if err := os.WriteFile(file, []byte("reference;price\nA;4,5\n;\nB;\nC\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	program := exec.CommandContext(t.Context(), "python3", "../../../docs/examples/reprice.py", file)
	program.Env = append(os.Environ(), "SELLERD_KEY=dk_test_0", "SELLERD_BASE_URL=http://127.0.0.1:1")
	out, err := program.CombinedOutput()
	if diff := cmp.Diff("nothing was sent: these lines have no reference or no price: 4, 5\n", string(out)); diff != "" || err == nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// example is the program, its file, and the address at which it finds the server, which changes its own when it starts again.
type example struct {
	*testing.T
	server   *blackbox.Server
	seller   *blackbox.Seller
	file     string
	least    int64 // the first price of the file
	address  string
	requests atomic.Int64 // that have arrived

	process *exec.Cmd
	output  bytes.Buffer
	exited  chan error
}

// priceOf is the new price of an item in minor units.
func (e *example) priceOf(n int) int64 { return e.least + int64(n) }

func (e *example) write() {
	var text strings.Builder
	text.WriteString("reference,price\n")
	for n := range *prices {
		fmt.Fprintf(&text, "%d,%d.%02d\n", n, e.priceOf(n)/100, e.priceOf(n)%100)
	}
	if err := os.WriteFile(e.file, []byte(text.String()), 0o600); err != nil {
		e.Fatal(err)
	}
}

// listen forwards requests to the server as it is at present. Where it is not, the connection breaks.
func (e *example) listen() {
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			at, err := url.Parse(e.server.URL())
			if err != nil {
				panic(err)
			}
			r.SetURL(at)
		},
		Transport:    &http.Transport{DisableKeepAlives: true},
		ErrorLog:     log.New(io.Discard, "", 0),
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.requests.Add(1)
		forward.ServeHTTP(w, r)
	}))
	e.Cleanup(proxy.Close)
	e.address = proxy.URL
}

// start runs the example on the file, from its beginning, under a name if one is given.
func (e *example) start(name ...string) {
	e.Helper()
	e.process = exec.CommandContext(e.Context(), "python3", append([]string{"../../../docs/examples/reprice.py", e.file}, name...)...)
	e.process.Env = append(os.Environ(), "SELLERD_BASE_URL="+e.address, "SELLERD_KEY="+e.seller.Key)
	e.output.Reset()
	e.process.Stdout, e.process.Stderr = &e.output, &e.output
	if err := e.process.Start(); err != nil {
		e.Fatal(err)
	}
	e.exited = make(chan error, 1)
	go func(process *exec.Cmd, exited chan<- error) { exited <- process.Wait() }(e.process, e.exited)
}

// awaitRequests waits until so many requests have arrived, and runs the example again whenever it has come to its end.
func (e *example) awaitRequests(n int64) {
	e.Helper()
	deadline := time.Now().Add(time.Minute)
	for e.requests.Load() <= n {
		if time.Now().After(deadline) {
			e.Fatalf("no request arrives\n%s", e.output.String())
		}
		select {
		case err := <-e.exited:
			e.succeeded(err)
			e.start()
		case <-time.After(time.Millisecond):
		}
	}
}

func (e *example) succeeded(err error) {
	e.Helper()
	if want := fmt.Sprintf("%d of %d prices set", *prices, *prices); err != nil || !strings.Contains(e.output.String(), want) {
		e.Fatalf("the example ended: %v\n%s", err, e.output.String())
	}
}

// kill ends the example without warning.
func (e *example) kill() {
	e.Helper()
	if err := e.process.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		e.Fatal(err)
	}
	<-e.exited
}

// finish waits for the end of the example.
func (e *example) finish() {
	e.Helper()
	e.succeeded(<-e.exited)
}

// check compares the items in the database with the file, and the numbers of their events with those wanted: the first event of an item
// is that of its publication.
func (e *example) check(database string, want ...int64) {
	e.Helper()
	db, err := store.Open(e.Context(), store.Config{URL: database})
	if err != nil {
		e.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Reader().Item.Query().All(e.Context())
	if err != nil {
		e.Fatal(err)
	}
	events, err := db.Reader().Event.Query().Where(event.Type("item.updated")).Order(ent.Asc(event.FieldID)).All(e.Context())
	if err != nil {
		e.Fatal(err)
	}
	changes := map[int64][]int64{}
	for _, row := range events {
		changes[row.ResourceID] = append(changes[row.ResourceID], row.Sequence)
	}
	wrong := 0
	for _, row := range rows {
		n, err := strconv.Atoi(*row.PersonalReference)
		if err != nil {
			e.Fatal(err)
		}
		if diff := cmp.Diff(want, changes[row.ID]); diff != "" || *row.Price != e.priceOf(n) {
			if wrong++; wrong <= 5 {
				e.Errorf("item %d costs %d instead of %d, and its events are (-want +got):\n%s", n, *row.Price, e.priceOf(n), diff)
			}
		}
	}
	if len(rows) != *prices || wrong > 0 {
		e.Errorf("of %d items %d are wrong", len(rows), wrong)
	}
}
