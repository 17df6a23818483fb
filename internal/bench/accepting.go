package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"log/slog"
	"os"
	"runtime/debug"

	"sellerd/internal/server"
	"sellerd/internal/store"
	"sellerd/v1"
)

// serveAccepting is the hidden subcommand that runs the service without its workers: it accepts submissions and publishes
// none. The hand-written server publishes nothing either, so it is compared with this one. The shipped program, which also
// publishes under load, has a line of its own.
func serveAccepting(ctx context.Context, args []string) (err error) {
	debug.SetGCPercent(400)
	flags := flag.NewFlagSet("accepting", flag.ContinueOnError)
	path, addr, operator := flags.String("db", "", ""), flags.String("addr", "", ""), flags.String("operator-addr", "", "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	db, err := store.Open(ctx, store.Config{URL: "sqlite:" + *path, Server: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	logger := slog.New(slog.NewJSONHandler(io.Writer(os.Stderr), nil))
	const url = "http://localhost:8080"
	service, err := v1.New(v1.Config{Store: db, Logger: logger, BaseURL: url, SiteURL: "https://www.delcampe.net", Secret: make([]byte, 32)})
	if err != nil {
		return err
	}
	s, err := server.New(server.Config{Service: service, Logger: logger, BaseURL: url, Version: "bench"})
	if err != nil {
		return err
	}
	return serveBoth(ctx, *addr, s.Public, *operator, s.Operator)
}
