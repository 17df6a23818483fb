package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"sellerd/internal/pgtest"
	"sellerd/v1"
)

// The case growth says what a request costs the database when there is more in it: on PostgreSQL statements, locks and bytes of
// the write-ahead log, on SQLite bytes written to its files. These are counts and no times, so they are the same on every
// machine. A database grows from size to size, and the same requests are measured at each.

// growthCost is what one request costs, on average.
type growthCost struct {
	statements, locks float64 // of PostgreSQL
	written           float64 // bytes: of PostgreSQL's log without images of whole pages, or of SQLite's files
}

// growthStep is what the requests cost at one size, in the order of their names.
type growthStep struct {
	items, events int
	size          int64 // bytes of the database
	costs         []growthCost
}

// growing is a database that grows, with the service on it in this process, without workers.
type growing struct {
	inProcess
	url    string // without the wire
	key    string // of the seller, for live data
	wire   *wire  // nil on SQLite
	now    time.Time
	random *rand.Rand

	times         int // how often each request is counted; as many submissions are then published
	items, events int // so many rows were added
	requests      int // POSTs so far
}

// measureGrowth makes a database of its own, and measures it at each size.
func (b *bench) measureGrowth(ctx context.Context, name string, out io.Writer) error {
	g, done, err := b.growingOn(ctx, name)
	if err != nil {
		return err
	}
	g.times = b.requests
	steps, err := g.measure(ctx, b.sizes, b.eventsEach, func(size int) { fmt.Fprintf(os.Stderr, "measured: %s, growth, %d items\n", name, size) })
	printGrowth(out, name, steps)
	return errors.Join(err, done())
}

// growingOn opens a new database.
func (b *bench) growingOn(ctx context.Context, name string) (g *growing, done func() error, err error) {
	if name == "sqlite" {
		g, err = openGrowing(ctx, "sqlite:"+filepath.Join(b.scratch, "growth.db"))
		if err != nil {
			return nil, nil, err
		}
		return g, func() error { return g.close(ctx) }, nil
	}
	server, err := pgtest.Start(ctx, pgtest.Options{Durable: true}) // on the disk, because it may become larger than the memory
	if err != nil {
		return nil, nil, err
	}
	if err := calm(ctx, server.AdminURL()); err != nil {
		return nil, nil, errors.Join(err, server.Stop())
	}
	if g, err = openGrowing(ctx, server.URL("growth")); err != nil {
		return nil, nil, errors.Join(err, server.Stop())
	}
	return g, func() error { return errors.Join(g.close(ctx), server.Stop()) }, nil
}

// openGrowing opens the service on an empty database, with one seller who has a few items.
func openGrowing(ctx context.Context, databaseURL string) (_ *growing, err error) {
	g := &growing{url: databaseURL, now: time.Now(), random: rand.New(rand.NewPCG(1, 1))}
	through := databaseURL
	if !strings.HasPrefix(databaseURL, "sqlite:") {
		if g.wire, through, err = newWire(ctx, databaseURL); err != nil {
			return nil, err
		}
	}
	if g.inProcess, err = openService(ctx, through); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, g.close(ctx))
		}
	}()
	account, err := g.service.CreateAccount(ctx, v1.NewAccount{Nickname: "growing", Email: "growing@example.com", Country: "BE"})
	if err != nil {
		return nil, err
	}
	if g.key, _, err = g.service.CreateKey(ctx, v1.NewKey{Account: int64(account.ID), Mode: "live", Name: "growth"}); err != nil {
		return nil, err
	}
	for range 2 {
		if err := g.submit(ctx); err != nil {
			return nil, err
		}
	}
	return g, g.publish(ctx)
}

// close ends the service and the wire.
func (g *growing) close(ctx context.Context) error {
	err := g.db.Close()
	if g.wire != nil {
		err = errors.Join(err, g.wire.close(context.WithoutCancel(ctx)))
	}
	return err
}

// measure grows the database to each size, and measures the requests there.
func (g *growing) measure(ctx context.Context, sizes []int, eventsEach int, measured func(size int)) (steps []growthStep, err error) {
	for _, size := range sizes {
		if err := g.grow(ctx, size, size*eventsEach); err != nil {
			return steps, fmt.Errorf("grow to %d items: %w", size, err)
		}
		step := growthStep{items: size, events: size * eventsEach}
		if step.size, err = g.size(ctx); err != nil {
			return steps, err
		}
		for _, r := range g.growthRequests() {
			cost, err := g.cost(ctx, r)
			if err != nil {
				return steps, fmt.Errorf("%s at %d items: %w", r.name, size, err)
			}
			step.costs = append(step.costs, cost)
		}
		steps = append(steps, step)
		measured(size)
	}
	return steps, nil
}

// growthRequest is a request that is measured. Once is the work of one request, or of all of them if there is no Once.
type growthRequest struct {
	name string
	once func(ctx context.Context) error
	all  func(ctx context.Context) error
}

// growthRequests are the requests in their order.
func (g *growing) growthRequests() []growthRequest {
	get := func(path func() string) func(context.Context) error {
		return func(ctx context.Context) error { return g.get(ctx, path()) }
	}
	return []growthRequest{
		{name: "get", once: get(func() string { return "/v1/items/" + fmt.Sprint(grownID+g.random.IntN(g.items)) })},
		{name: "page of 50", once: get(func() string { return "/v1/items?limit=50&created_from=" + g.instant() })},
		{name: "filtered page of 50", once: get(func() string {
			return "/v1/items?limit=50&sale_type=fixed_price&status=open&created_from=" + g.instant()
		})},
		{name: "page of 200 events", once: get(func() string { return "/v1/events?limit=200&created_from=" + g.instant() })},
		{name: "submit", once: g.submit},
		{name: "publish", all: g.publish},
	}
}

// cost runs a request often and says what one costs.
func (g *growing) cost(ctx context.Context, r growthRequest) (cost growthCost, err error) {
	times := func(n int) error {
		if r.once == nil {
			return r.all(ctx)
		}
		for range n {
			if err := r.once(ctx); err != nil {
				return err
			}
		}
		return nil
	}
	if r.once != nil && r.name != "submit" { // the others have run before
		if err := times(g.times/20 + 1); err != nil {
			return cost, err
		}
	}
	before, err := g.written(ctx)
	if err != nil {
		return cost, err
	}
	if g.wire != nil {
		_, _ = g.wire.count(true)
	}
	if err := times(g.times); err != nil {
		return cost, err
	}
	if g.wire != nil {
		counted, err := g.wire.count(false)
		if err != nil {
			return cost, err
		}
		cost.statements, cost.locks = float64(counted.statements)/float64(g.times), float64(counted.locks)/float64(g.times)
	}
	after, err := g.written(ctx)
	cost.written = float64(after-before) / float64(g.times)
	return cost, err
}

// get has a path answered.
func (g *growing) get(ctx context.Context, path string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	return g.answer(r, http.StatusOK)
}

// submit submits an item.
func (g *growing) submit(ctx context.Context) error {
	g.requests++
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "/v1/items", bytes.NewReader(plainDraft(nil, g.random, 1, g.requests)))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", fmt.Sprintf("growth-%d", g.requests))
	return g.answer(r, http.StatusAccepted)
}

func (g *growing) answer(r *http.Request, status int) error {
	r.Header.Set("X-Api-Key", g.key)
	r.RequestURI, r.RemoteAddr = r.URL.RequestURI(), "192.0.2.1:1"
	answer := response{header: http.Header{}}
	g.public.ServeHTTP(&answer, r)
	if answer.status != status {
		return fmt.Errorf("%s %s answered %d: %.200s", r.Method, r.URL, answer.status, answer.Bytes())
	}
	return nil
}

// publish publishes all that waits.
func (g *growing) publish(ctx context.Context) error {
	for {
		n, err := g.service.PublishOnce(ctx)
		if err != nil || n == 0 {
			return err
		}
	}
}

// instant is some instant of the last days, from which on there are more rows than a page has.
func (g *growing) instant() string {
	at := g.now.Add(-time.Duration(float64(grownSpan) * (0.1 + 0.9*g.random.Float64())))
	return url.QueryEscape(at.Format(time.RFC3339))
}

// printGrowth prints a line for each request at each size.
func printGrowth(out io.Writer, database string, steps []growthStep) {
	if len(steps) == 0 {
		return
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\ngrowth\trequest\titems\tevents\tMB\tstatements\tlocks\tbytes written\t")
	for i, r := range (*growing)(nil).growthRequests() {
		for _, step := range steps {
			fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%.2f\t%.2f\t%.0f\t\n", database, r.name, step.items, step.events, step.size/1_000_000, step.costs[i].statements, step.costs[i].locks, step.costs[i].written)
		}
	}
	_ = t.Flush()
}
