package connect

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// ApplicationName is how PostgreSQL lists the connections.
const ApplicationName = "sellerd"

// Settings are given to every connection unless the URL sets them.
var Settings = map[string]string{
	// A caller does not wait longer for a row that another transaction holds: 55P03, which is Busy.
	"lock_timeout": "2s",
	// A request has 10 s; after that its caller has its answer.
	"statement_timeout":                   "15s",
	"idle_in_transaction_session_timeout": "30s",
	// Every query looks up rows by owner, so one generic plan serves all values and saves the planning.
	"plan_cache_mode": "force_generic_plan",
	// Every query has an index. PostgreSQL must use it even if a column has few values, or if the statistics know little of
	// a small owner in a large table.
	"enable_seqscan": "off",
}

// migrationSettings are given to the connections of migrations unless the URL sets them. The role may have limits, which are
// made for requests: a migration may take as long as it needs. But while it waits for a table, requests wait behind it.
var migrationSettings = map[string]string{"lock_timeout": "30s", "statement_timeout": "0", "idle_in_transaction_session_timeout": "0"}

// noTransactionTimeout lifts a limit that PostgreSQL has since version 17, unless the URL sets it. Under it the transaction of the
// migration lock would be ended, and a second program would migrate beside the first.
const noTransactionTimeout = "SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'transaction_timeout' AND source <> 'client'"

// Session holds the settings that a connection gets after it is made. PostgreSQL also accepts such settings in the first
// message of a connection, but poolers then refuse the connection.
//
// A pooler that gives each transaction another connection to PostgreSQL would pass the settings on to other programs. There
// they are not set; the role must have them. For such a pooler the URL asks for a query mode that needs no session.
type Session struct {
	own    map[string]string // those of the URL
	all    map[string]string
	kept   bool // whether connections keep their session
	log    *slog.Logger
	warned sync.Once

	proving  sync.Mutex
	unproved func(context.Context, *pgconn.PgConn) error // the proof, see ProveFirst; nil when a connection has passed it
}

// errPooler says that a pooler is between the server and a standby, which must be asked directly.
var errPooler = errors.New("a pooler is between the server and the standby: name the standby itself")

// TakeSession gives connections their settings later, also those of the URL.
func TakeSession(c *pgx.ConnConfig, log *slog.Logger) *Session {
	s := &Session{own: map[string]string{}, all: maps.Clone(Settings), log: log}
	for name := range Settings {
		if value, set := c.RuntimeParams[name]; set {
			s.own[name], s.all[name] = value, value
			delete(c.RuntimeParams, name)
		}
	}
	switch c.DefaultQueryExecMode {
	case pgx.QueryExecModeCacheStatement, pgx.QueryExecModeDescribeExec:
		s.kept = true
	}
	// Poolers handle this one and keep it separate for each of their callers.
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = ApplicationName
	}
	return s
}

// Apply gives a new connection its settings, and says whether it leads to a pooler.
func (s *Session) Apply(ctx context.Context, conn *pgconn.PgConn) (pooled bool, err error) {
	if !s.kept {
		pooled, missing, err := s.look(ctx, conn)
		if pooled {
			s.warn(missing)
		}
		if err != nil || pooled {
			return pooled, err
		}
	}
	return s.set(ctx, conn, s.all)
}

// ApplyOwn gives a new connection the settings of the URL alone, and says whether it leads to a pooler.
func (s *Session) ApplyOwn(ctx context.Context, conn *pgconn.PgConn) (pooled bool, err error) {
	return s.set(ctx, conn, s.own)
}

// set gives a connection settings, all at once, and says whether it leads to a pooler. The first connection proves that it keeps its
// session, before it gets any.
func (s *Session) set(ctx context.Context, conn *pgconn.PgConn, settings map[string]string) (pooled bool, err error) {
	if err := s.prove(ctx, conn); err != nil {
		return false, err
	}
	process, err := askProcess(ctx, conn, assignments(settings))
	return err == nil && anotherProcess(conn, process), err
}

// ApplyDirectly is Apply for a connection that must not lead to a pooler, which could ask another server each time.
func (s *Session) ApplyDirectly(ctx context.Context, conn *pgconn.PgConn) (pooled bool, err error) {
	switch pooled, _, err = s.look(ctx, conn); {
	case err != nil:
		return false, err
	case pooled:
		return true, errPooler
	}
	return s.Apply(ctx, conn)
}

// ApplyForMigration gives a connection the settings of a migration, unless a pooler would pass them on.
func (s *Session) ApplyForMigration(ctx context.Context, conn *pgconn.PgConn) error {
	if pooled, err := s.Pooled(ctx, conn); err != nil || pooled {
		return err
	}
	settings := maps.Clone(migrationSettings)
	maps.Copy(settings, s.own)
	return conn.Exec(ctx, assignments(settings)+noTransactionTimeout).Close()
}

// Pooled says whether a connection leads to a pooler that gives it no session of its own.
func (s *Session) Pooled(ctx context.Context, conn *pgconn.PgConn) (pooled bool, err error) {
	if s.kept {
		return false, nil
	}
	pooled, _, err = s.look(ctx, conn)
	return pooled, err
}

func assignments(settings map[string]string) string {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		fmt.Fprintf(&text, "SET %s = %s;", name, quote(settings[name]))
	}
	return text.String()
}

// anotherProcess says whether the process that answers has another number than the one given when the connection was made.
// Then a pooler is in between.
func anotherProcess(conn *pgconn.PgConn, pid string) bool {
	return pid != strconv.FormatUint(uint64(conn.PID()), 10)
}

// look says whether a pooler is in between, and which settings are not as they should be.
func (s *Session) look(ctx context.Context, conn *pgconn.PgConn) (pooled bool, missing map[string]string, err error) {
	names := slices.Sorted(maps.Keys(s.all))
	query := "SELECT pg_backend_pid()"
	for _, name := range names {
		query += ", current_setting(" + quote(name) + ")"
	}
	row, err := Ask(ctx, conn, query)
	if err != nil {
		return false, nil, err
	}
	if len(row) != len(names)+1 {
		return false, nil, errors.New("the settings of the connection cannot be read")
	}
	missing = map[string]string{}
	for i, name := range names {
		if string(row[i+1]) != s.all[name] {
			missing[name] = s.all[name]
		}
	}
	return anotherProcess(conn, string(row[0])), missing, nil
}

// warn logs once which settings the role lacks.
func (s *Session) warn(missing map[string]string) {
	if len(missing) == 0 {
		return
	}
	s.warned.Do(func() {
		var remedy []string
		for _, name := range slices.Sorted(maps.Keys(missing)) {
			remedy = append(remedy, fmt.Sprintf("ALTER ROLE CURRENT_USER SET %s = %s;", name, quote(missing[name])))
		}
		s.log.Warn("the pooler's connections lack settings, which the role should have", "remedy", strings.Join(remedy, " "))
	})
}

// quote makes a string of SQL.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
