package fuzzhttp_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"sellerd/internal/proof/servertest"
)

// This file runs sequences on both services.

// fuzzer has the two services, SQLite first, and their documents.
type fuzzer struct {
	worlds   [2]*servertest.World
	handlers [2]http.Handler // the services, or a fault before them
	v1, rest *document
	sellers  int // made so far
	requests int // of each service
	statuses map[string]int

	// plant, if there is one, prepares the account of a sequence on one of the services with its key. It returns the key of the sequence and
	// the ids of the objects that it made, the same number on both services: of items, sales, bills and events.
	plant func(f *fuzzer, world int, account int64, key string) (own string, made map[string][]string)
}

func newFuzzer(t *testing.T, run int, options ...servertest.Option) *fuzzer {
	t.Helper()
	web := servertest.NewWeb(t)
	f := &fuzzer{statuses: map[string]int{}, sellers: run}
	for i, url := range []string{servertest.SQLite(t), servertest.Postgres(t)} {
		f.worlds[i] = servertest.New(t, url, append(options, web.Production)...)
		f.handlers[i] = f.worlds[i].Server.Public
	}
	f.v1 = readDocument(t, f.handlers[0], "/openapi.json")
	f.rest = readDocument(t, f.handlers[0], "/openapi-rest.json")
	return f
}

// step is one step of a sequence. Everything in it follows from its seed and from what is known when it runs.
type step struct {
	seed      uint64
	operation *operation // chosen when the step runs first, so that it stays when steps before it are taken away
	work      int        // which worker runs in place of a request, 0 for none
}

// The share of steps that are of the workers, and of requests that are of /rest, in percent.
const (
	workShare = 12
	restShare = 25
)

func steps(seed uint64, count int) []*step {
	r := rand.New(rand.NewPCG(seed, 0))
	list := make([]*step, count)
	for i := range list {
		list[i] = &step{seed: r.Uint64()}
		if r.IntN(100) < workShare {
			list[i].work = 1 + r.IntN(5)
		}
	}
	return list
}

// sequence is a running sequence.
type sequence struct {
	f    *fuzzer
	pool *pool
	keys [2]keys
	log  []string

	address string // of the client: each sequence has its own, because an address may not try many wrong keys
}

// run runs steps for two new sellers. It returns the first failure, and what was sent and answered.
func (f *fuzzer) run(tb testing.TB, list []*step) (*failure, []string) {
	tb.Helper()
	s := &sequence{f: f, pool: newPool()}
	f.sellers += 2
	s.address = fmt.Sprintf("10.%d.%d.%d:1000", f.sellers>>16&255, f.sellers>>8&255, f.sellers&255)
	var made [2]map[string][]string
	for i, w := range f.worlds {
		k := &s.keys[i]
		var account int64
		account, k.own, k.live = w.Seller(tb, fmt.Sprintf("seller%d", f.sellers))
		if f.plant != nil {
			k.own, made[i] = f.plant(f, i, account, k.own)
		}
		_, k.other, _ = w.Seller(tb, fmt.Sprintf("seller%d", f.sellers+1))
		w.Clock.Advance(time.Second) // keys of one instant are listed by their ids, which are random
	}
	s.know(made)
	for _, step := range list {
		if step.work != 0 {
			s.log = append(s.log, s.work(tb, step))
			continue
		}
		if failed := s.step(step); failed != nil {
			return failed, s.log
		}
	}
	return nil, s.log
}

// know puts the ids of objects into the pool.
func (s *sequence) know(made [2]map[string][]string) {
	for _, objects := range slices.Sorted(maps.Keys(made[0])) {
		for i, id := range made[0][objects] {
			both := pair{id, made[1][objects][i]}
			s.pool.add(strings.TrimSuffix(objects, "s")+"_id", both)
			for _, o := range s.f.v1.operations {
				if strings.Contains(o.path, "/"+objects+"/{id}") {
					s.pool.addTarget(o.id, target{"id": both})
				}
			}
		}
	}
}

func (s *sequence) work(tb testing.TB, step *step) string {
	tb.Helper()
	words := ""
	for _, w := range s.f.worlds {
		var err error
		switch step.work {
		case 1, 2:
			w.Publish(tb)
			words = "(submissions are published)"
		case 3:
			_, err = w.Service.DeliverOnce(context.Background())
			words = "(webhooks are delivered)"
		case 4:
			_, err = w.Service.ResetOnce(context.Background())
			words = "(sandboxes are reset)"
		default:
			hours := step.seed % 30
			w.Clock.Advance(time.Duration(hours) * time.Hour)
			w.PassDueDates(tb)
			words = fmt.Sprintf("(%d hours pass)", hours)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	return words
}

func (s *sequence) generator(seed uint64, world int) *generator {
	return &generator{rand.New(rand.NewPCG(seed, 1)), s.f.v1, s.pool, world, s.f.worlds[0].Clock.Now()}
}

func (s *sequence) choose(seed uint64) *operation {
	r := rand.New(rand.NewPCG(seed, 2))
	list := s.f.v1.operations
	if r.IntN(100) < restShare {
		list = s.f.rest.operations
	}
	var chosen *operation
	for range 4 { // rather one that leads to a known object, or makes one
		chosen = list[r.IntN(len(list))]
		if chosen.id == "resetSandbox" && r.IntN(5) > 0 {
			continue // there is nothing to do until the sandbox is there again
		}
		if chosen.rest || len(s.pool.targets[chosen.id]) > 0 || chosen.method == http.MethodPost && !strings.Contains(chosen.path, "{") {
			break
		}
	}
	if chosen.id == "revokeKey" { // it would end the key of the sequence
		return s.choose(seed + 1)
	}
	return chosen
}

func (s *sequence) step(step *step) *failure {
	if step.operation == nil {
		step.operation = s.choose(step.seed)
	}
	o := step.operation
	if o.rest {
		return s.stepOfRest(step)
	}
	e := &exchange{o: o}
	wanted := s.generator(step.seed+1, 0).mistake(o)
	for world := range e.sent {
		e.sent[world], e.wrong = s.generator(step.seed, world).request(o, wanted, s.keys[world])
	}
	s.exchange(e)
	if failed := e.check(s.pool); failed != nil {
		return failed
	}
	if e.answers[0].Code >= 300 || e.wrong == otherKey || e.wrong == liveKey {
		return nil
	}
	if o.id == "rotateKey" {
		s.goOnWith(e)
	}
	s.pool.add("etag", pair{e.answers[0].Header().Get("Etag"), e.answers[1].Header().Get("Etag")})
	if e.bodies[0] != nil {
		s.pool.follow(s.f.v1, o, e.sent, e.bodies, e.answers[0].Code)
	}
	return s.after(e)
}

// exchange sends a request to both services.
func (s *sequence) exchange(e *exchange) {
	s.f.requests++
	for world := range e.sent {
		e.answers[world] = s.ask(world, e.sent[world])
		if e.sent[world].method != http.MethodHead {
			e.bodies[world] = parse(e.answers[world].Body.String())
		}
	}
	status := e.answers[0].Code
	s.f.statuses[fmt.Sprintf("%s %d", e.o.id, status)]++
	s.log = append(s.log, fmt.Sprintf("%s → %d %.300s", e.sent[0], status, strings.Join(codesOf(e.bodies[0]), ", ")))
}

func (s *sequence) ask(world int, what *sent) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	r := what.request()
	r.RemoteAddr = s.address
	s.f.handlers[world].ServeHTTP(recorder, r)
	return recorder
}

// goOnWith lets the sequence use the keys that it got by rotation, because their predecessors may have ended. The next keys are of another
// instant.
func (s *sequence) goOnWith(e *exchange) {
	for world, body := range e.bodies {
		s.f.worlds[world].Clock.Advance(time.Second)
		envelope, _ := body.(map[string]any)
		data, _ := envelope["data"].(map[string]any)
		if key, shown := data["key"].(string); shown {
			s.keys[world].own = key
		}
	}
}

// after reads what was created or deleted.
func (s *sequence) after(e *exchange) *failure {
	paths := pair{e.answers[0].Header().Get("Location"), e.answers[1].Header().Get("Location")}
	check, want := "ensure_resource_availability", http.StatusOK
	if e.o.method == http.MethodDelete {
		paths = pair{e.sent[0].path, e.sent[1].path}
		check, want = "use_after_free", http.StatusNotFound
	}
	if paths[0] == "" || e.answers[0].Header().Get("Idempotent-Replayed") == "true" {
		return nil
	}
	read := &exchange{o: e.o.reader(s.f.v1)}
	for world := range read.sent {
		header := http.Header{"X-Api-Key": {s.keys[world].own}}
		read.sent[world] = &sent{method: http.MethodGet, path: paths[world], header: header, params: map[string]string{}}
	}
	s.exchange(read)
	if failed := read.check(s.pool); failed != nil {
		return failed
	}
	for world, answer := range read.answers {
		if answer.Code != want {
			return e.fail(check, "GET %s answered %d", read.sent[world].path, answer.Code)
		}
	}
	return nil
}

// reader is the operation that reads what this one makes or deletes, as far as the document links them; otherwise itself.
func (o *operation) reader(d *document) *operation {
	for _, other := range d.operations {
		if other.method == http.MethodGet && other.path == o.path {
			return other
		}
	}
	return o
}
