package main

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"sellerd/v1"
)

// side is one of the programs that are compared.
type side int

const (
	shipped   side = iota // the program as it is
	accepting             // the service without workers
	byHand                // the yardstick
)

// sides are the hidden subcommands by which this program runs the two sides that are not the shipped program.
var sides = map[string]func(context.Context, []string) error{"accepting": serveAccepting, "handwritten": serveHandwritten}

// benchCase is one line of the table: a request, and which of our two sides answers it.
type benchCase struct {
	group  string // what -cases says
	name   string
	ours   side
	writes bool
	status int
	make   func(b *bench, s side) maker
}

// The pages whose costs are compared.
const (
	firstPage  = "page of 50, the first"
	deepPage   = "page of 50, deep"
	firstSales = "sales page of 50, the first"
	deepSales  = "sales page of 50, deep"
)

// atDepth is the position of the deep page as a share of the list: 900,000 of a million.
const atDepth = 0.9

var allCases = []benchCase{
	{"get", "get one item", shipped, false, 200, (*bench).getRequests},
	{"page", "page of 50, anywhere", shipped, false, 200, func(b *bench, s side) maker { return b.listRequests(itemList, s, 0, 1) }},
	{"page", firstPage, shipped, false, 200, func(b *bench, s side) maker { return b.listRequests(itemList, s, 0, 0) }},
	{"page", deepPage, shipped, false, 200, func(b *bench, s side) maker { return b.listRequests(itemList, s, atDepth, atDepth+0.02) }},
	{"sales", "sales page of 50, anywhere", shipped, false, 200, func(b *bench, s side) maker { return b.listRequests(salesList, s, 0, 1) }},
	{"sales", firstSales, shipped, false, 200, func(b *bench, s side) maker { return b.listRequests(salesList, s, 0, 0) }},
	{"sales", deepSales, shipped, false, 200, func(b *bench, s side) maker { return b.listRequests(salesList, s, atDepth, atDepth+0.02) }},
	{"sales", "sales page of 50, newest first, anywhere", shipped, false, 200, func(b *bench, s side) maker { return b.listRequests(newestSalesList, s, 0, 1) }},
	{"submit", "submit one", accepting, true, 202, (*bench).submitRequests},
	{"submit", "submit one, and publish", shipped, true, 202, (*bench).submitRequests},
	{"batch", "batch of 100", accepting, true, 202, (*bench).batchRequests},
	{"batch", "batch of 100, and publish", shipped, true, 202, (*bench).batchRequests},
}

// outcome is the result of one round of one side.
type outcome struct {
	rate        float64       // requests a second
	p99         time.Duration // of a request
	cpu         time.Duration // of the server, for a request
	allocations float64       // of the server, for a request
}

// measured is a case with the rounds of both sides.
type measured struct {
	benchCase
	ours, hand []outcome
}

// measureAll measures the chosen cases. After a failure it returns the cases measured so far with the error.
func (b *bench) measureAll(ctx context.Context) (rows []measured, err error) {
	for _, c := range allCases {
		if !slices.Contains(b.cases, c.group) {
			continue
		}
		row := measured{benchCase: c}
		for round := range b.rounds {
			for _, turn := range []struct {
				side side
				into *[]outcome
			}{{c.ours, &row.ours}, {byHand, &row.hand}} {
				out, err := b.measure(ctx, c, turn.side)
				if err != nil {
					return rows, fmt.Errorf("%s, round %d: %w", c.name, round+1, err)
				}
				*turn.into = append(*turn.into, out)
			}
		}
		rows = append(rows, row)
		fmt.Fprintf(os.Stderr, "measured: %s\n", c.name)
	}
	return rows, nil
}

// measure is one round: start a side on its file, warm it up, load it, read what it used, stop it.
func (b *bench) measure(ctx context.Context, c benchCase, s side) (out outcome, err error) {
	data := b.large
	if c.writes {
		if data, err = b.copyOfSmall(); err != nil {
			return out, err
		}
	}
	server, err := b.start(ctx, s, data)
	if err != nil {
		return out, err
	}
	defer server.stop()
	if _, err := server.await(ctx, data.getRequest(nil, 7)); err != nil {
		return out, err
	}
	requests := c.make(b, s)
	warm := func(buffer []byte, random *rand.Rand, client, n int) []byte {
		return requests(buffer, random, client+1000, n)
	}
	if _, err := press(ctx, server.address, b.clients, b.warmup, c.status, warm); err != nil {
		return out, err
	}
	allocations, err1 := server.allocations()
	used, err2 := server.cpu()
	loaded, err3 := press(ctx, server.address, b.clients, b.duration, c.status, requests)
	usedAfter, err4 := server.cpu()
	allocationsAfter, err5 := server.allocations()
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return out, err
	}
	n := float64(loaded.requests)
	return outcome{
		rate: n / loaded.took.Seconds(), p99: loaded.p99,
		cpu: time.Duration(float64(usedAfter-used) / n), allocations: float64(allocationsAfter-allocations) / n,
	}, nil
}

// start starts a side on a file. The limits are off, because one seller makes all requests.
func (b *bench) start(ctx context.Context, s side, data dataset) (*child, error) {
	if s == shipped {
		return startChild(ctx, b.program, func(address, operator string) []string {
			return []string{
				"serve", "--db", "sqlite:" + data.path, "--addr", address, "--operator-addr", operator,
				"--rate-limit", "0", "--open-items", "0", "--new-items-per-day", "0",
				"--secret", base64.StdEncoding.EncodeToString(make([]byte, v1.SecretLength)), // that of the other sides
			}
		})
	}
	name := map[side]string{accepting: "accepting", byHand: "handwritten"}[s]
	return startChild(ctx, b.self, func(address, operator string) []string {
		return []string{name, "-db", data.path, "-addr", address, "-operator-addr", operator}
	})
}

// copyOfSmall makes a fresh copy of the small file, on disk before it is used.
func (b *bench) copyOfSmall() (dataset, error) {
	data := b.small
	data.path = filepath.Join(b.scratch, "writes.db")
	for _, suffix := range []string{"", "-wal", "-shm"} {
		_ = os.Remove(data.path + suffix) // of the round before
	}
	from, err := os.Open(b.small.path)
	if err != nil {
		return data, err
	}
	defer from.Close()
	to, err := os.Create(data.path)
	if err != nil {
		return data, err
	}
	_, err = io.Copy(to, from)
	return data, errors.Join(err, to.Sync(), to.Close())
}

func (d dataset) getRequest(b []byte, n int) []byte {
	b = strconv.AppendInt(append(b, "GET /v1/items/"...), int64(d.itemID(n)), 10)
	return d.endHead(b)
}

// endHead appends the rest of a request without a body.
func (d dataset) endHead(b []byte) []byte {
	b = append(b, " HTTP/1.1\r\nHost: bench\r\nX-Api-Key: "...)
	return append(append(b, d.Key...), "\r\n\r\n"...)
}

func (b *bench) getRequests(side) maker {
	return func(buffer []byte, random *rand.Rand, _, _ int) []byte {
		return b.large.getRequest(buffer, random.IntN(b.large.items))
	}
}

// pagedList is a list of the large seller's, as both sides page through it.
type pagedList struct {
	group  string // of the cases that need it
	path   string // with the first part of its query
	lookUp string // a row's sort key by its id
}

var (
	itemList        = pagedList{"page", "/v1/items?", "SELECT created_at FROM items WHERE id = "}
	salesList       = pagedList{"sales", "/v1/sales?", "SELECT sold_at FROM sales WHERE id = "}
	newestSalesList = pagedList{"sales", "/v1/sales?sort=sold_at_desc&", "SELECT sold_at FROM sales WHERE id = "}
)

// listRequests asks for pages that begin between two shares of the list; 0 and 0 is the first page.
func (b *bench) listRequests(list pagedList, s side, from, to float64) maker {
	cursors := b.cursors[list][s]
	low, high := int(from*float64(len(cursors))), int(to*float64(len(cursors)))
	return func(buffer []byte, random *rand.Rand, _, _ int) []byte {
		buffer = append(append(append(buffer, "GET "...), list.path...), "limit=50"...)
		if high > low {
			buffer = append(append(buffer, "&after="...), cursors[low+random.IntN(high-low)]...)
		}
		return b.large.endHead(buffer)
	}
}

// cursorStep is how many rows lie between two cursors that the cases use: the largest page of the service.
const cursorStep = 200

// findCursors walks whole lists through the service, like any client, and reads the rows at the same places for the
// hand-written server, whose cursors are the sort key and the id.
func (b *bench) findCursors(ctx context.Context, lists []pagedList) error {
	server, err := b.start(ctx, shipped, b.large)
	if err != nil {
		return err
	}
	defer server.stop()
	if _, err := server.await(ctx, b.large.getRequest(nil, 7)); err != nil {
		return err
	}
	db, err := sql.Open("sqlite3", "file:"+b.large.path+"?mode=ro")
	if err != nil {
		return err
	}
	defer db.Close()
	for _, list := range lists {
		if b.cursors[list], err = b.walk(ctx, server.address, db, list); err != nil {
			return fmt.Errorf("walk %s: %w", list.path, err)
		}
	}
	return nil
}

func (b *bench) walk(ctx context.Context, address string, db *sql.DB, list pagedList) (map[side][]string, error) {
	found := map[side][]string{}
	var page struct {
		Data struct {
			Results []struct {
				ID string `json:"id"`
			} `json:"results"`
			NextCursor *string `json:"next_cursor"`
		} `json:"data"`
	}
	path := fmt.Sprintf("GET %slimit=%d", list.path, cursorStep)
	for after := ""; ctx.Err() == nil; {
		status, body, err := ask(address, b.large.endHead([]byte(path+after)))
		if err != nil || status != 200 {
			return nil, errors.Join(fmt.Errorf("status %d", status), err)
		}
		page.Data.Results, page.Data.NextCursor = nil, nil
		if err := json.Unmarshal(body, &page); err != nil {
			return nil, err
		}
		if page.Data.NextCursor == nil {
			return found, nil
		}
		last := page.Data.Results[len(page.Data.Results)-1].ID
		var key int64
		if err := db.QueryRowContext(ctx, list.lookUp+last).Scan(&key); err != nil {
			return nil, err
		}
		found[shipped] = append(found[shipped], *page.Data.NextCursor)
		found[byHand] = append(found[byHand], fmt.Sprintf("%d.%s", key, last))
		after = "&after=" + *page.Data.NextCursor
	}
	return nil, ctx.Err()
}
