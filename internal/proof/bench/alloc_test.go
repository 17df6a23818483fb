package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// The ceilings lie a tenth above what was measured when they were set. A change that goes over one has to be worth it;
// a change that stays far below one lowers it. They hold on any machine, which no time does.
var ceilings = []struct {
	name        string
	request     func(*listed) *http.Request
	status      int
	allocations float64 // on SQLite
	postgres    float64 // on PostgreSQL; 0 for writes, which allocate for attempts that depend on the machine
}{
	{"one item", (*listed).get, 200, 65, 50},
	{"a page of 50", (*listed).page, 200, 1400, 250},
	{"a page of 50 sales", (*listed).sales, 200, 2160, 650},
	{"one submission", (*listed).submit, 202, 186, 0},
	{"a batch of 100", (*listed).batch, 202, 645, 0},
}

func TestARequestAllocatesNoMoreThanItsCeiling(t *testing.T) {
	for name, database := range map[string]func(testing.TB) string{"sqlite": servertest.SQLite, "postgres": servertest.Postgres} {
		t.Run(name, func(t *testing.T) { checkAllocations(t, newListed(t, database(t)), name == "postgres") })
	}
}

func checkAllocations(t *testing.T, w *listed, postgres bool) {
	for _, c := range ceilings {
		most := c.allocations
		if postgres {
			most = c.postgres
		}
		if most == 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			got := testing.AllocsPerRun(100, func() { w.do(t, c.request(w), c.status) })
			got -= testing.AllocsPerRun(100, func() { c.request(w) })
			t.Logf("%.0f allocations", got)
			if got > most*slack {
				t.Errorf("%.0f allocations, at most %.0f are allowed", got, most*slack)
			}
		})
	}
}

func BenchmarkGet(b *testing.B)    { benchmark(b, (*listed).get, 200) }
func BenchmarkPage(b *testing.B)   { benchmark(b, (*listed).page, 200) }
func BenchmarkSales(b *testing.B)  { benchmark(b, (*listed).sales, 200) }
func BenchmarkSubmit(b *testing.B) { benchmark(b, (*listed).submit, 202) }
func BenchmarkBatch(b *testing.B)  { benchmark(b, (*listed).batch, 202) }

func benchmark(b *testing.B, request func(*listed) *http.Request, status int) {
	w := newListed(b, servertest.SQLite(b))
	b.ReportAllocs()
	for b.Loop() {
		w.do(b, request(w), status)
	}
}

// listed is a world whose seller has 200 items on sale and sold pieces of 60, called without a network.
type listed struct {
	*servertest.World
	items    []string
	requests int
	random   *rand.Rand
	answer   discarded
}

func newListed(tb testing.TB, url string) *listed {
	w := &listed{World: servertest.New(tb, url, func(c *v1.Config) { c.OpenItems, c.NewItemsPerDay = 0, 0 }), random: rand.New(rand.NewPCG(1, 1))}
	for range 2 {
		w.do(tb, w.batch(), 202)
	}
	w.Publish(tb)
	page := servertest.Into[struct {
		Results []struct {
			ID string `json:"id"`
		} `json:"results"`
	}](tb, w.Do(tb, servertest.Request{Path: "/v1/items?limit=200"}))
	for _, item := range page.Results {
		w.items = append(w.items, item.ID)
	}
	if len(w.items) != 2*batchSize {
		tb.Fatalf("expected %d items on sale, got %d", 2*batchSize, len(w.items))
	}
	sold := 0
	for _, item := range w.items { // the auctions among them are refused
		if sold == 60 {
			break
		}
		if got := w.Do(tb, servertest.Request{Method: http.MethodPost, Path: "/v1/test/items/" + item + "/purchase"}); got.Status == http.StatusOK {
			sold++
		}
	}
	return w
}

// do has a request answered as the program would, with an answer that costs nothing to keep.
func (w *listed) do(tb testing.TB, r *http.Request, status int) {
	clear(w.answer.header)
	w.answer.status = 0
	w.Server.Public.ServeHTTP(&w.answer, r)
	if w.answer.status != status {
		tb.Fatalf("%s %s was answered %d", r.Method, r.URL, w.answer.status)
	}
}

func (w *listed) request(method, path string, body []byte) *http.Request {
	w.requests++
	r := httptest.NewRequest(method, path, io.NopCloser(bytes.NewReader(body)))
	r.ContentLength = int64(len(body))
	r.Header["X-Api-Key"] = []string{w.Key}
	if body != nil {
		r.Header["Content-Type"] = []string{"application/json"}
		r.Header["Idempotency-Key"] = []string{fmt.Sprintf("bench-%d", w.requests)}
	}
	return r
}

func (w *listed) get() *http.Request {
	return w.request(http.MethodGet, "/v1/items/"+w.items[w.random.IntN(len(w.items))], nil)
}

func (w *listed) page() *http.Request { return w.request(http.MethodGet, "/v1/items?limit=50", nil) }

func (w *listed) sales() *http.Request { return w.request(http.MethodGet, "/v1/sales?limit=50", nil) }

func (w *listed) submit() *http.Request {
	return w.request(http.MethodPost, "/v1/items", plainDraft(nil, w.random, 1, w.requests))
}

func (w *listed) batch() *http.Request {
	return w.request(http.MethodPost, "/v1/item-batches", batchBody(plainDraft))
}

// discarded is an answer of which only the status is kept.
type discarded struct {
	header http.Header
	status int
}

func (d *discarded) Header() http.Header {
	if d.header == nil {
		d.header = http.Header{}
	}
	return d.header
}

func (d *discarded) WriteHeader(status int) { d.status = status }

func (d *discarded) Write(b []byte) (int, error) { return len(b), nil }
