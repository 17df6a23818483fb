package store

import (
	"database/sql"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"entgo.io/ent/dialect"
	"github.com/pressly/goose/v3"

	"sellerd/internal/store/migrations"
)

// TestMigrationThatWasKilledAfterItsCommit applies migrations that commit by themselves, and ends before goose can record them, as a kill
// would. The next process must go on from there.
func TestMigrationThatWasKilledAfterItsCommit(t *testing.T) {
	files, err := migrations.Files(dialect.SQLite)
	if err != nil {
		t.Fatal(err)
	}
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "COMMIT;") {
			continue
		}
		tried++
		t.Run(name, func(t *testing.T) {
			pool := openPool("file:"+filepath.Join(t.TempDir(), "killed.db")+"?"+writerPragmas, 1, nil)
			t.Cleanup(func() { _ = pool.Close() })
			killAfter(t, pool, name, string(text))
			if err := migrations.Up(t.Context(), dialect.SQLite, pool, nil, slog.New(slog.DiscardHandler)); err != nil {
				t.Fatalf("after a kill behind the COMMIT of %s: %v", name, err)
			}
			if err := checkPragmas(t.Context(), pool, map[string]string{"foreign_keys": "1"}); err != nil {
				t.Error(err)
			}
		})
	}
	if tried == 0 {
		t.Fatal("no migration commits by itself: is this test still about something?")
	}
}

// killAfter brings a database to the migration before name, and then runs the text of name up to its COMMIT.
func killAfter(t *testing.T, pool *sql.DB, name, text string) {
	t.Helper()
	number, err := goose.NumericComponent(name)
	if err != nil {
		t.Fatal(err)
	}
	provider, err := migrations.Provider(dialect.SQLite, pool)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(t.Context(), number-1); err != nil {
		t.Fatal(err)
	}
	done, _, _ := strings.Cut(text, "COMMIT;")
	for _, statements := range []string{done + "COMMIT;", "PRAGMA foreign_keys = on"} { // a new process has it on
		if _, err := pool.ExecContext(t.Context(), statements); err != nil {
			t.Fatal(err)
		}
	}
}
