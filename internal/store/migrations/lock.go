package migrations

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3/lock"

	"sellerd/internal/base/pause"
	"sellerd/internal/store/connect"
)

const (
	// lockTries and lockPause are how often, and at what distance, a process asks whether another one still migrates.
	lockTries = 600
	lockPause = time.Second
	// unlockLimit bounds the end of the lock's transaction.
	unlockLimit = 5 * time.Second
)

// errMigrating says that another process has held the lock for too long.
var errMigrating = fmt.Errorf("another process still migrates after %s", lockTries*lockPause)

// ErrPooled says that a pooler gives each transaction another session. There a migration would have the role's limits, which
// are made for requests.
var ErrPooled = errors.New("the tables must be made or changed, which needs a session of its own, and the pooler gives none")

// Lock keeps other processes out while one migrates. It implements lock.Locker of goose.
//
// It is an advisory lock of a transaction, which stays open on a connection of its own. Locks of sessions would do, but some
// engines that speak PostgreSQL's protocol have none, or only pretend to. Older programs take the lock of the same number
// for their session, which excludes this one.
type Lock struct {
	session *connect.Session
	held    *sql.Conn
}

// NewLock makes the lock for connections of a session.
func NewLock(session *connect.Session) *Lock { return &Lock{session: session} }

// CREATE INDEX CONCURRENTLY waits for transactions with a snapshot, so the one of the lock must not keep one: it is READ
// COMMITTED, whatever the default is, and its statements use the simple protocol, because the extended one keeps the
// portal of the last statement, and its snapshot, until the next.
const (
	beginLock = "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL idle_in_transaction_session_timeout = 0"
	askLock   = "SELECT pg_try_advisory_xact_lock(%d)"
)

// Lock implements lock.Locker.
func (l *Lock) Lock(ctx context.Context, db *sql.DB) (err error) {
	if l.held, err = db.Conn(ctx); err != nil {
		return fmt.Errorf("connect to lock: %w", err)
	}
	defer func() {
		if err != nil {
			_ = l.held.Close() // the caller closes the pool, which ends the transaction
		}
	}()
	if err := l.refusePooler(ctx); err != nil {
		return err
	}
	if _, err := l.ask(ctx, beginLock); err != nil {
		return fmt.Errorf("begin to lock: %w", err)
	}
	for range lockTries {
		locked, err := l.ask(ctx, fmt.Sprintf(askLock, lock.DefaultLockID))
		if err != nil {
			return fmt.Errorf("lock: %w", err)
		}
		if locked == "t" {
			return nil
		}
		if err := pause.For(ctx, lockPause); err != nil {
			return err
		}
	}
	return errMigrating
}

// Unlock implements lock.Locker. It fails if the lock was lost before.
func (l *Lock) Unlock(ctx context.Context, _ *sql.DB) error {
	ctx, cancel := context.WithTimeout(ctx, unlockLimit)
	defer cancel()
	_, err := l.ask(ctx, "COMMIT")
	if err = errors.Join(err, l.held.Close()); err != nil {
		return fmt.Errorf("the lock was lost during the migration: %w", err)
	}
	return nil
}

// ask sends statements by the simple protocol, and returns the first value of the last, if it has one.
func (l *Lock) ask(ctx context.Context, statements string) (value string, err error) {
	err = l.raw(func(conn *pgconn.PgConn) error {
		row, err := connect.Ask(ctx, conn, statements)
		if len(row) > 0 {
			value = string(row[0])
		}
		return err
	})
	return value, err
}

// raw runs fn with the connection of the driver.
func (l *Lock) raw(fn func(*pgconn.PgConn) error) error {
	return l.held.Raw(func(conn any) error { return fn(conn.(*stdlib.Conn).Conn().PgConn()) })
}

// refusePooler fails with ErrPooled where connections have no session of their own.
func (l *Lock) refusePooler(ctx context.Context) error {
	pooled := false
	err := l.raw(func(conn *pgconn.PgConn) (err error) {
		pooled, err = l.session.Pooled(ctx, conn)
		return err
	})
	if err == nil && pooled {
		err = ErrPooled
	}
	return err
}
