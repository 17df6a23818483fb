package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/pgtest"
)

// noted is a target that takes numbers and texts directly, and notes what else it is asked to scan.
type noted struct{ Number, Text, Scanned any }

func (n *noted) ScanNumber(v int64) error { n.Number = v; return nil }
func (n *noted) ScanText(v []byte) error  { n.Text = string(v); return nil }
func (n *noted) Scan(v any) error {
	switch v := v.(type) {
	case int64:
		return n.ScanNumber(v)
	case string:
		return n.ScanText([]byte(v))
	case nil:
		n.Scanned = "NULL"
	default:
		n.Scanned = v
	}
	return nil
}

func TestQueryScansWhatReaderScans(t *testing.T) {
	onBoth(t, func(t *testing.T, db *DB) {
		const query = `SELECT CAST($1 AS bigint), CAST($2 AS text), CAST(NULL AS text), CAST(NULL AS bigint), CAST($1 AS bigint), CAST($2 AS text), $1 = $1`
		type values struct {
			Number, Text, NoText, NoNumber noted
			Plain                          int64
			Maybe                          sql.Null[string]
			Truth                          bool
		}
		targets := func(v *values) []any {
			return []any{&v.Number, &v.Text, &v.NoText, &v.NoNumber, &v.Plain, &v.Maybe, &v.Truth}
		}
		var want, got values
		byReader, err := db.Reader().QueryContext(t.Context(), query, int64(-1<<60), "é|\"")
		if err != nil {
			t.Fatal(err)
		}
		defer byReader.Close()
		byQuery, err := db.Query(t.Context(), query, int64(-1<<60), "é|\"")
		if err != nil {
			t.Fatal(err)
		}
		defer byQuery.Close()
		if !byReader.Next() || !byQuery.Next() {
			t.Fatal("there is no row", byReader.Err(), byQuery.Err())
		}
		if err := errors.Join(byReader.Scan(targets(&want)...), byQuery.Scan(targets(&got)...)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" || got.Plain != -1<<60 {
			t.Errorf("Reader, Query (-want +got):\n%s", diff)
		}
		if err := byQuery.Scan(&got.Number); err == nil {
			t.Error("too few targets are accepted")
		}
		if byQuery.Next() || byQuery.Err() != nil {
			t.Errorf("another row, or %v", byQuery.Err())
		}
	})
}

func TestQueryReadsBytesAndFloats(t *testing.T) {
	for name, mode := range map[string]string{
		"prepared": "", "not prepared, as behind a pooler": "&default_query_exec_mode=exec", "as text": "&default_query_exec_mode=simple_protocol",
	} {
		t.Run(name, func(t *testing.T) { readBytesAndFloats(t, newPostgres(t, mode)) })
	}
}

func readBytesAndFloats(t *testing.T, db *DB) {
	rows, err := db.Query(t.Context(), `SELECT decode('00ff', 'hex'), CAST(2.5 AS double precision), CAST(7 AS integer), CAST($1 AS bigint), $2 = decode('01', 'hex')`, int64(9), []byte{1})
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var (
		hash  noted
		float sql.Null[float64]
		small noted
		large noted
		same  bool
	)
	if !rows.Next() {
		t.Fatal("there is no row", rows.Err())
	}
	if err := rows.Scan(&hash, &float, &small, &large, &same); err != nil {
		t.Fatal(err)
	}
	if b, _ := hash.Scanned.([]byte); !bytes.Equal(b, []byte{0, 255}) || float.V != 2.5 || small.Number != int64(7) || large.Number != int64(9) || !same {
		t.Errorf("got %v, %v, %v, %v, %v", hash.Scanned, float, small.Number, large.Number, same)
	}
}

func TestQueryFailsAsReaderDoes(t *testing.T) {
	onBoth(t, func(t *testing.T, db *DB) {
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if rows, err := db.Query(ended, "SELECT 1"); !errors.Is(err, context.Canceled) || rows != nil {
			t.Errorf("after the caller has gone: %v, %v", rows, err)
		}
		if rows, err := db.Query(t.Context(), "SELECT nothing"); err == nil || rows != nil || db.Unavailable(err) {
			t.Errorf("a wrong statement: %v, %v", rows, err)
		}
		for range 40 { // more often than there are connections
			rows, err := db.Query(t.Context(), "SELECT 1 UNION ALL SELECT 2")
			if err != nil {
				t.Fatal(err)
			}
			if !rows.Next() {
				t.Fatal("there is no row", rows.Err())
			}
			if err := rows.Close(); err != nil { // before the last row
				t.Fatal(err)
			}
		}
	})
}

func TestQueryOutlivesALostConnection(t *testing.T) {
	url := pgtest.Direct(t, migrated)
	db, other := open(t, Config{URL: url, Readers: 1}), open(t, Config{URL: url, Readers: 1})
	number := func(db *DB, query string) int64 {
		t.Helper()
		rows, err := db.Query(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		var n int64
		if !rows.Next() || rows.Scan(&n) != nil {
			t.Fatal("there is no number", rows.Err())
		}
		return n
	}
	first := number(db, "SELECT CAST(pg_backend_pid() AS bigint)")
	if n := number(other, "SELECT count(*) FROM (SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database() AND backend_type = 'client backend') AS ended"); n != 1 {
		t.Fatalf("%d connections were ended", n)
	}
	rows, err := db.Query(t.Context(), "SELECT CAST(pg_backend_pid() AS bigint)")
	if err == nil {
		_ = rows.Close()
	} else if !db.Unavailable(err) {
		t.Errorf("the lost connection gives %v", err)
	}
	if second := number(db, "SELECT CAST(pg_backend_pid() AS bigint)"); second == first {
		t.Error("the connection was not ended")
	}
}
