package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/pgtest"
	"sellerd/internal/store/standby"
)

// primaryIsDurable makes a temporary cluster acknowledge changes as one in production does.
const primaryIsDurable = "&synchronous_commit=on"

// followed is a primary with a standby, and reads that may go there.
type followed struct {
	primary, standby *pgtest.Cluster
	db, other        *DB // of two processes
	reads            *standby.Reads
	log              *sharedLog
}

// sharedLog is a log that may be read while it is written.
type sharedLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *sharedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *sharedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// newFollowed makes a primary that does not wait for its standby, and opens reads.
func newFollowed(t *testing.T) *followed {
	t.Helper()
	f := &followed{log: &sharedLog{}}
	f.primary = pgtest.Own(t, pgtest.Options{Config: "max_standby_streaming_delay = 0\nwal_receiver_status_interval = 100ms\n"})
	f.standby = f.primary.Standby(t)
	f.execute(t, f.primary, "ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()")
	f.db = open(t, Config{URL: f.primary.AdminURL() + primaryIsDurable})
	f.other = open(t, Config{URL: f.primary.AdminURL() + primaryIsDurable})
	f.awaitReplay(t)
	f.reads = f.open(t, f.db, f.standby)
	return f
}

// open makes reads of a database that may go to a standby.
func (f *followed) open(t *testing.T, db *DB, standby *pgtest.Cluster) *standby.Reads {
	t.Helper()
	reads, err := db.ReadFrom(t.Context(), standby.AdminURL(), 0, slog.New(slog.NewTextHandler(f.log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := reads.Close(); err != nil {
			t.Error(err)
		}
	})
	return reads
}

func (f *followed) execute(t *testing.T, c *pgtest.Cluster, statements ...string) {
	t.Helper()
	if err := c.Execute(t.Context(), statements...); err != nil {
		t.Fatal(err)
	}
}

// awaitReplay returns when the standby has what the primary has.
func (f *followed) awaitReplay(t *testing.T) {
	t.Helper()
	position, err := f.primary.Ask(t.Context(), "SELECT pg_current_wal_flush_lsn()::text")
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the standby has replayed", func() bool {
		there, err := f.standby.Ask(t.Context(), "SELECT (pg_last_wal_replay_lsn() >= '"+position+"')::text")
		return err == nil && there == "true"
	})
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for began := time.Now(); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > 30*time.Second {
			t.Fatalf("not after 30 s: %s", what)
		}
	}
}

// forms are the ways to read the ids of all rows.
var forms = map[string]func(ctx context.Context, r *standby.Reads) ([]string, error){
	"a statement": func(ctx context.Context, r *standby.Reads) (ids []string, err error) {
		found, err := r.Query(ctx, "SELECT id FROM number_ranges ORDER BY id")
		if err != nil {
			return nil, err
		}
		for found.Next() {
			var id string
			if err := found.Scan(&id); err != nil {
				return nil, err
			}
			ids = append(ids, id)
		}
		return ids, errors.Join(found.Err(), found.Close())
	},
	"a query of ent": func(ctx context.Context, r *standby.Reads) ([]string, error) {
		return r.Reader().NumberRange.Query().Order(ent.Asc("id")).IDs(ctx)
	},
	"a snapshot": func(ctx context.Context, r *standby.Reads) (ids []string, err error) {
		err = r.Snapshot(ctx, func(ctx context.Context, tx *ent.Client) error {
			ids, err = tx.NumberRange.Query().Order(ent.Asc("id")).IDs(ctx)
			return err
		})
		return ids, err
	},
}

// changesAndReads has another process make changes, and checks that each is read at once, in every form. It returns how many
// reads were answered where.
func (f *followed) changesAndReads(t *testing.T, prefix string, changes int) (counted [standby.Places]uint64) {
	t.Helper()
	before := f.reads.Stats().Reads
	for i := range changes {
		id := fmt.Sprintf("%s-%04d", prefix, i)
		mustWrite(t, f.other, insert(id))
		for form, read := range forms {
			began := time.Now()
			ids, err := read(t.Context(), f.reads)
			if err != nil {
				t.Fatalf("%s after change %s: %v", form, id, err)
			}
			if !slices.Contains(ids, id) {
				t.Fatalf("%s does not show %s, which was acknowledged before", form, id)
			}
			if took := time.Since(began); took > 2*time.Second { // 50 ms and the read itself, on a busy machine
				t.Errorf("%s took %s", form, took)
			}
		}
	}
	for place, now := range f.reads.Stats().Reads {
		counted[place] = now - before[place]
	}
	return counted
}

// atStandby repeats something until the standby has answered all its reads. On a busy machine the standby may be late, and then
// the primary answers.
func (f *followed) atStandby(t *testing.T, reads int, do func()) {
	t.Helper()
	eventually(t, fmt.Sprintf("the standby has answered %d reads", reads), func() bool {
		before := f.reads.Stats().Reads[standby.AtStandby]
		do()
		return f.reads.Stats().Reads[standby.AtStandby] == before+uint64(reads)
	})
}

// TestReadsShowEveryAcknowledgedChange has one process write and another read, while the standby is well, is behind, does not
// answer, cancels statements, is gone and becomes a primary.
func TestReadsShowEveryAcknowledgedChange(t *testing.T) {
	t.Parallel()
	f := newFollowed(t)
	inUse := func() bool { return f.reads.Stats().InUse }
	t.Run("the standby is well", func(t *testing.T) {
		round, answered := 0, uint64(0)
		eventually(t, "the standby has answered 200 reads", func() bool {
			round++
			answered += f.changesAndReads(t, fmt.Sprintf("well-%d", round), 10)[standby.AtStandby]
			return answered >= 200
		})
	})
	t.Run("the standby does not replay", func(t *testing.T) {
		eventually(t, "the standby is in use", inUse)
		f.execute(t, f.standby, "SELECT pg_wal_replay_pause()")
		eventually(t, "it does", func() bool {
			paused, err := f.standby.Ask(t.Context(), "SELECT pg_get_wal_replay_pause_state()")
			return err == nil && paused == "paused"
		})
		if counted := f.changesAndReads(t, "paused", 20); counted[standby.AtStandby] > 0 || inUse() {
			t.Errorf("reads were answered at %v", counted)
		}
		eventually(t, "the standby is said to be behind", func() bool { return f.reads.Stats().Behind > 0 })
		f.execute(t, f.standby, "SELECT pg_wal_replay_resume()")
		eventually(t, "the standby answers again", func() bool { return f.changesAndReads(t, fmt.Sprint(time.Now().UnixNano()), 1)[standby.AtStandby] > 0 })
	})
	t.Run("the standby cancels a statement to go on", func(t *testing.T) {
		eventually(t, "a read has been cancelled and answered", func() bool {
			id := fmt.Sprint("doomed-", time.Now().UnixNano())
			mustWrite(t, f.db, insert(id))
			before := f.reads.Stats().Reads[standby.Cancelled]
			done := make(chan error, 1)
			go func() {
				found, err := f.reads.Query(t.Context(), "SELECT count(*) FROM number_ranges, pg_sleep(1)")
				if err == nil {
					err = found.Close()
				}
				done <- err
			}()
			time.Sleep(200 * time.Millisecond) // the statement runs
			f.execute(t, f.primary, "DELETE FROM number_ranges WHERE id = '"+id+"'", "VACUUM number_ranges")
			if err := <-done; err != nil {
				t.Fatalf("the read failed: %v", err)
			}
			return f.reads.Stats().Reads[standby.Cancelled] > before
		})
	})
	t.Run("the standby is frozen", func(t *testing.T) {
		eventually(t, "the standby is in use", inUse)
		if err := f.standby.Freeze(); err != nil {
			t.Fatal(err)
		}
		if counted := f.changesAndReads(t, "frozen", 20); counted[standby.AtStandby] > 0 || inUse() {
			t.Errorf("reads were answered at %v", counted)
		}
		if err := f.standby.Thaw(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the standby is in use", inUse)
	})
	t.Run("the standby is killed", func(t *testing.T) {
		if err := f.standby.Kill(); err != nil {
			t.Fatal(err)
		}
		if counted := f.changesAndReads(t, "killed", 20); counted[standby.AtStandby] > 0 {
			t.Errorf("reads were answered at %v", counted)
		}
		if err := f.standby.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the standby is in use", inUse)
	})
	t.Run("the standby is promoted", func(t *testing.T) {
		if err := f.standby.Promote(t.Context()); err != nil {
			t.Fatal(err)
		}
		if counted := f.changesAndReads(t, "promoted", 20); counted[standby.AtStandby] > 0 || inUse() {
			t.Errorf("reads were answered at %v", counted)
		}
	})
	if text := f.log.String(); strings.Contains(text, f.standby.Password()) {
		t.Error("the log has the password")
	}
}

// TestReadsNeedStoredChanges reads from the standby of a primary that acknowledges changes before they are on its disk, so that
// nothing tells where its log ends.
func TestReadsNeedStoredChanges(t *testing.T) {
	t.Parallel()
	f := newFollowed(t)
	reads := f.open(t, open(t, Config{URL: f.primary.AdminURL() + "&synchronous_commit=off"}), f.standby)
	if reads.Stats().InUse || !strings.Contains(f.log.String(), "synchronous_commit") {
		t.Errorf("the standby is in use, or the log does not say why not:\n%s", f.log)
	}
}

// TestReadsInsideAWriteStayAtThePrimary reads in a transaction whose changes no standby has.
func TestReadsInsideAWriteStayAtThePrimary(t *testing.T) {
	t.Parallel()
	f := newFollowed(t)
	before := f.reads.Stats().Reads
	mustWrite(t, f.db, func(ctx context.Context, _ *ent.Client) error {
		_, err := f.reads.Reader().NumberRange.Query().IDs(ctx)
		return err
	})
	if diff := cmp.Diff(before, f.reads.Stats().Reads); diff != "" {
		t.Errorf("reads were counted (-before +after):\n%s", diff)
	}
	if err := f.reads.Reader().NumberRange.Create().SetID("x").SetNext(1).Exec(t.Context()); err == nil {
		t.Error("the client of reads has changed something")
	}
}

func TestOnlyPostgreSQLHasAStandby(t *testing.T) {
	if _, err := newSQLite(t).ReadFrom(t.Context(), "postgres://127.0.0.1/sellerd", 0, nil); !errors.Is(err, ErrNoStandby) {
		t.Errorf("got %v", err)
	}
}

func TestTheURLOfAStandbyMustBeRight(t *testing.T) {
	_, err := newPostgres(t, "").ReadFrom(t.Context(), "postgres://anna:hunter2@127.0.0.1:port/sellerd", 0, nil)
	if problem := (*OpenError)(nil); !errors.As(err, &problem) || problem.Problem != ProblemURL || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
}

// TestBufferedRowsAreThoseOfThePrimary reads values of all kinds that tables have, and NULL, in both forms.
func TestBufferedRowsAreThoseOfThePrimary(t *testing.T) {
	t.Parallel()
	f := newFollowed(t)
	const query = `SELECT 7::bigint AS n, NULL::bigint AS none, 'text' AS words, ''::text AS empty, true AS yes, '\x0001ff'::bytea AS bytes, '{"a": 1}'::jsonb AS object, 1.5::float8 AS share
 UNION ALL SELECT -1, 2, NULL, 'x', false, ''::bytea, NULL, NULL`
	type row struct {
		N, None                    *int64
		Words, Empty, Object, Raws *string
		Yes                        *bool
		Share                      *float64
	}
	read := func(found Rows, err error) (all []row) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		for found.Next() {
			var r row
			var bytes, object []byte
			if err := found.Scan(&r.N, &r.None, &r.Words, &r.Empty, &r.Yes, &bytes, &object, &r.Share); err != nil {
				t.Fatal(err)
			}
			for text, value := range map[**string][]byte{&r.Raws: bytes, &r.Object: object} {
				if value != nil {
					*text = new(string)
					**text = string(value)
				}
			}
			all = append(all, r)
		}
		if err := errors.Join(found.Err(), found.Close()); err != nil {
			t.Fatal(err)
		}
		return all
	}
	want := read(f.db.Query(t.Context(), query))
	f.atStandby(t, 2, func() {
		if diff := cmp.Diff(want, read(f.reads.Query(t.Context(), query))); diff != "" {
			t.Errorf("a statement (-primary +standby):\n%s", diff)
		}
		found, err := f.reads.Reader().QueryContext(t.Context(), query)
		if diff := cmp.Diff(want, read(found, err)); diff != "" {
			t.Errorf("a query of ent (-primary +standby):\n%s", diff)
		}
	})
}
