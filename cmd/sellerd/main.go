// Command sellerd is the seller API in one program: the server (serve) and the short commands beside it, which write to
// the same database (accounts, keys) or talk to a running server (import, listen).
//
// `sellerd --help` lists them. Every flag is also an environment variable, SELLERD_ and its name in capitals.
package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"sellerd/internal/store"
	"sellerd/v1"
)

// version is set by the release build.
var version = "1.2.0-dev"

type cli struct {
	Serve       serveCmd       `cmd:"" help:"Serve the API until SIGTERM or SIGINT."`
	Accounts    accountsCmd    `cmd:"" help:"Make sellers' accounts; forget buyers."`
	Keys        keysCmd        `cmd:"" help:"Make, list, revoke and rotate API keys."`
	Import      importCmd      `cmd:"" help:"List the items of a CSV file through POST /v1/item-batches."`
	Listen      listenCmd      `cmd:"" help:"Forward events to a developer's machine, as a webhook would."`
	Conformance conformanceCmd `cmd:"" help:"See whether a service keeps what the releases promised."`
	Migrate     migrateCmd     `cmd:"" help:"Bring a database's schema up to date and exit."`
	Version     versionCmd     `cmd:"" help:"Print the version."`
}

// database are the flags of every command that opens the database.
type database struct {
	DB     string `name:"db" default:"sqlite:./data/sellerd.db" env:"SELLERD_DB" placeholder:"URL" help:"sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME (default: ${default})."`
	Secret string `env:"SELLERD_SECRET" placeholder:"BASE64" help:"32 random bytes in base64 that protect cursors and webhook secrets. Processes on one PostgreSQL must share it. Default: a file beside the SQLite file, made at the first start."`
}

// open opens the database and makes the service's configuration for it.
func (d database) open(ctx context.Context, server bool, logger *slog.Logger) (*store.DB, v1.Config, error) {
	secret, err := d.secret()
	if err != nil {
		return nil, v1.Config{}, err
	}
	db, err := store.Open(ctx, store.Config{URL: d.DB, Server: server, Logger: logger})
	if err != nil {
		return nil, v1.Config{}, err
	}
	return db, v1.Config{
		Store: db, Logger: logger, Secret: secret, BaseURL: "http://localhost:8080", SiteURL: "https://www.delcampe.net",
		RateLimit: v1.DefaultRateLimit, OpenItems: v1.DefaultOpenItems, NewItemsPerDay: v1.DefaultNewItemsPerDay,
	}, nil
}

// folder is where the files beside the database are.
func (d database) folder() string {
	if path, ok := strings.CutPrefix(d.DB, "sqlite:"); ok {
		path, _, _ = strings.Cut(strings.TrimPrefix(path, "//"), "?")
		return filepath.Dir(path)
	}
	return "data"
}

func (d database) secret() ([]byte, error) {
	if d.Secret != "" {
		secret, err := base64.StdEncoding.DecodeString(d.Secret)
		if err != nil || len(secret) != 32 {
			return nil, errors.New("the secret must be 32 bytes in base64: make one with `openssl rand -base64 32`")
		}
		return secret, nil
	}
	path := filepath.Join(d.folder(), "sellerd.secret")
	secret, err := os.ReadFile(path)
	if err == nil && len(secret) == 32 {
		return secret, nil
	}
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("the file %s must hold 32 bytes", path), err)
	}
	secret = make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	if err := writeOnce(path, secret); err != nil {
		return nil, err
	}
	return os.ReadFile(path) // another process may have been faster
}

// writeOnce makes a file that only its owner can read, whole or not at all, unless it is there already.
func writeOnce(path string, data []byte) error {
	temporary, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // made 0600
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name())
	_, err = temporary.Write(data)
	if err = errors.Join(err, temporary.Sync(), temporary.Close()); err != nil {
		return err
	}
	if err := os.Link(temporary.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

type migrateCmd struct{ database }

// Run applies pending migrations.
func (c *migrateCmd) Run(ctx context.Context) error {
	logger := slog.New(slog.NewTextHandler(os.Stderr, nil))
	db, err := store.Open(ctx, store.Config{URL: c.DB, Logger: logger})
	if err != nil {
		return err
	}
	fmt.Println("the schema is up to date")
	return db.Close()
}

type versionCmd struct{}

// Run prints the version.
func (versionCmd) Run() error {
	fmt.Println("sellerd", version)
	return nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	parser := kong.Parse(&cli{},
		kong.Name("sellerd"),
		kong.Description("The seller API of a collectibles marketplace. Start with: sellerd serve --demo"),
		kong.UsageOnError(),
		kong.BindTo(ctx, (*context.Context)(nil)),
	)
	if err := parser.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "sellerd:", err)
		os.Exit(1)
	}
}
