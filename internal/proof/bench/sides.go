package main

import (
	"context"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"sellerd/internal/base/httplog"
	"sellerd/internal/proof/bench/limit"
	"sellerd/internal/server"
	"sellerd/internal/store"
	v1 "sellerd/v1"
	"sellerd/v1/core"
)

// role is what a side of a comparison is.
type role int

const (
	shipped   role = iota // the program as it is
	accepting             // the service without workers
	yardstick             // the server of package limit, which only stores
	publisher             // the same, which also publishes
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
	bench   string // path of this program, built of the same sources: it runs the service without workers
}

// findBuilds finds the programs to measure: the one of these sources, built as it is shipped, or those in the folders given.
func (b *bench) findBuilds(ctx context.Context) error {
	if len(b.programs) == 0 {
		path := filepath.Join(b.scratch, "sellerd")
		b.builds = []*build{{"sellerd", path, b.self}}
		_, err := command(ctx, "go", "build", "-ldflags=-s -w", "-o", path, "sellerd/cmd/sellerd")
		return err
	}
	for _, folder := range b.programs {
		made := &build{name: filepath.Base(folder), program: filepath.Join(folder, "sellerd"), bench: filepath.Join(folder, "bench")}
		for _, path := range []string{made.program, made.bench} {
			if _, err := os.Stat(path); err != nil {
				return fmt.Errorf("find a program: %w (go build -o %s/ ./cmd/sellerd ./internal/proof/bench)", err, folder)
			}
		}
		b.builds = append(b.builds, made)
	}
	return nil
}

// shippedSides are the programs to measure as they are.
func (b *bench) shippedSides() (sides []side) {
	for _, made := range b.builds {
		sides = append(sides, side{shipped, made})
	}
	return sides
}

// siteURL is the marketplace's address on all sides.
const siteURL = "https://www.delcampe.net"

// startSide starts a process of a side on a database. The limits of the store are off, because one seller makes all requests. Pictures and
// receivers of webhooks are on this machine.
func (b *bench) startSide(ctx context.Context, s side, data dataset, how setup) (*child, error) {
	log := filepath.Join(b.scratch, "log")
	switch s.role {
	case accepting:
		return startChild(ctx, log, s.bench, "accepting", "--db", data.url)
	case yardstick, publisher:
		return startChild(ctx, log, b.self, "limit", "--db", data.url, fmt.Sprintf("--publish=%t", s.role == publisher))
	}
	secret := base64.StdEncoding.EncodeToString(make([]byte, v1.SecretLength)) // that of the other sides
	args := []string{
		"serve", "--db", data.url, "--operator-token", "the-token-of-the-bench", "--secret", secret, "--allow-private-targets",
		"--open-items", "0", "--new-items-per-day", "0",
	}
	if how.rateLimit >= 0 {
		args = append(args, "--rate-limit", strconv.Itoa(how.rateLimit))
	}
	return startChild(ctx, log, s.program, args...)
}

// hiddenSides are the subcommands by which this program runs the sides that are not the shipped program. The service without its workers
// accepts submissions and publishes none. It is compared with a limit that does not publish either.
var hiddenSides = []string{"accepting", "limit"}

// serveSide serves a side until the context ends, and returns after the last request.
func serveSide(ctx context.Context, name string, args []string) (err error) {
	debug.SetGCPercent(400) // as the program does
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	url := flags.String("db", "", "the database")
	addr := flags.String("addr", "", "address of the public side")
	operatorAddr := flags.String("operator-addr", "", "address of the metrics")
	publish := flags.Bool("publish", false, "have the limit publish what it stores")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var handlers map[string]http.Handler
	var closes func() error
	if name == "limit" {
		h, err := limit.Open(ctx, *url, siteURL, *publish)
		if err != nil {
			return err
		}
		handlers, closes = map[string]http.Handler{*addr: h, *operatorAddr: promhttp.Handler()}, h.Close
	} else {
		s, err := openService(ctx, *url, os.Stderr)
		if err != nil {
			return err
		}
		handlers, closes = map[string]http.Handler{*addr: s.Public, *operatorAddr: s.Operator}, s.db.Close
	}
	defer func() { err = errors.Join(err, closes()) }()
	failed := make(chan error, len(handlers))
	for address, handler := range handlers {
		server := &http.Server{Addr: address, Handler: handler}
		defer func() { _ = server.Shutdown(context.WithoutCancel(ctx)) }()
		go func() { failed <- server.ListenAndServe() }()
	}
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return nil
	}
}

// service is the service in this process, without its workers.
type service struct {
	*server.Server
	db *store.DB
	v1 *v1.Service
}

func openService(ctx context.Context, url string, log io.Writer) (opened service, err error) {
	if opened.db, err = store.Open(ctx, store.Config{URL: url, Server: true}); err != nil {
		return opened, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, opened.db.Close())
		}
	}()
	config := v1.Config{Config: core.Config{
		Store: opened.db, Logger: httplog.NewLogger(httplog.NewBatches(log, httplog.JSON), slog.LevelInfo, httplog.JSON),
		BaseURL: "http://localhost:8080", SiteURL: siteURL, Secret: make([]byte, v1.SecretLength),
	}}
	if opened.v1, err = v1.New(config); err != nil {
		return opened, err
	}
	opened.Server, err = server.New(server.Config{Service: opened.v1, Logger: config.Logger, BaseURL: config.BaseURL, Version: "bench"})
	return opened, err
}
