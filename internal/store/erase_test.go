package store

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"sellerd/ent"
)

func TestEraseEmptiesTheLog(t *testing.T) {
	url := sqliteURL(t)
	db := open(t, Config{URL: url, Server: true})
	for _, id := range []string{"a", "b"} {
		if err := db.Write(t.Context(), insert(id)); err != nil {
			t.Fatal(err)
		}
	}
	log := url[len("sqlite:"):] + "-wal"
	size := func() int64 {
		t.Helper()
		info, err := os.Stat(log)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	if size() == 0 {
		t.Fatal("the log is empty from the beginning")
	}
	beside := open(t, Config{URL: url}) // a command beside the server

	t.Run("a reader is in its way", func(t *testing.T) {
		err := db.Snapshot(t.Context(), func(ctx context.Context, tx *ent.Client) error {
			if _, err := tx.NumberRange.Query().Count(ctx); err != nil {
				return err
			}
			if err := db.Write(t.Context(), insert("c")); err != nil {
				return err
			}
			limited, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			return beside.Erase(limited, false)
		})
		if !errors.Is(err, context.DeadlineExceeded) || size() == 0 {
			t.Errorf("with a reader: %v, and the log has %d bytes", err, size())
		}
	})
	if err := beside.Erase(t.Context(), true); err != nil || size() != 0 {
		t.Errorf("without a reader: %v, and the log has %d bytes", err, size())
	}
	if err := db.Write(t.Context(), insert("d")); err != nil {
		t.Error(err)
	}
}
