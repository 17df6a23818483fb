package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"sellerd/ent"
	"sellerd/internal/proof/pgtest"
	"sellerd/internal/store/connect"
)

// givenUpBy is when a connection to a silent server has been given up: it waits, the server is asked, and a busy machine
// takes its time.
const givenUpBy = connect.GivenUpAfter + 2*time.Second

// TestSilentServer freezes PostgreSQL in the middle of work whose callers have set no deadline.
func TestSilentServer(t *testing.T) {
	cluster := pgtest.Own(t, pgtest.Options{Durable: true})
	db := open(t, Config{URL: cluster.AdminURL()})
	mustWrite(t, db, insert("before"))
	freeze := func(t *testing.T) {
		t.Helper()
		if err := cluster.Freeze(); err != nil {
			t.Fatal(err)
		}
	}
	// inTime runs something that must end in time. Afterwards the server goes on, and everything works.
	inTime := func(t *testing.T, what func() error) error {
		t.Helper()
		done := make(chan error, 1)
		began := time.Now()
		go func() { done <- what() }()
		var err error
		select {
		case err = <-done:
		case <-time.After(patience):
			t.Fatalf("it has not ended after %s", patience)
		}
		if took := time.Since(began); took > givenUpBy {
			t.Errorf("it took %s", took)
		}
		if err := db.Ping(t.Context()); !db.Unavailable(err) {
			t.Errorf("a ping got %v, want it to be unavailable", err)
		}
		if err := cluster.Thaw(); err != nil {
			t.Fatal(err)
		}
		for began := time.Now(); db.Ping(t.Context()) != nil; time.Sleep(10 * time.Millisecond) {
			if time.Since(began) > backBy {
				t.Fatalf("it does not work again after %s", backBy)
			}
		}
		return err
	}
	unavailable := func(t *testing.T, err error) {
		t.Helper()
		if !db.Unavailable(err) || db.Busy(err) {
			t.Errorf("got %v, want it to be unavailable", err)
		}
	}

	t.Run("a read", func(t *testing.T) {
		freeze(t)
		unavailable(t, inTime(t, func() error { _, err := db.Reader().NumberRange.Query().Count(t.Context()); return err }))
	})
	t.Run("a snapshot", func(t *testing.T) {
		unavailable(t, inTime(t, func() error {
			return db.Snapshot(t.Context(), func(ctx context.Context, tx *ent.Client) error {
				freeze(t)
				_, err := tx.NumberRange.Query().Count(ctx)
				return err
			})
		}))
	})
	t.Run("a commit", func(t *testing.T) {
		unavailable(t, inTime(t, func() error {
			return db.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
				err := insert("during")(ctx, tx)
				freeze(t)
				return err
			})
		}))
	})
	t.Run("a rollback", func(t *testing.T) {
		refused := errors.New("refused")
		err := inTime(t, func() error {
			return db.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
				if err := insert("taken back")(ctx, tx); err != nil {
					return err
				}
				freeze(t)
				return refused
			})
		})
		if !errors.Is(err, refused) {
			t.Errorf("got %v, want %v", err, refused)
		}
	})
	t.Run("more than there are connections", func(t *testing.T) {
		freeze(t)
		unavailable(t, inTime(t, func() error {
			errs := make([]error, 40)
			var all sync.WaitGroup
			for i := range errs {
				all.Go(func() { errs[i] = db.Write(t.Context(), insert("many")) })
			}
			all.Wait()
			return errors.Join(errs...)
		}))
	})
	t.Run("a start", func(t *testing.T) {
		freeze(t)
		err := inTime(t, func() error {
			late, err := Open(t.Context(), Config{URL: cluster.AdminURL()})
			if err == nil {
				_ = late.Close()
			}
			return err
		})
		unavailable(t, err)
		var problem *OpenError
		if !errors.As(err, &problem) || problem.Problem != ProblemUnreachable {
			t.Errorf("got %v, want that no PostgreSQL answers", err)
		}
	})
}

const (
	patience = 30 * time.Second
	backBy   = 4 * time.Second
)

// TestASlowStatementIsNoSilence lets a statement take longer than a server may be silent.
func TestASlowStatementIsNoSilence(t *testing.T) {
	t.Parallel()
	db := newPostgres(t, "")
	began := time.Now()
	if _, err := ask[string](t.Context(), db.Reader(), "SELECT pg_sleep(3.2)::text"); err != nil {
		t.Errorf("after %s: %v", time.Since(began), err)
	}
}

// TestACancelledStatementFreesItsConnection leaves more statements than there are connections, each of which would take long.
func TestACancelledStatementFreesItsConnection(t *testing.T) {
	t.Parallel()
	db := newDirect(t, "")
	leaving, leave := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer leave()
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := ask[string](leaving, db.Reader(), "SELECT pg_sleep(14)::text"); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v, want that there was no time", err)
			}
		})
	}
	all.Wait()
	began := time.Now()
	if _, err := ask[int](t.Context(), db.Reader(), "SELECT 1"); err != nil || time.Since(began) > 2*connect.CloseLimit+time.Second {
		t.Errorf("the next statement took %s: %v", time.Since(began), err)
	}
	// A request to cancel has its own connection, so it may arrive a moment later.
	for {
		n, err := ask[int](t.Context(), db.Reader(), "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(14)%' AND datname = current_database() AND state = 'active'")
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return
		}
		if time.Since(began) > 2*connect.CloseLimit+time.Second {
			t.Fatalf("%d statements go on without anybody who waits", n)
		}
	}
}

// TestAConnectionToServeWith opens a database through something that lets connections pass, and none that is to serve with: those have
// settings.
func TestAConnectionToServeWith(t *testing.T) {
	t.Parallel()
	behind, err := url.Parse(pgtest.Direct(t, migrated))
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go pass(listener, behind.Host)
	behind.Host = listener.Addr().String()
	db, err := Open(t.Context(), Config{URL: behind.String()})
	if err == nil {
		_ = db.Close()
		t.Fatal("it was opened without a connection to serve with")
	}
	var problem *OpenError
	if !errors.As(err, &problem) || problem.Problem != ProblemUnreachable {
		t.Errorf("got %v", err)
	}
}

// pass passes connections on until they give themselves settings.
func pass(listener net.Listener, to string) {
	for {
		near, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer near.Close()
			far, err := net.Dial("tcp", to)
			if err != nil {
				return
			}
			defer far.Close()
			go func() { _, _ = io.Copy(near, far) }()
			buffer := make([]byte, 8192)
			for {
				n, err := near.Read(buffer)
				if err != nil || bytes.Contains(buffer[:n], []byte("SET enable_seqscan")) {
					return
				}
				if _, err := far.Write(buffer[:n]); err != nil {
					return
				}
			}
		}()
	}
}
