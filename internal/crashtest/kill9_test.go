package crashtest

import (
	"context"
	"flag"
	"math/rand/v2"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"sellerd/ent"
	"sellerd/ent/submission"
	"sellerd/internal/demo"
	"sellerd/internal/pgtest"
	"sellerd/internal/store"
	"sellerd/v1"
)

var (
	kills   = flag.Int("kills", 5, "how often the server is killed on each database")
	clients = flag.Int("clients", 8, "how many clients list items at a time")
	patient = flag.Bool("patient", false, "wait until the claims of killed workers run out by themselves, 2 minutes, instead of ending them")
	seed    = flag.Uint64("seed", 0, "of the kills and the requests; 0 chooses one and logs it")
)

// TestKill9 kills the server under load. Clients repeat a request under its Idempotency-Key until it is acknowledged.
// In the end, read over the API:
//
//   - every acknowledged submission is there and published, none is lost;
//   - there is one item for each accepted row and no other, however often its request was sent;
//   - every key still answers what it answered first, byte for byte;
//   - the store's limits count exactly the items there are.
func TestKill9(t *testing.T) {
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	t.Logf("repeat with -seed %d", *seed)
	for name, url := range map[string]func(*testing.T) string{
		"sqlite":   func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "sellerd.db") },
		"postgres": func(t *testing.T) string { return pgtest.URL(t, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testKill9(t, url(t))
		})
	}
}

func testKill9(t *testing.T, database string) {
	pictures := httptest.NewServer(demo.Images())
	t.Cleanup(pictures.Close)
	server := newServer(t, database)
	key := server.newSeller(t)
	server.start(t)

	load := &load{server: server, key: key, images: pictures.URL, seed: *seed}
	ctx, stop := context.WithCancel(t.Context())
	var working sync.WaitGroup
	for n := range *clients {
		working.Go(func() { load.list(ctx, n) })
	}
	rng := rand.New(rand.NewPCG(*seed, 0))
	for range *kills {
		load.awaitRequests(t, 20+rng.IntN(200))
		time.Sleep(time.Duration(rng.IntN(30_000)) * time.Microsecond) // into the middle of whatever is going on
		server.kill(t)
		server.start(t)
	}
	load.awaitRequests(t, 50)
	stop()
	working.Wait()
	if load.err != nil {
		t.Fatal(load.err)
	}
	if !*patient {
		server.kill(t)
		endClaims(t, database)
		server.start(t)
	}
	load.check(t)
	server.stop(t)
	t.Logf("%d kills, %d requests sent, %d of them without an answer, %d keys acknowledged (%d at a repetition, %d of these by replay), %d items",
		*kills, load.sent, load.unanswered, len(load.journal), load.repeated, load.replayed, load.acceptedRows())
}

// endClaims lets the submissions that killed workers had in hand be claimed again at once. It is what two minutes of
// waiting would do: no worker is alive that could still finish them.
func endClaims(t *testing.T, database string) {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{URL: database})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
		return tx.Submission.Update().Where(submission.Status(v1.SubmissionProcessing)).SetDueAt(0).Exec(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
}
