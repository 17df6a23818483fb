package database

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"sellerd/internal/command"
	"sellerd/internal/store"
)

// Migrate is the command that brings a schema up to date.
type Migrate struct{ URL }

// Run applies pending migrations, and prints a line for each. On a terminal a bar shows that it is running, because
// migrations of a large database take long.
func (c *Migrate) Run(ctx context.Context, p *command.Program) error {
	if err := c.makeDefaultFolder(); err != nil {
		return c.Explain(err)
	}
	var applied bytes.Buffer
	log := io.Writer(os.Stderr)
	bar := command.NewProgress(os.Stderr, p.Now, "").OnTerminal()
	if bar != nil {
		log = &applied // lines in the middle of the bar would break it
	}
	logger := command.NewLogger(log, slog.LevelInfo)
	if err := p.WarnOfVariables(logger); err != nil {
		return err
	}
	bar.Begin("bringing the schema up to date", command.Uncounted)
	db, err := store.Open(ctx, store.Config{URL: c.DB, Logger: logger})
	bar.End()
	_, _ = applied.WriteTo(os.Stderr)
	if err != nil {
		return c.Explain(err)
	}
	if path := db.Created(); path != "" {
		fmt.Println("new database created at", path)
	}
	state, err := c.state(ctx, logger)
	if err == nil {
		fmt.Println(state)
	}
	return errors.Join(err, db.Close())
}

// state says how the schema is after the migrations: up to date, or that of a newer release, which this program also works with.
func (c *Migrate) state(ctx context.Context, logger *slog.Logger) (string, error) {
	b, err := store.OpenBulkReader(ctx, store.Config{URL: c.DB, Logger: logger, Newer: true})
	if err != nil {
		return "", c.Explain(err)
	}
	state := "the schema is up to date"
	if b.Newer != nil {
		state = "there is nothing to do: " + strings.TrimPrefix(b.Newer.Error(), "store: ")
	}
	return state, b.Close()
}
