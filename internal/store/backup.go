package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"sellerd/internal/store/sqlite3"
)

// errDifferent says that a copy is not what was copied.
var errDifferent = errors.New("the copy has other rows than the database")

// BackUp copies a SQLite file to a new file at a path, as it is at one moment, while servers write. The copy gets its name when it is durable
// and was verified: SQLite checks all of it, and each table has as many rows as at that moment. added, which may be nil, is told how many
// pages were copied, and of how many. BackUp returns the rows of each table.
func (b *Bulk) BackUp(ctx context.Context, path string, added func(pages, all int)) (rows map[string]int64, err error) {
	temporary := path + ".unfinished"
	if err := createAnew(temporary); err != nil {
		return nil, err
	}
	defer os.Remove(temporary) // fails if it was renamed
	if _, err := b.Conn.ExecContext(ctx, "BEGIN DEFERRED"); err != nil {
		return nil, err
	}
	defer func() { _, _ = b.Conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK") }() // it only reads
	if rows, err = countRows(ctx, b.Conn); err != nil {                                  // the moment of the copy
		return nil, err
	}
	err = b.Conn.Raw(func(source any) error { return sqlite3.Copy(ctx, fileName(temporary), source, added) })
	if err != nil {
		return nil, err
	}
	if err := verify(ctx, temporary, rows); err != nil {
		return nil, err
	}
	if err := os.Rename(temporary, path); err != nil {
		return nil, err
	}
	return rows, syncFile(filepath.Dir(path))
}

// verify checks a copy, and makes it one durable file without a log beside it.
func verify(ctx context.Context, path string, want map[string]int64) (err error) {
	pool := openPool(fileName(path)+"?_journal_mode=DELETE&_synchronous=FULL", 1, nil)
	defer func() { err = errors.Join(err, pool.Close()) }()
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var found string
	if err := conn.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&found); err != nil || found != "ok" {
		return errors.Join(err, fmt.Errorf("the copy is not intact: %s", found))
	}
	got, err := countRows(ctx, conn)
	if err == nil && !maps.Equal(got, want) {
		err = errDifferent
	}
	return errors.Join(err, syncFile(path))
}

// syncFile makes a file or a folder durable.
func syncFile(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// countRows counts the rows of each table of a SQLite file.
func countRows(ctx context.Context, conn *sql.Conn) (map[string]int64, error) {
	tables, err := names(ctx, conn, "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name")
	if err != nil {
		return nil, err
	}
	counts := map[string]int64{}
	for _, name := range tables {
		var n int64
		if err := conn.QueryRowContext(ctx, `SELECT count(*) FROM "`+name+`"`).Scan(&n); err != nil {
			return nil, fmt.Errorf("count the rows of %s: %w", name, err)
		}
		counts[name] = n
	}
	return counts, nil
}
