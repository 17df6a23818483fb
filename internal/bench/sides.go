package main

import (
	"context"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"

	"sellerd/internal/bench/limit"
	"sellerd/internal/server"
	"sellerd/internal/store"
	"sellerd/v1"
	"sellerd/v1/core"
)

// role is what a side of a comparison is.
type role int

const (
	yardstick role = iota // the server of package limit
	shipped               // the program as it is
	accepting             // the service without workers
)

// side is one of the programs that are compared.
type side struct {
	role role
	*build
}

// build is a program to measure.
type build struct {
	name    string // in the table
	program string // path of sellerd
	bench   string // path of this program, built of the same sources: it runs the service without workers. Empty if there is none
}

// subcommands are the hidden ones by which this program runs the sides that are not the shipped program.
var subcommands = map[string]func(context.Context, []string) error{"accepting": serveAccepting, "limit": serveLimit}

// siteURL is the marketplace's address on all sides.
const siteURL = "https://www.delcampe.net"

// start starts a side on a database. The limits are off, because one seller makes all requests.
func (b *bench) start(ctx context.Context, s side, data dataset, more ...string) (*child, error) {
	switch s.role {
	case shipped:
		return startChild(ctx, s.program, func(address, operator string) []string {
			return append([]string{
				"serve", "--db", data.url, "--addr", address, "--operator-addr", operator,
				"--operator-token", "the-token-of-the-bench", "--rate-limit", "0", "--open-items", "0", "--new-items-per-day", "0",
				"--secret", base64.StdEncoding.EncodeToString(make([]byte, v1.SecretLength)), // that of the other sides
			}, more...)
		})
	case accepting:
		return startChild(ctx, s.bench, func(address, operator string) []string {
			return []string{"accepting", "-db", data.url, "-addr", address, "-operator-addr", operator}
		})
	default:
		return startChild(ctx, b.self, func(address, operator string) []string {
			return []string{"limit", "-db", data.url, "-addr", address, "-operator-addr", operator}
		})
	}
}

// sideFlags are the flags of the hidden subcommands.
func sideFlags(name string, args []string) (url, addr, operator string, err error) {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.StringVar(&url, "db", "", "the database")
	flags.StringVar(&addr, "addr", "", "address of the public side")
	flags.StringVar(&operator, "operator-addr", "", "address of the metrics")
	return url, addr, operator, flags.Parse(args)
}

// serveAccepting runs the service without its workers: it accepts submissions and publishes none. The limit publishes
// nothing either, so it is compared with this one. The shipped program, which also publishes under load, has a line of its
// own.
func serveAccepting(ctx context.Context, args []string) (err error) {
	debug.SetGCPercent(400) // as the program does
	url, addr, operator, err := sideFlags("accepting", args)
	if err != nil {
		return err
	}
	db, err := store.Open(ctx, store.Config{URL: url, Server: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	logger := slog.New(slog.NewJSONHandler(io.Writer(os.Stderr), nil))
	const baseURL = "http://localhost:8080"
	service, err := v1.New(v1.Config{Config: core.Config{Store: db, Logger: logger, BaseURL: baseURL, SiteURL: siteURL, Secret: make([]byte, v1.SecretLength)}})
	if err != nil {
		return err
	}
	s, err := server.New(server.Config{Service: service, Logger: logger, BaseURL: baseURL, Version: "bench"})
	if err != nil {
		return err
	}
	return serveBoth(ctx, addr, s.Public, operator, s.Operator)
}

// serveLimit runs the yardstick.
func serveLimit(ctx context.Context, args []string) (err error) {
	debug.SetGCPercent(400) // as the program does
	url, addr, operator, err := sideFlags("limit", args)
	if err != nil {
		return err
	}
	h, err := limit.Open(ctx, url, siteURL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	return serveBoth(ctx, addr, h, operator, http.HandlerFunc(allocationMetric))
}

// allocationMetric is the service's metric of the same name.
func allocationMetric(w http.ResponseWriter, _ *http.Request) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	text := fmt.Sprintf("# allocations so far\ngo_memstats_mallocs_total %d\n", m.Mallocs)
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	_, _ = w.Write([]byte(text))
}

// serveBoth serves until the context ends, and returns after the last request.
func serveBoth(ctx context.Context, addr string, public http.Handler, operatorAddr string, operator http.Handler) error {
	failed := make(chan error, 2)
	for address, handler := range map[string]http.Handler{addr: public, operatorAddr: operator} {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			return err
		}
		server := &http.Server{Handler: handler}
		defer func() { _ = server.Shutdown(context.WithoutCancel(ctx)) }()
		go func() { failed <- server.Serve(listener) }()
	}
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return nil
	}
}

// findBuilds returns the programs to measure: the one of these sources, or those in the folders given.
func (b *bench) findBuilds(ctx context.Context, folders []string) error {
	if len(folders) == 0 {
		path, err := buildProgram(ctx, b.scratch)
		b.builds = []*build{{"sellerd", path, b.self}}
		return err
	}
	for _, folder := range folders {
		made := &build{name: filepath.Base(folder), program: filepath.Join(folder, "sellerd"), bench: filepath.Join(folder, "bench")}
		if _, err := os.Stat(made.program); err != nil {
			return fmt.Errorf("find a program: %w (go build -o %s/ ./cmd/sellerd ./internal/bench)", err, folder)
		}
		if _, err := os.Stat(made.bench); err != nil {
			made.bench = ""
		}
		b.builds = append(b.builds, made)
	}
	return nil
}

// sidesOf are the sides that a case compares, the yardstick last if it has part in it.
func (b *bench) sidesOf(c *benchCase) (sides []side) {
	for _, made := range b.builds {
		if c.ours != accepting || made.bench != "" {
			sides = append(sides, side{c.ours, made})
		}
	}
	if c.round != nil {
		return sides
	}
	return append(sides, side{role: yardstick, build: &build{name: "limit"}})
}
