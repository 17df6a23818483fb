package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"entgo.io/ent/dialect"

	"sellerd/internal/command/database"
	"sellerd/internal/store"
	"sellerd/v1"
)

// Bounds of what differs between two clocks: a difference that is warned about, and one with which signatures of webhooks are refused.
const (
	oddClock   = 5 * time.Second
	wrongClock = time.Minute
)

func (c *Doctor) examineDatabase(ctx context.Context, e *examined, now func() time.Time) {
	if c.URL.Check() != nil {
		return // settings says so
	}
	b, err := store.OpenBulkReader(ctx, store.Config{URL: c.DB, Newer: true})
	var problem *store.OpenError
	switch {
	case errors.As(err, &problem) && problem.Problem == store.ProblemOlder:
		e.fail(strings.TrimPrefix(problem.Error(), "store: "), "back it up, then run sellerd migrate, or start the server, which does the same")
	case err != nil:
		e.fail(c.Explain(err).Error(), "")
	}
	if err != nil {
		return
	}
	defer b.Close()
	if b.Newer != nil {
		e.warn(strings.TrimPrefix(b.Newer.Error(), "store: "), "run the program of the newer release soon: this one works, and lacks what is new")
	} else {
		e.ok("the schema of " + b.Name + " is this program's")
	}
	if b.Newer == nil { // a newer release may have others
		examineIndexes(ctx, e, b)
	}
	if b.Dialect == dialect.Postgres && !examinePostgres(ctx, e, b, now) {
		return
	}
	c.examineSecret(ctx, e)
}

// examineStandby asks the standby of --db-read.
func (c *Doctor) examineStandby(ctx context.Context, e *examined) {
	if c.DBRead == "" || c.dbRead.check(c.URL) != nil {
		return // settings says so
	}
	b, err := store.OpenBulkReader(ctx, store.Config{URL: c.DBRead, Newer: true})
	if err != nil {
		e.warn("it cannot be read, so reads go to --db: "+explainRead(err).Error(), "start it, or leave --db-read out")
		return
	}
	defer b.Close()
	switch state, err := b.ServerState(ctx); {
	case err != nil:
		e.fail(err.Error(), "")
	case !state.Replica:
		e.warn("--db-read names no standby", "name one, or leave --db-read out")
	default:
		e.ok("it can be read")
	}
}

// examineSecret holds the secret against the database's fingerprint.
func (c *Doctor) examineSecret(ctx context.Context, e *examined) {
	given, err := c.Given()
	if err != nil {
		return // settings says so
	}
	secret, err := c.KeptSecret(given)
	if err != nil {
		return
	}
	db, config, err := c.Open(ctx, database.AsCommand, slog.New(slog.DiscardHandler))
	if err != nil {
		e.fail(err.Error(), "")
		return
	}
	defer db.Close()
	if secret.Bytes == nil {
		if may, err := v1.SecretMayBeMade(ctx, db); err != nil || !may {
			e.fail("its secret is not here", "put it back from the backup: no server starts without it")
		}
		return
	}
	config.Secret = secret.Bytes
	service, err := v1.New(config)
	if err == nil {
		_, err = service.Secret.CheckOnce(ctx)
	}
	switch {
	case errors.Is(err, v1.ErrOtherSecret):
		e.fail("it belongs to another secret than the one from "+secret.Origin(), "put the right one back from the backup")
	case err != nil:
		e.fail(err.Error(), "")
	default:
		e.ok("it belongs to the secret from " + secret.Origin())
	}
}

// examineIndexes looks for what makes plans bad.
func examineIndexes(ctx context.Context, e *examined, b *store.Bulk) {
	missing, err := b.MissingIndexes(ctx)
	wrong, err2 := b.WrongStatistics(ctx)
	if err = errors.Join(err, err2); err != nil {
		e.fail(err.Error(), "")
		return
	}
	if len(missing) > 0 {
		e.fail("it lacks the indexes "+strings.Join(missing, ", "), "restore them from the schema of a new database: whole tables are read without them")
	}
	switch {
	case len(wrong) > 0 && b.Dialect == dialect.Postgres:
		e.warn("the statistics of "+strings.Join(wrong, ", ")+" are out of date", "run ANALYZE, and see that autovacuum is on")
	case len(wrong) > 0:
		e.warn("it was analyzed, which makes for bad plans", "DROP TABLE sqlite_stat1, or restart the server, which does it")
	}
	if len(missing)+len(wrong) == 0 {
		e.ok("it has all indexes, and statistics that fit")
	}
}

// connectionsOfServer is the pool of one server, and a few for migrations and commands.
const connectionsOfServer = 8 + 4

// examinePostgres looks at the server. It returns false for one that takes no changes.
func examinePostgres(ctx context.Context, e *examined, b *store.Bulk, now func() time.Time) bool {
	before := now()
	state, err := b.ServerState(ctx)
	if err != nil {
		e.fail(err.Error(), "")
		return false
	}
	found := len(e.found)
	for _, s := range []struct{ name, bad string }{{"fsync", "off"}, {"full_page_writes", "off"}, {"synchronous_commit", "off local"}} {
		if strings.Contains(" "+s.bad+" ", " "+state.Settings[s.name]+" ") {
			e.fail(s.name+" is "+state.Settings[s.name]+": acknowledged changes can be lost", "set it to on")
		}
	}
	if state.Connections < connectionsOfServer {
		e.warn(fmt.Sprintf("PostgreSQL has %d connections, and a server needs up to %d", state.Connections, connectionsOfServer), "raise max_connections")
	}
	writes := false
	if state.Replica {
		e.fail("it is a standby, which takes no changes", "name the primary with --db")
	} else if err := b.TryWrite(ctx); err != nil {
		e.fail("a table could not be written: "+err.Error(), "make room if its disk is full, or find out what makes it read-only")
	} else {
		writes = true
	}
	if state.Awaited != "" && state.Synchronous == 0 {
		e.fail("commits wait for a standby ("+state.Awaited+"), and none follows", "start the standby, or reset synchronous_standby_names")
	}
	if len(e.found) == found {
		e.ok("PostgreSQL keeps what it acknowledges, and has connections for a server")
	}
	differ(e, "the database", state.Now, before, now())
	return writes
}

// differ holds another clock against this machine's, which was read before and after it.
func differ(e *examined, whose string, other, before, after time.Time) {
	off := time.Duration(0)
	switch {
	case other.Before(before):
		off = before.Sub(other)
	case other.After(after):
		off = other.Sub(after)
	}
	text := fmt.Sprintf("the clock of %s differs by about %s from this machine's", whose, off.Round(5*time.Second))
	switch {
	case off > wrongClock:
		e.fail(text, "let both follow a time server")
	case off > oddClock:
		e.warn(text, "let both follow a time server")
	default:
		e.ok("the clock of " + whose + " agrees with this machine's")
	}
}
