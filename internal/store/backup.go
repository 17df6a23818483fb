package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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
	if err := os.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	file, err := os.OpenFile(temporary, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	defer os.Remove(temporary) // fails if it was renamed
	if err := file.Close(); err != nil {
		return nil, err
	}
	if _, err := b.Conn.ExecContext(ctx, "BEGIN DEFERRED"); err != nil {
		return nil, err
	}
	defer func() { _, _ = b.Conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK") }() // it only reads
	if rows, err = countRows(ctx, b); err != nil {                                       // the moment of the copy
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
	got, err := countRows(ctx, &Bulk{Conn: conn})
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
func countRows(ctx context.Context, b *Bulk) (map[string]int64, error) {
	names, err := tableNames(ctx, b)
	if err != nil {
		return nil, err
	}
	counts := map[string]int64{}
	for _, name := range names {
		var n int64
		if err := b.Conn.QueryRowContext(ctx, `SELECT count(*) FROM "`+name+`"`).Scan(&n); err != nil {
			return nil, fmt.Errorf("count the rows of %s: %w", name, err)
		}
		counts[name] = n
	}
	return counts, nil
}

func tableNames(ctx context.Context, b *Bulk) (names []string, err error) {
	found, err := b.Conn.QueryContext(ctx, "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name")
	if err != nil {
		return nil, err
	}
	defer func() { _ = found.Close() }()
	for found.Next() {
		var name string
		if err := found.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, found.Err()
}
