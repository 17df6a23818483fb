package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"entgo.io/ent/dialect"

	"sellerd/internal/store/lending"
	"sellerd/internal/store/migrations"
	"sellerd/internal/store/sqlite3"
	"sellerd/internal/store/writer"
)

// HasSQLite says whether SQLite is in the program. Without cgo it is not.
const HasSQLite = sqlite3.Included

// writerPragmas are the settings of the writing connection. Without _synchronous=FULL the driver would sync a WAL only
// at checkpoints, and a power cut would take acknowledged commits with it. With _secure_delete=ON, what is deleted or replaced is
// overwritten with zeros; FAST would leave it in pages that become free.
const writerPragmas = "_journal_mode=WAL&_synchronous=FULL&_secure_delete=ON&_busy_timeout=5000&_txlock=immediate&_foreign_keys=on&_stmt_cache_size=128"

// readerPragmas are the settings of the reading connections, which cannot write. SQLite's own mutexes are off, because
// database/sql lends a connection to one goroutine at a time. The cache has 16 MB.
const readerPragmas = "mode=ro&_query_only=1&_busy_timeout=5000&_txlock=deferred&_foreign_keys=on&_stmt_cache_size=64&_mutex=no&_cache_size=-16000"

// mapFile lets a reading connection use the file's pages where the kernel keeps them, instead of copies. 2 GiB is the most
// that SQLite maps; the rest of a larger file is read as usual.
func mapFile(c sqlite3.Conn) error {
	_, err := c.ExecContext(context.Background(), "PRAGMA mmap_size = 2147418112", nil)
	return err
}

// sqlite is a database file: a writer with the one connection that changes it, and a pool that reads.
type sqlite struct {
	writer  *writer.Writer
	name    string // of the file, as SQLite takes it
	writing *sql.DB
	conn    *sql.Conn // the one of writing
	reading *sql.DB
	server  *lockFile
}

// openSQLite opens the file at path. Everything up to the last migration happens under the file's start lock, so that
// processes that start together do not meet in the middle of a migration.
func openSQLite(ctx context.Context, c Config, path string) (db *DB, err error) {
	s := &sqlite{}
	defer func() {
		if err != nil {
			err = errors.Join(sqliteProblem(fmt.Errorf("store: open %s: %w", filepath.Base(path), err)), s.release())
		}
	}()
	if !HasSQLite {
		return nil, sqlite3.ErrNoSQLite
	}
	if path, err = realPath(path); c.Existing && errors.Is(err, errNoFolder) {
		return nil, errMissing
	} else if err != nil {
		return nil, err
	}
	if err = checkForeign(path); err != nil {
		return nil, err
	}
	if err = checkOwner(ctx, path); err != nil {
		return nil, err
	}
	made := false
	switch {
	case c.Existing:
		err = findFile(path)
	case !c.copying:
		made, err = createFile(path)
	}
	if err != nil {
		return nil, err
	}
	if c.Server {
		if s.server, err = tryLock(path + ".server"); errors.Is(err, errLocked) {
			return nil, fmt.Errorf("another server is running on this file: %w", err)
		} else if err != nil {
			return nil, err
		}
	}
	start, err := waitLock(ctx, path+".start")
	if err != nil {
		return nil, fmt.Errorf("wait for another process to start: %w", err)
	}
	defer func() { _ = start.unlock() }() // closing the file always ends the lock

	if c.copying && errors.Is(findFile(path), errMissing) {
		if err := createCopy(ctx, path); err != nil {
			return nil, err
		}
	}
	if err := oneName(path); err != nil {
		return nil, err
	}
	if made {
		c.Logger.InfoContext(ctx, "new database created", "file", path)
	}
	if err := s.connect(ctx, path, c.Readers); err != nil {
		return nil, err
	}
	if err := c.look(ctx, dialect.SQLite, s.writing); err != nil {
		return nil, err
	}
	if err := migrations.Up(ctx, dialect.SQLite, s.writing, nil, c.Logger); err != nil {
		return nil, err
	}
	if err := forgetStatistics(ctx, s.writing); err != nil {
		return nil, err
	}
	db, err = s.serve(ctx)
	if err == nil && made {
		db.created = path
	}
	return db, err
}

// createFile makes an empty database file that only this user can read, unless there is one. SQLite gives its side files the mode of the
// database. It makes no folder, so that a mistyped path makes no database.
func createFile(path string) (made bool, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if made = err == nil; errors.Is(err, fs.ErrExist) {
		f, err = os.OpenFile(path, os.O_RDWR, 0)
	}
	if err != nil {
		return false, err
	}
	return made, f.Close()
}

// createAnew makes an empty file that only this user can read, in place of what an interrupted run may have left there.
func createAnew(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	made, err := createFile(path)
	if err == nil && !made {
		err = fs.ErrExist // somebody else made it meanwhile, and can read it
	}
	return err
}

// connect opens both pools and makes sure that the settings took effect.
func (s *sqlite) connect(ctx context.Context, path string, readers int) (err error) {
	s.name = fileName(path)
	s.writer = writer.New()
	s.writing = openPool(s.name+"?"+writerPragmas, 1, func(c sqlite3.Conn) error {
		c.RegisterRollbackHook(s.writer.Lose)
		return nil
	})
	s.reading = openPool(s.name+"?"+readerPragmas, cmp.Or(readers, 4), mapFile)
	if err := checkPragmas(ctx, s.writing, map[string]string{
		"journal_mode": "wal", "synchronous": "2", "busy_timeout": "5000", "foreign_keys": "1", "query_only": "0", "secure_delete": "1",
	}); err != nil {
		return err
	}
	return checkPragmas(ctx, s.reading, map[string]string{"journal_mode": "wal", "busy_timeout": "5000", "query_only": "1"})
}

// checkPragmas reads settings back, because SQLite ignores settings that it cannot apply: on a file system without shared
// memory, for example, the journal mode does not change.
func checkPragmas(ctx context.Context, pool *sql.DB, want map[string]string) error {
	for name, value := range want {
		var got string
		if err := pool.QueryRowContext(ctx, "PRAGMA "+name).Scan(&got); err != nil {
			return fmt.Errorf("read pragma %s: %w", name, err)
		}
		if got != value {
			return fmt.Errorf("pragma %s is %q and must be %q: refusing to work on this file", name, got, value)
		}
	}
	return nil
}

// serve pins the writing connection and starts the writer.
func (s *sqlite) serve(ctx context.Context) (*DB, error) {
	// A migration that rebuilds a table switches foreign keys off, and has to have switched them on again.
	if err := checkPragmas(ctx, s.writing, map[string]string{"foreign_keys": "1"}); err != nil {
		return nil, err
	}
	conn, err := s.writing.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("take the writing connection: %w", err)
	}
	s.conn = conn
	// The data for rolling back a savepoint are kept in memory. Otherwise every larger turn would create, write and remove
	// a file. Migrations, which may sort whole tables, are done by now.
	if _, err := conn.ExecContext(ctx, "PRAGMA temp_store = MEMORY"); err != nil {
		return nil, errors.Join(fmt.Errorf("keep temporary data in memory: %w", err), conn.Close())
	}
	s.writer.Start(conn)
	return newDB(s, dialect.SQLite, readingPool{s.reading}), nil
}

// readingPool reads without the caller's deadline. With one, the driver starts a goroutine for every statement, to
// interrupt it: that costs as much as a short read, and reads here are short. A caller that has gone is stopped before the
// statement.
type readingPool struct{ pool *sql.DB }

// QueryContext implements entsql.ExecQuerier.
func (p readingPool) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return p.pool.QueryContext(context.Background(), query, args...)
}

// ExecContext implements entsql.ExecQuerier. Connections of this pool cannot write, and say so.
func (p readingPool) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return p.pool.ExecContext(ctx, query, args...)
}

// write implements engine.
func (s *sqlite) write(ctx context.Context, work Work) error { return s.writer.Write(ctx, work) }

// Stats implements engine.
func (s *sqlite) Stats() Stats { return s.writer.Stats() }

// snapshot implements engine. A deferred transaction of SQLite is a snapshot from its first read on.
func (s *sqlite) snapshot(ctx context.Context, work Work) error {
	if s.writer.Lends(ctx) {
		return ErrNested
	}
	return lending.Read(ctx, s.reading, dialect.SQLite, nil, work)
}

// Ping says whether the file can be read, and has our tables.
func (s *sqlite) Ping(ctx context.Context) error {
	var one int
	return Classify(s.reading.QueryRowContext(ctx, "SELECT 1 FROM goose_db_version LIMIT 1").Scan(&one))
}

// Close lets the running work finish, moves the write-ahead log into the database file and gives up the file. A command
// leaves the log to the server, if one is running; if none is, SQLite empties it when the last connection closes.
func (s *sqlite) Close() error {
	s.writer.Close()
	// The readers are closed first, because the log can only be emptied when no connection reads from it.
	err := s.reading.Close()
	if s.server != nil {
		if checkpoint := s.writer.Exec("PRAGMA wal_checkpoint(TRUNCATE)"); checkpoint != nil {
			err = errors.Join(err, fmt.Errorf("store: move the log into the database file: %w", checkpoint))
		}
	}
	return errors.Join(err, s.conn.Close(), s.release())
}

// release closes what is open.
func (s *sqlite) release() error {
	var err error
	for _, pool := range []*sql.DB{s.reading, s.writing} {
		if pool != nil {
			err = errors.Join(err, pool.Close())
		}
	}
	return errors.Join(err, s.server.unlock())
}

// fileName is a path as SQLite takes it.
func fileName(path string) string { return "file:" + (&url.URL{Path: path}).EscapedPath() }

// openPool opens up to n connections of one kind, which stay open. hook sees each new one.
func openPool(name string, n int, hook func(sqlite3.Conn) error) *sql.DB {
	pool := sql.OpenDB(sqlite3.Connector{Name: name, Each: hook})
	pool.SetMaxOpenConns(n)
	pool.SetMaxIdleConns(n)
	return pool
}
