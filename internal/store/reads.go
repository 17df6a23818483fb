package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sellerd/ent"
)

// Reads answers reads from a standby where it can, and otherwise from the primary. A read sees everything that was
// acknowledged before it began, whichever process wrote it. So no caller can tell where its read was answered:
//
//  1. The read asks the primary for its position, which is how far its log is on the disk. Reads of one process that wait
//     at the same time share this statement. PostgreSQL acknowledges a change, and shows it to others, only after its
//     commit is on the disk. So the position lies behind all that a caller can know of.
//  2. The read takes a connection to the standby, and waits there until the standby has replayed the log up to the
//     position.
//  3. The read runs over the same connection. A running standby never goes back.
//
// The position is learned anew for every statement, so a request whose statements are answered in different places does not
// go back in time either, while the standby is there. The order of steps 2 and 3 matters: a statement that compared the positions itself could have
// begun, and with it its view of the rows, before the standby was there.
//
// Positions can be compared only within one history. So before a connection is used, the standby must prove that it is a
// copy of the primary's database, on the primary's timeline (history).
//
// A read goes to the primary if the standby is not there in time, if it fails, or if it cancels the statement to go on
// replaying. After a failure the standby is left out, and asked again from time to time (reads_watch.go).
//
// Reads is for answers alone. What decides anything is read from DB: keys, limits, stored answers, and what a change or a
// worker goes by.
type Reads struct {
	db      *DB
	primary *postgres
	standby *standby
	client  *ent.Client
	rows    *sql.DB
	close   func() error
}

// ErrNoStandby says that a database of this kind has no standby.
var ErrNoStandby = errors.New("store: only PostgreSQL has a standby to read from")

// ReadFrom makes reads that may go to the standby at a URL, of at most so many connections (default 8). It fails with
// ErrNoStandby on SQLite and with an OpenError for a URL that cannot be read. A standby that does not answer, or is of
// another database, is left out for as long as that lasts.
func (db *DB) ReadFrom(ctx context.Context, url string, connections int, logger *slog.Logger) (*Reads, error) {
	primary, ok := db.engine.(*postgres)
	if !ok {
		return nil, ErrNoStandby
	}
	follower, err := openStandby(ctx, primary, Config{URL: url, Readers: connections, Logger: logger})
	if err != nil {
		return nil, err
	}
	r := &Reads{db: db, primary: primary, standby: follower}
	r.rows = sql.OpenDB(bufferingDriver{r})
	r.rows.SetMaxIdleConns(bufferingIdle)
	r.client = ent.NewClient(ent.Driver(lentDriver{entsql.NewDriver(dialect.Postgres, entsql.Conn{ExecQuerier: readsOnly{r}})}))
	r.close = sync.OnceValue(func() error { return errors.Join(r.rows.Close(), r.standby.close()) })
	return r, nil
}

// Close closes the connections to the standby. It is called before the DB is closed. Closing again, or closing nil, does
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
func (r *Reads) Stats() ReadStats {
	if r == nil {
		return ReadStats{}
	}
	return r.standby.stats()
}

// Reader returns a client whose queries may go to the standby. It changes nothing.
func (r *Reads) Reader() *ent.Client { return r.client }

// Query is DB.Query, perhaps at the standby.
func (r *Reads) Query(ctx context.Context, query string, args ...any) (Rows, error) {
	if found := r.buffered(ctx, query, args); found != nil {
		return found, nil
	}
	return r.db.Query(ctx, query, args...)
}

// Snapshot is DB.Snapshot, perhaps at the standby. Work is run again at the primary if the standby fails, so it must set its
// results instead of adding to them.
func (r *Reads) Snapshot(ctx context.Context, work func(ctx context.Context, tx *ent.Client) error) error {
	var result error
	read := func(ctx context.Context, conn *sql.Conn) error {
		result = readIn(ctx, conn, dialect.Postgres, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}, work)
		if failedAtDatabase(result) {
			return result
		}
		return nil
	}
	if r.atStandby(ctx, read) {
		return result
	}
	return r.db.Snapshot(ctx, work)
}

// failedAtDatabase says whether an error comes from the database, and not from the work itself.
func failedAtDatabase(err error) bool {
	var answer *pgconn.PgError
	if err == nil {
		return false
	}
	return errors.As(err, &answer) || connectionLost(err) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// buffered returns the rows of a query at the standby, or nil if the primary has to answer. All rows have been read, because
// a standby may fail in the middle of them.
func (r *Reads) buffered(ctx context.Context, query string, args []any) (found *buffer) {
	read := func(ctx context.Context, conn *sql.Conn) error {
		return raw(conn, func(conn *pgx.Conn) error {
			rows, err := conn.Query(ctx, query, args...)
			if err != nil {
				return err
			}
			found, err = bufferOf(rows)
			return err
		})
	}
	if !r.atStandby(ctx, read) {
		return nil
	}
	return found
}

// atStandby runs a read at the standby, and says whether it was answered there. A read inside a Write stays at the primary.
func (r *Reads) atStandby(ctx context.Context, read func(ctx context.Context, conn *sql.Conn) error) bool {
	return ctx.Value(r.primary) == nil && r.standby.try(ctx, read)
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
		return singly{r.primary}.QueryContext(ctx, query, args...)
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
