package store

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"

	"entgo.io/ent/dialect"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"sellerd/internal/base/crash"
	"sellerd/internal/store/fault"
	"sellerd/internal/store/lending"
)

// This file runs a transaction on PostgreSQL. Every statement costs a round trip there, during which the transaction keeps
// its locks. Statements whose result is not needed are therefore kept back and sent together with the COMMIT.

// Late marks the statements that change rows and whose result the work does not need, not even the number of rows. On
// PostgreSQL such a statement is kept back: it is sent before the next statement that is not late, or together with the
// COMMIT. Late statements run in their order. If one fails, the error comes from the statement or the commit that sent it.
// On SQLite, where a statement costs no round trip, the mark changes nothing.
func (db *DB) Late(ctx context.Context) context.Context {
	return context.WithValue(ctx, lateMark{}, true)
}

// lateMark is the key of the mark.
type lateMark struct{}

func isLate(ctx context.Context) bool { return ctx.Value(lateMark{}) != nil }

// transaction is a transaction on PostgreSQL. It implements entsql.ExecQuerier.
type transaction struct {
	conn *sql.Conn
	late pgx.Batch
}

// begin starts a transaction. A connection that turns out to be closed is replaced.
func (p *postgres) begin(ctx context.Context) (*transaction, error) {
	t := &transaction{}
	return t, overAnother(func() (err error) {
		if t.conn, err = p.db.Conn(ctx); err != nil {
			return err
		}
		err = t.raw(func(conn *pgx.Conn) error {
			_, err := conn.Exec(ctx, "begin")
			return err
		})
		if err != nil {
			_ = t.conn.Close()
		}
		return err
	})
}

// raw runs fn with the connection of pgx.
func (t *transaction) raw(fn func(*pgx.Conn) error) error {
	return t.conn.Raw(func(conn any) error { return fn(conn.(*stdlib.Conn).Conn()) })
}

// ExecContext implements entsql.ExecQuerier.
func (t *transaction) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if isLate(ctx) {
		t.late.Queue(query, args...)
		return driver.RowsAffected(0), nil
	}
	if err := t.send(ctx); err != nil {
		return nil, err
	}
	return t.conn.ExecContext(ctx, query, args...)
}

// QueryContext implements entsql.ExecQuerier.
func (t *transaction) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := t.send(ctx); err != nil {
		return nil, err
	}
	return t.conn.QueryContext(ctx, query, args...)
}

// send sends the late statements, in one round trip.
func (t *transaction) send(ctx context.Context) error {
	if t.late.Len() == 0 {
		return nil
	}
	batch := t.late
	t.late = pgx.Batch{}
	return t.raw(func(conn *pgx.Conn) error { return conn.SendBatch(ctx, &batch).Close() })
}

// commit sends the late statements and the COMMIT, in one round trip. A change that a standby may lack is not acknowledged.
func (t *transaction) commit(ctx context.Context) error {
	var tag pgconn.CommandTag
	err := t.raw(func(conn *pgx.Conn) (err error) {
		forgetBrokenOff(conn)
		if t.late.Len() == 0 {
			tag, err = conn.Exec(ctx, "commit")
			return cmp.Or(err, brokenOff(conn))
		}
		t.late.Queue("commit").Exec(func(ct pgconn.CommandTag) error {
			tag = ct
			return nil
		})
		return cmp.Or(conn.SendBatch(ctx, &t.late).Close(), brokenOff(conn))
	})
	if err == nil && tag.String() != "COMMIT" { // PostgreSQL rolls back what a failed statement has ended
		err = pgx.ErrTxCommitRollback
	}
	return err
}

// rollbackLimit bounds a rollback, which also follows a deadline that has passed.
const rollbackLimit = 5 * time.Second

// end rolls back unless the transaction has ended, and gives the connection back. A connection that cannot be rolled back is
// not used again.
func (t *transaction) end() {
	ctx, cancel := context.WithTimeout(context.Background(), rollbackLimit)
	defer cancel()
	_ = t.raw(func(conn *pgx.Conn) error {
		if conn.IsClosed() || conn.PgConn().TxStatus() == 'I' {
			return nil
		}
		if _, err := conn.Exec(ctx, "rollback"); err != nil {
			return errors.Join(err, conn.Close(ctx))
		}
		return nil
	})
	_ = t.conn.Close()
}

// transact runs work once.
func (p *postgres) transact(ctx context.Context, work Work) error {
	t, err := p.begin(ctx)
	if err != nil {
		p.Count(1, err)
		return fmt.Errorf("begin a transaction: %w", err)
	}
	defer t.end()
	if err := cause(ctx, work(ctx, lending.Client(t, dialect.Postgres))); err != nil {
		if fault.IsUnavailable(err) { // a full disk fails a statement, long before the commit
			p.Count(1, err)
		}
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	crash.At(crash.BeforeCommit)
	err = t.commit(ctx)
	crash.At(crash.AfterCommit)
	p.Count(1, err)
	if err != nil {
		return fmt.Errorf("commit: %w", cause(ctx, err))
	}
	return nil
}

// cause names the end of a context as the reason where the driver, which closes the connection then, only says that the
// connection is gone.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, driver.ErrBadConn) {
		return fmt.Errorf("%w: %w", ctx.Err(), err)
	}
	return err
}
