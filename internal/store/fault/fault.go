// Package fault tells which errors of both databases pass: the database cannot work now, or other transactions are in the way.
package fault

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"

	"sellerd/internal/store/connect"
	"sellerd/internal/store/sqlite3"
)

// failure is an error after which the caller may try again later. It wraps the database's own error.
type failure struct {
	err  error
	busy bool // and not unavailable
}

// Unavailable makes an error that is Unavailable.
func Unavailable(err error) error { return &failure{err: err} }

// ErrClosed is returned for work that comes after Close. It counts as unavailable.
var ErrClosed = Unavailable(errors.New("store: the database is closed"))

// Error implements error.
func (f *failure) Error() string { return f.err.Error() }

// Unwrap gives the database's own error.
func (f *failure) Unwrap() error { return f.err }

// Unavailable says that the database could not be reached or could not work.
func (f *failure) Unavailable() bool { return !f.busy }

// Busy says that other transactions hold the locks that the work needed.
func (f *failure) Busy() bool { return f.busy }

// Classify gives err the methods Unavailable() bool and Busy() bool, to be found with errors.As, if it is one of these
// kinds, and returns any other error as it is:
//
//   - unavailable: the connection was lost or refused, the server is starting, stopping, full or read-only, the disk is
//     full or failing, the file is locked by another program. Reading may still work. The same call may succeed later.
//   - busy: a row was locked for longer than the lock timeout, or transactions kept colliding. Everything else works.
//
// A caller's own cancelled or expired context is neither.
func Classify(err error) error {
	if err == nil {
		return nil
	}
	if f, known := errors.AsType[*failure](err); known {
		if f == err { //nolint:errorlint // is it this error, unwrapped?
			return err
		}
		return &failure{err, f.busy}
	}
	unavailable, busy := classify(err)
	if !unavailable && !busy {
		return err
	}
	return &failure{err, busy}
}

// IsUnavailable says whether Classify makes an error unavailable.
func IsUnavailable(err error) bool {
	f, known := errors.AsType[*failure](Classify(err))
	return known && !f.busy
}

// IsBusy says whether Classify makes an error busy.
func IsBusy(err error) bool {
	f, known := errors.AsType[*failure](Classify(err))
	return known && f.busy
}

// classify looks at what the drivers return.
func classify(err error) (unavailable, busy bool) {
	if code := sqlite3.CodeOf(err); code != 0 {
		return unavailableSQLite[code], false
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return UnavailableCode(e.Code), busyPostgres[e.Code]
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false, false
	}
	return ConnectionLost(err), false
}

// unavailableSQLite lists the results of SQLite that are about the file and its disk and not about the statement.
var unavailableSQLite = map[sqlite3.Code]bool{
	sqlite3.Busy:     true,
	sqlite3.Locked:   true,
	sqlite3.Nomem:    true,
	sqlite3.Readonly: true,
	sqlite3.IOErr:    true,
	sqlite3.Full:     true,
	sqlite3.CantOpen: true,
	sqlite3.Protocol: true,
}

// busyPostgres lists the codes of PostgreSQL (appendix A of its manual) that are about other transactions.
var busyPostgres = map[string]bool{
	"40001": true, // serialization_failure, after the retries
	"40P01": true, // deadlock_detected, after the retries
	"55P03": true, // lock_not_available: lock_timeout ran out
}

// BusyCode says whether a code of PostgreSQL is about other transactions.
func BusyCode(code string) bool { return busyPostgres[code] }

// UnavailableCode says whether a code of PostgreSQL is about the server and not about the statement.
func UnavailableCode(code string) bool {
	switch code {
	case "25006", // read_only_sql_transaction: a standby, or a server protecting itself
		"57014", // query_canceled: statement_timeout ran out
		"3D000", // invalid_catalog_name: the database is being restored
		"26000", // invalid_sql_statement_name: a pooler that no longer keeps sessions has lost a prepared statement
		"42P05", // duplicate_prepared_statement: likewise, another's session has it
		"25P03", // idle_in_transaction_session_timeout
		"25P04", // transaction_timeout
		"28000", // invalid_authorization_specification: as a standby answers while it is rebuilt
		"28P01": // invalid_password: it was changed while the server runs
		return true
	}
	// Connection exception, insufficient resources, operator intervention, system error.
	for _, class := range []string{"08", "53", "57P", "58"} {
		if strings.HasPrefix(code, class) {
			return true
		}
	}
	return false
}

// ConnectionLost says whether an error without a code is an error of the connection.
func ConnectionLost(err error) bool {
	var (
		network net.Error
		refused *pgconn.ConnectError
	)
	if errors.As(err, &network) || errors.As(err, &refused) || pgconn.SafeToRetry(err) {
		return true
	}
	for _, known := range []error{
		io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, net.ErrClosed, os.ErrDeadlineExceeded,
		driver.ErrBadConn, sql.ErrConnDone, syscall.ECONNRESET, syscall.EPIPE, connect.ErrSilent,
	} {
		if errors.Is(err, known) {
			return true
		}
	}
	// Three errors have no type of their own: pgx's, puddle's and database/sql's, the latter two after a Close.
	for _, known := range []string{"conn closed", "closed pool", "sql: database is closed"} {
		if strings.Contains(err.Error(), known) {
			return true
		}
	}
	return false
}
