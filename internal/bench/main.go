// Command bench measures the service and compares it with its limit: a server written by hand that gives the same answers
// and stores the same rows, as fast as the machine and the database allow (package limit). Their ratio is what the service
// spends on validation, limits, metrics, log lines and generality.
//
//	go run ./internal/bench
//	go run ./internal/bench -long
//	go run ./internal/bench -databases postgres -cases submit,publish -rounds 5 -duration 3s
//	go run ./internal/bench -programs /tmp/old,/tmp/new -cases get
//
// The sides of a case are separate processes, so the kernel counts their CPU time. They take turns: ours, the limit, ours, the
// limit. A figure is the median of its rounds. On a small machine differences below 15 % mean nothing.
//
// With -programs other builds of the service are measured instead of these sources, all of them in turn. Each is a folder
// that holds what "go build -o FOLDER/ ./cmd/sellerd ./internal/bench" makes of its sources.
//
// A run builds the program (child.go), makes or finds the data of each database (data.go, databases.go, postgres.go), and for
// each case (cases.go) starts a side (sides.go), loads it (load.go) and stops it (measure.go). Some cases are not one kind of
// request for a time: publishing (publish.go), webhooks (webhooks.go, drain.go), starts (start.go), readers that wait
// (waiting.go), walks through lists (windows.go, walk.go), more processes (scale.go, quota.go), and what requests cost when
// there is more in the database (growth.go, wire.go), or when its tables are in partitions (partitions.go). At the end it prints its tables (report.go). Reads run on the large file; every round of writes
// gets a fresh copy of a small one. It needs Linux, because CPU time and memory come from /proc.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// options are the command's flags.
type options struct {
	items      int           // items in the large file
	rows       int           // items in the file that write cases copy, and in PostgreSQL
	duration   time.Duration // of one measured round
	warmup     time.Duration // before it
	rounds     int
	clients    int           // connections that ask at the same time
	published  int           // items of the end-to-end case
	delivered  int           // deliveries that are drained
	hooked     time.Duration // of the cases with a fixed rate of events
	cases      []string
	databases  []string
	folder     string   // where data is kept between runs
	programs   []string // folders of builds; empty builds these sources
	sizes      []int    // items at which growth is measured
	eventsEach int      // events for each of those items
	requests   int      // of each kind that are counted there
	long       bool
	durable    bool
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
		if serve, ok := subcommands[args[0]]; ok {
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
	for _, name := range o.databases {
		if err := b.measureOn(ctx, name, out); err != nil {
			return err
		}
	}
	return nil
}

// measureOn measures all chosen cases on one database. What was measured before a failure is printed all the same.
func (b *bench) measureOn(ctx context.Context, name string, out io.Writer) (err error) {
	if slices.Contains(b.cases, growthCase) {
		if err := b.measureGrowth(ctx, name, out); err != nil {
			return fmt.Errorf("%s, growth: %w", name, err)
		}
	}
	if slices.Contains(b.cases, partitionsCase) && name == "postgres" {
		if err := b.measurePartitions(ctx, out); err != nil {
			return fmt.Errorf("partitions: %w", err)
		}
	}
	if !slices.ContainsFunc(b.cases, func(name string) bool { return name != growthCase && name != partitionsCase }) {
		return nil // these two make their own data
	}
	db, err := b.open(ctx, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.close()) }()
	rows, err := b.measureLoad(ctx, name, db)
	printLoad(out, rows)
	if err != nil {
		return err
	}
	for _, c := range specialCases() {
		if !slices.Contains(b.cases, c.group) || c.long && !b.long || c.only != "" && c.only != name {
			continue
		}
		if err := c.measure(b, ctx, db, out); err != nil {
			return fmt.Errorf("%s, %s: %w", db.name(), c.group, err)
		}
	}
	return nil
}

// specialCase is a case that is not one kind of request for a time. It prints its own table.
type specialCase struct {
	group   string
	long    bool   // only with -long
	only    string // the only database that has it; empty for both
	measure func(b *bench, ctx context.Context, db database, out io.Writer) error
}

func specialCases() []specialCase {
	return []specialCase{
		{"start", false, "sqlite", (*bench).measureStarts},
		{"waiting", true, "", (*bench).measureWaiting},
		{"webhooks", true, "postgres", (*bench).measureWebhooks},
		{"drain", true, "", (*bench).measureDrain},
		{"window", true, "", (*bench).measureWindows},
		{"scale", true, "postgres", (*bench).measureScale},
	}
}

// These cases make their own data. They run when they are named, and with -long.
const (
	growthCase     = "growth"
	partitionsCase = "partitions"
)

// The names of the databases in -databases.
func allDatabases() []string { return []string{"sqlite", "postgres"} }

// caseNames are the names of all groups of cases.
func caseNames() (names []string) {
	for _, c := range loadCases() {
		if !slices.Contains(names, c.group) {
			names = append(names, c.group)
		}
	}
	for _, c := range specialCases() {
		names = append(names, c.group)
	}
	return append(names, growthCase, partitionsCase)
}

// usualCases are the cases that are measured unless some are named.
func usualCases(long bool) []string {
	return slices.DeleteFunc(caseNames(), func(name string) bool { return (name == growthCase || name == partitionsCase) && !long })
}

func parseOptions(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.IntVar(&o.items, "items", 1_000_000, "items in the file that reads run on")
	flags.IntVar(&o.rows, "rows", 100_000, "items in the file that writes run on, and in PostgreSQL")
	flags.DurationVar(&o.duration, "duration", 2*time.Second, "length of one measured round")
	flags.DurationVar(&o.warmup, "warmup", 500*time.Millisecond, "load before each round that is not counted")
	flags.IntVar(&o.rounds, "rounds", 3, "rounds of each side of each case; the tables show medians")
	flags.IntVar(&o.clients, "clients", 16, "connections that ask at the same time")
	flags.IntVar(&o.published, "published", 10_000, "items that are published end to end")
	flags.IntVar(&o.delivered, "delivered", 100_000, "deliveries that wait and are then drained")
	flags.DurationVar(&o.hooked, "hooked", time.Minute, "length of the measurements of webhooks")
	flags.BoolVar(&o.long, "long", false, "measure all cases: half an hour")
	flags.BoolVar(&o.durable, "durable", true, "have PostgreSQL write its commits to the disk, as it does by itself")
	flags.StringVar(&o.folder, "folder", filepath.Join(os.TempDir(), "sellerd-bench"), "where data is kept between runs")
	flags.IntVar(&o.eventsEach, "events", 1, "events for each item of the case growth")
	flags.IntVar(&o.requests, "requests", 200, "requests of each kind that the case growth counts; partitions runs each statement 25 times as often")
	sizes := flags.String("sizes", "1000,10000,100000,1000000", "items at which the case growth measures; 10000000 with -events 5 needs 110 GB of disk")
	cases := flags.String("cases", "", "what to measure (default: all of "+strings.Join(caseNames(), ",")+", growth and partitions only with -long)")
	databases := flags.String("databases", strings.Join(allDatabases(), ","), "where to measure")
	programs := flags.String("programs", "", "folders of builds to measure (default: these sources)")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.cases, o.databases = usualCases(o.long), strings.Split(*databases, ",")
	if *cases != "" {
		o.cases = strings.Split(*cases, ",")
	}
	var err error
	if o.sizes, err = sizesOf(*sizes); err != nil {
		return o, err
	}
	if *programs != "" {
		o.programs = strings.Split(*programs, ",")
	}
	for _, chosen := range []struct {
		what         string
		names, known []string
	}{{"case", o.cases, caseNames()}, {"database", o.databases, allDatabases()}} {
		for _, name := range chosen.names {
			if !slices.Contains(chosen.known, name) {
				return o, fmt.Errorf("there is no %s %q: want %s", chosen.what, name, strings.Join(chosen.known, ", "))
			}
		}
	}
	if o.items < 1000 || o.rows < 1000 || o.rounds < 1 || o.clients < 1 || o.published < batchSize || o.duration <= 0 || o.eventsEach < 1 || o.requests < 1 {
		return o, fmt.Errorf("too little to measure: at least 1,000 items and rows, %d published, 1 round, 1 client and some time", batchSize)
	}
	o.items, o.rows = o.items-o.items%50, o.rows-o.rows%50
	return o, nil
}

// sizesOf reads the sizes of growth, which rise. The smallest has more rows than a page.
func sizesOf(list string) (sizes []int, err error) {
	for text := range strings.SplitSeq(list, ",") {
		size, err := strconv.Atoi(text)
		if err != nil || size < 1000 || len(sizes) > 0 && size <= sizes[len(sizes)-1] {
			return nil, fmt.Errorf("%q is no list of rising sizes from 1000 on", list)
		}
		sizes = append(sizes, size)
	}
	return sizes, nil
}

// bench is a run in progress.
type bench struct {
	options
	self    string // path of this program
	scratch string // folder of this run only
	builds  []*build
	cursors map[walkedList][]string // one every cursorStep rows
}

func prepare(ctx context.Context, o options) (_ *bench, err error) {
	b := &bench{options: o, cursors: map[walkedList][]string{}}
	if b.self, err = os.Executable(); err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	if err := os.MkdirAll(o.folder, 0o700); err != nil {
		return nil, err
	}
	if b.scratch, err = os.MkdirTemp(o.folder, "run-"); err != nil {
		return nil, err
	}
	if err := b.findBuilds(ctx, o.programs); err != nil {
		b.cleanUp()
		return nil, err
	}
	return b, nil
}

// open finds or makes the data of a database, and finds the cursors of its lists.
func (b *bench) open(ctx context.Context, name string) (db database, err error) {
	program := b.builds[0].program
	small, err := openDataset(ctx, program, b.folder, b.rows)
	if err != nil {
		return nil, err
	}
	file := small.path
	if name == "sqlite" {
		large, err := openDataset(ctx, program, b.folder, b.items)
		if err != nil {
			return nil, err
		}
		db, file = &files{b.scratch, large, small}, large.path
	} else if db, err = b.startPostgres(ctx, small); err != nil {
		return nil, err
	}
	if err := b.findCursors(ctx, db.reads(), file); err != nil {
		return nil, errors.Join(err, db.close())
	}
	return db, nil
}

// cleanUp removes what only this run needed. The data stays for the next one.
func (b *bench) cleanUp() { _ = os.RemoveAll(b.scratch) }
