package store

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"sellerd/ent"
	"sellerd/internal/base/combine"
	"sellerd/internal/proof/pgtest"
)

// TestConfirmWaitsForTheStandby has PostgreSQL wait for a standby that there is not. A change is there though its commit was
// broken off, and it is not confirmed until PostgreSQL waits no longer.
func TestConfirmWaitsForTheStandby(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Own(t, pgtest.Options{})
	// The cluster turns synchronous_commit off, because it need not be durable.
	db := open(t, Config{URL: cluster.AdminURL() + "&synchronous_commit=on"})
	if err := db.Confirm(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := cluster.Execute(t.Context(), "ALTER SYSTEM SET synchronous_standby_names = 'absent'", "SELECT pg_reload_conf()"); err != nil {
		t.Fatal(err)
	}
	within := func(limit time.Duration, work func(ctx context.Context) error) error {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		return work(ctx)
	}
	rows := func() int {
		n, err := db.Reader().NumberRange.Query().Count(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	n := 0
	soon(t, "changes wait for the standby, and are there", func() bool { // when the connections have the new setting
		n++
		before := rows()
		return within(200*time.Millisecond, func(ctx context.Context) error { return db.Write(ctx, insert(fmt.Sprint("row-", n))) }) != nil && rows() > before
	})
	if err := within(300*time.Millisecond, db.Confirm); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("confirmed without a standby: %v", err)
	}
	if err := cluster.Execute(t.Context(), "ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()"); err != nil {
		t.Fatal(err)
	}
	if err := within(10*time.Second, db.Confirm); err != nil {
		t.Error(err)
	}
}

// withAbsentStandby opens a database of a cluster that waits for a standby that there is not.
func withAbsentStandby(t *testing.T) (*pgtest.Cluster, *DB) {
	t.Helper()
	cluster := pgtest.Own(t, pgtest.Options{})
	migrating := open(t, Config{URL: cluster.AdminURL()})
	if err := migrating.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cluster.Execute(t.Context(), "ALTER SYSTEM SET synchronous_standby_names = 'absent'", "SELECT pg_reload_conf()"); err != nil {
		t.Fatal(err)
	}
	db := open(t, Config{URL: cluster.AdminURL() + "&synchronous_commit=on"})
	soon(t, "the setting is loaded", func() bool {
		must, err := ask[bool](t.Context(), db.Reader(), "SELECT "+db.MustConfirm())
		return err == nil && must
	})
	return cluster, db
}

// soon waits until something is so.
func soon(t *testing.T, what string, is func() bool) {
	t.Helper()
	for began := time.Now(); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > 10*time.Second {
			t.Fatal("it never happens that ", what)
		}
	}
}

// waitingForStandby is how many transactions wait for the standby.
func waitingForStandby(t *testing.T, db *DB) int {
	t.Helper()
	n, err := ask[int](t.Context(), db.Reader(), "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestConfirmationsShareAStatement has many callers while one waits. They have a statement of their own together, after that one.
func TestConfirmationsShareAStatement(t *testing.T) {
	t.Parallel()
	cluster, db := withAbsentStandby(t)
	confirmations := db.engine.(*postgres).confirmations
	results := make(chan error, 20)
	confirm := func(ctx context.Context) { results <- db.Confirm(ctx) }
	go confirm(t.Context())
	soon(t, "one waits", func() bool { return waitingForStandby(t, db) == 1 })
	impatient, leave := context.WithCancel(t.Context())
	go confirm(impatient)
	for range cap(results) - 2 {
		go confirm(t.Context())
	}
	soon(t, "all wait", func() bool { return confirmations.Len(struct{}{}) == cap(results) })
	if n := waitingForStandby(t, db); n != 1 {
		t.Errorf("%d statements wait for the standby", n)
	}
	leave()
	if err := <-results; !errors.Is(err, context.Canceled) {
		t.Errorf("one that left: %v", err)
	}
	if err := cluster.Execute(t.Context(), "ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()"); err != nil {
		t.Fatal(err)
	}
	for range cap(results) - 1 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	if must, err := ask[bool](t.Context(), db.Reader(), "SELECT "+db.MustConfirm()); err != nil || must {
		t.Errorf("without a standby there is still something to confirm: %v", err)
	}
}

// TestAWaitThatIsCancelledIsNotAcknowledged cancels waits for the standby at the server, which then reports success.
func TestAWaitThatIsCancelledIsNotAcknowledged(t *testing.T) {
	t.Parallel()
	cluster, db := withAbsentStandby(t)
	for name, work := range map[string]func(ctx context.Context) error{
		"a change": func(ctx context.Context) error { return db.Write(ctx, insert("a")) },
		"a change with late statements": func(ctx context.Context) error {
			return db.Write(ctx, func(ctx context.Context, tx *ent.Client) error { return insert("b")(db.Late(ctx), tx) })
		},
		"a confirmation": db.Confirm,
	} {
		t.Run(name, func(t *testing.T) {
			result := make(chan error, 1)
			go func() { result <- work(t.Context()) }()
			soon(t, "it waits", func() bool { return waitingForStandby(t, db) == 1 })
			if err := cluster.Execute(t.Context(), "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"); err != nil {
				t.Fatal(err)
			}
			if err := <-result; !db.Unavailable(err) || !errors.Is(err, errBrokenOff) {
				t.Errorf("it was acknowledged: %v", err)
			}
		})
	}
	if err := cluster.Execute(t.Context(), "ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()"); err != nil {
		t.Fatal(err)
	}
	for range 10 { // over the same connections
		mustWrite(t, db, func(ctx context.Context, tx *ent.Client) error {
			return tx.NumberRange.Update().AddNext(1).Exec(ctx)
		})
		if err := db.Confirm(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// TestAStandbyConfirmsNothing asks a server in recovery, which the servers of a URL can become.
func TestAStandbyConfirmsNothing(t *testing.T) {
	t.Parallel()
	standby := pgtest.Own(t, pgtest.Options{}).Standby(t)
	if err := standby.Execute(t.Context(), "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()"); err != nil {
		t.Fatal(err)
	}
	pool, err := pgxpool.New(t.Context(), standby.AdminURL())
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	p := &postgres{pool: pool}
	p.confirmations = combine.New(mostConfirmed, p.confirm)
	db := &DB{engine: p}
	soon(t, "the setting is loaded", func() bool {
		var set bool
		return pool.QueryRow(t.Context(), "SELECT "+hasStandby).Scan(&set) == nil && set
	})
	if err := db.Confirm(t.Context()); !db.Unavailable(err) {
		t.Errorf("a standby confirms: %v", err)
	}
}
