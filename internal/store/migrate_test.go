package store

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"ariga.io/atlas/sql/migrate"
	"ariga.io/atlas/sql/sqltool"
	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"entgo.io/ent/dialect/sql/schema"
	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	entmigrate "sellerd/ent/migrate"
	"sellerd/internal/proof/pgtest"
	"sellerd/internal/store/migrations"
)

// TestMigrationsLeadToTheSchema fails when ent/schema has changed and the migrations have not:
// run go run ./internal/store/migratediff NAME.
func TestMigrationsLeadToTheSchema(t *testing.T) {
	t.Run("on SQLite", func(t *testing.T) {
		pool, err := sql.Open("sqlite3", "file:"+filepath.Join(t.TempDir(), "dev.db")+"?_foreign_keys=on")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = pool.Close() })
		checkDiff(t, "migrations/sqlite", entsql.OpenDB(dialect.SQLite, pool))
	})
	t.Run("on PostgreSQL", func(t *testing.T) {
		checkDiff(t, "migrations/postgres", emptyPostgres(t))
	})
}

// emptyPostgres returns a driver for an empty database.
func emptyPostgres(t *testing.T) *entsql.Driver {
	t.Helper()
	pool, err := sql.Open("pgx", pgtest.URL(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Close() })
	return entsql.OpenDB(dialect.Postgres, pool)
}

// checkDiff fails the test with what migratediff would write to a copy of folder. The driver is for an empty database, on
// which the migrations are replayed.
func checkDiff(t *testing.T, folder string, driver dialect.Driver) {
	t.Helper()
	scratch := t.TempDir()
	if err := os.CopyFS(scratch, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	dir, err := sqltool.NewGooseDir(scratch)
	if err != nil {
		t.Fatal(err)
	}
	before, err := dir.Files()
	if err != nil {
		t.Fatal(err)
	}
	if err := entmigrate.NewSchema(driver).NamedDiff(t.Context(), "missing", schema.WithDir(dir),
		schema.WithMigrationMode(schema.ModeReplay), schema.WithFormatter(sqltool.GooseFormatter)); err != nil {
		t.Fatal(err)
	}
	after, err := dir.Files()
	if err != nil {
		t.Fatal(err)
	}
	if len(after) > len(before) {
		t.Errorf("the migrations lack this; run go run ./internal/store/migratediff NAME:\n%s", after[len(after)-1].Bytes())
	}
}

// TestMigratedSQLite compares what Open makes of an empty file with ent's schema.
func TestMigratedSQLite(t *testing.T) {
	url := sqliteURL(t)
	open(t, Config{URL: url})
	pool, err := sql.Open("sqlite3", "file:"+strings.TrimPrefix(url, "sqlite:")+"?_foreign_keys=on")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Close() })
	var missing strings.Builder
	if err := entmigrate.NewSchema(entsql.OpenDB(dialect.SQLite, pool)).WriteTo(t.Context(), &missing); err != nil {
		t.Fatal(err)
	}
	if missing.Len() > 0 {
		t.Errorf("a migrated file lacks this:\n%s", &missing)
	}
}

// TestMigratedPostgres compares what Open makes of an empty database with what ent would make of it, as PostgreSQL
// itself describes both: the differ does not look at collations, and takes PostgreSQL's rewriting of a partial index's
// condition for a change. Ent does not make the table of words, which TestTheTableOfWords looks at.
func TestMigratedPostgres(t *testing.T) {
	want := emptyPostgres(t)
	if err := entmigrate.NewSchema(want).Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := slices.DeleteFunc(describe(t, newPostgres(t, "").engine.(*postgres).db), wordLine.MatchString)
	if diff := cmp.Diff(describe(t, want.DB()), got); diff != "" {
		t.Error(diff)
	}
}

// wordLine is a line of describe about the table of words.
var wordLine = regexp.MustCompile(`\bitem_words(_pkey)?\b`)

// describe lists the columns, indexes and constraints of a PostgreSQL database, apart from goose's own table.
func describe(t *testing.T, db *sql.DB) []string {
	t.Helper()
	return linesOf(t, db, `
		SELECT line FROM (
			SELECT table_name, format('column %s.%s %s null %s default %s collate %s identity %s', table_name, column_name,
				data_type, is_nullable, column_default, collation_name, identity_generation) AS line
			FROM information_schema.columns WHERE table_schema = 'public'
			UNION ALL SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = 'public'
			UNION ALL SELECT conrelid::regclass::text, format('constraint %s %s', conname, pg_get_constraintdef(oid))
			FROM pg_constraint WHERE connamespace = 'public'::regnamespace
		) AS lines WHERE table_name <> 'goose_db_version' ORDER BY line`)
}

// TestWordsCompareByTheirBytes: an index serves the prefixes of words only in this order, which a database's own need
// not be.
func TestWordsCompareByTheirBytes(t *testing.T) {
	onBoth(t, func(t *testing.T, db *DB) {
		mustWrite(t, db, func(ctx context.Context, tx *ent.Client) error {
			for _, word := range []string{"Zebra", "apfel", "äpfel", "ab-c", "abc"} {
				if _, err := tx.ExecContext(ctx, "INSERT INTO item_words (owner, word, item_id) VALUES (1, $1, 1)", word); err != nil {
					return err
				}
			}
			return nil
		})
		got, err := db.Reader().ItemWord.Query().Order(ent.Asc("word")).Select("word").Strings(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"Zebra", "ab-c", "abc", "apfel", "äpfel"}, got); diff != "" {
			t.Error(diff)
		}
	})
}

// TestMigrationChecksums finds a migration that was edited after it was written, and perhaps applied.
func TestMigrationChecksums(t *testing.T) {
	for _, folder := range []string{"migrations/sqlite", "migrations/postgres"} {
		dir, err := migrate.NewLocalDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		if err := migrate.Validate(dir); err != nil {
			t.Errorf("%s: %v; if the edit was meant, run go run ./internal/store/migratediff", folder, err)
		}
	}
}

func TestOpenTwice(t *testing.T) {
	onBothEmpty(t, func(t *testing.T, database emptyDatabase) {
		if got := applied(t, database.url); got == 0 {
			t.Error("the first time applied no migration")
		}
		if got := applied(t, database.url); got != 0 {
			t.Errorf("the second time applied %d migrations", got)
		}
	})
}

// applied opens and closes a database and returns how many migrations that applied, which Open logs.
func applied(t *testing.T, url string) int {
	t.Helper()
	var log strings.Builder
	db, err := Open(t.Context(), Config{URL: url, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return strings.Count(log.String(), "migration applied")
}

// TestOpenTogether opens a new database many times at once, as replicas do that start with a release.
func TestOpenTogether(t *testing.T) {
	onBothEmpty(t, func(t *testing.T, database emptyDatabase) {
		ids := []string{"a", "b", "c", "d"}
		errs := make([]error, len(ids))
		var all sync.WaitGroup
		for i, id := range ids {
			all.Go(func() {
				db, err := Open(t.Context(), Config{URL: database.url})
				if err != nil {
					errs[i] = err
					return
				}
				errs[i] = errors.Join(db.Write(t.Context(), insert(id)), db.Close())
			})
		}
		all.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(ids, rows(t, open(t, Config{URL: database.url}))); diff != "" {
			t.Error(diff)
		}
	})
}

// TestOlderProgram: the way back from a release is the program before it, on the schema after it.
func TestOlderProgram(t *testing.T) {
	onBothEmpty(t, func(t *testing.T, database emptyDatabase) {
		mustWrite(t, open(t, Config{URL: database.url}), func(ctx context.Context, tx *ent.Client) error {
			_, err := tx.ExecContext(ctx, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true)")
			return err
		})
		if got := applied(t, database.url); got != 0 {
			t.Errorf("it applied %d migrations", got)
		}
	})
}

// TestIndexesHaveThoseOfTheModel looks for indexes of the model that no migration makes. Migrations make some that the model has no name for.
func TestIndexesHaveThoseOfTheModel(t *testing.T) {
	for _, kind := range []string{dialect.SQLite, dialect.Postgres} {
		made, err := migrations.Indexes(kind)
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range entmigrate.Tables {
			for _, index := range table.Indexes {
				if !slices.Contains(made, index.Name) {
					t.Errorf("no migration of %s makes %s", kind, index.Name)
				}
			}
		}
	}
}
