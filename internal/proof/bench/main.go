// Command bench measures the service and compares it with its limit: a server written by hand that gives the same answers
// and stores the same rows, as fast as the machine and the database allow (package limit). Their ratio is what the service
// spends on validation, limits, metrics, log lines and generality.
//
//	go run ./internal/proof/bench
//	go run ./internal/proof/bench -long
//	go run ./internal/proof/bench -page docs/operator/performance.md
//	go run ./internal/proof/bench -databases postgres -cases submit,publish -rounds 5 -duration 3s
//	go run ./internal/proof/bench -programs /tmp/old,/tmp/new -cases get
//
// The sides of a case are separate processes, so the kernel counts their CPU time. They take turns: ours, the limit, ours, the
// limit. A figure is the median of its rounds. On a small machine differences below 15 % mean nothing.
//
// With -programs other builds of the service are measured instead of these sources, all of them in turn. Each is a folder
// that holds what "go build -o FOLDER/ ./cmd/sellerd ./internal/proof/bench" makes of its sources.
//
// A run makes or finds the data of each database (data.go, postgres.go). For each case (cases.go) it starts the processes of a
// side (sides.go, processes.go), loads them (load.go) and reads what they used (measure.go). Reads run on the large file; every round
// of writes gets a fresh copy of a small one. Other figures have a table of their own: starts and readers that wait (standing.go), and
// webhooks (webhooks.go). What requests cost when there is more in the database is counted by a test. It needs Linux, because CPU time and
// memory come from /proc.
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
	"strings"
	"syscall"
	"time"
)

// options are the command's flags.
type options struct {
	items     int           // items in the large file
	rows      int           // items in the file that write cases copy, and in PostgreSQL
	duration  time.Duration // of one measured round
	warmup    time.Duration // before it
	rounds    int
	clients   int           // connections that ask at the same time
	published int           // items of the end-to-end case
	hooked    time.Duration // of the cases with a fixed rate of events
	cases     []string
	databases []string
	folder    string   // where data is kept between runs
	page      string   // gets the tables of the run; empty for none
	programs  []string // folders of builds; empty builds these sources
	long      bool
	named     bool // -cases was given
	durable   bool
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

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	if len(args) > 0 && slices.Contains(hiddenSides, args[0]) {
		return serveSide(ctx, args[0], args[1:])
	}
	o, err := parseOptions(args)
	if err != nil {
		return err
	}
	b := &bench{options: o, cursors: map[walked][]string{}}
	if b.self, err = os.Executable(); err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	if err := os.MkdirAll(o.folder, 0o700); err != nil {
		return err
	}
	if b.scratch, err = os.MkdirTemp(o.folder, "run-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.scratch)) }() // the data stays for the next run
	pictures, err := showPictures()
	if err != nil {
		return err
	}
	defer pictures.Close()
	b.pictures = pictures.URL
	if err := b.findBuilds(ctx); err != nil {
		return err
	}
	note, err := o.note()
	if err != nil {
		return err
	}
	var printed strings.Builder
	for _, name := range o.databases {
		if err := b.measureOn(ctx, name, io.MultiWriter(out, &printed)); err != nil {
			return fmt.Errorf("%s, %w", name, err)
		}
	}
	if o.page == "" {
		return nil
	}
	return o.writePage(note, printed.String())
}

// bench is a run in progress.
type bench struct {
	options
	self    string // path of this program
	scratch string // folder of this run only
	builds  []*build
	cursors map[walked][]string // one every cursorStep rows

	pictures string // the address of the server that shows them
}

// measureOn measures all chosen cases on one database.
func (b *bench) measureOn(ctx context.Context, name string, out io.Writer) (err error) {
	db := b.databaseOf(name)
	defer func() { err = errors.Join(err, db.close()) }()
	if err := b.measureLoad(ctx, name, db, out); err != nil {
		return err
	}
	for _, r := range reports() {
		if !slices.Contains(b.cases, r.group) || r.long && !b.long && !b.named || r.only != "" && r.only != name {
			continue
		}
		if err := r.measure(b, ctx, db, out); err != nil {
			return fmt.Errorf("%s: %w", r.group, err)
		}
	}
	return nil
}

// report is a case that is no load. It prints its own table.
type report struct {
	group   string // what -cases says
	long    bool   // only with -long, or if it is named
	only    string // the only database that has it; empty for both
	measure func(b *bench, ctx context.Context, db database, out io.Writer) error
}

func reports() []report {
	return []report{
		{"start", false, "sqlite", (*bench).measureStarts},
		{"waiting", true, "", (*bench).measureWaiting},
		{"webhooks", true, "postgres", (*bench).measureWebhooks},
	}
}

// groups are the names of all groups of cases.
func groups() (names []string) {
	for _, c := range loadCases() {
		names = append(names, c.group)
	}
	for _, r := range reports() {
		names = append(names, r.group)
	}
	return slices.Compact(names)
}

func parseOptions(args []string) (options, error) {
	var o options
	var cases, databases, programs string
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.IntVar(&o.items, "items", 1_000_000, "items in the file that reads run on")
	flags.IntVar(&o.rows, "rows", 100_000, "items in the file that writes run on, and in PostgreSQL")
	flags.DurationVar(&o.duration, "duration", 2*time.Second, "length of one measured round")
	flags.DurationVar(&o.warmup, "warmup", 500*time.Millisecond, "load before each round that is not counted")
	flags.IntVar(&o.rounds, "rounds", 3, "rounds of each side of each case; the tables show medians")
	flags.IntVar(&o.clients, "clients", 16, "connections that ask at the same time")
	flags.IntVar(&o.published, "published", 10_000, "items that are published end to end")
	flags.DurationVar(&o.hooked, "hooked", time.Minute, "length of the measurements of webhooks")
	flags.BoolVar(&o.long, "long", false, "measure all cases: half an hour")
	flags.BoolVar(&o.durable, "durable", true, "have PostgreSQL write its commits to the disk, as it does by itself")
	flags.StringVar(&o.folder, "folder", filepath.Join(os.TempDir(), "sellerd-bench"), "where data is kept between runs")
	flags.StringVar(&o.page, "page", "", "a page whose tables become those of the run")
	flags.StringVar(&cases, "cases", "", "what to measure (default: all of "+strings.Join(groups(), ",")+", some only with -long)")
	flags.StringVar(&databases, "databases", strings.Join(databaseNames, ","), "where to measure")
	flags.StringVar(&programs, "programs", "", "folders of builds to measure (default: these sources)")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.cases, o.databases, o.named = groups(), strings.Split(databases, ","), cases != ""
	if o.named {
		o.cases = strings.Split(cases, ",")
	}
	if programs != "" {
		o.programs = strings.Split(programs, ",")
	}
	for _, chosen := range []struct{ names, known []string }{{o.cases, groups()}, {o.databases, databaseNames}} {
		for _, name := range chosen.names {
			if !slices.Contains(chosen.known, name) {
				return o, fmt.Errorf("there is no %q: want %s", name, strings.Join(chosen.known, ", "))
			}
		}
	}
	if min(o.items, o.rows) < 1000 || min(o.rounds, o.clients) < 1 || o.published < batchSize || o.duration <= 0 {
		return o, fmt.Errorf("too little to measure: at least 1,000 items and rows, %d published, 1 round, 1 client and some time", batchSize)
	}
	o.items, o.rows = o.items-o.items%50, o.rows-o.rows%50
	return o, nil
}

// printTable prints a table in Markdown. Tabs part the cells of its lines.
func printTable(out io.Writer, heading string, lines []string) error {
	if len(lines) == 0 {
		return nil
	}
	cells := func(text string) string { return strings.ReplaceAll(text, "\t", " | ") }
	rule := strings.Repeat("|---", strings.Count(heading, "\t")+1)
	_, err := fmt.Fprintf(out, "\n| %s |\n%s|\n| %s |\n", cells(heading), rule, cells(strings.Join(lines, " |\n| ")))
	return err
}

func millis(d time.Duration) string { return d.Round(100 * time.Microsecond).String() }

func median[T int64 | float64 | time.Duration](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
