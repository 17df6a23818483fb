package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"sellerd/internal/httplog"
	"sellerd/internal/store"
	"sellerd/v1"
)

// databaseURL is the flag of every command that opens the database.
type databaseURL struct {
	DB string `name:"db" group:"database" default:"sqlite:./data/sellerd.db" env:"SELLERD_DB" placeholder:"URL" help:"sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME (default: ${default})."`
}

// database are the flags of the short commands that use the database, beside a server or without one.
type database struct {
	databaseURL
	unusedSecret
}

// opening is how a command opens the database.
type opening int

const (
	asServer      opening = iota // makes the database if it is not there, and is the only server on a SQLite file
	asCommand                    // needs an existing one, beside a server or without one
	asOnlyProcess                // needs an existing one; on a SQLite file no server may run
)

// defaultFolder is the folder of the default database. It is made at the first start. Other folders are not, so that a mistyped path makes
// no database.
const defaultFolder = "data"

// makeDefaultFolder makes the folder if the database is the default one.
func (d databaseURL) makeDefaultFolder() error {
	if filepath.Clean(d.path()) != filepath.Join(defaultFolder, "sellerd.db") {
		return nil
	}
	return os.MkdirAll(defaultFolder, 0o700)
}

// open opens the database and makes the service's configuration for it, without a secret.
func (d databaseURL) open(ctx context.Context, as opening, logger *slog.Logger) (*store.DB, v1.Config, error) {
	if as == asServer {
		if err := d.makeDefaultFolder(); err != nil {
			return nil, v1.Config{}, d.explain(err)
		}
	}
	db, err := store.Open(ctx, store.Config{URL: d.DB, Server: as != asCommand, Existing: as != asServer, Logger: logger})
	if err != nil {
		return nil, v1.Config{}, d.explain(err)
	}
	return db, v1.Config{CoreConfig: v1.CoreConfig{
		Store: db, Logger: logger, BaseURL: "http://localhost:8080", SiteURL: "https://www.delcampe.net",
		RateLimit: v1.DefaultRateLimit, OpenItems: v1.DefaultOpenItems, NewItemsPerDay: v1.DefaultNewItemsPerDay,
	}}, nil
}

// announce tells a person at a terminal that the database is new. Others read it in the log.
func announce(db *store.DB) {
	if path := db.Created(); path != "" && term.IsTerminal(int(os.Stderr.Fd())) {
		fmt.Fprintln(os.Stderr, "sellerd: new database created at", path)
	}
}

// newLogger is the log of every command: JSON, a line each, at a level and above. What the standard library logs goes there, too.
func newLogger(out io.Writer, level slog.Level) *slog.Logger {
	logger := slog.New(slog.NewJSONHandler(out, &slog.HandlerOptions{Level: level}))
	httplog.TakeOver(logger)
	return logger
}

// path is the SQLite file's, empty with PostgreSQL.
func (d databaseURL) path() string {
	path, ok := strings.CutPrefix(d.DB, "sqlite:")
	if !ok {
		return ""
	}
	return strings.TrimPrefix(path, "//")
}

// folder is where the files beside the database are.
func (d databaseURL) folder() string {
	if path := d.path(); path != "" {
		return filepath.Dir(path)
	}
	return defaultFolder
}
