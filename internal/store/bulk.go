package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path/filepath"
	"strconv"
	"syscall"

	"entgo.io/ent/dialect"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"sellerd/internal/base/crash"
	"sellerd/internal/store/connect"
	"sellerd/internal/store/migrations"
)

// bulkName is how PostgreSQL lists the connections of a Bulk.
const bulkName = connect.ApplicationName + " copy"

// Bulk is one connection to a database with the program's schema, for work on all its rows, such as a copy. It has no limits
// on the time of statements, and none of the settings that suit requests. One goroutine uses it at a time.
type Bulk struct {
	// Conn is the connection.
	Conn *sql.Conn
	// Dialect is dialect.SQLite or dialect.Postgres.
	Dialect string
	// Name says which database it is, without a user and a password.
	Name string

	// Newer says that the schema is newer than the program's; it is nil if it is not.
	Newer error

	pool   *sql.DB // of the one connection
	path   string
	held   *DB   // keeps servers away from a file
	keeper *Bulk // keeps other copies away from a PostgreSQL
	watch  *connect.Watch
}

// OpenBulkReader opens an existing database and changes nothing in it. The problems are those of Open, and ProblemOlder or, without
// Config.Newer, ProblemNewer if the schema is not this program's. An unfinished copy is one before its schema is looked at.
func OpenBulkReader(ctx context.Context, c Config) (*Bulk, error) {
	b, version, err := openBulk(ctx, c, false)
	if err != nil {
		return nil, err
	}
	copying, err := b.Unfinished(ctx)
	switch {
	case err != nil:
	case copying:
		err = &OpenError{Problem: ProblemUnfinished, Err: errCopying, Server: b.Name, Name: b.Name}
	default:
		err = b.checkVersion(version)
	}
	if problem, ok := errors.AsType[*OpenError](err); ok && problem.Problem == ProblemNewer && c.Newer {
		b.Newer, err = problem.Err, nil
	}
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// OpenBulkWriter opens a database for filling, and makes it with its tables if it does not exist. An existing one must have
// this program's schema already, so that a mistyped URL changes nothing, or be left by a copy that was interrupted while it made the
// tables. Until Close, on SQLite it has the file's server lock, and on PostgreSQL another OpenBulkWriter fails with ErrTaken.
func OpenBulkWriter(ctx context.Context, c Config) (*Bulk, error) {
	keeper, err := takeTarget(ctx, c)
	if err != nil {
		return nil, err
	}
	b, err := openBulkWriter(ctx, c)
	switch {
	case err == nil:
		b.keeper = keeper
	case keeper != nil:
		err = errors.Join(err, keeper.Close())
	}
	return b, err
}

func openBulkWriter(ctx context.Context, c Config) (_ *Bulk, err error) {
	c.Existing, c.copying = false, true
	b, version, err := openBulk(ctx, c, true)
	var missing *OpenError
	switch {
	case errors.As(err, &missing) && missing.Problem == ProblemMissing:
	case err != nil:
		return nil, err
	case version != 0:
		if err := b.checkTarget(ctx, version); err != nil {
			return nil, errors.Join(err, b.Close())
		}
	}
	if b != nil {
		if err := b.Close(); err != nil {
			return nil, err
		}
	}
	c.Server = true
	held, err := Open(ctx, c)
	if err != nil {
		return nil, err
	}
	if held.dialect == dialect.Postgres { // nothing is held there
		err, held = held.Close(), nil
	}
	crash.At(crash.AfterCopySchema)
	if err == nil {
		b, _, err = openBulk(ctx, c, true)
	}
	if err != nil {
		if held != nil {
			err = errors.Join(err, held.Close())
		}
		return nil, err
	}
	b.held = held
	return b, nil
}

// openBulk connects to an existing database, and returns the version of its schema, 0 if it has no tables.
func openBulk(ctx context.Context, c Config, write bool) (*Bulk, int64, error) {
	path, err := fileOf(c.URL)
	switch {
	case err != nil:
		return nil, 0, err
	case path != "":
		return openBulkSQLite(ctx, path, write)
	}
	return openBulkPostgres(ctx, c)
}

// The settings of a Bulk on SQLite. What it writes is complete after a crash of the machine up to some commit, and Close
// makes all of it durable. The cache of a writer has 256 MB, since every index takes its rows in another order.
const (
	bulkReaderPragmas = "mode=ro&_query_only=1&_busy_timeout=5000&_txlock=deferred&_cache_size=-64000"
	bulkWriterPragmas = "mode=rw&_journal_mode=WAL&_synchronous=NORMAL&_busy_timeout=5000&_txlock=immediate&_foreign_keys=on" +
		"&_stmt_cache_size=8&_cache_size=-256000"
)

// readable is access(2)'s mode for reading.
const readable = 4

func openBulkSQLite(ctx context.Context, path string, write bool) (b *Bulk, version int64, err error) {
	b = &Bulk{Dialect: dialect.SQLite, Name: "sqlite:" + path}
	defer func() {
		if err != nil {
			b, err = nil, sqliteProblem(errors.Join(fmt.Errorf("store: open %s: %w", filepath.Base(path), err), b.Close()))
		}
	}()
	if b.path, err = realPath(path); errors.Is(err, errNoFolder) {
		return b, 0, errMissing
	} else if err != nil {
		return b, 0, err
	}
	if err = findFile(b.path); err != nil {
		return b, 0, err
	}
	if err = oneName(b.path); err != nil {
		return b, 0, err
	}
	// SQLite's own message would not say why. Opening and closing the file instead would drop the locks of other connections.
	if err = syscall.Access(b.path, readable); err != nil {
		return b, 0, &fs.PathError{Op: "read", Path: b.path, Err: err}
	}
	pragmas := bulkReaderPragmas
	if write {
		pragmas = bulkWriterPragmas
	}
	b.pool = openPool(fileName(b.path)+"?"+pragmas, 1, nil)
	if b.Conn, err = b.pool.Conn(ctx); err != nil {
		return b, 0, err
	}
	if write {
		// Pages that change in many commits are moved from the log into the file once. The log has up to 256 MB.
		if _, err = b.Conn.ExecContext(ctx, "PRAGMA wal_autocheckpoint = 65536"); err != nil {
			return b, 0, err
		}
	}
	version, err = b.version(ctx)
	return b, version, err
}

func openBulkPostgres(ctx context.Context, c Config) (*Bulk, int64, error) {
	config, err := readURL(c.URL)
	if err != nil {
		return nil, 0, err
	}
	settings := config.ConnConfig
	b := &Bulk{
		Dialect: dialect.Postgres,
		Name:    "postgres://" + net.JoinHostPort(settings.Host, strconv.Itoa(int(settings.Port))) + "/" + settings.Database,
		watch:   connect.NewWatch(logOf(c)),
	}
	settings.RuntimeParams["application_name"] = bulkName
	s := connect.TakeSession(settings, logOf(c))
	refuse := func(err error) (*Bulk, int64, error) {
		return nil, 0, errors.Join(Classify(postgresProblem(fmt.Errorf("store: %w", err), &settings.Config)), b.Close())
	}
	settings.DialFunc = b.watch.Dial
	s.ProveFirst(b.watch, settings)
	b.watch.Attend(&settings.Config, s.ApplyOwn)
	settings.DefaultQueryExecMode = pgx.QueryExecModeDescribeExec // statements are not kept, so poolers may be in between
	b.pool = stdlib.OpenDB(*settings)
	if b.Conn, err = b.pool.Conn(ctx); err != nil {
		return refuse(err)
	}
	version, err := b.version(ctx)
	if err != nil {
		return refuse(err)
	}
	return b, version, nil
}

// version is the last migration of the database, 0 if it has no tables.
func (b *Bulk) version(ctx context.Context) (int64, error) {
	if found, err := b.first(ctx, has(b.Dialect, migrations.Table)); err != nil || found == 0 {
		return 0, err
	}
	return b.first(ctx, "SELECT coalesce(max(version_id), 0) FROM "+migrations.Table+" WHERE is_applied")
}

// Unfinished says whether the database is marked as an unfinished copy.
func (b *Bulk) Unfinished(ctx context.Context) (bool, error) {
	found, err := b.first(ctx, has(b.Dialect, CopyTable))
	return found != 0, err
}

// first is the number that a query returns.
func (b *Bulk) first(ctx context.Context, query string) (n int64, err error) {
	var args []any
	if b.Dialect == dialect.Postgres {
		args = append(args, pgx.QueryExecModeSimpleProtocol)
	}
	err = b.Conn.QueryRowContext(ctx, query, args...).Scan(&n)
	return n, err
}

// checkVersion fails unless the schema is this program's.
func (b *Bulk) checkVersion(version int64) error {
	want, err := migrations.Last(b.Dialect)
	if err != nil {
		return err
	}
	problem := Problem(0)
	switch {
	case version == 0:
		problem = ProblemMissing
	case version < want:
		problem = ProblemOlder
	case version > want:
		problem = ProblemNewer
	default:
		return nil
	}
	return &OpenError{Problem: problem, Err: fmt.Errorf("store: the schema has version %d, and this program's is %d", version, want), Server: b.Name, Name: b.Name}
}

// checkTarget is checkVersion for a database to fill. An interrupted copy may have left some of the migrations undone, if it was
// this program's: one that has begun has all of its own.
func (b *Bulk) checkTarget(ctx context.Context, version int64) error {
	wrong := b.checkVersion(version)
	var problem *OpenError
	if !errors.As(wrong, &problem) || problem.Problem != ProblemOlder {
		return wrong
	}
	unfinished, err := b.Unfinished(ctx)
	if err != nil || !unfinished {
		return errors.Join(err, wrong)
	}
	begun, err := b.first(ctx, "SELECT count(*) FROM "+CopyTable)
	if err != nil || begun > 0 {
		return errors.Join(err, wrong)
	}
	return nil
}

// Close closes the connection. What was written to SQLite is durable then.
func (b *Bulk) Close() error {
	var err error
	if b.Conn != nil {
		if err = b.Conn.Close(); errors.Is(err, sql.ErrConnDone) { // it broke, and what it was used for failed then
			err = nil
		}
	}
	if b.pool != nil {
		err = errors.Join(err, b.pool.Close())
	}
	if b.held != nil {
		err = errors.Join(err, b.held.Close())
	}
	if b.keeper != nil {
		err = errors.Join(err, b.keeper.Close())
	}
	if b.watch != nil {
		b.watch.End()
	}
	return err
}
