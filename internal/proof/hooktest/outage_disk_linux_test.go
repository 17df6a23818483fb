package hooktest

import (
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	_ "github.com/mattn/go-sqlite3" // the driver

	"sellerd/internal/proof/blackbox"
	"sellerd/internal/proof/pgtest"
)

const (
	smallDisk = "size=160m" // PostgreSQL's files and the log it writes ahead are most of it
	fullFor   = 5 * time.Second
)

// TestFullDisk fills the disk that holds the database, under load, and empties it again. Meanwhile an item is read again and again.
// Afterwards the database checks itself. The disk is one in memory, which takes the rights of root to make, so it runs only at length.
func TestFullDisk(t *testing.T) {
	if !*long {
		return
	}
	t.Run("SQLite", func(t *testing.T) {
		disk := mountSmall(t)
		file := filepath.Join(disk, "sellerd.db")
		o := newOutage(t, "sqlite:"+file, 1)
		var reads reading
		found := o.run(t, func() {
			empty := fill(t, disk)
			reads = o.read(t, fullFor)
			empty()
		})
		found.record(t, "the disk is full for 5 s, SQLite")
		o.recordFull(t, reads, checkSQLite(t, file), &found, "SQLite")
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		disk := mountSmall(t)
		t.Setenv("TMPDIR", disk)
		cluster := pgtest.Own(t, pgtest.Options{Durable: true})
		o := newOutage(t, cluster.AdminURL(), 2)
		var reads reading
		found := o.run(t, func() {
			empty := fill(t, disk)
			reads = o.read(t, fullFor)
			empty()
			// It may have ended: it cannot do without the log that it writes ahead.
			if err := errors.Join(cluster.Interrupt(), cluster.Resume(t.Context())); err != nil {
				t.Fatal(err)
			}
		})
		found.record(t, "the disk is full for 5 s, PostgreSQL under 2 processes, which is then restarted")
		o.recordFull(t, reads, checkPostgres(t, cluster.AdminURL()), &found, "PostgreSQL, which is then restarted")
	})
}

// reading is what came of reads while the disk was full.
type reading struct{ answered, refused, failed int }

// read reads an item again and again for a while.
func (o *outageLoad) read(t *testing.T, during time.Duration) (r reading) {
	t.Helper()
	for end := time.Now().Add(during); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		got, err := o.seller.Do(http.MethodGet, "/v1/items/"+o.item, "", nil)
		switch {
		case err == nil && got.Status == http.StatusOK:
			r.answered++
		case err == nil && got.Status == http.StatusServiceUnavailable:
			r.refused++
		default:
			r.failed++
			t.Errorf("a read is answered %d %s %v", got.Status, got.Errors, err)
		}
	}
	return r
}

// recordFull records what a full disk meant for those who wrote and read. PostgreSQL ends without room for its log, so there reads may be
// refused, too.
func (o *outageLoad) recordFull(t *testing.T, r reading, integrity string, found *late, database string) {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	blackbox.Record(t, blackbox.Figure{
		Number: "R9", What: "the disk is full for 5 s, " + database, Aim: "503 while full, reads work, integrity check ok, recovers by itself",
		Measured: fmt.Sprintf("%s submissions refused with 503; %s reads answered, %d refused with 503; %s; what was acknowledged published within %s",
			blackbox.Thousands(int64(o.refused)), blackbox.Thousands(int64(r.answered)), r.refused, integrity, blackbox.Milliseconds(found.publication)),
		Reached: integrity != "" && o.refused > 0 && r.answered > 0 && r.failed == 0 && (r.refused == 0 || strings.HasPrefix(database, "PostgreSQL")),
	})
}

// checkSQLite has SQLite check every page, index and reference of a file. It returns nothing if something is wrong.
func checkSQLite(t *testing.T, file string) string {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+file+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var verdict string
	if err := db.QueryRowContext(t.Context(), `PRAGMA integrity_check`).Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("integrity_check: %s %v", verdict, err)
		return ""
	}
	var dangling int
	if err := db.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM pragma_foreign_key_check`).Scan(&dangling); err != nil || dangling != 0 {
		t.Errorf("foreign_key_check: %d rows, %v", dangling, err)
		return ""
	}
	return "integrity_check " + verdict
}

// checkPostgres has amcheck compare every table with its indexes. It returns nothing if something is wrong.
func checkPostgres(t *testing.T, url string) string {
	t.Helper()
	db, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	if _, err := db.Exec(t.Context(), `CREATE EXTENSION IF NOT EXISTS amcheck`); err != nil {
		t.Fatal(err)
	}
	var indexes int
	if err := db.QueryRow(t.Context(), `SELECT COUNT(bt_index_check(c.oid, true)::text) FROM pg_class c JOIN pg_am a ON a.oid = c.relam
 WHERE c.relkind = 'i' AND a.amname = 'btree' AND c.relpersistence = 'p'`).Scan(&indexes); err != nil {
		t.Errorf("check indexes: %v", err)
		return ""
	}
	var tables, corrupt int
	if err := db.QueryRow(t.Context(), `SELECT COUNT(*), COALESCE(SUM((SELECT COUNT(*) FROM verify_heapam(c.oid))), 0) FROM pg_class c
 WHERE c.relkind = 'r' AND c.relpersistence = 'p'`).Scan(&tables, &corrupt); err != nil || corrupt != 0 {
		t.Errorf("check tables: %d rows are corrupt, %v", corrupt, err)
		return ""
	}
	return fmt.Sprintf("amcheck found nothing in %d indexes and %d tables", indexes, tables)
}

// mountSmall is a folder on a disk of its own.
func mountSmall(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "sellerd-disk-")
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, smallDisk+",mode=1777"); err != nil {
		t.Fatalf("make a small disk, which takes the rights of root: %v", err)
	}
	t.Cleanup(func() {
		if err := errors.Join(syscall.Unmount(folder, syscall.MNT_DETACH), os.Remove(folder)); err != nil {
			t.Error(err)
		}
	})
	return folder
}

// fill leaves no room on a disk, until the function that it returns is called.
func fill(t *testing.T, disk string) (empty func()) {
	t.Helper()
	path := filepath.Join(disk, "ballast")
	ballast, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for block := make([]byte, 1<<16); err == nil; {
		_, err = ballast.Write(block)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	return func() {
		if err := errors.Join(ballast.Close(), os.Remove(path)); err != nil {
			t.Error(err)
		}
	}
}
