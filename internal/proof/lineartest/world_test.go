package lineartest

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sellerd/internal/proof/blackbox"
)

// world is the service with its processes.
type world struct {
	*testing.T
	database string
	servers  []*blackbox.Server
	rng      *rand.Rand
	sellers  int // that were made
	faults   faults
}

// newWorld starts processes of a program, or of the one that is shipped, on a database.
func newWorld(t *testing.T, program, database string, processes int) *world {
	t.Helper()
	if *histories == 0 && program == "" {
		t.Parallel()
	}
	w := &world{T: t, database: database, rng: rand.New(rand.NewPCG(chosen(), 1))}
	t.Logf("repeat with -seed %d", chosen())
	for range processes {
		server := blackbox.NewServer(t, database)
		if program != "" {
			server.Of(program)
		}
		server.Start(t)
		w.servers = append(w.servers, server)
	}
	return w
}

// seller makes an account.
func (w *world) seller() *blackbox.Seller {
	w.Helper()
	w.sellers++
	return blackbox.NewSeller(w, w.servers[0], fmt.Sprintf("seller-%d", w.sellers))
}

// record records the histories of a round as often at the same time, with faults or without them, and returns those that are whole.
func (w *world) record(r round, times int, withFaults bool) (whole []*history) {
	w.Helper()
	planned := w.plan(r, times)
	var working sync.WaitGroup
	for _, p := range planned {
		working.Go(p.run)
	}
	done := make(chan struct{})
	go func() { working.Wait(); close(done) }()
	if withFaults {
		s := injectFaults(w.T, w.servers, w.rng, done)
		w.faults.Kills, w.faults.Freezes, w.faults.Restarts = w.faults.Kills+s.Kills, w.faults.Freezes+s.Freezes, w.faults.Restarts+s.Restarts
	}
	<-done
	for _, p := range planned {
		if s, ok := p.subject.(*store); ok && s.passed.Load() {
			continue
		}
		whole = append(whole, p.history)
	}
	return whole
}

// plan puts the subjects of a round on sale, so many times. All items are submitted before the first one is waited for.
func (w *world) plan(r round, times int) (all []*recording) {
	w.Helper()
	var awaited []func() []*recording
	for range times {
		awaited = append(awaited, w.planItems(r))
		for range r.Stores {
			awaited = append(awaited, w.planStore())
		}
		for range r.Feeds {
			awaited = append(awaited, w.planFeed())
		}
	}
	for _, await := range awaited {
		all = append(all, await()...)
	}
	return all
}

// planItems submits the items of a round, which share an account.
func (w *world) planItems(r round) (await func() []*recording) {
	w.Helper()
	seller := w.seller()
	var inputs []map[string]any
	var subjects []func(id string) subject
	add := func(n int, input map[string]any, of func(id string) subject) {
		for range n {
			inputs, subjects = append(inputs, input), append(subjects, of)
		}
	}
	auction, withoutBid := lifeOf(true, "life")
	add(r.Auctions, auction, func(id string) subject { return &life{id: id, auction: true, begin: withoutBid} })
	fixed, unsold := lifeOf(false, "life")
	add(r.Sales, fixed, func(id string) subject { return &life{id: id, begin: unsold} })
	plenty, few := blackbox.Item("item"), blackbox.Item("item")
	few["quantity"] = stockPieces
	add(r.Stocks, few, func(id string) subject { return &stock{id} })
	add(r.Keys, plenty, func(id string) subject { return &keyed{id} })
	add(r.Versions, plenty, func(id string) subject { return &versioned{id: id, begin: version{Title: plenty["title"].(string)}} })
	batches := seller.SubmitItems(w, inputs)
	return func() (all []*recording) {
		for i, id := range seller.AwaitItems(w, batches) {
			all = append(all, w.recording(seller, subjects[i](id)))
		}
		return all
	}
}

// planStore submits the items of a store with an account of its own.
func (w *world) planStore() (await func() []*recording) {
	w.Helper()
	seller := w.seller()
	batches := seller.SubmitItems(w, slices.Repeat([]map[string]any{blackbox.Item("item")}, storeItems))
	return func() []*recording {
		s := &store{ids: [storeItems]string(seller.AwaitItems(w, batches))}
		s.resets = blackbox.Call[limits](w, seller.Client, http.MethodGet, "/v1/account/limits", nil).NewItemsPerDay.ResetAt
		blackbox.Operate[map[string]any](w, w.servers[0], http.MethodPatch, "/operator/accounts/"+seller.Account,
			map[string]any{"limits": map[string]any{"open_items": storeOpen, "new_items_per_day": storeDaily}})
		return []*recording{w.recording(seller, s)}
	}
}

// planFeed submits the items of a feed with an account of its own.
func (w *world) planFeed() (await func() []*recording) {
	w.Helper()
	seller := w.seller()
	batches := seller.SubmitItems(w, slices.Repeat([]map[string]any{blackbox.Item("item")}, feedItems))
	return func() []*recording {
		f := &feed{ids: [feedItems]string(seller.AwaitItems(w, batches))}
		published := blackbox.Call[eventPage](w, seller.Client, http.MethodGet, "/v1/events", nil)
		if len(published.Results) != feedItems {
			w.Fatalf("there are %d events of %d items", len(published.Results), feedItems)
		}
		f.start = published.NextCursor
		return []*recording{w.recording(seller, f)}
	}
}

// recording is a history that is about to be recorded.
type recording struct {
	*history
	clients []*client
}

func (w *world) recording(seller *blackbox.Seller, s subject) *recording {
	kind := strings.TrimPrefix(fmt.Sprintf("%T", s), "*lineartest.")
	r := &recording{history: &history{kind: kind, subject: s, began: time.Now()}}
	for n := range clientsOfHistory {
		r.clients = append(r.clients, &client{
			history: r.history, servers: w.servers, key: seller.Key,
			rng: rand.New(rand.NewPCG(w.rng.Uint64(), uint64(n))), memory: memory{client: n},
		})
	}
	return r
}

// run sends the requests of all clients, and in the end those of one.
func (r *recording) run() {
	var working sync.WaitGroup
	for _, c := range r.clients {
		working.Go(func() { c.work(requestsEach) })
	}
	working.Wait()
	r.clients[0].finish()
}
