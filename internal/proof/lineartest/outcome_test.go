package lineartest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/jackc/pgx/v5"

	"sellerd/internal/proof/blackbox"
)

// The outcome of a submission: a worker fetches its picture, and publishes or rejects it. If the worker is interrupted, another
// one does that, and may find the opposite. The outcome that a caller has read stays, whatever the first worker says later.

const (
	outcomeSellers = 4
	outcomesEach   = 4                     // submissions of a seller, as many as are fetched at a time
	outcomePace    = 50 * time.Millisecond // between two readings of a client
	outcomeLimit   = 20 * time.Second      // for each step
)

// submission is one submission with a picture.
type submission struct{ id, reference string }

// The requests about a submission.
type (
	asking  struct{} // for the submission
	looking struct{} // for items with its reference
)

// outcome is published, rejected, or empty.
type outcome struct{ Status string }

// found is how many items there are.
type found struct{ Items int }

func (s *submission) next(rng *rand.Rand, m *memory) request {
	if rng.IntN(2) == 0 {
		return s.ask(m)
	}
	return request{
		method: http.MethodGet, path: "/v1/items?personal_reference=" + s.reference, in: looking{}, out: func(got blackbox.Answer) (any, error) {
			var page struct{ Results []struct{ ID string } }
			err := json.Unmarshal(got.Data, &page)
			return found{len(page.Results)}, err
		},
	}
}

// ask asks for the submission, and lets the client remember the outcome.
func (s *submission) ask(m *memory) request {
	return request{
		method: http.MethodGet, path: "/v1/item-submissions/" + s.id, in: asking{}, out: func(got blackbox.Answer) (any, error) {
			var now outcome
			err := json.Unmarshal(got.Data, &now)
			if now.Status == "pending" || now.Status == "processing" {
				now.Status = ""
			}
			m.outcome = now.Status
			return now, err
		},
	}
}

func (s *submission) last(*memory) []request { return nil }

func (s *submission) model([]porcupine.Operation) porcupine.Model {
	return modelOf(outcome{}, func(now outcome, _, out any) (outcome, bool) {
		switch out := out.(type) {
		case outcome:
			return out, now.Status == "" || now == out
		case found:
			if out.Items == 0 {
				return now, now.Status != "published"
			}
			return outcome{"published"}, out.Items == 1 && now.Status != "rejected"
		}
		return now, false
	})
}

// pictureServer has the pictures. Of every second one the first fetch succeeds and all later ones fail; of the others it is the
// other way round. First fetches are answered when release is closed.
type pictureServer struct {
	*httptest.Server
	release chan struct{}
	arrived atomic.Int64 // first fetches

	mu      sync.Mutex
	fetched map[string]bool
	picture []byte
}

func newPictureServer(t *testing.T) *pictureServer {
	t.Helper()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
		t.Fatal(err)
	}
	g := &pictureServer{release: make(chan struct{}), fetched: map[string]bool{}, picture: picture.Bytes()}
	g.Server = httptest.NewServer(g)
	t.Cleanup(func() {
		g.CloseClientConnections()
		g.Close()
	})
	return g
}

func (g *pictureServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	again := g.fetched[r.URL.Path]
	g.fetched[r.URL.Path] = true
	g.mu.Unlock()
	there := r.URL.Query().Get("first") == "there"
	if !again {
		g.arrived.Add(1)
		select {
		case <-g.release:
		case <-r.Context().Done():
			return
		}
	}
	if there == again {
		http.NotFound(w, r)
		return
	}
	_, _ = w.Write(g.picture)
}

// outcomes records the histories of submissions whose first worker is interrupted. interrupt ends when another worker can
// take over; what it returns lets the first one go on.
func (w *world) outcomes(interrupt func(first *blackbox.Server) (resume func())) (all []*history) {
	w.Helper()
	g := newPictureServer(w.T)
	var recordings []*recording
	for n := range outcomeSellers {
		seller := w.seller()
		for i := range outcomesEach {
			input := blackbox.Item(fmt.Sprintf("outcome-%d-%d", n, i))
			input["images"] = []string{fmt.Sprintf("%s/%d-%d.png?first=%s", g.URL, n, i, []string{"there", "gone"}[i%2])}
			s := &submission{reference: input["personal_reference"].(string)}
			s.id = blackbox.Call[struct{ ID string }](w, seller.Client, http.MethodPost, "/v1/items", input).ID
			recordings = append(recordings, w.recording(seller, s))
		}
	}
	blackbox.Eventually(w, outcomeLimit, "every picture is being fetched", func() bool { return int(g.arrived.Load()) == len(recordings) })
	done := make(chan struct{})
	var reading sync.WaitGroup
	for _, r := range recordings {
		for _, c := range r.clients[1:] {
			reading.Go(func() { c.watch(done) })
		}
	}
	resume := interrupt(w.servers[0])
	for _, r := range recordings { // one client of each history asks processes that are not interrupted, until it has the outcome
		observer := r.clients[0]
		observer.servers = observer.servers[len(observer.servers)/2:]
		blackbox.Eventually(w, outcomeLimit, "another worker has brought the submission to its end", func() bool {
			return !observer.do(r.subject.(*submission).ask(&observer.memory)) || observer.memory.outcome != ""
		})
	}
	close(g.release)
	resume()
	close(done)
	reading.Wait()
	for _, r := range recordings {
		all = append(all, r.history)
	}
	return all
}

// watch reads at a steady pace.
func (c *client) watch(done <-chan struct{}) {
	for c.do(c.subject.next(c.rng, &c.memory)) && !ends(done, outcomePace) {
	}
	c.work(2)
}

// freezeAndEndLeases freezes the first worker, and ends its leases as two minutes would. Then the worker goes on until it has dropped
// its outcomes, or for so long.
func freezeAndEndLeases(w *world, patience time.Duration) func(*blackbox.Server) func() {
	return func(first *blackbox.Server) (resume func()) {
		w.Helper()
		before := w.stale()
		first.Freeze(w)
		endLeases(w.T, w.database)
		return func() {
			first.Thaw(w)
			late := outcomeSellers * outcomesEach
			for deadline := time.Now().Add(patience); w.stale()-before < late && time.Now().Before(deadline); time.Sleep(outcomePace) {
			}
		}
	}
}

// stale is how many outcomes the processes have dropped because their leases were lost.
func (w *world) stale() (n int) {
	for _, server := range w.servers {
		n += int(server.Metric(w, "sellerd_stale_leases_total"))
	}
	return n
}

// endLeases makes every submission that a worker has leased due at once.
func endLeases(t *testing.T, database string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), outcomeLimit)
	defer cancel()
	db, err := pgx.Connect(ctx, database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(ctx)
	if _, err := db.Exec(ctx, `UPDATE submissions SET due_at = 0 WHERE status = 'processing'`); err != nil {
		t.Fatal(err)
	}
}

// killAndStart kills the first worker. On SQLite the next one takes over what it had leased.
func killAndStart(w *world) func(*blackbox.Server) func() {
	return func(first *blackbox.Server) (resume func()) {
		w.Helper()
		first.Kill(w)
		first.Start(w)
		return func() {}
	}
}

// TestOutcomes interrupts workers while they fetch pictures: on PostgreSQL, one that is frozen goes on when the others have done
// its work; on SQLite the only process is killed and started again.
func TestOutcomes(t *testing.T) {
	rounds := 1 + *histories/1000
	t.Run("PostgreSQL", func(t *testing.T) {
		w := newWorld(t, "", postgres(t), processes)
		var all summary
		for range rounds {
			before := w.stale()
			recorded := w.outcomes(freezeAndEndLeases(w, outcomeLimit))
			w.mustWork(recorded)
			w.judge(&all, recorded)
			if dropped, want := w.stale()-before, outcomeSellers*outcomesEach; dropped != want {
				t.Errorf("%d outcomes came late and were dropped, and not %d", dropped, want)
			}
		}
		w.report(&all, "of submissions whose worker is frozen while another one finishes its work, 3 processes on PostgreSQL")
	})
	t.Run("SQLite", func(t *testing.T) {
		w := newWorld(t, "", sqlite(t), 1)
		var all summary
		for range rounds {
			recorded := w.outcomes(killAndStart(w))
			w.mustWork(recorded)
			w.judge(&all, recorded)
		}
		w.report(&all, "of submissions whose worker is killed and started again, 1 process on SQLite")
	})
}
