// Package standby answers reads from a standby where it can, and otherwise from the primary. A read sees everything that was
// acknowledged before it began, whichever process wrote it. So no caller can tell where its read was answered:
//
//  1. The read asks the primary for its position, which is how far its log is on the disk. Reads of one process that wait
//     at the same time share this statement. PostgreSQL acknowledges a change, and shows it to others, only after its
//     commit is on the disk. So the position lies behind all that a caller can know of.
//  2. The read takes a connection to the standby, and waits there until the standby has replayed the log up to the
//     position.
//  3. The read runs over the same connection. A running standby never goes back.
//
// The position is learned anew for every statement, so a request whose statements are answered in different places does not go back in time
// either, while the standby is there. The order of steps 2 and 3 matters: a statement that compared the positions itself could have begun,
// and with it its view of the rows, before the standby was there.
//
// Positions can be compared only within one history. So before a connection is used, the standby must prove that it is a
// copy of the primary's database, on the primary's timeline (history).
//
// A read goes to the primary if the standby is not there in time, if it fails, or if it cancels the statement to go on
// replaying. After a failure the standby is left out, and asked again from time to time (watch.go).
//
// Reads are for answers alone. What decides anything is read from the primary: keys, limits, stored answers, and what a change or a
// worker goes by.
package standby

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"entgo.io/ent/dialect"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"sellerd/ent"
	"sellerd/internal/store/fault"
	"sellerd/internal/store/lending"
)

// Reads are reads that may go to a standby.
type Reads struct {
	primary Primary
	standby *standby
	client  *ent.Client
	rows    *sql.DB
	close   func() error
}

// Primary is the database that a standby follows.
type Primary interface {
	// Query, QueryContext and Snapshot answer what the standby does not.
	Query(ctx context.Context, query string, args ...any) (Rows, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	Snapshot(ctx context.Context, work func(ctx context.Context, tx *ent.Client) error) error
	// Ask scans the one row of a query.
	Ask(ctx context.Context, query string, targets ...any) error
	// InWrite says whether a context is that of a Write.
	InWrite(ctx context.Context) bool
}

// Rows are the rows of a query, to be used as *sql.Rows is.
type Rows = interface {
	Next() bool
	Scan(targets ...any) error
	Err() error
	Close() error
}

// Open makes reads that may go to the standby of the given settings. One that does not answer, or is of another database, is left out
// for as long as that lasts.
func Open(ctx context.Context, primary Primary, settings *pgxpool.Config, log *slog.Logger) (*Reads, error) {
	follower, err := open(ctx, primary, settings, log)
	if err != nil {
		return nil, err
	}
	r := &Reads{primary: primary, standby: follower}
	r.rows = sql.OpenDB(bufferingDriver{r})
	r.rows.SetMaxIdleConns(bufferingIdle)
	r.client = lending.Client(readsOnly{r}, dialect.Postgres)
	r.close = sync.OnceValue(func() error { return errors.Join(r.rows.Close(), r.standby.close()) })
	return r, nil
}

// Close closes the connections to the standby. It is called before the primary is closed. Closing again, or closing nil, does
// nothing.
func (r *Reads) Close() error {
	if r == nil {
		return nil
	}
	return r.close()
}

// ManyWriters is true: only PostgreSQL has a standby.
func (r *Reads) ManyWriters() bool { return true }

// Stats returns the counts of reads at this moment. Those of nil are 0.
func (r *Reads) Stats() Stats {
	if r == nil {
		return Stats{}
	}
	return r.standby.stats()
}

// Reader returns a client whose queries may go to the standby. It changes nothing.
func (r *Reads) Reader() *ent.Client { return r.client }

// Query is Primary.Query, perhaps at the standby.
func (r *Reads) Query(ctx context.Context, query string, args ...any) (Rows, error) {
	found, err := r.rows.QueryContext(ctx, query, args...) //nolint:rowserrcheck // the caller reads the error of the rows
	switch {
	case errors.Is(err, errAtPrimary):
		return r.primary.Query(ctx, query, args...)
	case err != nil:
		return nil, err
	}
	return found, nil
}

// Snapshot is Primary.Snapshot, perhaps at the standby. Work is run again at the primary if the standby fails, so it must set its
// results instead of adding to them.
func (r *Reads) Snapshot(ctx context.Context, work func(ctx context.Context, tx *ent.Client) error) error {
	var result error
	read := func(ctx context.Context, conn *sql.Conn) error {
		result = lending.Read(ctx, conn, dialect.Postgres, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}, work)
		if failedAtDatabase(result) {
			return result
		}
		return nil
	}
	if r.atStandby(ctx, read) {
		return result
	}
	return r.primary.Snapshot(ctx, work)
}

// failedAtDatabase says whether an error comes from the database, and not from the work itself.
func failedAtDatabase(err error) bool {
	var answer *pgconn.PgError
	if err == nil {
		return false
	}
	return errors.As(err, &answer) || fault.ConnectionLost(err) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// buffered returns the rows of a query at the standby, or nil if the primary has to answer. All rows have been read, because
// a standby may fail in the middle of them.
func (r *Reads) buffered(ctx context.Context, query string, args []any) (found *buffer) {
	read := func(ctx context.Context, conn *sql.Conn) error {
		rows, err := conn.QueryContext(ctx, query, args...) //nolint:rowserrcheck // bufferOf does
		if err != nil {
			return err
		}
		found, err = bufferOf(rows)
		return err
	}
	if !r.atStandby(ctx, read) {
		return nil
	}
	return found
}

// atStandby runs a read at the standby, and says whether it was answered there. A read inside a Write stays at the primary.
func (r *Reads) atStandby(ctx context.Context, read func(ctx context.Context, conn *sql.Conn) error) bool {
	return !r.primary.InWrite(ctx) && r.standby.try(ctx, read)
}

// readsOnly runs the statements of ent's client.
type readsOnly struct{ *Reads }

// ExecContext implements entsql.ExecQuerier.
func (r readsOnly) ExecContext(context.Context, string, ...any) (sql.Result, error) {
	return nil, errors.New("store: a client for reads was used for a change")
}

// QueryContext implements entsql.ExecQuerier.
func (r readsOnly) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	found, err := r.rows.QueryContext(ctx, query, args...)
	if errors.Is(err, errAtPrimary) {
		return r.primary.QueryContext(ctx, query, args...)
	}
	return found, err
}

// raw runs fn with the connection of pgx.
func raw(conn *sql.Conn, fn func(*pgx.Conn) error) error {
	return conn.Raw(func(lent any) error {
		pg, ok := lent.(interface{ Conn() *pgx.Conn })
		if !ok {
			return fmt.Errorf("store: %T is not a connection of pgx", lent)
		}
		return fn(pg.Conn())
	})
}
