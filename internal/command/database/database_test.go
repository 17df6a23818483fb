package database

import (
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/pgtest"
	"sellerd/internal/store"
	"sellerd/v1"
)

// TestProblemsOfADatabaseThatTakeLongToMake are those that the tests of the program do not meet: another program that
// holds the file for seconds, and what only another user sees.
func TestProblemsOfADatabaseThatTakeLongToMake(t *testing.T) {
	refused := errors.New("attempt to write a readonly database")
	for _, test := range []struct {
		name    string
		problem store.Problem
		want    string
	}{
		{"another program holds the file", store.ProblemLocked, "another program has locked data/shop.db: end it, and try again"},
		{"the file is another user's", store.ProblemFiles, "cannot write data/shop.db: may this user write the file and its folder? (attempt to write a readonly database)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := URL{"sqlite:data/shop.db"}.Explain(&store.OpenError{Problem: test.problem, Err: refused})
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Run("a file of another user is there", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "shop.db")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		err := URL{"sqlite:" + path}.Explain(&fs.PathError{Op: "open", Path: path, Err: syscall.EACCES})
		want := "cannot open " + path + ": permission denied; it must belong to this user, who must be able to read and write it: see chown and chmod"
		if diff := cmp.Diff(want, err.Error()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("any other error stays as it is", func(t *testing.T) {
		if err := (URL{"sqlite:data/shop.db"}).Explain(refused); !errors.Is(err, refused) {
			t.Errorf("got %v", err)
		}
	})
}

func TestMigrateSaysWhichSchemaThereIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shop.db")
	c := Migrate{URL{"sqlite:" + path}}
	says := func() string {
		db, err := store.Open(t.Context(), store.Config{URL: c.DB})
		if err != nil {
			t.Fatal(err)
		}
		state, err := c.state(t.Context(), nil)
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		return state
	}
	got := []string{says()}
	pool, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, true)"); err != nil {
		t.Fatal(err)
	}
	if err := pool.Close(); err != nil {
		t.Fatal(err)
	}
	got = append(got, says())
	if diff := cmp.Diff([]string{"the schema is up to date", "there is nothing to do: the schema has version 99, and this program's is 19"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestALockOfAnotherSession has a session that holds a table for longer than a command waits.
func TestALockOfAnotherSession(t *testing.T) {
	url := pgtest.URL(t, nil)
	db, err := store.Open(t.Context(), store.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	err = db.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
		if _, err := tx.ExecContext(ctx, "LOCK TABLE operators"); err != nil {
			return err
		}
		return Flags{URL: URL{url}}.WithService(t.Context(), func(s *v1.Service) error {
			_, err := s.RevokeOperator(t.Context(), "anna")
			return err
		})
	})
	want := "another session has a lock on the same rows, or changed them: run the command again (ERROR: canceling statement due to lock timeout (SQLSTATE 55P03))"
	if err == nil || err.Error() != want {
		t.Errorf("it says %v, want %s", err, want)
	}
}

// TestNoSecretIsReplacedUnderAServer has a server on PostgreSQL. On SQLite the lock of the file tells.
func TestNoSecretIsReplacedUnderAServer(t *testing.T) {
	url := pgtest.URL(t, nil)
	db, err := store.Open(t.Context(), store.Config{URL: url, Server: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	c := secretReplace{URL{url}, SecretFlag{base64.StdEncoding.EncodeToString(make([]byte, 32))}}
	err = c.Run(t.Context())
	if want := "a server, or another command, uses the database in --db: stop all first."; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("beside a server: %v, want %s", err, want)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.Run(t.Context()); err != nil {
		t.Errorf("without a server: %v", err)
	}
}
