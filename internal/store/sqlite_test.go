package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
)

func TestSQLiteFile(t *testing.T) {
	t.Run("the file and its log are made, and only their owner reads them", func(t *testing.T) {
		url := sqliteURL(t)
		mustWrite(t, open(t, Config{URL: url}), insert("a"))
		path := strings.TrimPrefix(url, "sqlite:")
		for _, name := range []string{path, path + "-wal"} {
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			if info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s has mode %v", filepath.Base(name), info.Mode())
			}
		}
	})

	t.Run("its name may hold any character", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "50% of #1?mode=memory", "my shop.db")
		if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		mustWrite(t, open(t, Config{URL: "sqlite:" + path}), insert("a"))
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([]string{"a"}, rows(t, open(t, Config{URL: "sqlite://" + path}))); diff != "" {
			t.Error(diff)
		}
	})

	t.Run("after Close everything is in the one file", func(t *testing.T) {
		url := sqliteURL(t)
		db := open(t, Config{URL: url, Server: true})
		mustWrite(t, db, insert("a"))
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(strings.TrimPrefix(url, "sqlite:") + "-wal"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a log is left: %v", err)
		}
		if diff := cmp.Diff([]string{"a"}, rows(t, open(t, Config{URL: url}))); diff != "" {
			t.Error(diff)
		}
	})
}

func TestSQLiteSettings(t *testing.T) {
	t.Run("commits are synced, foreign keys are checked", func(t *testing.T) {
		mustWrite(t, newSQLite(t), func(ctx context.Context, tx *ent.Client) error {
			for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1"} {
				got, err := ask[string](ctx, tx, "PRAGMA "+pragma)
				if err != nil {
					return err
				}
				if got != want {
					t.Errorf("%s is %s, want %s", pragma, got, want)
				}
			}
			return nil
		})
	})

	t.Run("a file with other settings is refused", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "sellerd.db")
		pool := openPool("file:"+path+"?_journal_mode=WAL", 1, nil) // and no word of _synchronous
		t.Cleanup(func() { _ = pool.Close() })
		if err := checkPragmas(t.Context(), pool, map[string]string{"synchronous": "2"}); err == nil {
			t.Error("a connection that does not sync its commits was accepted")
		}
	})

	t.Run("readers cannot write", func(t *testing.T) {
		if err := insert("a")(t.Context(), newSQLite(t).Reader()); err == nil {
			t.Error("a reader wrote")
		}
	})
}

func TestOneServer(t *testing.T) {
	url := sqliteURL(t)
	server := open(t, Config{URL: url, Server: true})

	t.Run("a second one is refused, and told who is there", func(t *testing.T) {
		second, err := Open(t.Context(), Config{URL: url, Server: true})
		if err == nil {
			_ = second.Close()
			t.Fatal("it was opened")
		}
		if !errors.Is(err, errLocked) || !strings.Contains(err.Error(), "another server is running on this file") {
			t.Errorf("the message is %q", err)
		}
	})

	t.Run("a command beside it writes, and the server sees it at once", func(t *testing.T) {
		command := open(t, Config{URL: url})
		mustWrite(t, command, insert("from the command"))
		mustWrite(t, server, insert("from the server"))
		if diff := cmp.Diff([]string{"from the command", "from the server"}, rows(t, server)); diff != "" {
			t.Error(diff)
		}
	})

	t.Run("when it has ended another may start", func(t *testing.T) {
		if err := server.Close(); err != nil {
			t.Fatal(err)
		}
		open(t, Config{URL: url, Server: true})
	})
}
