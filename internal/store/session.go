package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// sessionSettings are given to every connection unless the URL sets them.
var sessionSettings = map[string]string{
	"application_name": "sellerd",
	// Waiting longer for somebody else's row would outlast the patience of who waits: 55P03, which is Busy.
	"lock_timeout": "2s",
	// A request has 10 s; what runs longer has lost its caller.
	"statement_timeout":                   "15s",
	"idle_in_transaction_session_timeout": "30s",
	// Every query here looks rows up by owner, so the plan does not depend on the values; planning each time does.
	"plan_cache_mode": "force_generic_plan",
	// Every query has its index, and a table is never read from end to end in its stead, however few values a column has
	// or however little the statistics know of a small owner in a large table.
	"enable_seqscan": "off",
}

// session is what connections are given once they are made. PostgreSQL takes such settings with the first message of a
// connection as well; poolers do not, and refuse the connection.
type session struct{ settings map[string]string }

// takeSession gives connections their settings later, also those of the URL.
func takeSession(c *pgconn.Config) session {
	s := session{maps.Clone(sessionSettings)}
	for name := range sessionSettings {
		if value, set := c.RuntimeParams[name]; set {
			s.settings[name] = value
			delete(c.RuntimeParams, name)
		}
	}
	return s
}

// apply gives a new connection its settings, all at once.
func (s session) apply(ctx context.Context, conn *pgconn.PgConn) error {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.settings)) {
		fmt.Fprintf(&text, "SET %s = %s;", name, quote(s.settings[name]))
	}
	return conn.Exec(ctx, text.String()).Close()
}

// quote makes a string of SQL.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
