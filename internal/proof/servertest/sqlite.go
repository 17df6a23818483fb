package servertest

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"sellerd/internal/proof/pgtest"
)

// SQLite is the URL of a new database file with all tables: a copy of one that the process migrates once. The file is in
// memory where the system has a folder for that, so that tests do not wait for a disk.
func SQLite(tb testing.TB) string {
	tb.Helper()
	template, err := sqliteTemplate()
	if err != nil {
		tb.Fatalf("prepare a database file: %v", err)
	}
	path := filepath.Join(quickFolder(tb), "sellerd.db")
	if err := os.WriteFile(path, template, 0o600); err != nil {
		tb.Fatal(err)
	}
	return "sqlite:" + path
}

// sqliteTemplate is the content of a file that has all tables and no rows.
var sqliteTemplate = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "servertest")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	path := filepath.Join(folder, "template.db")
	if err := migrate("sqlite:" + path); err != nil {
		return nil, err
	}
	if _, err := os.Stat(path + "-wal"); !os.IsNotExist(err) {
		return nil, fmt.Errorf("the closed file has a WAL: %v", err)
	}
	return os.ReadFile(path)
})

// quickFolder is a new folder, removed when the test ends.
func quickFolder(tb testing.TB) string {
	tb.Helper()
	folder, err := os.MkdirTemp(pgtest.QuickFolder(), "servertest")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := os.RemoveAll(folder); err != nil {
			tb.Error(err)
		}
	})
	return folder
}
