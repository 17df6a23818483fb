package standby

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"sellerd/internal/base/combine"
	"sellerd/internal/base/pause"
	"sellerd/internal/store/connect"
	"sellerd/internal/store/fault"
)

// The limits of a read at the standby.
const (
	// catchUpLimit bounds everything before the read itself: the question to the primary, the wait for a connection, and the
	// wait for the standby to replay. After that the read goes to the primary.
	catchUpLimit = 50 * time.Millisecond
	// standbyReadLimit bounds the read. One that takes longer goes to the primary.
	standbyReadLimit = 2 * time.Second
	// positionLimit bounds the statement at the primary, which may outlast the read that asked.
	positionLimit = time.Second
	// firstPause is how long a read waits before it asks a standby again that is not there yet. Each pause is twice the one
	// before.
	firstPause = 250 * time.Microsecond
)

// These are the reasons why a read goes to the primary.
var (
	errLate     = errors.New("the standby is behind")
	errBusy     = errors.New("all connections to the standby are in use")
	errPosition = errors.New("the primary does not say its position")
	errUnstored = errors.New("the primary acknowledges changes before they are on its disk: set synchronous_commit to on")
	errPromoted = errors.New("the server is not a standby")
	errHistory  = errors.New("the standby is not known to be on the timeline of the primary")
	errForeign  = errors.New("the standby is not a copy of the primary's database")
)

// position is how far the primary's log is on its disk.
type position struct {
	at       uint64
	timeline uint32
	stored   bool // changes are on the disk before they are acknowledged
}

// positionQuery asks the primary. The name of a file of the log begins with the timeline, in hexadecimal digits.
const positionQuery = `SELECT (p - '0/0'::pg_lsn)::bigint, ('x' || left(pg_walfile_name(p), 8))::bit(32)::bigint, current_setting('synchronous_commit') <> 'off'
 FROM pg_current_wal_flush_lsn() AS p`

// replayedQuery asks the standby how far it is.
const replayedQuery = `SELECT pg_is_in_recovery(), coalesce((pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint, 0)`

// copyQuery names a database with everything that a standby has in common with its primary, and nothing else has.
const copyQuery = `SELECT concat_ws(' ', (SELECT system_identifier FROM pg_control_system()), (SELECT oid FROM pg_database WHERE datname = current_database()), current_schema())`

// timelineQuery asks the standby for the last timeline that it has surely replayed something of: it is written down from
// time to time only, so it may be too low, but never too high.
const timelineQuery = `SELECT greatest(c.timeline_id, r.min_recovery_end_timeline)::bigint FROM pg_control_checkpoint() AS c, pg_control_recovery() AS r`

// standby is a server that follows the primary.
type standby struct {
	primary   Primary
	pool      *pgxpool.Pool
	db        *sql.DB // over the pool
	watch     *connect.Watch
	positions *combine.Combiner[struct{}, *inquiry]
	copyOf    string // what the primary answers to copyQuery; set by the first inspection
	log       *slog.Logger
	attendance
}

// inquiry is one read's question for the position.
type inquiry struct {
	position position
	err      error
}

// open prepares connections to the standby, and inspects it.
func open(ctx context.Context, primary Primary, settings *pgxpool.Config, log *slog.Logger) (_ *standby, err error) {
	if settings.MinConns == 0 { // a read has no time to connect
		settings.MinConns = settings.MaxConns
	}
	s := &standby{primary: primary, watch: connect.NewWatch(log), log: log}
	s.positions = combine.New(mostInquiries, s.ask)
	session := connect.TakeSession(settings.ConnConfig, log)
	settings.ConnConfig.RuntimeParams["default_transaction_isolation"] = "repeatable read" // a standby refuses to be SERIALIZABLE
	settings.BeforeConnect = func(_ context.Context, connecting *pgx.ConnConfig) error {
		s.watch.Attend(&connecting.Config, session.ApplyDirectly)
		return nil
	}
	if s.pool, err = pgxpool.NewWithConfig(ctx, settings); err != nil {
		s.watch.End()
		return nil, fmt.Errorf("store: %w", err)
	}
	s.watch.WhenCut(s.pool.Reset)
	s.db = stdlib.OpenDBFromPool(s.pool)
	s.attend(ctx)
	return s, nil
}

func (s *standby) close() error {
	s.cancel()
	s.ended.Wait()
	err := s.db.Close()
	s.pool.Close()
	s.watch.End()
	return err
}

// mostInquiries is how many reads share one question to the primary.
const mostInquiries = 1 << 16

// ask asks the primary for a group of reads. Reads that come after Take have to wait for the next answer: this one may have
// been made before they began.
func (s *standby) ask(_ struct{}, group *combine.Group[*inquiry]) {
	members := group.Take()
	ctx, cancel := context.WithTimeout(context.Background(), positionLimit)
	defer cancel()
	var p position
	err := s.primary.Ask(ctx, positionQuery, &p.at, &p.timeline, &p.stored)
	for _, m := range members {
		m.position, m.err = p, err
	}
}

// position asks the primary for its position, together with the other reads that wait.
func (s *standby) position(ctx context.Context) (position, error) {
	asked := &inquiry{}
	err := s.positions.Do(ctx, struct{}{}, asked)
	if err == nil {
		err = asked.err // else it belongs to the group
	}
	switch {
	case err != nil:
		return position{}, fmt.Errorf("%w: %w", errPosition, err)
	case !asked.position.stored:
		return position{}, errUnstored
	}
	return asked.position, nil
}

// try runs a read at the standby, and says whether it was answered there.
func (s *standby) try(ctx context.Context, read func(ctx context.Context, conn *sql.Conn) error) bool {
	if s.out.Load() {
		s.count(errOut)
		return false
	}
	err := s.run(ctx, read)
	if ctx.Err() == nil { // else the caller has gone, which says nothing of the standby
		s.count(err)
	}
	return err == nil
}

// run waits for the standby, and runs a read over the connection on which it was found to be there.
func (s *standby) run(ctx context.Context, read func(ctx context.Context, conn *sql.Conn) error) error {
	waiting, cancel := context.WithTimeout(ctx, catchUpLimit)
	defer cancel()
	want, err := s.position(waiting)
	if err != nil {
		return err
	}
	conn, err := s.db.Conn(waiting)
	if err != nil {
		if use := s.pool.Stat(); use.AcquiredConns() == use.MaxConns() {
			return errBusy
		}
		return err
	}
	defer func() { _ = conn.Close() }()
	if err := raw(conn, func(conn *pgx.Conn) error { return s.catchUp(waiting, conn, want) }); err != nil {
		return err
	}
	ctx, done := context.WithTimeout(ctx, standbyReadLimit)
	defer done()
	return read(ctx, conn)
}

// catchUp returns when the standby behind a connection has replayed the log up to a position.
func (s *standby) catchUp(ctx context.Context, conn *pgx.Conn, want position) error {
	if err := s.prove(ctx, conn, want.timeline); err != nil {
		return err
	}
	for wait := firstPause; ; wait *= 2 {
		var recovering bool
		var replayed uint64
		if err := conn.QueryRow(ctx, replayedQuery).Scan(&recovering, &replayed); err != nil {
			return err
		}
		if !recovering {
			return errPromoted
		}
		s.behind.Store(max(want.at, replayed) - replayed)
		if replayed >= want.at {
			return nil
		}
		if pause.For(ctx, wait) != nil {
			return errLate
		}
	}
}

// provenKey is where a connection notes the timeline for which its server has been proven.
const provenKey = "sellerd: proven timeline"

// prove makes sure that positions on a timeline of the primary mean the same behind a connection. Once proven it stays so: a
// standby that has begun a timeline does not leave it for an earlier one.
func (s *standby) prove(ctx context.Context, conn *pgx.Conn, timeline uint32) error {
	notes := conn.PgConn().CustomData()
	if proven, ok := notes[provenKey].(uint32); ok && proven == timeline {
		return nil
	}
	var copyOf string
	if err := conn.QueryRow(ctx, copyQuery).Scan(&copyOf); err != nil {
		return err
	}
	if copyOf != s.copyOf {
		return errForeign
	}
	var replaying uint32
	if err := conn.QueryRow(ctx, timelineQuery).Scan(&replaying); err != nil {
		return err
	}
	if replaying != timeline {
		return errHistory
	}
	notes[provenKey] = timeline
	return nil
}

// inspectionLimit bounds an inspection without the wait for the standby to replay.
const inspectionLimit = 2 * time.Second

// inspect finds out whether reads can go to the standby. It has time to connect, but the standby must be there as quickly
// as reads want it.
func (s *standby) inspect(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, inspectionLimit)
	defer cancel()
	if s.copyOf == "" {
		var known string
		if err := s.primary.Ask(ctx, copyQuery, &known); err != nil {
			return fmt.Errorf("%w: %w", errPosition, err)
		}
		s.copyOf = known
	}
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	want, err := s.position(ctx)
	if err != nil {
		return err
	}
	soon, cancel := context.WithTimeout(ctx, catchUpLimit)
	defer cancel()
	return s.catchUp(soon, conn.Conn(), want)
}

// replaying says whether a standby has cancelled a statement to go on replaying. It says nothing of the next statement.
func replaying(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && fault.BusyCode(e.Code)
}
