package migrations

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

// Files are the migrations of one kind of database, as goose reads them.
func Files(kind string) (fs.FS, error) {
	folder, err := fs.Sub(files, kinds[kind].folder)
	if err != nil {
		return nil, fmt.Errorf("find the migrations: %w", err)
	}
	if kind == dialect.SQLite {
		return recordedMigrations{folder}, nil
	}
	return folder, nil
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
func Last(dialect string) (int64, error) {
	names, err := fs.Glob(files, kinds[dialect].folder+"/*.sql")
	if err != nil {
		return 0, fmt.Errorf("find the migrations: %w", err)
	}
	last := int64(0)
	for _, file := range names {
		number, err := goose.NumericComponent(file)
		if err != nil {
			return 0, fmt.Errorf("read the name of a migration: %w", err)
		}
		last = max(last, number)
	}
	return last, nil
}
