package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"sellerd/internal/server"
	"sellerd/internal/store"
	"sellerd/v1"
	"sellerd/v1/core"
)

// A walk reads a whole list, in one process with the handlers: by position from /rest, and by cursor from /v1.

// inProcess is the service on a database, without its workers.
type inProcess struct {
	db      *store.DB
	service *v1.Service
	public  http.Handler
}

func openService(ctx context.Context, url string) (opened inProcess, err error) {
	if opened.db, err = store.Open(ctx, store.Config{URL: url, Server: true}); err != nil {
		return opened, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, opened.db.Close())
		}
	}()
	config := v1.Config{Config: core.Config{
		Store: opened.db, Logger: slog.New(slog.NewJSONHandler(io.Discard, nil)), BaseURL: "http://localhost:8080", SiteURL: "https://www.delcampe.net",
		Secret: make([]byte, 32),
	}}
	if err := server.AddLegacy(&config); err != nil {
		return opened, err
	}
	if opened.service, err = v1.New(config); err != nil {
		return opened, err
	}
	s, err := server.New(server.Config{Service: opened.service, Logger: config.Logger, BaseURL: config.BaseURL, Version: "bench"})
	if err != nil {
		return opened, err
	}
	opened.public = s.Public
	return opened, nil
}

// walkCost is what reading a whole list took in each way, in medians.
type walkCost struct {
	rows, windows, pages int // how many there are
	offsets, cursors     time.Duration
}

// measureWalk reads the list of open items at a fixed price to its end in both ways, in turn, as a program does that
// copies its store.
func (b *bench) measureWalk(ctx context.Context, handler http.Handler, key string) (cost walkCost, err error) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the program runs
	var offsets, cursors []time.Duration
	for range b.rounds {
		rest := walker{handler: handler, key: key, beforeID: "<id_item>"}
		current := walker{handler: handler, key: key, beforeID: `"id":"`}
		if err := errors.Join(rest.walkByOffset(ctx), current.walkByCursor(ctx)); err != nil {
			return cost, err
		}
		if !slices.Equal(rest.ids, current.ids) {
			return cost, fmt.Errorf("%d items by offset and %d by cursor, and not the same", len(rest.ids), len(current.ids))
		}
		cost.rows, cost.windows, cost.pages = len(current.ids), rest.calls, current.calls
		offsets, cursors = append(offsets, rest.took), append(cursors, current.took)
	}
	cost.offsets, cost.cursors = median(offsets), median(cursors)
	return cost, nil
}

// walker reads a list by calls of a handler, and measures them alone.
type walker struct {
	handler  http.Handler
	key      string
	beforeID string // what stands before the number of each item

	answer response // to the last call
	ids    []int64
	calls  int
	took   time.Duration
}

func (w *walker) walkByOffset(ctx context.Context) error {
	for more := true; more; {
		start := len(w.ids)
		if err := w.get(ctx, fmt.Sprintf("/rest/item/fixedprice/opened?startingItem=%d&numberOfItems=%d", start, v1.MaxWindow)); err != nil {
			return err
		}
		more = len(w.ids) == start+v1.MaxWindow
	}
	return nil
}

func (w *walker) walkByCursor(ctx context.Context) error {
	for cursor, more := "", true; more; {
		if err := w.get(ctx, fmt.Sprintf("/v1/items?sale_type=fixed_price&status=open&limit=%d%s", v1.MaxPageSize, cursor)); err != nil {
			return err
		}
		_, cursor, more = strings.Cut(w.answer.String(), `"next_cursor":"`)
		cursor, _, _ = strings.Cut(cursor, `"`)
		cursor = "&after=" + cursor
	}
	return nil
}

// get makes a call and gathers the numbers of its items.
func (w *walker) get(ctx context.Context, url string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	r.Header.Set("X-Api-Key", w.key)
	w.answer.header = http.Header{}
	w.answer.Reset()
	began := time.Now()
	w.handler.ServeHTTP(&w.answer, r)
	w.took += time.Since(began)
	w.calls++
	if w.answer.status != http.StatusOK {
		return fmt.Errorf("GET %s answered %d: %.200s", url, w.answer.status, w.answer.Bytes())
	}
	for _, after := range bytes.Split(w.answer.Bytes(), []byte(w.beforeID))[1:] {
		digits := bytes.IndexFunc(after, func(c rune) bool { return c < '0' || c > '9' })
		id, err := strconv.ParseInt(string(after[:max(0, digits)]), 10, 64)
		if err != nil {
			return fmt.Errorf("GET %s: read an item's number: %w", url, err)
		}
		w.ids = append(w.ids, id)
	}
	return nil
}

// response is what a handler writes, in memory.
type response struct {
	bytes.Buffer
	header http.Header
	status int
}

func (a *response) Header() http.Header    { return a.header }
func (a *response) WriteHeader(status int) { a.status = status }

// printWalk prints one line.
func printWalk(out io.Writer, database string, c walkCost) {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\nwhole walk\topen items\tcalls of /rest\ttook\tcalls of /v1\ttook\t/rest ÷ /v1\t")
	fmt.Fprintf(t, "%s\t%d\t%d\t%s\t%d\t%s\t%.2f\t\n", database, c.rows, c.windows, c.offsets.Round(10*time.Millisecond),
		c.pages, c.cursors.Round(10*time.Millisecond), float64(c.offsets)/float64(c.cursors))
	_ = t.Flush()
}
