package delivery

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"strconv"
	"sync"
	"time"

	"sellerd/ent"
	entdelivery "sellerd/ent/delivery"
	"sellerd/ent/dispatch"
	"sellerd/ent/event"
	"sellerd/internal/base/crash"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// How long events, their deliveries and the receivers' answers are kept (docs/seller/webhook-deliveries.md, See what was sent).
const (
	EventRetention    = 30 * 24 * time.Hour
	ResponseRetention = 7 * 24 * time.Hour
)

// rowsInChunk is how many rows of a table one chunk of a walk has. It bounds the chunk's transaction.
const rowsInChunk = 1000

// retention is a rule about rows that are too old. It chooses rows by their own instants and not by their ids, because ids go on
// from a wrong clock, and other processes make them too.
type retention struct {
	what, table string
	keep        time.Duration
	old         string // the condition, where $3 is the instant before which rows are old
	change      string // what is done with old rows; those of dispatches the engine gives up
}

// retentions are in an order in which nothing loses what it needs: a dispatch ends before its delivery and its event do, and
// what is in flight keeps both.
var retentions = []retention{
	{
		what: "purge dispatches", table: dispatch.Table, keep: EventRetention,
		old: dispatch.FieldCreatedAt + ` < $3 AND ` + dispatch.FieldStatus + ` <> '` + DispatchLeased + `'`,
	},
	{
		what: "purge deliveries", table: entdelivery.Table, keep: EventRetention, change: `DELETE FROM ` + entdelivery.Table,
		old: entdelivery.FieldCreatedAt + ` < $3
 AND NOT EXISTS (SELECT 1 FROM ` + dispatch.Table + ` d WHERE d.` + dispatch.FieldID + ` = ` + entdelivery.Table + `.` + entdelivery.FieldDispatchID + `
 AND d.` + dispatch.FieldDeliveryID + ` = ` + entdelivery.Table + `.` + entdelivery.FieldID + `)`,
	},
	{
		what: "purge events", table: event.Table, keep: EventRetention, change: `DELETE FROM ` + event.Table,
		// The order is that of one index: without it, PostgreSQL would read all deliveries of the owner while it takes the table
		// to be empty. "+ 0" keeps the index of the feed out, which would have the events sorted.
		old: event.FieldCreatedAt + ` + 0 < $3
 AND (SELECT v.` + entdelivery.FieldID + ` FROM ` + entdelivery.Table + ` v WHERE v.` + entdelivery.FieldOwner + ` = ` + event.Table + `.` + event.FieldOwner + `
 AND v.` + entdelivery.FieldEventID + ` >= ` + event.Table + `.` + event.FieldID + ` AND v.` + entdelivery.FieldEventID + ` <= ` + event.Table + `.` + event.FieldID + `
 AND ` + rows.Hidden("v."+entdelivery.FieldStatus) + ` = '` + Sending + `'
 ORDER BY ` + columns("v", entdelivery.FieldEventID, entdelivery.FieldCreatedAt, entdelivery.FieldID) + ` LIMIT 1) IS NULL`,
	},
}

// forgetResponses empties what receivers answered long ago, counted from when the attempt began.
var forgetResponses = retention{
	what: "forget responses", table: entdelivery.Table, keep: ResponseRetention,
	change: `UPDATE ` + entdelivery.Table + ` SET ` + entdelivery.FieldResponseBody + ` = ''`,
	old:    entdelivery.FieldStartedAt + ` < $3 AND ` + entdelivery.FieldResponseBody + ` <> ''`,
}

// PurgeOnce takes a step through what is kept of events and deliveries, deletes what is too old, and says how many rows
// it changed.
func (e *Engine) PurgeOnce(ctx context.Context) (int, error) {
	if err := e.config.TrustClock(); err != nil {
		return 0, err
	}
	changed := 0
	for i := range retentions {
		n, err := e.walk(ctx, &retentions[i])
		changed += n
		if err != nil {
			return changed, err
		}
	}
	crash.At(crash.AfterPurge)
	n, err := e.walk(ctx, &forgetResponses)
	return changed + n, err
}

// stepChunks is how many chunks of a table a step looks at. No index gives the oldest rows of all owners, so each walk goes
// through its table by the primary key, round and round: with a step a minute through 14 million rows a day, and at once
// to the next step where something is old.
const stepChunks = 10

// walks remember how far each retention has come; after a start they begin anew.
type walks struct {
	mu   sync.Mutex
	last map[*retention]int64 // the last id looked at
}

// walk applies a retention to the next rows of its table.
func (e *Engine) walk(ctx context.Context, r *retention) (changed int, err error) {
	e.walks.mu.Lock()
	defer e.walks.mu.Unlock()
	after, begun := e.walks.last[r]
	if !begun {
		after = math.MinInt64
	}
	before := int64(e.now().Add(-r.keep))
	for range stepChunks {
		until, n, err := e.applyTo(ctx, r, after, before)
		if err != nil {
			return changed, fmt.Errorf("%s: %w", r.what, err)
		}
		changed += n
		if until == math.MaxInt64 { // the end: once more from the beginning, but in the next step
			delete(e.walks.last, r)
			return changed, nil
		}
		after = until
		e.walks.last[r] = after
	}
	return changed, nil
}

// applyTo applies a retention to the chunk that follows an id, and says where it ends. Looking for what is old holds no
// lock; a chunk without any costs no transaction.
func (e *Engine) applyTo(ctx context.Context, r *retention, after, before int64) (until int64, changed int, err error) {
	until = math.MaxInt64
	err = rows.Query(ctx, e.config.Store.Reader(), r.chunk(), []any{after},
		func(rows *sql.Rows) error { return rows.Scan(&until) })
	if err != nil {
		return 0, 0, err
	}
	args := []any{after, until, before}
	found := false
	err = rows.Query(ctx, e.config.Store.Reader(), r.anyOld(), args, func(*sql.Rows) error { found = true; return nil })
	if err != nil || !found {
		return until, 0, err
	}
	err = e.config.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) (err error) {
		if r.change == "" {
			changed, err = e.giveUpOld(ctx, tx, after, until, wire.Time(before))
		} else {
			changed, err = rows.Affect(ctx, tx, e.retire(r), args...)
		}
		crash.At(crash.MidPurge)
		return err
	})
	return until, changed, err
}

// rowID is the primary key of each table that has a retention.
const rowID = event.FieldID

// chunk finds the last id of the chunk that follows an id.
func (r *retention) chunk() string {
	return `SELECT ` + rowID + ` FROM ` + r.table + ` WHERE ` + rowID + ` > $1 ORDER BY ` + rowID + ` LIMIT 1 OFFSET ` + strconv.Itoa(rowsInChunk-1)
}

// anyOld finds a row of a chunk that is old.
func (r *retention) anyOld() string {
	return `SELECT ` + rowID + ` FROM ` + r.table + r.where() + ` ORDER BY ` + rowID + ` LIMIT 1`
}

func (r *retention) where() string {
	return ` WHERE ` + rowID + ` > $1 AND ` + rowID + ` <= $2 AND ` + r.old
}

// retire is the statement that changes the old rows of a chunk. Rows that another transaction has locked are left for the next round, so
// that two transactions never wait for each other. On PostgreSQL rows are found by their places, for the reason that rows.Sets gives, and
// known by their ids: in a table that is kept in partitions, rows of different partitions have the same place.
func (e *Engine) retire(r *retention) string {
	old := ` FROM ` + r.table + r.where() + ` ORDER BY ` + rowID
	if !e.postgres {
		return r.change + ` WHERE ` + e.chosen(`SELECT %s`+old)
	}
	return `WITH old AS MATERIALIZED (` + e.config.Store.SkipLocked(`SELECT `+rowID+`, ctid AS place`+old) + `) ` + r.change +
		` WHERE ctid = ANY(ARRAY(SELECT place FROM old)) AND ` + rowID + ` + 0 IN (SELECT ` + rowID + ` FROM old)`
}
