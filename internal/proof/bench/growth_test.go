package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/procfs"

	"sellerd/ent/event"
	"sellerd/ent/idempotencykey"
	"sellerd/ent/item"
	"sellerd/ent/submission"
	"sellerd/internal/proof/pgtest"
	v1 "sellerd/v1"
)

// The test of growth says what a request costs the database when there is more in it: on PostgreSQL statements, locks and bytes of
// the write-ahead log, on SQLite bytes written to its files. These are counts and no times, so they are the same on every
// machine. A database grows from size to size, and the same requests are measured at each.

// growthCost is what one request costs, on average.
type growthCost struct {
	statements, locks float64 // of PostgreSQL
	written           float64 // bytes: of PostgreSQL's log without images of whole pages, or of SQLite's files
}

// growthStep is what the requests cost at one size, in their order.
type growthStep struct {
	items, events int
	size          int64 // bytes of the database
	costs         []growthCost
}

// growthRequests are the requests in their order. Of a read the path is given, with the number of an item, or an instant of the last
// days from which on there are more rows than a page has.
var growthRequests = []struct{ name, path string }{
	{"get", "/v1/items/{id}"},
	{"page of 50", "/v1/items?limit=50&created_from={from}"},
	{"filtered page of 50", "/v1/items?limit=50&sale_type=fixed_price&status=open&created_from={from}"},
	{"page of 200 events", "/v1/events?limit=200&created_from={from}"},
	{"submit", ""},
	{"publish", ""}, // all submissions
}

// growing is a database that grows, with the service on it in this process, without workers.
type growing struct {
	service
	beside *sql.DB // the database, not through the wire
	wire   *wire   // nil on SQLite
	key    string  // of the seller, for live data
	now    time.Time
	random *rand.Rand

	times         int // how often each request is counted; as many submissions are then published
	items, events int // so many rows were added
	requests      int // POSTs so far
}

// The flags of the test. 10,000,000 items with 5 events each take 105 GB of disk, and some hours.
var (
	growthSizes  = flag.String("sizes", "1000,10000", "items at which growth is measured, in rising order")
	growthEvents = flag.Int("events", 1, "events for each item")
)

// growthConfig has PostgreSQL write to its log only what requests make it write: neither images of whole pages, of which there are more the
// longer ago the last checkpoint was, nor what autovacuum does. It is on the disk, because it may become larger than the memory. Indexes are
// made quickly.
const growthConfig = "full_page_writes = off\nautovacuum = off\nfsync = off\nmax_wal_size = '8GB'\nmaintenance_work_mem = '1GB'\n"

// TestARequestNeedsNoMoreStatementsOrLocksWhenThereIsMore measures at each size. The counts of statements and locks are exact; what is
// written differs a little with the splits of pages.
func TestARequestNeedsNoMoreStatementsOrLocksWhenThereIsMore(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { checkGrowth(t, "sqlite:"+filepath.Join(t.TempDir(), "growth.db")) })
	t.Run("postgres", func(t *testing.T) {
		server, err := pgtest.Start(t.Context(), pgtest.Options{Durable: true, Config: growthConfig})
		if errors.Is(err, pgtest.ErrNotInstalled) {
			pgtest.Skip(t, err)
		}
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := server.Stop(); err != nil {
				t.Error(err)
			}
		}()
		if err := server.Execute(t.Context(), "CREATE DATABASE growth"); err != nil {
			t.Fatal(err)
		}
		checkGrowth(t, server.URL("growth"))
	})
}

func checkGrowth(t *testing.T, address string) {
	g, err := openGrowing(t.Context(), address, 20)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := g.close(); err != nil {
			t.Error(err)
		}
	}()
	var steps []growthStep
	for text := range strings.SplitSeq(*growthSizes, ",") { // the smallest has more rows than a page
		size, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		step, err := g.measure(t.Context(), size, size**growthEvents)
		if err != nil {
			t.Fatal(err)
		}
		steps = append(steps, step)
	}
	var table strings.Builder
	if err := printGrowth(&table, t.Name(), steps); err != nil {
		t.Fatal(err)
	}
	t.Log(table.String())
	few := steps[0]
	for _, many := range steps[1:] {
		for i, request := range growthRequests {
			before, after := few.costs[i], many.costs[i]
			if g.wire != nil && (before.statements == 0 || before.locks == 0) {
				t.Errorf("%s: %.2f statements and %.2f locks were counted", request.name, before.statements, before.locks)
			}
			if differ(before.statements, after.statements) > 0.05 || differ(before.locks, after.locks) > 0.05 {
				t.Errorf("%s: %.2f statements and %.2f locks among %d items, %.2f and %.2f among %d", request.name,
					before.statements, before.locks, few.items, after.statements, after.locks, many.items)
			}
		}
	}
}

// differ is by which share two costs differ.
func differ(a, b float64) float64 {
	if a == b {
		return 0
	}
	return math.Abs(a-b) / max(a, b)
}

// openGrowing opens the service on an empty database, with one seller who has a few items.
func openGrowing(ctx context.Context, address string, times int) (_ *growing, err error) {
	g := &growing{times: times, now: time.Now(), random: rand.New(rand.NewPCG(1, 1))}
	driver, name := "pgx", address
	if path, isFile := strings.CutPrefix(address, "sqlite:"); isFile {
		driver, name = "sqlite3", "file:"+path+"?_busy_timeout=5000"
	} else if g.wire, address, err = newWire(ctx, address); err != nil {
		return nil, err
	}
	if g.beside, err = sql.Open(driver, name); err != nil {
		return nil, err
	}
	if g.service, err = openService(ctx, address, io.Discard); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, g.close())
		}
	}()
	account, err := g.v1.CreateAccount(ctx, v1.NewAccount{Nickname: "growing", Email: "growing@example.com", Country: "BE"})
	if err != nil {
		return nil, err
	}
	if g.key, _, err = g.v1.CreateKey(ctx, v1.NewKey{Account: int64(account.ID), Mode: "live", Name: "growth"}); err != nil {
		return nil, err
	}
	return g, errors.Join(g.submit(ctx), g.submit(ctx), g.publish(ctx))
}

// close ends the service and the wire.
func (g *growing) close() error {
	return errors.Join(g.db.Close(), g.beside.Close(), g.wire.close())
}

// measure grows the database to a size, and measures the requests there.
func (g *growing) measure(ctx context.Context, items, events int) (step growthStep, err error) {
	if err := g.grow(ctx, items, events); err != nil {
		return step, err
	}
	step = growthStep{items: items, events: events}
	sizeOf := "SELECT pg_database_size(current_database())"
	if g.wire == nil {
		sizeOf = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
	}
	err = g.beside.QueryRowContext(ctx, sizeOf).Scan(&step.size)
	for _, r := range growthRequests {
		cost, failed := g.cost(ctx, r.name, r.path)
		if err := errors.Join(err, failed); err != nil {
			return step, fmt.Errorf("%s: %w", r.name, err)
		}
		step.costs = append(step.costs, cost)
	}
	return step, nil
}

// cost carries a request out often and says what one costs.
func (g *growing) cost(ctx context.Context, name, path string) (cost growthCost, err error) {
	times, once := g.times, func() error {
		from := url.QueryEscape(g.now.Add(-time.Duration(float64(grownSpan) * (0.1 + 0.9*g.random.Float64()))).Format(time.RFC3339))
		path := strings.NewReplacer("{id}", fmt.Sprint(grownID+g.random.IntN(g.items)), "{from}", from).Replace(path)
		return g.ask(ctx, http.MethodGet, path, nil, http.StatusOK)
	}
	switch name {
	case "publish":
		times, once = 1, func() error { return g.publish(ctx) }
	case "submit":
		once = func() error { return g.submit(ctx) }
	}
	repeat := func(times int) (err error) {
		for range times {
			err = errors.Join(err, once())
		}
		return err
	}
	var err0 error
	if path != "" { // the others have run before
		err0 = repeat(times/20 + 1)
	}
	before, err1 := g.written(ctx)
	_, _, _ = g.wire.count(true)
	err2 := repeat(times)
	statements, locks, err3 := g.wire.count(false)
	after, err4 := g.written(ctx)
	n := float64(g.times)
	return growthCost{statements / n, locks / n, float64(after-before) / n}, errors.Join(err0, err1, err2, err3, err4)
}

// ask has a request answered.
func (g *growing) ask(ctx context.Context, method, path string, body []byte, status int) error {
	r := httptest.NewRequestWithContext(ctx, method, path, bytes.NewReader(body))
	r.Header.Set("X-Api-Key", g.key)
	r.Header.Set("Content-Type", "application/json")
	if g.requests++; method == http.MethodPost {
		r.Header.Set("Idempotency-Key", fmt.Sprintf("growth-%d", g.requests))
	}
	answer := httptest.NewRecorder()
	if g.Public.ServeHTTP(answer, r); answer.Code != status {
		return fmt.Errorf("%s %s answered %d: %.200s", method, path, answer.Code, answer.Body)
	}
	return nil
}

// submit submits an item.
func (g *growing) submit(ctx context.Context) error {
	return g.ask(ctx, http.MethodPost, "/v1/items", plainDraft(nil, g.random, 1, g.requests), http.StatusAccepted)
}

// publish publishes all that waits.
func (g *growing) publish(ctx context.Context) error {
	for {
		n, err := g.v1.PublishOnce(ctx)
		if err != nil || n == 0 {
			return err
		}
	}
}

// written is how many bytes the database has written so far, or will have as soon as the log is flushed.
func (g *growing) written(ctx context.Context) (n int64, err error) {
	if g.wire != nil {
		err = g.beside.QueryRowContext(ctx, "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint").Scan(&n)
		return n, err
	}
	self, err := procfs.Self() // SQLite writes in this process, in which little else does
	if err != nil {
		return 0, err
	}
	count, err := self.IO()
	return int64(count.WChar), err
}

// execute runs statements beside the service, which gives no statement of its own so much time.
func (g *growing) execute(ctx context.Context, statements ...string) error {
	for _, statement := range statements {
		if _, err := g.beside.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%.100s: %w", statement, err)
		}
	}
	return nil
}

// The rows that a database grows by are copies of one that the service has written, with numbers and instants of their own.
const (
	grownID    = 100_000_000         // the number of the first item that is added
	grownEvent = 1_000_000_000       // that of the first event
	grownSpan  = 29 * 24 * time.Hour // how far back their instants reach. Events are kept for a little longer
	growAtOnce = 50_000              // rows that one statement adds
)

// grow adds items with all that belongs to each, and events, until there are so many.
func (g *growing) grow(ctx context.Context, items, events int) error {
	// Every row has another instant, and all of them together cover the span, at every size.
	at := fmt.Sprintf("(%d + (CAST(i AS bigint) * 7919 * 1000003) %% %d)", g.now.Add(-grownSpan).UnixMicro(), grownSpan.Microseconds())
	number, eventNumber := fmt.Sprintf("%d + i", grownID), fmt.Sprintf("%d + i", grownEvent)
	resource := fmt.Sprintf("%d + i %% %d", grownID, max(items, 1))
	for _, t := range []struct {
		table    string
		columns  []string
		differs  map[string]string // what a copy has in other columns than its row, where i is the number of the copy
		from, to int
	}{
		{item.Table, item.Columns, map[string]string{
			item.FieldID: number, item.FieldCreatedAt: at, item.FieldUpdatedAt: at, item.FieldPersonalReference: "'G-' || i",
		}, g.items, items},
		{submission.Table, submission.Columns, map[string]string{submission.FieldID: number, submission.FieldCreatedAt: at}, g.items, items},
		{idempotencykey.Table, idempotencykey.Columns, map[string]string{idempotencykey.FieldID: "'grown/' || i"}, g.items, items},
		{event.Table, event.Columns, map[string]string{
			event.FieldID: eventNumber, event.FieldCreatedAt: at, event.FieldResourceID: resource, event.FieldSequence: "2 + i",
		}, g.events, events},
	} {
		values := make([]string, len(t.columns))
		for i, column := range t.columns {
			values[i] = "t." + column
			if value, differs := t.differs[column]; differs {
				values[i] = value
			}
		}
		var copies []string
		for from := t.from; from < t.to; from += growAtOnce {
			copies = append(copies, fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT CAST(%d AS bigint) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < %d)
 INSERT INTO %s (%s) SELECT %s FROM n, (SELECT * FROM %[3]s ORDER BY id LIMIT 1) t`,
				from, min(from+growAtOnce, t.to), t.table, strings.Join(t.columns, ", "), strings.Join(values, ", ")))
		}
		var drop, add string
		if g.wire != nil {
			if err := g.beside.QueryRowContext(ctx, indexesOf, t.table).Scan(&drop, &add); err != nil {
				return fmt.Errorf("read the indexes of %s: %w", t.table, err)
			}
		}
		if err := errors.Join(g.execute(ctx, append([]string{drop}, copies...)...), g.execute(ctx, add)); err != nil {
			return fmt.Errorf("add rows to %s: %w", t.table, err)
		}
	}
	g.items, g.events = max(items, g.items), max(events, g.events)
	if g.wire == nil {
		return nil
	}
	return g.execute(ctx, "VACUUM ANALYZE", "CHECKPOINT") // so that no request is followed by it
}

// indexesOf are the statements that drop a table's indexes and make them again, except those of its constraints, which cannot be dropped
// alone. PostgreSQL adds rows many times faster without indexes, and makes an index faster from all rows than row by row. What a request
// costs is then measured with indexes that are new at every size. On SQLite the table keeps them.
const indexesOf = `SELECT coalesce(string_agg(format('DROP INDEX %I', c.relname), ';'), ''),
 coalesce(string_agg(pg_get_indexdef(c.oid), ';'), '') FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
 WHERE i.indrelid = to_regclass($1) AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = c.oid)`

// printGrowth prints a line for each request at each size.
func printGrowth(out io.Writer, database string, steps []growthStep) error {
	var lines []string
	for i, r := range growthRequests {
		for _, step := range steps {
			c := step.costs[i]
			lines = append(lines, fmt.Sprintf("%s\t%d\t%d\t%d\t%.2f\t%.2f\t%.0f",
				r.name, step.items, step.events, step.size/1_000_000, c.statements, c.locks, c.written))
		}
	}
	return printTable(out, "Growth on "+database+"\tItems\tEvents\tMB\tStatements\tLocks\tBytes written", lines)
}
