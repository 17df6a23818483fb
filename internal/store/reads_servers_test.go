package store

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/pgtest"
	"sellerd/internal/store/standby"
)

// The tests of this file name servers to read from that are no standby of the primary, or no longer, or not yet.

// TestReadsIgnoreAStandbyOfAnotherHistory has a second standby become the primary. The first one has replayed more of the old
// primary's log than the new primary has, so its position is ahead although its rows are not those of the new primary.
func TestReadsIgnoreAStandbyOfAnotherHistory(t *testing.T) {
	t.Parallel()
	f := newFollowed(t)
	next := f.primary.Standby(t)
	f.execute(t, f.primary, "ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()")
	f.awaitReplay(t)
	if err := next.Promote(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		mustWrite(t, f.db, insert(fmt.Sprintf("lost-%02d", i)))
	}
	f.awaitReplay(t)
	db := open(t, Config{URL: next.AdminURL() + primaryIsDurable})
	mustWrite(t, db, insert("kept"))
	reads := f.open(t, db, f.standby)
	for form, read := range forms {
		ids, err := read(t.Context(), reads)
		if diff := cmp.Diff([]string{"kept"}, ids); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", form, err, diff)
		}
	}
	if reads.Stats().InUse {
		t.Error("the standby is in use")
	}
}

// TestReadsUseAStandbyThatFollowsTheNewPrimary moves the standby to the server that was promoted.
func TestReadsUseAStandbyThatFollowsTheNewPrimary(t *testing.T) {
	t.Parallel()
	f := newFollowed(t)
	next := f.primary.Standby(t)
	f.execute(t, f.primary, "ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()")
	f.awaitReplay(t)
	if err := f.primary.Interrupt(); err != nil {
		t.Fatal(err)
	}
	if err := next.Promote(t.Context()); err != nil {
		t.Fatal(err)
	}
	host, port := next.Address()
	follow := fmt.Sprintf("ALTER SYSTEM SET primary_conninfo = 'host=%s port=%d user=postgres password=%s application_name=standby'", host, port, next.Password())
	f.execute(t, f.standby, follow, "SELECT pg_reload_conf()")
	f.primary, f.db, f.other = next, open(t, Config{URL: next.AdminURL() + primaryIsDurable}), open(t, Config{URL: next.AdminURL() + primaryIsDurable})
	mustWrite(t, f.db, insert("kept"))
	f.reads = f.open(t, f.db, f.standby)
	f.execute(t, f.primary, "CHECKPOINT")
	f.awaitReplay(t)
	f.execute(t, f.standby, "CHECKPOINT")
	eventually(t, "the standby answers", func() bool { return f.changesAndReads(t, fmt.Sprint(time.Now().UnixNano()), 1)[standby.AtStandby] > 0 })
}

// TestReadsIgnoreServersThatAreNoCopy names servers that have all tables, and other rows.
func TestReadsIgnoreServersThatAreNoCopy(t *testing.T) {
	t.Parallel()
	f := newFollowed(t)
	foreign := pgtest.Own(t, pgtest.Options{})
	if err := migrated(foreign.AdminURL()); err != nil {
		t.Fatal(err)
	}
	copied := foreign.Standby(t)
	f.execute(t, f.primary, "CREATE DATABASE another")
	if err := migrated(f.primary.URL("another")); err != nil {
		t.Fatal(err)
	}
	f.awaitReplay(t)
	mustWrite(t, f.db, insert("mine"))
	for name, url := range map[string]string{
		"another database at the same standby": f.standby.URL("another"),
		"the standby of another primary":       copied.AdminURL(),
		"another primary":                      foreign.AdminURL(),
		"the primary itself":                   f.primary.AdminURL(),
		"no server":                            "postgres://anna:hunter2@127.0.0.1:1/postgres",
	} {
		t.Run(name, func(t *testing.T) {
			log := &sharedLog{}
			reads, err := f.db.ReadFrom(t.Context(), url, 0, slog.New(slog.NewTextHandler(log, nil)))
			if err != nil {
				t.Fatal(err)
			}
			defer reads.Close()
			for form, read := range forms {
				ids, err := read(t.Context(), reads)
				if diff := cmp.Diff([]string{"mine"}, ids); diff != "" || err != nil {
					t.Errorf("%s: %v (-want +got):\n%s", form, err, diff)
				}
			}
			if got := reads.Stats(); got.InUse || got.Reads[standby.AtStandby] > 0 {
				t.Errorf("the server is in use: %+v", got)
			}
			if n := strings.Count(log.String(), "reads go to the primary"); n != 1 || strings.Contains(log.String(), "hunter2") {
				t.Errorf("the log says it %d times:\n%s", n, log)
			}
		})
	}
}

// TestReadsFindTheStandbyOfAPair names both servers, the primary first.
func TestReadsFindTheStandbyOfAPair(t *testing.T) {
	t.Parallel()
	f := newFollowed(t)
	pair := strings.Replace(pgtest.Hosts(f.primary, f.standby), "target_session_attrs=read-write", "target_session_attrs=standby", 1)
	reads, err := f.db.ReadFrom(t.Context(), pair, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer reads.Close()
	f.reads = reads
	eventually(t, "the standby answers", func() bool { return f.changesAndReads(t, fmt.Sprint(time.Now().UnixNano()), 1)[standby.AtStandby] > 0 })
}
