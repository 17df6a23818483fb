package store

import (
	"context"
	"strings"
	"testing"

	"sellerd/ent"
)

func TestPing(t *testing.T) {
	onBoth(t, func(t *testing.T, db *DB) {
		if err := db.Ping(t.Context()); err != nil {
			t.Error(err)
		}
		mustWrite(t, db, func(ctx context.Context, tx *ent.Client) error {
			_, err := tx.ExecContext(ctx, "DROP TABLE goose_db_version")
			return err
		})
		if err := db.Ping(t.Context()); err == nil || db.Unavailable(err) {
			t.Errorf("without tables it is %v, want an error of another kind", err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if err := db.Ping(t.Context()); !db.Unavailable(err) {
			t.Errorf("after Close it is %v, want it unavailable", err)
		}
	})
}

func TestPasswordsStayOutOfErrors(t *testing.T) {
	for name, url := range map[string]string{
		"a malformed port":           "postgres://seller:hunter2@127.0.0.1:port/sellerd",
		"a malformed setting":        "postgres://seller:hunter2@127.0.0.1/sellerd?connect_timeout=soon",
		"an unknown kind":            "mysql://seller:hunter2@127.0.0.1/sellerd",
		"a server that is not there": "postgres://seller:hunter2@127.0.0.1:1/sellerd",
	} {
		t.Run(name, func(t *testing.T) {
			db, err := Open(t.Context(), Config{URL: url})
			if err == nil {
				_ = db.Close()
				t.Fatal("it was opened")
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the message holds the password: %v", err)
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	for name, url := range map[string]string{
		"an unknown kind of database": "mysql://root@127.0.0.1/sellerd",
		"nothing":                     "",
		"SQLite without a file":       "sqlite:",
		"SQLite in memory":            "sqlite::memory:",
		"a malformed PostgreSQL URL":  "postgres://127.0.0.1:port/sellerd",
	} {
		t.Run(name, func(t *testing.T) {
			if db, err := Open(t.Context(), Config{URL: url}); err == nil {
				_ = db.Close()
				t.Error("it was opened")
			}
		})
	}
}
