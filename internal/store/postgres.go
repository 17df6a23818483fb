package store

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"entgo.io/ent/dialect"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"sellerd/internal/base/combine"
	"sellerd/internal/base/pause"
	"sellerd/internal/store/connect"
	"sellerd/internal/store/lending"
	"sellerd/internal/store/migrations"
)

// attempts is how often a transaction is run before a collision is returned to the caller. With their pauses they take about as
// long as a caller waits for a row.
const attempts = 12

// postgres is a pool of connections to a server.
type postgres struct {
	pool  *pgxpool.Pool
	db    *sql.DB
	watch *connect.Watch
	lending.Counters

	// turn holds one transaction that runs again after a collision. Those of this process that collided take turns, or many of
	// them on one row would collide with each other until their attempts are used up.
	turn chan struct{}

	confirmations *combine.Combiner[struct{}, *confirmation]
}

// openPostgres connects to a server and brings its schema up to date.
func openPostgres(ctx context.Context, c Config) (*DB, error) {
	settings, err := poolSettings(c)
	if err != nil {
		return nil, err
	}
	p := &postgres{watch: connect.NewWatch(c.Logger), turn: make(chan struct{}, 1)}
	p.confirmations = combine.New(mostConfirmed, p.confirm)
	refuse := func(err error) (*DB, error) {
		p.watch.End()
		return nil, Classify(postgresProblem(fmt.Errorf("store: %w", err), &settings.ConnConfig.Config))
	}
	settings.ConnConfig.DialFunc = p.watch.Dial
	settings.ConnConfig.OnNotice = noteBrokenOff
	s := connect.TakeSession(settings.ConnConfig, c.Logger)
	s.ProveFirst(p.watch, settings.ConnConfig)
	settings.BeforeConnect = func(_ context.Context, connecting *pgx.ConnConfig) error {
		p.watch.Attend(&connecting.Config, s.Apply)
		return nil
	}
	if p.pool, err = pgxpool.NewWithConfig(ctx, settings); err != nil {
		return refuse(err)
	}
	p.watch.WhenCut(p.pool.Reset)
	p.db = stdlib.OpenDBFromPool(p.pool)
	if err = p.pool.Ping(ctx); err == nil {
		err = p.migrate(ctx, settings.ConnConfig, s, c)
	}
	if err != nil {
		p.pool.Close()
		return refuse(err)
	}
	return newDB(p, dialect.Postgres, singly{p}), nil
}

// poolSettings are the settings of a pool.
func poolSettings(c Config) (*pgxpool.Config, error) {
	settings, err := readURL(c.URL)
	if err != nil {
		return nil, err
	}
	settings.MaxConns = int32(cmp.Or(c.Readers, 8))
	return settings, nil
}

// migrate brings the schema up to date, over connections of its own: a migration may run for longer than any request, and has no use
// for a prepared plan. Mostly there is nothing to do, and the first connection of the pool is enough to see it.
func (p *postgres) migrate(ctx context.Context, settings *pgx.ConnConfig, s *connect.Session, c Config) error {
	if err := c.look(ctx, dialect.Postgres, p.db); err != nil {
		return err
	}
	if pending, err := migrations.Pending(ctx, dialect.Postgres, p.db); err != nil || !pending {
		return err
	}
	settings = settings.Copy()
	settings.AfterConnect = s.ApplyForMigration
	db := stdlib.OpenDB(*settings)
	defer func() { _ = db.Close() }()
	return migrations.Up(ctx, dialect.Postgres, db, migrations.NewLock(s), c.Logger)
}

// workLimit bounds work without a deadline, such as that of workers: a transaction with all its attempts, or one statement
// outside a transaction. PostgreSQL's own timeouts are half as long; work that takes longer waits for a server that does
// not answer.
const workLimit = 30 * time.Second

// bounded gives work a deadline unless it has one.
func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, set := ctx.Deadline(); set {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, workLimit)
}

// singly runs statements outside of transactions: each has a deadline, and runs again like a transaction. Where the default
// isolation level is SERIALIZABLE, PostgreSQL also rolls back single statements, even those that only read.
type singly struct{ *postgres }

// ExecContext implements entsql.ExecQuerier.
func (p singly) ExecContext(ctx context.Context, query string, args ...any) (result sql.Result, err error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	err = p.again(ctx, func() (err error) {
		result, err = p.db.ExecContext(ctx, query, args...)
		return err
	})
	return result, err
}

// QueryContext implements entsql.ExecQuerier. The deadline outlasts the call, because the rows are read after it. Errors of
// the first row come from the call.
func (p singly) QueryContext(ctx context.Context, query string, args ...any) (rows *sql.Rows, err error) {
	if _, set := ctx.Deadline(); !set {
		limited, cancel := context.WithTimeout(ctx, workLimit)
		context.AfterFunc(limited, cancel)
		ctx = limited
	}
	err = p.again(ctx, func() (err error) {
		rows, err = p.db.QueryContext(ctx, query, args...) //nolint:rowserrcheck // the caller does //nolint:sqlclosecheck // the caller does
		return err
	})
	return rows, err
}

// write implements engine: a transaction, again while PostgreSQL asks for it, in turn with others that run again.
func (p *postgres) write(ctx context.Context, work Work) error {
	if ctx.Value(p) != nil {
		return ErrNested
	}
	p.Waiting.Add(1)
	defer p.Waiting.Add(-1)
	p.Writes.Add(1)
	ctx, cancel := bounded(context.WithValue(ctx, p, true))
	defer cancel()
	held := false
	defer func() {
		if held {
			<-p.turn
		}
	}()
	return p.again(ctx, func() error {
		err := p.transact(ctx, work)
		if !held && collided(err) {
			select {
			case p.turn <- struct{}{}:
				held = true
			case <-ctx.Done():
			}
		}
		return err
	})
}

// again runs work until it succeeds, or fails with an error after which PostgreSQL does not want another attempt. There is a pause before
// each further one.
func (p *postgres) again(ctx context.Context, work func() error) error {
	for attempt := 1; ; attempt++ {
		if err := work(); err == nil || attempt == attempts || !retryable(err) {
			return err
		}
		p.Retries.Add(1)
		if err := pause.For(ctx, between(attempt)); err != nil {
			return err
		}
	}
}

// sends is how often a statement is sent over another connection if one turns out to be closed.
const sends = 3

// overAnother runs send, over another connection if the one that it got turns out to be closed.
func overAnother(send func() error) (err error) {
	for range sends {
		if err = send(); err == nil || !pgconn.SafeToRetry(err) && !errors.Is(err, driver.ErrBadConn) {
			break
		}
	}
	return err
}

// retryable says whether PostgreSQL rolled back a transaction that may succeed when it runs again. A statement outside of
// transactions is one.
func retryable(err error) bool {
	var e *pgconn.PgError
	// feature_not_supported: a cached plan met a table that has been migrated; the driver has now dropped it
	return collided(err) || errors.As(err, &e) && e.Code == "0A000"
}

// collided says whether a transaction was rolled back for the sake of another one.
func collided(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == "40001" || e.Code == "40P01") // serialization_failure, deadlock_detected
}

// between is how long to wait after an attempt, longer each time, and a random time so that two transactions do not collide
// again: 1–2 ms at first, 64–128 ms from the seventh time on.
func between(attempt int) time.Duration {
	base := time.Millisecond << min(attempt-1, 6)
	return base + rand.N(base)
}

// snapshot implements engine.
func (p *postgres) snapshot(ctx context.Context, work Work) error {
	if ctx.Value(p) != nil {
		return ErrNested
	}
	ctx, cancel := bounded(ctx)
	defer cancel()
	return lending.Read(ctx, p.db, dialect.Postgres, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}, work)
}

// Ping says whether the server answers, and has our tables.
func (p *postgres) Ping(ctx context.Context) error {
	var one int
	return Classify(p.db.QueryRowContext(ctx, "SELECT 1 FROM goose_db_version LIMIT 1").Scan(&one))
}

// Close waits for the connections that are in use and closes all.
func (p *postgres) Close() error {
	err := p.db.Close()
	p.pool.Close()
	p.watch.End()
	return err
}
