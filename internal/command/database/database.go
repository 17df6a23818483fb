package database

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/term"

	"sellerd/internal/command"
	"sellerd/internal/store"
	"sellerd/v1"
	"sellerd/v1/core"
)

// URL is the flag of every command that opens the database.
type URL struct {
	DB string `name:"db" group:"database" default:"sqlite:./data/sellerd.db" env:"SELLERD_DB" secret:"" placeholder:"URL" help:"sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME (default: ${default})."`
}

// Flags are those of the short commands that use the database, beside a server or without one.
type Flags struct {
	URL
	unusedSecret
}

// Opening is how a command opens the database.
type Opening int

const (
	AsServer      Opening = iota // makes the database if it is not there, and is the only server on a SQLite file
	AsCommand                    // needs an existing one, beside a server or without one
	AsOnlyProcess                // needs an existing one; no server may run
)

// defaultFolder is the folder of the default database. It is made at the first start. Other folders are not, so that a mistyped path makes
// no database.
const defaultFolder = "data"

func (d URL) isDefault() bool {
	return filepath.Clean(d.Path()) == filepath.Join(defaultFolder, "sellerd.db")
}

// makeDefaultFolder makes the folder if the database is the default one.
func (d URL) makeDefaultFolder() error {
	if !store.HasSQLite || !d.isDefault() {
		return nil
	}
	return os.MkdirAll(defaultFolder, 0o700)
}

// CheckFolder says that the folder of a SQLite file is not there, with which a server would not start.
func (d URL) CheckFolder() error {
	if d.Path() == "" || d.isDefault() {
		return nil
	}
	if info, err := os.Stat(d.Folder()); err == nil && info.IsDir() {
		return nil
	}
	return d.Explain(&store.OpenError{Problem: store.ProblemFolder})
}

// Open opens the database and makes the service's configuration for it, without a secret.
func (d URL) Open(ctx context.Context, as Opening, logger *slog.Logger) (*store.DB, v1.Config, error) {
	if as == AsServer {
		if err := d.makeDefaultFolder(); err != nil {
			return nil, v1.Config{}, d.Explain(err)
		}
	}
	if as == AsOnlyProcess && d.Path() == "" { // a file is locked
		switch served, err := store.ServedAt(ctx, store.Config{URL: d.DB, Logger: logger}); {
		case err != nil:
			return nil, v1.Config{}, d.Explain(err)
		case served == store.Served:
			return nil, v1.Config{}, errors.New("a server, or another command, uses the database in --db: stop all first. " +
				"A pooler keeps their connections for some minutes: name PostgreSQL itself")
		}
	}
	db, err := store.Open(ctx, store.Config{URL: d.DB, Server: as != AsCommand, Existing: as != AsServer, Logger: logger})
	if err != nil {
		return nil, v1.Config{}, d.Explain(err)
	}
	return db, v1.Config{Config: core.Config{
		Store: db, Logger: logger, BaseURL: "http://localhost:8080", SiteURL: "https://www.delcampe.net",
		RateLimit: v1.DefaultRateLimit, OpenItems: v1.DefaultOpenItems, NewItemsPerDay: v1.DefaultNewItemsPerDay,
	}}, nil
}

// WithService opens the database as a short ordinary writer, beside a server or without one, and runs a command.
func (d Flags) WithService(ctx context.Context, run func(*v1.Service) error) error {
	logger := command.NewLogger(os.Stderr, slog.LevelWarn)
	db, config, err := d.Open(ctx, AsCommand, logger)
	if err != nil {
		return err
	}
	config.Actor = actor(ctx)
	service, err := v1.New(config)
	if err != nil {
		return errors.Join(err, db.Close())
	}
	return errors.Join(d.explainDisk(run(service)), db.Close())
}

// actor is who runs a command, for the audit log: the user of the machine.
func actor(ctx context.Context) v1.OperatorActor {
	name := os.Getenv("SUDO_USER") // who became another user for it
	if current, err := user.Current(); name == "" && err == nil {
		name = current.Username
	}
	return v1.OperatorActor{Name: "command:" + cmp.Or(name, strconv.Itoa(os.Getuid())), Action: command.Running(ctx)}
}

// Announce tells a person at a terminal that the database is new. Others read it in the log.
func Announce(db *store.DB) {
	if path := db.Created(); path != "" && term.IsTerminal(int(os.Stderr.Fd())) {
		fmt.Fprintln(os.Stderr, "sellerd: new database created at", path)
	}
}

// Check says what is wrong with the flag, before anything is opened.
func (d URL) Check() error {
	if err := store.CheckURL(d.DB); err != nil {
		return d.Explain(err)
	}
	if info, err := os.Stat(d.Path()); err == nil && info.IsDir() {
		return d.namesFolder("--db")
	}
	return nil
}

// Path is the SQLite file's, empty with PostgreSQL.
func (d URL) Path() string {
	path, ok := strings.CutPrefix(d.DB, "sqlite:")
	if !ok {
		return ""
	}
	return strings.TrimPrefix(path, "//")
}

// Folder is where the files beside the database are.
func (d URL) Folder() string {
	if path := d.Path(); path != "" {
		return filepath.Dir(path)
	}
	return defaultFolder
}
