package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"sellerd/internal/store"
	"sellerd/v1"
)

type migrateCmd struct{ databaseURL }

// Run applies pending migrations, and prints a line for each. On a terminal a bar shows that it is running, because
// migrations of a large database take long.
func (c *migrateCmd) Run(ctx context.Context) error {
	if err := c.makeDefaultFolder(); err != nil {
		return c.explain(err)
	}
	var applied bytes.Buffer
	log := io.Writer(os.Stderr)
	bar := newProgress(os.Stderr, v1.SystemClock{}.Now, "").onTerminal()
	if bar != nil {
		log = &applied // lines in the middle of the bar would break it
	}
	bar.begin("bringing the schema up to date", uncounted)
	db, err := store.Open(ctx, store.Config{URL: c.DB, Logger: newLogger(log, slog.LevelInfo)})
	bar.end()
	_, _ = applied.WriteTo(os.Stderr)
	if err != nil {
		return c.explain(err)
	}
	if path := db.Created(); path != "" {
		fmt.Println("new database created at", path)
	}
	fmt.Println("the schema is up to date")
	return db.Close()
}
