package store

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"

	"sellerd/internal/store/standby"
)

// ErrNoStandby says that a database of this kind has no standby.
var ErrNoStandby = errors.New("store: only PostgreSQL has a standby to read from")

// ReadFrom makes reads that may go to the standby at a URL, of at most so many connections (default 8). It fails with
// ErrNoStandby on SQLite and with an OpenError for a URL that cannot be read. A standby that does not answer, or is of
// another database, is left out for as long as that lasts.
func (db *DB) ReadFrom(ctx context.Context, url string, connections int, logger *slog.Logger) (*Reads, error) {
	primary, ok := db.engine.(*postgres)
	if !ok {
		return nil, ErrNoStandby
	}
	c := Config{URL: url, Readers: connections, Logger: logger}
	settings, err := poolSettings(c)
	if err != nil {
		return nil, err
	}
	return standby.Open(ctx, asPrimary{db, primary}, settings, logOf(c))
}

// asPrimary is a database as its standby sees it. It implements standby.Primary.
type asPrimary struct {
	*DB
	primary *postgres
}

// QueryContext implements standby.Primary.
func (p asPrimary) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return singly{p.primary}.QueryContext(ctx, query, args...)
}

// Ask implements standby.Primary.
func (p asPrimary) Ask(ctx context.Context, query string, targets ...any) error {
	return p.primary.pool.QueryRow(ctx, query).Scan(targets...)
}

// InWrite implements standby.Primary.
func (p asPrimary) InWrite(ctx context.Context) bool { return ctx.Value(p.primary) != nil }
