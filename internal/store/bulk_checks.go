package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"entgo.io/ent/dialect"
	"github.com/jackc/pgx/v5/pgconn"

	"sellerd/internal/base/pause"
	"sellerd/internal/store/connect"
	"sellerd/internal/store/sqlite3"
)

// Service says whether a server uses a database.
type Service int

const (
	NotServed   Service = iota // no server uses it
	MaybeServed                // this user cannot find out, because another one has the lock file
	Served                     // a server uses it
)

// ServedAt says whether a server uses the database that c names: see Bulk.Served. The schema may be of any version.
func ServedAt(ctx context.Context, c Config) (Service, error) {
	b, _, err := openBulk(ctx, c, false)
	if err != nil {
		return NotServed, err
	}
	served, err := b.Served(ctx)
	return served, errors.Join(err, b.Close())
}

// Served says whether a server uses the database now. On PostgreSQL it knows servers by the name of their connections, and
// so misses those whose URL has another application_name.
func (b *Bulk) Served(ctx context.Context) (Service, error) {
	if b.Dialect == dialect.Postgres {
		return b.servedByPostgres(ctx)
	}
	if b.held != nil {
		return NotServed, nil
	}
	if _, err := os.Stat(b.path + ".server"); errors.Is(err, fs.ErrNotExist) {
		return NotServed, nil
	}
	lock, err := tryLock(b.path + ".server")
	switch {
	case errors.Is(err, errLocked):
		return Served, nil
	case err != nil:
		return MaybeServed, nil //nolint:nilerr // who cannot look does not know
	}
	return NotServed, lock.unlock()
}

const (
	// leaving is how long a session may still be listed after its connection was closed.
	leaving = time.Second
	// leavingPause is the time between two looks at the list.
	leavingPause = 50 * time.Millisecond
)

// servedByPostgres is Served on PostgreSQL. A command that has just ended, such as `sellerd migrate`, has closed its connections,
// and PostgreSQL lists them until it has noticed. So a session counts only if it stays.
func (b *Bulk) servedByPostgres(ctx context.Context) (Service, error) {
	for range leaving / leavingPause {
		n, err := b.first(ctx, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = '"+connect.ApplicationName+"'")
		if err != nil || n == 0 {
			return NotServed, err
		}
		if err := pause.For(ctx, leavingPause); err != nil {
			return NotServed, err
		}
		// A transaction sees one list until it forgets it.
		if _, err := b.first(ctx, "SELECT length(CAST(pg_stat_clear_snapshot() AS text))"); err != nil {
			return NotServed, err
		}
	}
	return Served, nil
}

// SameFile says whether a URL names the file of b, by whatever path.
func (b *Bulk) SameFile(rawURL string) bool {
	path, ok := strings.CutPrefix(rawURL, "sqlite:")
	if !ok || b.Dialect != dialect.SQLite {
		return false
	}
	mine, err := os.Stat(b.path)
	if err != nil {
		return false
	}
	other, err := os.Stat(strings.TrimPrefix(path, "//"))
	return err == nil && os.SameFile(mine, other)
}

// Full says whether an error means that a disk is full.
func Full(err error) bool {
	server := (*pgconn.PgError)(nil)
	switch code := sqlite3.CodeOf(err); {
	case code == sqlite3.Full, code == sqlite3.IOErr && strings.Contains(err.Error(), syscall.ENOSPC.Error()):
		return true
	}
	return errors.As(err, &server) && server.Code == "53100"
}

// Damaged says whether an error means that a SQLite file is not as SQLite has written it.
func Damaged(err error) bool { return sqlite3.CodeOf(err) == sqlite3.Corrupt }

// Denied returns PostgreSQL's reason if an error means that the user lacks a right, else "".
func Denied(err error) string {
	if server := (*pgconn.PgError)(nil); errors.As(err, &server) && server.Code == "42501" {
		return server.Message
	}
	return ""
}
