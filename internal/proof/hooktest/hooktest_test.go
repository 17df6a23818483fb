package hooktest

import (
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sellerd/internal/proof/blackbox"
	"sellerd/internal/proof/pgtest"
)

var long = flag.Bool("long", false, "measure at full size, one test after the other; by default tests are small, run side by side, and judge no times")

func TestMain(m *testing.M) {
	if os.Getenv(readerFile) != "" {
		readForever()
	}
	blackbox.Main(m)
}

// each runs a test beside a fresh server on each database.
func each(t *testing.T, test func(t *testing.T, s *blackbox.Server, database string)) {
	t.Helper()
	for _, database := range []struct {
		name string
		url  func(t *testing.T) string
	}{
		{"SQLite", func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "sellerd.db") }},
		{"PostgreSQL", postgres},
	} {
		t.Run(database.name, func(t *testing.T) {
			if !*long {
				t.Parallel()
			}
			server := blackbox.NewServer(t, database.url(t))
			server.Start(t)
			test(t, server, database.name)
		})
	}
}

// postgres is an empty database. What is measured is measured on a cluster with PostgreSQL's own settings, which writes
// to the disk and tends its tables: each test of that size fills far more than a throw-away cluster is made for.
func postgres(t *testing.T) string {
	t.Helper()
	if *long {
		return pgtest.Own(t, pgtest.Options{Durable: true}).AdminURL()
	}
	return pgtest.URL(t, nil)
}

// size is one number for every day and another at length.
func size(short, atLength int) int {
	if *long {
		return atLength
	}
	return short
}

// patchTitle changes an item, which makes an event of it.
func patchTitle(s *blackbox.Seller, item, title string) (blackbox.Answer, error) {
	return s.Do(http.MethodPatch, "/v1/items/"+item, "", []byte(`{"title":"`+title+`"}`))
}

// mustPatch is patchTitle for goroutines that have no way to fail the test but this one.
func mustPatch(t *testing.T, s *blackbox.Seller, item, title string) bool {
	got, err := patchTitle(s, item, title)
	if err != nil || got.Status != http.StatusOK {
		t.Errorf("change item %s: %d %s %v", item, got.Status, got.Errors, err)
		return false
	}
	return true
}

// latencies are how long after its making each event arrived for the first time, of the receipts that count.
func latencies(receipts []blackbox.Receipt, counts func(blackbox.Receipt) bool) (all []time.Duration) {
	for _, r := range receipts {
		if r.Times == 1 && counts(r) {
			all = append(all, r.At.Sub(r.Created))
		}
	}
	return all
}
