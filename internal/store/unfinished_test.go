package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A copy is interrupted while it makes the tables. No server starts on what is there, and the next run makes the other tables.
func TestACopyGoesOnWithItsMigrations(t *testing.T) {
	onBothEmpty(t, func(t *testing.T, database emptyDatabase) {
		pool := migratedTo(t, 5, database, makeCopyTable)
		if err := pool.Close(); err != nil {
			t.Fatal(err)
		}
		for _, c := range []Config{{URL: database.url}, {URL: database.url, Server: true}, {URL: database.url, Existing: true}} {
			if got := problemOf(t, c); got != ProblemUnfinished {
				t.Errorf("%+v: problem %d, want an unfinished copy", c, got)
			}
		}
		b, err := OpenBulkWriter(t.Context(), Config{URL: database.url})
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		if got := problemOf(t, Config{URL: database.url, Server: true}); got != ProblemUnfinished {
			t.Errorf("after that: problem %d, want an unfinished copy", got)
		}
	})
}

// Rows that were copied by another release have its schema.
func TestACopyThatHasBegunIsNotMigrated(t *testing.T) {
	database := emptySQLite(t)
	pool := migratedTo(t, 5, database, makeCopyTable+";\nINSERT INTO "+CopyTable+" VALUES ('', 'a source')")
	if err := pool.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := OpenBulkWriter(t.Context(), Config{URL: database.url})
	if err == nil {
		_ = b.Close()
		t.Fatal("it was opened")
	}
	if problem := (*OpenError)(nil); !errors.As(err, &problem) || problem.Problem != ProblemOlder {
		t.Errorf("it is %v", err)
	}
}

// TestCopiesThatWereKilledLeaveNoPileOfFiles begins copies that end before their file has its name, as a kill would.
func TestCopiesThatWereKilledLeaveNoPileOfFiles(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "copy.db")
	if err := os.Mkdir(path, 0o700); err != nil { // in the way of the new name
		t.Fatal(err)
	}
	left := filepath.Join(folder, "copy.db.unfinished-copy")
	for range 3 {
		if err := os.WriteFile(left, []byte("what a kill left"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := createCopy(t.Context(), path); err == nil {
			t.Fatal("a file was renamed to a folder")
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := createCopy(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if !slices.Equal(names, []string{"copy.db"}) {
		t.Errorf("the folder has %q", names)
	}
}

// TestTheDatabaseOfAnotherProgramIsLeftAsItIs opens it as a server and as a command.
func TestTheDatabaseOfAnotherProgramIsLeftAsItIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cookies.db")
	pool := openPool(fileName(path), 1, nil)
	if _, err := pool.ExecContext(t.Context(), "CREATE TABLE cookies (id integer)"); err != nil {
		t.Fatal(err)
	}
	if err := pool.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []Config{{URL: "sqlite:" + path, Server: true}, {URL: "sqlite:" + path}, {URL: "sqlite:" + path, Existing: true}} {
		if got := problemOf(t, c); got != ProblemTables {
			t.Errorf("%+v: problem %d, want tables of another program", c, got)
		}
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(before, after) {
		t.Error("the file has changed")
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("%d files, want the database alone: %v", len(entries), entries)
	}
}
