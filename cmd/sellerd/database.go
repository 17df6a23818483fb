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
	"path/filepath"
	"strings"

	"sellerd/internal/store"
	"sellerd/v1"
)

// databaseURL is the flag of every command that opens the database.
type databaseURL struct {
	DB string `name:"db" group:"database" default:"sqlite:./data/sellerd.db" env:"SELLERD_DB" placeholder:"URL" help:"sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME (default: ${default})."`
}

// database are the flags of those that work in it.
type database struct {
	databaseURL
	Secret string `group:"database" env:"SELLERD_SECRET" placeholder:"BASE64" help:"32 random bytes in base64 that protect cursors and webhook secrets. Processes on one PostgreSQL must share it. Default: a file beside the SQLite file, made at the first start."`
}

// opening is who opens the database.
type opening int

const (
	asServer  opening = iota // makes the database if it is not there
	asCommand                // works on one that is there, beside a server or without one
)

// open opens the database and makes the service's configuration for it.
func (d database) open(ctx context.Context, as opening, logger *slog.Logger) (*store.DB, v1.Config, error) {
	secret, err := d.givenSecret()
	if err != nil {
		return nil, v1.Config{}, err
	}
	db, err := store.Open(ctx, store.Config{URL: d.DB, Server: as == asServer, Existing: as == asCommand, Logger: logger})
	if err != nil {
		return nil, v1.Config{}, d.explain(err)
	}
	if secret == nil {
		if secret, err = d.keptSecret(); err != nil {
			return nil, v1.Config{}, errors.Join(d.explain(err), db.Close())
		}
	}
	return db, v1.Config{
		Store: db, Logger: logger, Secret: secret, BaseURL: "http://localhost:8080", SiteURL: "https://www.delcampe.net",
		RateLimit: v1.DefaultRateLimit, OpenItems: v1.DefaultOpenItems, NewItemsPerDay: v1.DefaultNewItemsPerDay,
	}, nil
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
	return "data"
}

// givenSecret is the secret of the command line or the environment, nil without one.
func (d database) givenSecret() ([]byte, error) {
	if d.Secret == "" {
		return nil, nil
	}
	secret, err := base64.StdEncoding.DecodeString(d.Secret)
	if err != nil || len(secret) != 32 {
		return nil, wrong("--secret must be 32 bytes in base64: make one with `openssl rand -base64 32`")
	}
	return secret, nil
}

// keptSecret is the secret of the file beside the database, which is made unless it is there.
func (d database) keptSecret() ([]byte, error) {
	path := filepath.Join(d.folder(), "sellerd.secret")
	secret, err := os.ReadFile(path)
	if err == nil && len(secret) == 32 {
		return secret, nil
	}
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("the file %s must hold the secret, 32 bytes: put the one back that belongs to this database, from the backup", path), err)
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
