package store

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"entgo.io/ent/dialect"

	"sellerd/ent"
	"sellerd/internal/proof/pgtest"
)

// open opens a database for the length of a test.
func open(tb testing.TB, c Config) *DB {
	tb.Helper()
	db, err := Open(tb.Context(), c)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Error(err)
		}
	})
	return db
}

// newSQLite returns an empty SQLite database.
func newSQLite(tb testing.TB) *DB {
	tb.Helper()
	return open(tb, Config{URL: sqliteURL(tb)})
}

// sqliteURL names a SQLite file that does not exist yet.
func sqliteURL(tb testing.TB) string {
	tb.Helper()
	return "sqlite:" + filepath.Join(tb.TempDir(), "sellerd.db")
}

// newPostgres returns an empty PostgreSQL database. settings are added to its URL, such as "&lock_timeout=50ms".
func newPostgres(tb testing.TB, settings string) *DB {
	tb.Helper()
	return open(tb, Config{URL: pgtest.URL(tb, migrated) + settings})
}

// newDirect is newPostgres without a pooler, for tests of connections and of their settings.
func newDirect(tb testing.TB, settings string) *DB {
	tb.Helper()
	return open(tb, Config{URL: pgtest.Direct(tb, migrated) + settings})
}

// migrated is the template of PostgreSQL databases: one with all migrations applied.
func migrated(url string) error {
	db, err := Open(context.Background(), Config{URL: url})
	if err != nil {
		return err
	}
	return db.Close()
}

// onBoth runs a test on an empty database of each kind.
func onBoth(t *testing.T, test func(t *testing.T, db *DB)) {
	t.Run("on SQLite", func(t *testing.T) { test(t, newSQLite(t)) })
	t.Run("on PostgreSQL", func(t *testing.T) { test(t, newPostgres(t, "")) })
}

// emptyDatabase is a database without tables. driver is what database/sql opens it with.
type emptyDatabase struct{ dialect, driver, url string }

func emptySQLite(t *testing.T) emptyDatabase {
	return emptyDatabase{dialect.SQLite, "sqlite3", sqliteURL(t)}
}

// onBothEmpty runs a test on a database without tables of each kind.
func onBothEmpty(t *testing.T, test func(t *testing.T, database emptyDatabase)) {
	t.Run("on SQLite", func(t *testing.T) { test(t, emptySQLite(t)) })
	t.Run("on PostgreSQL", func(t *testing.T) { test(t, emptyDatabase{dialect.Postgres, "pgx", pgtest.URL(t, nil)}) })
}

// insert is work that adds one row named id. The tests use number ranges because nothing has a simpler row.
func insert(id string) Work {
	return func(ctx context.Context, tx *ent.Client) error {
		return tx.NumberRange.Create().SetID(id).SetNext(1).Exec(ctx)
	}
}

// mustWrite runs work that has to succeed.
func mustWrite(tb testing.TB, db *DB, work Work) {
	tb.Helper()
	if err := db.Write(tb.Context(), work); err != nil {
		tb.Fatal(err)
	}
}

// rows returns the ids of the rows that a new reader sees, in order.
func rows(tb testing.TB, db *DB) []string {
	tb.Helper()
	ids, err := db.Reader().NumberRange.Query().Order(ent.Asc("id")).IDs(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return ids
}

// ask returns the one value that a query yields to a client.
func ask[T any](ctx context.Context, client *ent.Client, query string, args ...any) (T, error) {
	var v T
	found, err := client.QueryContext(ctx, query, args...)
	if err != nil {
		return v, err
	}
	defer func() { _ = found.Close() }()
	if !found.Next() {
		return v, fmt.Errorf("no row: %w", found.Err())
	}
	return v, found.Scan(&v)
}

// askAll runs a query for the values of one column.
func askAll[T any](ctx context.Context, client *ent.Client, query string, args ...any) (all []T, err error) {
	found, err := client.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = found.Close() }()
	for found.Next() {
		var v T
		if err := found.Scan(&v); err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, found.Err()
}
