// Package migrations brings a database to the program's schema. The files of each kind of database are in a folder of their own; the
// documentation of package store says how they are made, and what they must not do.
package migrations

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"strings"
	"testing/fstest"

	"entgo.io/ent/dialect"
	"github.com/pressly/goose/v3"

	"github.com/pressly/goose/v3/lock"
)

// Table has the migrations that a database has seen.
const Table = goose.DefaultTablename

//go:embed */*.sql
var files embed.FS

// kinds says where a dialect's migrations are and what goose calls it.
var kinds = map[string]struct {
	folder string
	goose  goose.Dialect
}{
	dialect.SQLite:   {"sqlite", goose.DialectSQLite3},
	dialect.Postgres: {"postgres", goose.DialectPostgres},
}

// Files are the migrations of one kind of database, as goose reads them. Those of SQLite that have a transaction of their own record
// themselves in it. goose records them only afterwards: if the process was killed between the two, the migration would be applied
// again, and fail for ever. A second record, by goose, does no harm. A MapFS is files in memory, and brings nothing of tests.
func Files(kind string) (fs.FS, error) {
	folder, err := fs.Sub(files, kinds[kind].folder)
	if err != nil {
		return nil, fmt.Errorf("find the migrations: %w", err)
	}
	if kind != dialect.SQLite {
		return folder, nil
	}
	recorded := fstest.MapFS{}
	err = each(kind, func(name string, number int64, text string) {
		record := fmt.Sprintf("\nINSERT INTO goose_db_version (version_id, is_applied) VALUES (%d, 1);\nCOMMIT;\n", number)
		recorded[name] = &fstest.MapFile{Data: []byte(strings.Replace(text, "\nCOMMIT;\n", record, 1))}
	})
	return recorded, err
}

// each calls do with the migrations of one kind of database, in order.
func each(kind string, do func(name string, number int64, text string)) error {
	names, err := fs.Glob(files, kinds[kind].folder+"/*.sql")
	if err != nil {
		return fmt.Errorf("find the migrations: %w", err)
	}
	for _, file := range names {
		number, err := goose.NumericComponent(file)
		if err != nil {
			return fmt.Errorf("read the name of a migration: %w", err)
		}
		text, err := files.ReadFile(file)
		if err != nil {
			return fmt.Errorf("read a migration: %w", err)
		}
		do(path.Base(file), number, string(text))
	}
	return nil
}

// Provider is goose with the migrations of one kind of database.
func Provider(dialect string, pool *sql.DB, options ...goose.ProviderOption) (*goose.Provider, error) {
	folder, err := Files(dialect)
	if err != nil {
		return nil, err
	}
	provider, err := goose.NewProvider(kinds[dialect].goose, pool, folder, append(options, goose.WithDisableGlobalRegistry(true))...)
	if err != nil {
		return nil, fmt.Errorf("read the migrations: %w", err)
	}
	return provider, nil
}

// Pending says whether there are migrations that the database has not seen. To look needs no lock, and mostly there is nothing to do, so
// servers that start together do not wait for each other.
func Pending(ctx context.Context, dialect string, pool *sql.DB) (bool, error) {
	provider, err := Provider(dialect, pool)
	if err != nil {
		return false, err
	}
	pending, err := provider.HasPending(ctx)
	if err != nil {
		return false, fmt.Errorf("look for pending migrations: %w", err)
	}
	return pending, nil
}

// Up applies the migrations that the database has not seen. locker, if any, keeps other processes out meanwhile; nil means that
// the caller does.
func Up(ctx context.Context, dialect string, pool *sql.DB, locker lock.Locker, log *slog.Logger) error {
	options := []goose.ProviderOption{goose.WithSlog(log)}
	if locker != nil {
		options = append(options, goose.WithLocker(locker))
	}
	provider, err := Provider(dialect, pool, options...)
	if err != nil {
		return err
	}
	results, err := provider.Up(ctx)
	if err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	for _, r := range results {
		log.InfoContext(ctx, "migration applied", "file", r.Source.Path, "ms", r.Duration.Milliseconds())
	}
	return nil
}

// SchemaVersion is the version of the schema that the program brings a database to: the number of its last migration.
func SchemaVersion() (int64, error) {
	last := int64(0)
	for kind := range kinds {
		number, err := Last(kind)
		if err != nil {
			return 0, err
		}
		last = max(last, number)
	}
	return last, nil
}

// Last is the number of the last migration of one kind of database.
func Last(dialect string) (last int64, err error) {
	err = each(dialect, func(_ string, number int64, _ string) { last = max(last, number) })
	return last, err
}
