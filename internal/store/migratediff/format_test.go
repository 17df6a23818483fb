package main

import (
	"context"
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"ariga.io/atlas/sql/migrate"
	"ariga.io/atlas/sql/sqltool"
	"github.com/google/go-cmp/cmp"
	_ "github.com/mattn/go-sqlite3" // the driver "sqlite3"
	"github.com/pressly/goose/v3"
)

// format writes a plan with the given commands, beside the files that are there already.
func format(t *testing.T, existing []string, commands ...string) migrate.File {
	t.Helper()
	path := t.TempDir()
	for _, name := range existing {
		if err := os.WriteFile(filepath.Join(path, name), []byte("-- +goose Up\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dir, err := sqltool.NewGooseDir(path)
	if err != nil {
		t.Fatal(err)
	}
	plan := &migrate.Plan{Name: "step"}
	for _, c := range commands {
		plan.Changes = append(plan.Changes, &migrate.Change{Cmd: c})
	}
	files, err := formatter{dir}.Format(plan)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 1 {
		t.Fatalf("%d files, want one", len(files))
	}
	return files[0]
}

func TestFormat(t *testing.T) {
	t.Run("the number follows the last one", func(t *testing.T) {
		for want, existing := range map[string][]string{
			"0001_step.sql": nil,
			"0010_step.sql": {"0001_init.sql", "0009_more.sql"},
		} {
			if got := format(t, existing, "SELECT 1").Name(); got != want {
				t.Errorf("after %v comes %s, want %s", existing, got, want)
			}
		}
	})

	t.Run("an ordinary migration is left to goose's transaction", func(t *testing.T) {
		want := "-- +goose Up\nALTER TABLE a ADD COLUMN b integer NULL;\n"
		if diff := cmp.Diff(want, string(format(t, nil, "ALTER TABLE a ADD COLUMN b integer NULL").Bytes())); diff != "" {
			t.Error(diff)
		}
	})
}

// TestRebuild runs what is written for the rebuild of a table on a database with rows: a parent and three children that
// would go with it.
func TestRebuild(t *testing.T) {
	rebuild := []string{
		"PRAGMA foreign_keys = off",
		"CREATE TABLE new_parents (id integer PRIMARY KEY, name text)",
		"INSERT INTO new_parents (id) SELECT id FROM parents",
		"DROP TABLE parents",
		"ALTER TABLE new_parents RENAME TO parents",
		"PRAGMA foreign_keys = on",
	}
	breaking := append(append([]string{}, rebuild[:5]...), "DELETE FROM parents", rebuild[5])

	t.Run("keeps the rows that refer to it", func(t *testing.T) {
		db := family(t)
		if err := apply(t.Context(), db, format(t, nil, rebuild...)); err != nil {
			t.Fatal(err)
		}
		for query, want := range map[string]int{
			"SELECT count(*) FROM children": 3,
			"SELECT count(*) FROM parents":  1,
			"PRAGMA foreign_keys":           1,
		} {
			if got := count(t, db, query); got != want {
				t.Errorf("%s gives %d, want %d", query, got, want)
			}
		}
	})

	t.Run("does not commit if it breaks a reference", func(t *testing.T) {
		db := family(t)
		if err := apply(t.Context(), db, format(t, nil, breaking...)); err == nil {
			t.Fatal("it was applied")
		}
		if _, err := db.ExecContext(t.Context(), "ROLLBACK"); err != nil { // closing the connection does the same
			t.Fatal(err)
		}
		if got := count(t, db, "SELECT count(*) FROM parents"); got != 1 {
			t.Errorf("%d parents, want 1", got)
		}
	})
}

// family is a database with one parent and three children.
func family(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(t.TempDir(), "family.db")+"?_foreign_keys=on")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.ExecContext(t.Context(), `
		CREATE TABLE parents (id integer PRIMARY KEY);
		CREATE TABLE children (id integer PRIMARY KEY, parent integer REFERENCES parents ON DELETE CASCADE);
		INSERT INTO parents VALUES (1);
		INSERT INTO children VALUES (1, 1), (2, 1), (3, 1)`); err != nil {
		t.Fatal(err)
	}
	return db
}

// apply runs one migration as the store does.
func apply(ctx context.Context, db *sql.DB, file migrate.File) error {
	var files fs.FS = fstest.MapFS{file.Name(): {Data: file.Bytes()}}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	_, err = provider.Up(ctx)
	return err
}

// count returns the number that a query yields.
func count(t *testing.T, db *sql.DB, query string) int {
	t.Helper()
	var n int
	if err := db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}
