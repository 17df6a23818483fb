package store

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"sellerd/ent"
	"sellerd/internal/store/fault"
	"sellerd/internal/store/lending"
	"sellerd/internal/store/standby"
	"sellerd/internal/store/writer"
)

// Config says which database to open and how.
type Config struct {
	// URL names the database: "sqlite:" and the path of a file, or a "postgres://" URL as libpq reads it.
	URL string

	// Server is set by the process that serves requests. On SQLite it takes the file's server lock, so that a second server
	// does not start; programs that leave it false work beside a server as short, ordinary writers. PostgreSQL allows any
	// number of servers.
	Server bool

	// With Existing, Open fails if the database does not exist (no file, or none of this program's tables) instead of
	// creating it.
	Existing bool

	// Readers is the number of connections that read: SQLite's read-only pool (default 4), or all connections to
	// PostgreSQL, which has one pool for reading and writing (default 8).
	Readers int

	// Newer lets OpenBulkReader open a schema that is newer than the program's, as Open does: see Bulk.Newer.
	Newer bool

	// Logger logs what no caller sees, such as applied migrations. Nil logs nothing.
	Logger *slog.Logger

	copying bool // the database may be an unfinished copy
}

// Work is what one Write or Snapshot does in its transaction, Stats are the counts since Open, and Reads are reads that may go to a
// standby.
type (
	Work  = lending.Work
	Stats = lending.Stats
	Reads = standby.Reads
)

// The errors of calls at a wrong time: inside a Write, or after Close.
var (
	ErrNested = lending.ErrNested
	ErrClosed = fault.ErrClosed
)

// Classify says of an error whether it passes: see package fault.
func Classify(err error) error { return fault.Classify(err) }

// DB is an open database with its schema up to date. Its methods may be called from any goroutine.
type DB struct {
	engine
	dialect string
	reader  *ent.Client
	close   func() error
	created string
}

// newDB makes a DB of an engine that is ready.
func newDB(e engine, dialect string, reader entsql.ExecQuerier) *DB {
	return &DB{engine: e, dialect: dialect, reader: lending.Client(reader, dialect), close: sync.OnceValue(e.Close)}
}

// engine has what differs between the two databases.
type engine interface {
	write(ctx context.Context, work Work) error
	snapshot(ctx context.Context, work Work) error
	query(ctx context.Context, query string, args []any) (Rows, error)
	Ping(ctx context.Context) error
	Close() error
	Stats() Stats
}

// Open opens the database that c names, creates it if it is a SQLite file that does not exist yet, and applies pending
// migrations under a lock. It fails for a SQLite file whose settings would not make commits durable, and for a second
// server on the same file. A problem that a person can correct is an OpenError.
func Open(ctx context.Context, c Config) (*DB, error) {
	c.Logger = logOf(c)
	path, err := fileOf(c.URL)
	switch {
	case err != nil:
		return nil, err
	case path != "":
		return openSQLite(ctx, c, path)
	}
	return openPostgres(ctx, c)
}

// fileOf is the path of the SQLite file that a URL names, empty if the URL names a PostgreSQL.
func fileOf(given string) (path string, err error) {
	switch scheme, rest, _ := strings.Cut(given, ":"); scheme {
	case "sqlite":
		if path = strings.TrimPrefix(rest, "//"); path == "" || path == ":memory:" {
			return "", &OpenError{Problem: ProblemURL, Err: errors.New("store: SQLite needs a file, sqlite:PATH: readers and the writer have connections of their own")}
		}
		return path, nil
	case "postgres", "postgresql":
		return "", nil
	}
	// The URL itself stays out of the message: it may hold a password.
	return "", &OpenError{Problem: ProblemURL, Err: errors.New("store: unknown kind of database: want sqlite:PATH or postgres://…")}
}

// logOf is where c logs.
func logOf(c Config) *slog.Logger {
	if c.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return c.Logger
}

// Reader returns the client for reads outside of a transaction. On SQLite its connections cannot write.
//
// Inside a Write use the client that Write lends: on SQLite this one does not see the open transaction, on PostgreSQL it
// would need a second connection from the same pool.
func (db *DB) Reader() *ent.Client { return db.reader }

// Close lets the running work finish, returns ErrClosed to waiting callers, and closes the database. On SQLite the
// write-ahead log is moved into the file. Calling it again does nothing.
func (db *DB) Close() error { return db.close() }

// Created is the path of the SQLite file that Open has made, empty if there was one.
func (db *DB) Created() string { return db.created }

// Unavailable says whether err, from a Write or straight from a read, means that the database could not work. See
// fault.Classify.
func (db *DB) Unavailable(err error) bool { return fault.IsUnavailable(err) }

// Busy says whether err, from a Write or directly from a read, means that other transactions hold the needed locks. See
// fault.Classify.
func (db *DB) Busy(err error) bool { return Busy(err) }

// Busy says whether the error of any database means that other transactions hold the needed locks.
func Busy(err error) bool { return fault.IsBusy(err) }

// Dialect returns dialect.SQLite or dialect.Postgres, for people and for tests. The program asks ManyWriters.
func (db *DB) Dialect() string { return db.dialect }

// ManyWriters says whether transactions run beside each other, also those of other processes, and lock their rows. So it is on
// PostgreSQL. On SQLite one process has the file, and one transaction follows another.
func (db *DB) ManyWriters() bool { return db.dialect == dialect.Postgres }

// Write runs work in a transaction and returns nil once it is durable. If work returns an error or panics, or ctx ends
// before work does, nothing of it remains; the error comes back as it is, wrapped only to say that the database was
// unavailable or busy (see Unavailable and Busy). ctx also limits the wait for a turn. On PostgreSQL, where a server may
// not answer, work and reads without a deadline get one of 30 s.
//
// Work must return the first error of a statement: PostgreSQL rejects all further statements of the transaction.
//
// On SQLite, work shares its transaction with other callers' work, each behind its own savepoint, and runs alone: keep
// it short, and never wait in it for the network or for another goroutine's Write. On PostgreSQL, work is run again
// after a serialization failure or a deadlock, so it must be able to run twice: it sets its results instead of adding
// to them.
//
// An error that is Unavailable may come from the commit itself, whose outcome is then unknown; only an idempotency key
// makes repeating it safe.
func (db *DB) Write(ctx context.Context, work func(ctx context.Context, tx *ent.Client) error) error {
	return Classify(db.write(ctx, work))
}

// Patient marks the context of a Write that is long and in no hurry, such as that of a worker. On SQLite, where all writes wait
// for each other, others then go before it. It still has its turn, and when nothing else waits several such writes share a
// commit. On PostgreSQL it changes nothing.
func (db *DB) Patient(ctx context.Context) context.Context {
	return writer.Patient(ctx)
}

// Snapshot runs work in a read-only transaction: all its reads see the database as it was at the first of them. It does not
// wait for writers, and writers do not wait for it.
func (db *DB) Snapshot(ctx context.Context, work func(ctx context.Context, tx *ent.Client) error) error {
	return Classify(db.snapshot(ctx, work))
}

// Claim is the statement by which workers take rows from a queue: it updates the rows of a table that a query chooses,
// leaves out those that other transactions have locked, and returns columns of the others. The query is what follows FROM
// and the table, with its LIMIT.
//
// On PostgreSQL it finds the chosen rows by their physical places (ctid), not by their ids. The plan of a join would depend
// on statistics: if they say that the table is empty, all indexes look equal, and PostgreSQL may read a whole index for
// each row.
func (db *DB) Claim(table, query, set, returning string) string {
	if db.ManyWriters() {
		return "WITH due AS MATERIALIZED (SELECT ctid FROM " + table + " " + query + " FOR UPDATE SKIP LOCKED) UPDATE " + table + " SET " + set +
			" WHERE ctid = ANY(ARRAY(SELECT ctid FROM due)) RETURNING " + returning
	}
	return "WITH due AS MATERIALIZED (SELECT id FROM " + table + " " + query + ") UPDATE " + table + " SET " + set +
		" FROM due WHERE " + table + ".id = due.id RETURNING " + returning
}

// SkipLocked makes a query lock the rows that it returns until the transaction ends, and leave out the rows that other
// transactions have locked. Workers share a queue in this way. On SQLite, where there is only one writer, the query stays as it
// is.
func (db *DB) SkipLocked(query string) string { return db.locking(query, " FOR UPDATE SKIP LOCKED") }

// AwaitLocked is SkipLocked for rows that must not be left out: the query waits up to two seconds for the transaction that
// holds a row, after which the error is Busy.
func (db *DB) AwaitLocked(query string) string { return db.locking(query, " FOR UPDATE") }

func (db *DB) locking(query, clause string) string {
	if db.ManyWriters() {
		return query + clause
	}
	return query
}

// Announce is a condition, always true, for a statement of a transaction. Its evaluation takes an advisory lock on a name,
// which other transactions can see with Announced until the transaction ends, unless another transaction holds the lock
// already. The name is the statement's argument at the placeholder. The lock is taken before the statement waits for a row.
// It is for databases of many writers.
func (db *DB) Announce(placeholder string) string { return announce(placeholder) + " IS NOT NULL" }

// Announced says whether a transaction holds the lock on the name, see Announce.
func (db *DB) Announced(ctx context.Context, name string) (bool, error) {
	if !db.ManyWriters() {
		return false, nil
	}
	rows, err := db.reader.QueryContext(ctx, "SELECT NOT "+announce("$1"), name) //nolint:rowserrcheck // ScanBool does
	if err != nil {
		return false, err
	}
	defer rows.Close()
	return entsql.ScanBool(rows)
}

// announce is the SQL that takes a transaction's advisory lock on a name's hash, without waiting for it. Two names of one
// hash are about as likely as two equal random numbers of 64 bits.
func announce(placeholder string) string {
	return "pg_try_advisory_xact_lock(hashtextextended(" + placeholder + ", 0))"
}
