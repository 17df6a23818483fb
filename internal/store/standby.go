package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"sellerd/internal/base/combine"
	"sellerd/internal/store/fault"
)

// A commit on PostgreSQL waits for the synchronous standby. If the wait is broken off, PostgreSQL keeps the change and shows it at
// once, though a standby that is promoted may not have it. This file finds out whether that can have happened.

// hasStandby is SQL that says whether commits wait for a standby.
const hasStandby = "current_setting('synchronous_standby_names') <> ''"

// confirm writes a message to PostgreSQL's log that has no effect. Its commit waits for the synchronous standby, and so for
// everything that was committed before. A standby refuses its first column. Without a synchronous standby it writes nothing.
const confirm = `SELECT pg_current_xact_id(), pg_logical_emit_message(true, 'sellerd', '') WHERE ` + hasStandby

// confirmLimit bounds the wait for the standby that callers of Confirm share: as long as a request lasts.
const confirmLimit = 10 * time.Second

// mostConfirmed is how many callers of Confirm share a statement: all there are.
const mostConfirmed = 1 << 20

// MustConfirm is an SQL expression for a statement outside of a transaction: whether what the statement reads must be confirmed
// before it is acknowledged (Confirm). It costs nothing. The setting can change while the server runs. PostgreSQL uses its new
// value from then on, and so does this expression: what was read without a standby was acknowledged without one.
func (db *DB) MustConfirm() string {
	if db.ManyWriters() {
		return hasStandby
	}
	return "FALSE"
}

// Confirm returns once everything that was read before is as durable as an acknowledged change. What is acknowledged because it
// was read must be confirmed. On SQLite, and without a synchronous standby, there is nothing to wait for.
//
// One statement runs at a time. Callers that come meanwhile share the next one. The error is that of ctx, or Unavailable.
func (db *DB) Confirm(ctx context.Context) error {
	p, ok := db.engine.(*postgres)
	if !ok {
		return nil
	}
	mine := new(confirmation)
	if err := p.confirmations.Do(ctx, struct{}{}, mine); err != nil {
		return fmt.Errorf("wait for the standby: %w", err)
	}
	return mine.err
}

// confirmation is the place of a caller of Confirm.
type confirmation struct{ err error }

// confirm is the work on a group of callers.
func (p *postgres) confirm(_ struct{}, group *combine.Group[*confirmation]) {
	ctx, cancel := context.WithTimeout(context.Background(), confirmLimit)
	defer cancel()
	err := overAnother(func() error {
		return p.pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
			group.Take() // those that came while there was no connection have a place in it
			return awaitStandby(ctx, conn.Conn())
		})
	})
	if err != nil { // the statement is always the same, so every error is the server's
		err = fault.Unavailable(fmt.Errorf("wait for the standby: %w", err))
	}
	for _, caller := range group.Take() {
		caller.err = err
	}
}

func awaitStandby(ctx context.Context, conn *pgx.Conn) error {
	forgetBrokenOff(conn)
	if _, err := conn.Exec(ctx, confirm); err != nil {
		return err
	}
	return brokenOff(conn)
}

// An administrator can cancel a wait for the standby. PostgreSQL then reports success, and a warning before that.

// waitBrokenOff is where a connection keeps that it got such a warning.
const waitBrokenOff = "the wait for the standby was broken off"

// errBrokenOff is the error of a change that is there, and that a standby may not have.
var errBrokenOff = fault.Unavailable(errors.New(waitBrokenOff))

// noteBrokenOff implements pgconn.NoticeHandler. The text of the warning depends on the server's language, the name of the
// function in PostgreSQL that waits does not.
func noteBrokenOff(conn *pgconn.PgConn, notice *pgconn.Notice) {
	if notice.Routine == "SyncRepWaitForLSN" {
		conn.CustomData()[waitBrokenOff] = true
	}
}

// forgetBrokenOff is called before a commit, and brokenOff after its success.
func forgetBrokenOff(conn *pgx.Conn) { delete(conn.PgConn().CustomData(), waitBrokenOff) }

func brokenOff(conn *pgx.Conn) error {
	if _, noted := conn.PgConn().CustomData()[waitBrokenOff]; noted {
		return errBrokenOff
	}
	return nil
}
