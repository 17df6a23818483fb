package fault

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/mattn/go-sqlite3"
)

func TestClassify(t *testing.T) {
	const neither, unavailable, busy = "neither", "unavailable", "busy"
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"no error":                     {nil, neither},
		"an error of the service":      {errors.New("refused"), neither},
		"a cancelled caller":           {context.Canceled, neither},
		"a caller whose time ran out":  {fmt.Errorf("read: %w", context.DeadlineExceeded), neither},
		"SQLite: disk full":            {sqlite3.Error{Code: sqlite3.ErrFull}, unavailable},
		"SQLite: disk failing":         {sqlite3.Error{Code: sqlite3.ErrIoErr}, unavailable},
		"SQLite: locked by a stranger": {sqlite3.Error{Code: sqlite3.ErrBusy}, unavailable},
		"SQLite: constraint":           {sqlite3.Error{Code: sqlite3.ErrConstraint}, neither},
		"SQLite: statement":            {sqlite3.Error{Code: sqlite3.ErrError}, neither},
		"PostgreSQL: too many clients": {&pgconn.PgError{Code: "53300"}, unavailable},
		"PostgreSQL: disk full":        {&pgconn.PgError{Code: "53100"}, unavailable},
		"PostgreSQL: shutting down":    {&pgconn.PgError{Code: "57P01"}, unavailable},
		"PostgreSQL: starting":         {&pgconn.PgError{Code: "57P03"}, unavailable},
		"PostgreSQL: statement timeout": {
			&pgconn.PgError{Code: "57014"}, unavailable,
		},
		"PostgreSQL: standby":       {&pgconn.PgError{Code: "25006"}, unavailable},
		"PostgreSQL: connection":    {&pgconn.PgError{Code: "08006"}, unavailable},
		"PostgreSQL: no statement":  {&pgconn.PgError{Code: "26000"}, unavailable},
		"PostgreSQL: one too many":  {&pgconn.PgError{Code: "42P05"}, unavailable},
		"PostgreSQL: lock timeout":  {&pgconn.PgError{Code: "55P03"}, busy},
		"PostgreSQL: deadlock":      {&pgconn.PgError{Code: "40P01"}, busy},
		"PostgreSQL: serialization": {&pgconn.PgError{Code: "40001"}, busy},
		"PostgreSQL: unique":        {&pgconn.PgError{Code: "23505"}, neither},
		"PostgreSQL: syntax":        {&pgconn.PgError{Code: "42601"}, neither},
		"connection refused":        {&net.OpError{Op: "dial", Err: errors.New("refused")}, unavailable},
		"connection cut":            {fmt.Errorf("commit: %w", io.ErrUnexpectedEOF), unavailable},
		"connection known as bad":   {driver.ErrBadConn, unavailable},
		"closed":                    {ErrClosed, unavailable},
		"closed, wrapped":           {fmt.Errorf("load bill 7: %w", ErrClosed), unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			classified := Classify(c.err)
			got := neither
			var u interface{ Unavailable() bool }
			var b interface{ Busy() bool }
			if errors.As(classified, &u) && u.Unavailable() {
				got = unavailable
			}
			if errors.As(classified, &b) && b.Busy() {
				got = busy
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if !errors.Is(classified, c.err) {
				t.Errorf("%v does not hold %v any more", classified, c.err)
			}
			if c.err != nil && classified.Error() != c.err.Error() {
				t.Errorf("the message became %q", classified)
			}
			if again := Classify(classified); again != classified {
				t.Errorf("classified twice it is %#v", again)
			}
		})
	}
}
