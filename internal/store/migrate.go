package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"strings"

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
	files, err := migrationsOf(dialect)
	if err != nil {
		return err
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

// migrationsOf returns the migrations of one kind of database, as goose reads them.
func migrationsOf(kind string) (fs.FS, error) {
	files, err := fs.Sub(migrationFiles, migrationFolders[kind].folder)
	if err != nil {
		return nil, fmt.Errorf("find the migrations: %w", err)
	}
	if kind == dialect.SQLite {
		files = recordedMigrations{files}
	}
	return files, nil
}

// recordedMigrations are the files of SQLite's migrations, in which those with a transaction of their own record themselves in it. goose
// records them only afterwards: if the process was killed between the two, the migration would be applied again, and fail for ever. A
// second record, by goose, does no harm.
type recordedMigrations struct{ fs.FS }

// Open implements fs.FS.
func (r recordedMigrations) Open(name string) (fs.File, error) {
	file, err := r.FS.Open(name)
	if err != nil || !strings.HasSuffix(name, ".sql") {
		return file, err
	}
	number, err := goose.NumericComponent(name)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read the name of a migration: %w", err), file.Close())
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read a migration: %w", err), file.Close())
	}
	record := fmt.Sprintf("\nINSERT INTO goose_db_version (version_id, is_applied) VALUES (%d, 1);\nCOMMIT;\n", number)
	return migrationFile{file, strings.NewReader(strings.Replace(string(text), "\nCOMMIT;\n", record, 1))}, nil
}

// migrationFile is a file with another text.
type migrationFile struct {
	fs.File
	text io.Reader
}

// Read implements fs.File.
func (f migrationFile) Read(p []byte) (int, error) { return f.text.Read(p) }

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
