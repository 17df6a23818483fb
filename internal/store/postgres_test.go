package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/pgtest"
	"sellerd/internal/store/connect"
)

// raise is work that fails with one of PostgreSQL's codes.
func raise(ctx context.Context, tx *ent.Client, code string) error {
	_, err := tx.ExecContext(ctx, fmt.Sprintf("DO $$ BEGIN RAISE SQLSTATE '%s'; END $$", code))
	return err
}

func TestPostgresRetries(t *testing.T) {
	db := newPostgres(t, "")
	for name, code := range map[string]string{
		"a serialization failure": "40001",
		"a deadlock":              "40P01",
		"an outdated plan":        "0A000",
	} {
		t.Run("work runs again after "+name, func(t *testing.T) {
			before, runs := db.Stats(), 0
			mustWrite(t, db, func(ctx context.Context, tx *ent.Client) error {
				runs++
				if err := insert(code)(ctx, tx); err != nil {
					return err
				}
				if runs < 3 {
					return raise(ctx, tx, code)
				}
				return nil
			})
			after := db.Stats()
			want := Stats{Writes: before.Writes + 1, Commits: before.Commits + 1, Retries: before.Retries + 2}
			want.Groups[0] = before.Groups[0] + 1
			if diff := cmp.Diff(want, after); diff != "" {
				t.Error(diff)
			}
		})
	}

	t.Run("work that collides every time is busy in the end", func(t *testing.T) {
		runs := 0
		err := db.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
			runs++
			return raise(ctx, tx, "40001")
		})
		if !db.Busy(err) || db.Unavailable(err) {
			t.Errorf("got %v, want it to be busy", err)
		}
		if runs != attempts {
			t.Errorf("it ran %d times, want %d", runs, attempts)
		}
	})

	t.Run("other errors are not tried again", func(t *testing.T) {
		runs := 0
		err := db.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
			runs++
			return raise(ctx, tx, "22012")
		})
		if err == nil || runs != 1 {
			t.Errorf("it ran %d times and gave %v, want one run and an error", runs, err)
		}
	})
}

// TestWhichFailuresOfWritesCount has a statement fail: it counts if the database could not work, once, whatever the work returns with it.
func TestWhichFailuresOfWritesCount(t *testing.T) {
	db := newPostgres(t, "")
	for code, want := range map[string]uint64{"53100": 1, "25006": 1, "57P01": 1, "40001": 0, "55P03": 0, "23505": 0, "22012": 0} {
		before := db.Stats().Failures
		err := db.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
			return fmt.Errorf("store a row: %w", raise(ctx, tx, code))
		})
		if got := db.Stats().Failures - before; err == nil || got != want {
			t.Errorf("%s: %d failures and %v, want %d and an error", code, got, err, want)
		}
	}
	ctx, leave := context.WithCancel(t.Context())
	before := db.Stats().Failures
	err := db.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		leave()
		_, err := tx.ExecContext(ctx, "SELECT 1")
		return err
	})
	if got := db.Stats().Failures - before; !errors.Is(err, context.Canceled) || got != 0 {
		t.Errorf("a caller that leaves: %d failures and %v, want none", got, err)
	}
}

// TestSerializableWritesTakeTurns has many writers change one row where the default isolation level is SERIALIZABLE. There a writer
// that has waited for another has to run again. The server is slow between what each reads and writes, so they do collide.
func TestSerializableWritesTakeTurns(t *testing.T) {
	const writers, each = 16, 8
	db := open(t, Config{URL: pgtest.Direct(t, migrated) + "&default_transaction_isolation=serializable", Readers: writers})
	mustWrite(t, db, insert("shared"))
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for range each {
				if err := db.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
					r, err := tx.NumberRange.Get(ctx, "shared")
					if err != nil {
						return err
					}
					if _, err := tx.ExecContext(ctx, "SELECT pg_sleep(0.02)"); err != nil {
						return err
					}
					return tx.NumberRange.UpdateOneID(r.ID).SetNext(r.Next + 1).Exec(ctx)
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	r, err := db.Reader().NumberRange.Get(t.Context(), "shared")
	if err != nil {
		t.Fatal(err)
	}
	if want := int64(1 + writers*each); int64(r.Next) != want {
		t.Errorf("the row has %d, want %d", r.Next, want)
	}
	if db.Stats().Retries == 0 {
		t.Error("no writer met another, so this test proves nothing")
	}
}

// TestPostgresRetriesStatements has statements outside of transactions fail at their first two runs, as they do at the isolation
// level SERIALIZABLE.
func TestPostgresRetriesStatements(t *testing.T) {
	db := newPostgres(t, "")
	mustExec := func(t *testing.T, statement string) {
		t.Helper()
		if _, err := db.Reader().ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	mustExec(t, "CREATE SEQUENCE runs")
	mustExec(t, `CREATE FUNCTION collide(times bigint) RETURNS bigint LANGUAGE plpgsql AS $$ DECLARE run bigint := nextval('runs');
 BEGIN IF run <= times THEN RAISE SQLSTATE '40001'; END IF; RETURN run; END $$`)
	for name, run := range map[string]func(times int) (int64, error){
		"a query": func(times int) (int64, error) {
			return ask[int64](t.Context(), db.Reader(), fmt.Sprintf("SELECT collide(%d)", times))
		},
		"a hot query": func(times int) (run int64, err error) {
			rows, err := db.Query(t.Context(), "SELECT collide($1)", times)
			if err != nil {
				return 0, err
			}
			for rows.Next() {
				err = rows.Scan(&run)
			}
			return run, errors.Join(err, rows.Close())
		},
		"a change": func(times int) (int64, error) {
			if _, err := db.Reader().ExecContext(t.Context(), "SELECT collide($1)", times); err != nil {
				return 0, err
			}
			return ask[int64](t.Context(), db.Reader(), "SELECT last_value FROM runs")
		},
	} {
		t.Run(name+" runs again", func(t *testing.T) {
			mustExec(t, "SELECT setval('runs', 1, false)")
			before := db.Stats().Retries
			if got, err := run(2); err != nil || got != 3 {
				t.Errorf("it ran %d times: %v, want 3 times and no error", got, err)
			}
			if got := db.Stats().Retries - before; got != 2 {
				t.Errorf("%d retries are counted, want 2", got)
			}
		})
		t.Run(name+" that collides every time is busy in the end", func(t *testing.T) {
			mustExec(t, "SELECT setval('runs', 1, false)")
			if _, err := run(1000); !db.Busy(err) {
				t.Errorf("got %v, want it to be busy", err)
			}
			if got, err := ask[int64](t.Context(), db.Reader(), "SELECT last_value FROM runs"); err != nil || got != attempts {
				t.Errorf("it ran %d times, want %d: %v", got, attempts, err)
			}
		})
	}
}

// TestPostgresLocks has one transaction hold a row while another wants it.
func TestPostgresLocks(t *testing.T) {
	db := newPostgres(t, "&lock_timeout=50ms")
	mustWrite(t, db, func(ctx context.Context, tx *ent.Client) error {
		return errors.Join(insert("held")(ctx, tx), insert("free")(ctx, tx))
	})
	choose := func(lock func(query string) string) ([]string, error) {
		var got []string
		err := db.Write(t.Context(), func(ctx context.Context, tx *ent.Client) (err error) {
			got, err = askAll[string](ctx, tx, lock("SELECT id FROM number_ranges ORDER BY id LIMIT 2"))
			return err
		})
		return got, err
	}
	held, gate, released := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		released <- db.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
			err := tx.NumberRange.UpdateOneID("held").SetNext(2).Exec(ctx)
			close(held)
			<-gate
			return err
		})
	}()
	<-held

	t.Run("SkipLocked leaves out the row that is held", func(t *testing.T) {
		got, err := choose(db.SkipLocked)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"free"}, got); diff != "" {
			t.Error(diff)
		}
	})

	t.Run("AwaitLocked waits for it, and gives up as busy", func(t *testing.T) {
		if _, err := choose(db.AwaitLocked); !db.Busy(err) || db.Unavailable(err) {
			t.Errorf("got %v, want it to be busy", err)
		}
	})

	t.Run("inserting the key that another is inserting gives up as busy", func(t *testing.T) {
		err := db.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
			if err := insert("new")(ctx, tx); err != nil {
				return err
			}
			if err := db.Write(context.WithoutCancel(t.Context()), insert("new")); !db.Busy(err) {
				t.Errorf("got %v, want it to be busy", err)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})

	close(gate)
	if err := <-released; err != nil {
		t.Fatal(err)
	}
}

// TestPostgresOutage stops the server under a pool that is in use.
func TestPostgresOutage(t *testing.T) {
	cluster := pgtest.Own(t, pgtest.Options{Durable: true})
	db := open(t, Config{URL: cluster.AdminURL()})
	mustWrite(t, db, insert("before"))

	t.Run("a commit that it interrupts is unavailable", func(t *testing.T) {
		err := db.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
			if err := insert("during")(ctx, tx); err != nil {
				return err
			}
			return cluster.Interrupt()
		})
		if !db.Unavailable(err) || db.Busy(err) {
			t.Errorf("got %v, want it to be unavailable", err)
		}
	})

	t.Run("meanwhile everything is unavailable", func(t *testing.T) {
		_, readErr := db.Reader().NumberRange.Query().Count(t.Context())
		for name, err := range map[string]error{
			"a write":    db.Write(t.Context(), insert("meanwhile")),
			"a snapshot": db.Snapshot(t.Context(), insert("meanwhile")),
			"a read":     readErr,
			"a ping":     db.Ping(t.Context()),
		} {
			if !db.Unavailable(err) || db.Busy(err) {
				t.Errorf("%s got %v, want it to be unavailable", name, err)
			}
		}
		late, err := Open(t.Context(), Config{URL: cluster.AdminURL()})
		if err == nil {
			_ = late.Close()
		}
		if !db.Unavailable(err) {
			t.Errorf("opening got %v, want it to be unavailable", err)
		}
	})

	t.Run("afterwards it works again, and what was acknowledged is there", func(t *testing.T) {
		if err := cluster.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		mustWrite(t, db, insert("after"))
		if diff := cmp.Diff([]string{"after", "before"}, rows(t, db)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestPostgresSettings(t *testing.T) {
	settings := func(t *testing.T, db *DB, want map[string]string) {
		t.Helper()
		for name, value := range want {
			got, err := ask[string](t.Context(), db.Reader(), "SHOW "+name)
			if err != nil {
				t.Fatal(err)
			}
			if got != value {
				t.Errorf("%s is %s, want %s", name, got, value)
			}
		}
	}
	t.Run("they are those of a short request", func(t *testing.T) {
		settings(t, newDirect(t, ""), connect.Settings)
	})
	t.Run("the URL overrides them", func(t *testing.T) {
		settings(t, newDirect(t, "&lock_timeout=5s&plan_cache_mode=auto"), map[string]string{
			"lock_timeout": "5s", "plan_cache_mode": "auto", "statement_timeout": connect.Settings["statement_timeout"],
		})
	})
}

// TestWorkHasADeadline looks at what work of a caller without a deadline gets, as workers are, and one who has set one.
func TestWorkHasADeadline(t *testing.T) {
	db := newPostgres(t, "")
	hurried, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	for _, test := range []struct {
		name string
		ctx  context.Context
		most time.Duration
	}{{"of a worker", t.Context(), workLimit}, {"of a request", hurried, 5 * time.Second}} {
		for kind, run := range map[string]func(context.Context, func(context.Context, *ent.Client) error) error{"a write": db.Write, "a snapshot": db.Snapshot} {
			t.Run(kind+" "+test.name, func(t *testing.T) {
				err := run(test.ctx, func(ctx context.Context, _ *ent.Client) error {
					if deadline, set := ctx.Deadline(); !set || time.Until(deadline) > test.most || time.Until(deadline) < test.most-4*time.Second {
						t.Errorf("it has until %v (%t), want %s", deadline, set, test.most)
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
	}
	t.Run("a read that nobody bounds is cut by it and not before", func(t *testing.T) {
		rows, err := db.Reader().QueryContext(t.Context(), "SELECT generate_series(1, 100000)")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		n := 0
		for rows.Next() { // long after the call has returned
			n++
		}
		if err := rows.Err(); err != nil || n != 100_000 {
			t.Errorf("%d rows: %v", n, err)
		}
	})
}
