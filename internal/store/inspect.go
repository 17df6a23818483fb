package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"sellerd/internal/store/migrations"
)

// This file looks for what slows a database down or makes it lose work. It leaves everything as it was.

// CheckURL says what is wrong with the URL of a database. It opens nothing but the files that a URL of PostgreSQL names.
func CheckURL(given string) error {
	path, err := fileOf(given)
	if err == nil && path == "" {
		_, err = readURL(given)
	}
	return err
}

// MissingIndexes are the indexes of the schema that the database lacks, or that PostgreSQL could not finish.
func (b *Bulk) MissingIndexes(ctx context.Context) (missing []string, err error) {
	query := "SELECT name FROM sqlite_schema WHERE type = 'index'"
	if b.Dialect == dialect.Postgres {
		query = "SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indisvalid AND c.relnamespace = current_schema()::regnamespace"
	}
	there, err := names(ctx, b.Conn, query)
	if err != nil {
		return nil, fmt.Errorf("look for indexes: %w", err)
	}
	want, err := migrations.Indexes(b.Dialect)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(want, func(name string) bool { return slices.Contains(there, name) }), nil
}

// WrongStatistics are the tables whose statistics make for bad plans: on PostgreSQL those that have outgrown theirs, on SQLite the table of
// statistics itself, which should not be there.
func (b *Bulk) WrongStatistics(ctx context.Context) ([]string, error) {
	query := outgrown
	if b.Dialect != dialect.Postgres {
		query = "SELECT name FROM sqlite_schema WHERE name = 'sqlite_stat1'"
	}
	return names(ctx, b.Conn, query)
}

// names are what a query returns, a text a row.
func names(ctx context.Context, from interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}, query string,
) (found []string, err error) {
	rows, err := from.QueryContext(ctx, query) //nolint:rowserrcheck // ScanSlice does
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	err = entsql.ScanSlice(rows, &found)
	return found, err
}

// ServerState is what matters of a PostgreSQL server.
type ServerState struct {
	Now         time.Time
	Settings    map[string]string // fsync, full_page_writes and synchronous_commit
	Connections int               // that users other than superusers may have together
	Replica     bool              // it does not take writes
	Awaited     string            // the standbys that commits wait for, as its setting has them
	Synchronous int               // standbys that follow now, and that commits wait for
}

// TryWrite has PostgreSQL write a megabyte, and take it back. A full disk shows only when a table grows. A user who may not make tables
// cannot find out.
func (b *Bulk) TryWrite(ctx context.Context) error {
	tx, err := b.Conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	table := fmt.Sprintf("sellerd_doctor_%08x", rand.Uint32()) // of this command alone
	_, err = tx.ExecContext(ctx, "CREATE TABLE "+table+" AS SELECT repeat(md5(n::text), 32) FROM generate_series(1, 1024) AS n")
	_ = tx.Rollback() // of a connection that is lost there is nothing to take back
	if Denied(err) != "" {
		return nil
	}
	return err
}

// ServerState asks PostgreSQL.
func (b *Bulk) ServerState(ctx context.Context) (s ServerState, err error) {
	var fsync, pages, commit string
	err = b.Conn.QueryRowContext(ctx, `SELECT clock_timestamp(), current_setting('fsync'), current_setting('full_page_writes'), current_setting('synchronous_commit'),
 current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int, pg_is_in_recovery(), current_setting('synchronous_standby_names'),
 (SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum'))`).
		Scan(&s.Now, &fsync, &pages, &commit, &s.Connections, &s.Replica, &s.Awaited, &s.Synchronous)
	s.Settings = map[string]string{"fsync": fsync, "full_page_writes": pages, "synchronous_commit": commit}
	s.Awaited = strings.TrimSpace(s.Awaited)
	return s, err
}
