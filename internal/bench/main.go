// Command bench compares the service with a server written by hand: the same statements on the same data with net/http and
// database/sql and nothing else (handwritten.go). The hand-written server shows what the machine can do; the ratio of the
// two is the cost of validation, limits, metrics and log lines.
//
//	go run ./internal/bench -items 1000000 -duration 3s -rounds 3 -cases get,page,sales,submit,batch,start,window
//
// Both sides are separate processes, so the kernel counts their CPU time. The same 16 connections load both in turn: ours,
// by hand, ours, by hand. A figure in the table is the median of its rounds. On a small machine differences below 15 % mean
// nothing.
//
// A run builds the program (child.go), makes or finds the data (data.go), and for each case (cases.go) starts a side, loads
// it (load.go) and stops it. At the end it prints the table (report.go). Reads run on the large file; every round of writes
// gets a fresh copy of a small one. It needs Linux, because CPU time and memory come from /proc.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// options are the command's flags.
type options struct {
	items    int           // items in the large file
	rows     int           // items in the file that write cases copy
	duration time.Duration // of one measured round
	warmup   time.Duration // before it
	rounds   int
	clients  int // connections that ask at the same time
	cases    []string
	folder   string // where data is kept between runs
	program  string // path of a built sellerd; empty builds one
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) > 0 {
		if serve, ok := sides[args[0]]; ok {
			return serve(ctx, args[1:])
		}
	}
	o, err := parseOptions(args)
	if err != nil {
		return err
	}
	b, err := prepare(ctx, o)
	if err != nil {
		return err
	}
	defer b.cleanUp()
	rows, err := b.measureAll(ctx)
	printLoad(out, rows)
	if err != nil {
		return err
	}
	if slices.Contains(o.cases, "window") {
		if err := b.measureWindows(ctx, out); err != nil {
			return err
		}
	}
	if slices.Contains(o.cases, "postgres") {
		if err := b.measurePostgres(ctx, out); err != nil {
			return fmt.Errorf("on PostgreSQL: %w", err)
		}
	}
	if !slices.Contains(o.cases, "start") {
		return nil
	}
	idle, err := b.measureStart(ctx)
	if err != nil {
		return err
	}
	printStart(out, idle)
	return nil
}

func parseOptions(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.IntVar(&o.items, "items", 1_000_000, "items in the file that reads run on")
	flags.IntVar(&o.rows, "rows", 100_000, "items in the file that writes run on")
	flags.DurationVar(&o.duration, "duration", 3*time.Second, "length of one measured round")
	flags.DurationVar(&o.warmup, "warmup", 500*time.Millisecond, "load before each round that is not counted")
	flags.IntVar(&o.rounds, "rounds", 3, "rounds of each side of each case; the table shows medians")
	flags.IntVar(&o.clients, "clients", 16, "connections that ask at the same time")
	cases := flags.String("cases", "get,page,sales,submit,batch,start,window", "what to measure; postgres, the walk of window on PostgreSQL, only when it is named")
	flags.StringVar(&o.folder, "folder", filepath.Join(os.TempDir(), "sellerd-bench"), "where data is kept between runs")
	flags.StringVar(&o.program, "program", "", "a built sellerd to measure (default: build ./cmd/sellerd)")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.cases = strings.Split(*cases, ",")
	for _, name := range o.cases {
		if !slices.Contains([]string{"start", "window", "postgres"}, name) && !slices.ContainsFunc(allCases, func(c benchCase) bool { return c.group == name }) {
			return o, fmt.Errorf("there is no case %q: want get, page, sales, submit, batch, start, window or postgres", name)
		}
	}
	if o.items < 10_000 || o.rows < 1000 || o.rounds < 1 || o.clients < 1 || o.duration <= 0 {
		return o, fmt.Errorf("too little to measure: at least 10,000 items, 1,000 rows, 1 round, 1 client and some time")
	}
	o.items, o.rows = o.items-o.items%50, o.rows-o.rows%50
	return o, nil
}

// bench is a run in progress.
type bench struct {
	options
	self    string // path of this program
	scratch string // folder of this run only
	large   dataset
	small   dataset
	cursors map[pagedList]map[side][]string // into the large seller's lists, one every cursorStep rows
}

func prepare(ctx context.Context, o options) (*bench, error) {
	b := &bench{options: o, cursors: map[pagedList]map[side][]string{}}
	var err error
	if b.self, err = os.Executable(); err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	if err := os.MkdirAll(o.folder, 0o700); err != nil {
		return nil, err
	}
	if b.scratch, err = os.MkdirTemp(o.folder, "run-"); err != nil {
		return nil, err
	}
	if err := b.load(ctx); err != nil {
		b.cleanUp()
		return nil, err
	}
	return b, nil
}

// load finds or makes the program, the data and the cursors.
func (b *bench) load(ctx context.Context) (err error) {
	if b.program == "" {
		if b.program, err = buildProgram(ctx, b.scratch); err != nil {
			return err
		}
	}
	if b.large, err = openDataset(ctx, b.program, b.folder, b.items); err != nil {
		return err
	}
	if b.small, err = openDataset(ctx, b.program, b.folder, b.rows); err != nil {
		return err
	}
	lists := slices.DeleteFunc([]pagedList{itemList, salesList, newestSalesList}, func(list pagedList) bool { return !slices.Contains(b.options.cases, list.group) })
	if len(lists) == 0 {
		return nil
	}
	return b.findCursors(ctx, lists)
}

// cleanUp removes what only this run needed. The data stays for the next one.
func (b *bench) cleanUp() { _ = os.RemoveAll(b.scratch) }
