package crashtest

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"sellerd/ent"
	"sellerd/ent/dispatch"
	"sellerd/ent/submission"
	"sellerd/internal/demo"
	"sellerd/internal/proof/blackbox"
	"sellerd/internal/proof/pgtest"
	"sellerd/internal/store"
	"sellerd/v1"
)

var (
	kills   = flag.Int("kills", 5, "how often the server is killed on each database")
	clients = flag.Int("clients", 8, "how many clients list items and buy at a time")
	patient = flag.Bool("patient", false, "wait until the claims of killed workers run out by themselves, 2 minutes, instead of ending them")
	seed    = flag.Uint64("seed", 0, "of the kills and the requests; 0 chooses one and logs it")
)

func TestMain(m *testing.M) { blackbox.Main(m) }

// TestKill9 kills the server under load. Clients repeat a request under its Idempotency-Key until it is acknowledged.
// In the end, read over the API:
//
//   - every acknowledged submission is there and published, none is lost;
//   - there is one item for each accepted row and no other, however often its request was sent;
//   - there is one sale for each acknowledged purchase and no other;
//   - every key still answers what it answered first, byte for byte;
//   - the store's limits count exactly the items there are;
//   - of every item and every sale the receiver got the event, in the order of its resource and without a gap;
//   - what it got more than once has an attempt on record for each time, all but the last one failed or interrupted.
func TestKill9(t *testing.T) {
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	t.Logf("repeat with -seed %d", *seed)
	for name, url := range map[string]func(*testing.T) string{
		"SQLite":     func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "sellerd.db") },
		"PostgreSQL": func(t *testing.T) string { return pgtest.URL(t, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testKill9(t, name, url(t))
		})
	}
}

// stallItems is how many items are bought.
const stallItems = 8

func testKill9(t *testing.T, name, database string) {
	pictures := httptest.NewServer(demo.Images())
	t.Cleanup(pictures.Close)
	receiver := blackbox.NewReceiver(t, sometimesSlow)
	server := blackbox.NewServer(t, database)
	server.Start(t)
	seller := blackbox.NewSeller(t, server, "crash")
	seller.Fresh = true
	for n := range endpoints {
		seller.Subscribe(t, receiver, fmt.Sprintf("endpoint-%d", n))
	}

	load := &load{seller: seller, images: pictures.URL, stall: seller.Publish(t, stallItems), seed: *seed}
	ctx, stop := context.WithCancel(t.Context())
	var working sync.WaitGroup
	for n := range *clients {
		working.Go(func() { load.work(ctx, n) })
	}
	rng := rand.New(rand.NewPCG(*seed, 0))
	for range *kills {
		load.awaitRequests(t, 20+rng.IntN(200))
		time.Sleep(time.Duration(rng.IntN(30_000)) * time.Microsecond) // into the middle of whatever is going on
		server.Kill(t)
		server.Start(t)
	}
	load.awaitRequests(t, 50)
	stop()
	working.Wait()
	if load.err != nil {
		t.Fatal(load.err)
	}
	if !*patient {
		server.Kill(t)
		endClaims(t, database)
		server.Start(t)
	}
	load.check(t)
	events := load.checkDeliveries(t, receiver)
	server.Stop(t)
	t.Logf("%d kills, %d requests sent, %d of them without an answer, %d keys acknowledged (%d at a repetition, %d of these by replay), %d items",
		*kills, load.sent, load.unanswered, len(load.journal), load.repeated, load.replayed, load.acceptedRows())
	blackbox.Record(t, blackbox.Figure{
		Number: "R1", What: fmt.Sprintf("%d × kill -9 under load, %s", *kills, name),
		Aim: "0 acknowledged lost, 0 doubled, every event delivered, every extra delivery on record",
		Measured: fmt.Sprintf("%s keys (%s answered at a repetition), %s items, %s sales, %s events of %d endpoints delivered %s times, %s attempts interrupted",
			blackbox.Thousands(int64(len(load.journal))), blackbox.Thousands(int64(load.repeated)), blackbox.Thousands(int64(load.acceptedRows())),
			blackbox.Thousands(int64(len(load.purchases()))), blackbox.Thousands(int64(events.distinct)), endpoints, blackbox.Thousands(int64(events.receipts)),
			blackbox.Thousands(int64(events.interrupted))),
		Reached: !t.Failed(),
	})
}

// endClaims lets the submissions and deliveries that killed workers had in hand be claimed again at once. It is what two
// minutes of waiting would do: no worker is alive that could still finish them.
func endClaims(t *testing.T, database string) {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{URL: database})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
		if err := tx.Dispatch.Update().Where(dispatch.Status("leased")).SetDueAt(0).Exec(ctx); err != nil {
			return err
		}
		return tx.Submission.Update().Where(submission.Status(v1.SubmissionProcessing)).SetDueAt(0).Exec(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
}
