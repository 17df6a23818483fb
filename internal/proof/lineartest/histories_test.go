package lineartest

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"sellerd/internal/proof/blackbox"
	"sellerd/internal/proof/pgtest"
)

var (
	histories = flag.Int("histories", 0, "how many histories to record on PostgreSQL at least, and a quarter of it on SQLite; the default is some hundred in all")
	seed      = flag.Uint64("seed", 0, "of the requests and the faults; 0 chooses one and logs it")
)

// chosen is the seed.
var chosen = sync.OnceValue(func() uint64 {
	if *seed != 0 {
		return *seed
	}
	return rand.Uint64()
})

func TestMain(m *testing.M) { blackbox.Main(m) }

const (
	clientsOfHistory = 3
	processes        = 3 // on PostgreSQL; a SQLite file has one
	requestsEach     = 8 // that a client sends
)

// round is how many histories of each kind are recorded at the same time.
type round struct{ Auctions, Sales, Stocks, Keys, Versions, Stores, Feeds int }

var usualRound = round{Auctions: 6, Sales: 6, Stocks: 5, Keys: 5, Versions: 6, Stores: 4, Feeds: 4}

// TestHistories records histories on both databases while processes are killed, frozen and restarted, and looks for an order
// of the requests of each.
func TestHistories(t *testing.T) {
	t.Run("PostgreSQL", func(t *testing.T) {
		w := newWorld(t, "", postgres(t), processes)
		w.recordMany(*histories, 5, "by 3 processes on PostgreSQL that are killed, frozen and restarted")
	})
	t.Run("SQLite", func(t *testing.T) {
		w := newWorld(t, "", sqlite(t), 1)
		w.recordMany(*histories/4, 2, "by 1 process on SQLite that is killed, frozen and restarted")
	})
}

// roundsAtLength is how many rounds are recorded at the same time at length.
const roundsAtLength = 3

// recordMany records and judges histories while processes fail: so many histories at length, or in short so many rounds at the
// same time.
func (w *world) recordMany(atLength, short int, what string) {
	w.Helper()
	times := short
	if atLength > 0 {
		times = roundsAtLength
	}
	var all summary
	for again := true; again; again = all.histories < atLength && !w.Failed() {
		recorded := w.record(usualRound, times, true)
		w.mustWork(recorded)
		w.judge(&all, recorded)
	}
	w.report(&all, what)
}

// mustWork fails the test for each request that was answered in a way that no history has.
func (w *world) mustWork(histories []*history) {
	w.Helper()
	for _, h := range histories {
		for _, err := range h.errs {
			w.Errorf("%s: %v", h.kind, err)
		}
	}
	for _, server := range w.servers {
		if words := server.Complaints(); strings.Contains(words, "panic") {
			w.Errorf("a process says: %s", words)
		}
	}
}

// judge fails the test for each history without an order.
func (w *world) judge(all *summary, histories []*history) {
	w.Helper()
	for _, v := range all.add(histories) {
		v.show(w, lasting(w.T))
		w.Errorf("a history of the kind %s is not linearizable", v.kind)
	}
}

// report records what was judged.
func (w *world) report(all *summary, what string) {
	w.Helper()
	measured := all.String()
	if w.faults != (faults{}) {
		measured += fmt.Sprintf("; %d kills, %d freezes, %d restarts", w.faults.Kills, w.faults.Freezes, w.faults.Restarts)
	}
	blackbox.Record(w, blackbox.Figure{
		Number: "R17", What: fmt.Sprintf("%s histories %s", blackbox.Thousands(int64(all.histories)), what),
		Aim: "every history linearizable", Measured: measured, Reached: !w.Failed(),
	})
}

// postgres is an empty database. At length it is on a cluster with PostgreSQL's own settings, which writes to the disk.
func postgres(t *testing.T) string {
	t.Helper()
	if *histories > 0 {
		return pgtest.Own(t, pgtest.Options{Durable: true}).AdminURL()
	}
	return pgtest.URL(t, nil)
}

// sqlite is a new database in a file.
func sqlite(t *testing.T) string {
	t.Helper()
	return "sqlite:" + filepath.Join(t.TempDir(), "sellerd.db")
}

// lasting is a file for a page, which stays after the test.
func lasting(t *testing.T) *os.File {
	t.Helper()
	page, err := os.CreateTemp("", "sellerd-history-*.html")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { page.Close() })
	return page
}

// summary sums up histories.
type summary struct {
	histories, requests, unknown int
	kinds                        map[string]int
	longest                      time.Duration // search
}

// add judges histories, and returns those for which there is no order, or none was found in time.
func (n *summary) add(all []*history) (wrong []checked) {
	if n.kinds == nil {
		n.kinds = map[string]int{}
	}
	for _, h := range all {
		began := time.Now()
		v := h.judge()
		n.longest = max(n.longest, time.Since(began))
		n.histories++
		n.requests += len(h.ops)
		n.unknown += h.unknown
		n.kinds[h.kind]++
		if v.found != porcupine.Ok {
			wrong = append(wrong, v)
		}
	}
	return wrong
}

func (n *summary) String() string {
	var kinds []string
	for kind, count := range n.kinds {
		kinds = append(kinds, fmt.Sprintf("%s %s", blackbox.Thousands(int64(count)), kind))
	}
	slices.Sort(kinds)
	return fmt.Sprintf("%s; %s requests, %s with an unknown outcome; the longest search %s", strings.Join(kinds, ", "),
		blackbox.Thousands(int64(n.requests)), blackbox.Thousands(int64(n.unknown)), blackbox.Milliseconds(n.longest))
}
