package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"log/slog"

	"entgo.io/ent/dialect"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*/*.sql
var migrationFiles embed.FS

// migrationFolders says where a dialect's migrations are and what goose calls it.
var migrationFolders = map[string]struct {
	folder string
	goose  goose.Dialect
}{
	dialect.SQLite:   {"migrations/sqlite", goose.DialectSQLite3},
	dialect.Postgres: {"migrations/postgres", goose.DialectPostgres},
}

// migrateUp applies the migrations that the database has not seen. locker, if any, keeps other processes out meanwhile;
// nil means that the caller does.
func migrateUp(ctx context.Context, dialect string, pool *sql.DB, locker lock.Locker, log *slog.Logger) error {
	where := migrationFolders[dialect]
	files, err := fs.Sub(migrationFiles, where.folder)
	if err != nil {
		return fmt.Errorf("find the migrations: %w", err)
	}
	options := []goose.ProviderOption{goose.WithDisableGlobalRegistry(true), goose.WithSlog(log)}
	if locker != nil {
		options = append(options, goose.WithLocker(locker))
	}
	provider, err := goose.NewProvider(where.goose, pool, files, options...)
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	// To look needs no lock, and mostly there is nothing to do, so servers that start together do not wait for each other.
	pending, err := provider.HasPending(ctx)
	if err != nil {
		return fmt.Errorf("look for pending migrations: %w", err)
	}
	if !pending {
		return nil
	}
	results, err := provider.Up(ctx)
	if err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	for _, r := range results {
		log.InfoContext(ctx, "migration applied", "file", r.Source.Path, "took", r.Duration)
	}
	return nil
}

// SchemaVersion is the version of the schema that the program brings a database to: the number of its last migration.
func SchemaVersion() (int64, error) {
	last := int64(0)
	for kind := range migrationFolders {
		number, err := lastMigration(kind)
		if err != nil {
			return 0, err
		}
		last = max(last, number)
	}
	return last, nil
}

// lastMigration is the number of the last migration of one kind of database.
func lastMigration(dialect string) (int64, error) {
	files, err := fs.Glob(migrationFiles, migrationFolders[dialect].folder+"/*.sql")
	if err != nil {
		return 0, fmt.Errorf("find the migrations: %w", err)
	}
	last := int64(0)
	for _, file := range files {
		number, err := goose.NumericComponent(file)
		if err != nil {
			return 0, fmt.Errorf("read the name of a migration: %w", err)
		}
		last = max(last, number)
	}
	return last, nil
}
