package sunset

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"sellerd/ent"
	"sellerd/ent/legacyusage"
	"sellerd/internal/base/wrap"
	"sellerd/v1/core"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// UsesEnd is the instant until which the first and the last use of the calls are kept: 90 days after the end.
const UsesEnd = LegacySunset + wire.Time(90*24*time.Hour/time.Microsecond)

// Usage counts what sellers still do on the legacy interface by call, key and day, and keeps the first and the last use. What
// is not stored yet is in memory, and is lost when the process is killed. It is safe for concurrent use.
type Usage struct {
	config     core.Config
	trustClock func() error               // fails when the clock moved while the process ran: then nothing is deleted for its age
	successors map[string]LegacySuccessor // the operations that follow the calls, by the calls' ids; empty for none

	book     usageBook[usageRow]
	seen     usageBook[shownRow] // calls whose key is not looked up yet, and was valid before
	strange  usageBook[shownRow] // calls whose key is not looked up yet, and was not
	valid    validKeys
	requests usageBook[requestRow]

	callsLost, strangeLost, requestsLost lost

	requestsStored atomic.Int64 // the uptime at which the counts of requests were last stored
}

// NewUsage makes a Usage that has counted nothing.
func NewUsage(c core.Config, trustClock func() error, successors map[string]LegacySuccessor) *Usage {
	u := &Usage{config: c, trustClock: trustClock, successors: successors}
	u.book.room, u.seen.room, u.strange.room, u.requests.room = maxUsageRows, maxUsageRows, maxStrange, maxRequestRows
	u.callsLost.tell(c.Logger, "legacy calls are missing in the usage: too many keys and calls at once", "calls", maxUsageRows)
	u.strangeLost.tell(c.Logger, "legacy calls with keys that were never seen are missing in the usage, if the keys are valid: too many at once", "calls", maxStrange)
	u.requestsLost.tell(c.Logger, "requests are missing in the share of the legacy interface: too many callers at once", "requests",
		maxRequestRows)
	u.requestsStored.Store(int64(-time.Minute))
	return u
}

// Count counts a call of a known owner. Flush stores it.
func (u *Usage) Count(c LegacyCall) {
	now := u.now()
	u.book.add(usageRow{int64(c.Owner), dayOf(now), c.Call, c.KeyID}, c.at(now))
}

// at is the count of one call.
func (c LegacyCall) at(now wire.Time) usageCount {
	one := usageCount{calls: 1, first: now, last: now, lossy: c.Lossy}
	if c.Drill {
		one.drilled = now
	}
	return one
}

func (u *Usage) now() wire.Time { return wire.TimeOf(u.config.Clock.Now()) }

// dayOf is the days since 1970 UTC.
func dayOf(t wire.Time) int64 { return int64(t) / (24 * time.Hour).Microseconds() }

// addUsage adds to what is counted, and yields the lossy fields that are known: what stood there, else what is given. It is
// by hand, because builders have neither ON CONFLICT nor RETURNING.
var addUsage = rows.NewSet(`INSERT INTO `+legacyusage.Table+` (`+usageColumns+`)
 SELECT `+usageColumns+` FROM given WHERE `+legacyusage.FieldOwner+` IS NOT NULL
 ON CONFLICT (`+usageKey+`) DO UPDATE SET `+legacyusage.FieldCount+` = `+storedCount+` + excluded.`+legacyusage.FieldCount+`,
 `+legacyusage.FieldLastUsedAt+` = CASE WHEN excluded.`+legacyusage.FieldLastUsedAt+` > `+storedLast+` THEN excluded.`+legacyusage.FieldLastUsedAt+` ELSE `+storedLast+` END
 RETURNING `+usageKey+`, `+legacyusage.FieldLossyFields,
	legacyusage.FieldOwner+" bigint", legacyusage.FieldDay+" bigint", legacyusage.FieldCall+" text", legacyusage.FieldKeyID+" text",
	legacyusage.FieldCount+" bigint", legacyusage.FieldLastUsedAt+" bigint", legacyusage.FieldLossyFields+" text")

const (
	storedCount = legacyusage.Table + "." + legacyusage.FieldCount
	storedLast  = legacyusage.Table + "." + legacyusage.FieldLastUsedAt
)

// usageKey are the columns that identify a row, and usageColumns all that are written.
var (
	usageKey     = strings.Join([]string{legacyusage.FieldOwner, legacyusage.FieldDay, legacyusage.FieldCall, legacyusage.FieldKeyID}, ", ")
	usageColumns = usageKey + ", " + strings.Join([]string{legacyusage.FieldCount, legacyusage.FieldLastUsedAt, legacyusage.FieldLossyFields},
		", ")
)

// Flush stores the new counts and returns the number of rows of calls. Counts that cannot be stored are kept for the next
// time.
func (u *Usage) Flush(ctx context.Context) (int, error) {
	n, err := u.flushCalls(ctx)
	return n, cmp.Or(err, u.flushRequests(ctx))
}

func (u *Usage) flushCalls(ctx context.Context) (int, error) {
	err := u.learnStored(ctx)
	early, err2 := u.recognise(ctx)
	err = cmp.Or(err, err2)
	counts, over := u.book.take()
	u.callsLost.note(early + over)
	if len(counts) == 0 {
		return 0, err
	}
	uses := usesOf(counts)
	stored := u.config.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		if err := usageDays.store(ctx, tx, counts); err != nil {
			return err
		}
		if err := usageUses.store(ctx, tx, uses); err != nil {
			return err
		}
		return storeLegacyRequests(ctx, tx, counts)
	})
	if stored != nil {
		u.book.putBack(counts)
		return 0, fmt.Errorf("store legacy usage: %w", stored)
	}
	return len(counts), err
}

// usageDays are the counts by day.
var usageDays = usageTable[usageRow]{
	add: addUsage, compare: usageRow.compare,
	values: func(row usageRow, count *usageCount) []any {
		return []any{row.owner, row.day, row.call, row.key, count.calls, int64(count.last), lossyText(count.lossy)}
	},
	key: func(row *usageRow) []any { return []any{&row.owner, &row.day, &row.call, &row.key} },
	setLossy: func(ctx context.Context, tx *ent.Client, row usageRow, lossy string) error {
		return tx.LegacyUsage.Update().
			Where(legacyusage.Owner(row.owner), legacyusage.Day(row.day), legacyusage.Call(row.call), legacyusage.KeyID(row.key)).
			SetLossyFields(lossy).Exec(ctx)
	},
}

// usageTable is a table of counts with lossy fields.
type usageTable[Row comparable] struct {
	add      *rows.Set // yields the keys of the rows with the lossy fields that are known
	compare  func(a, b Row) int
	values   func(Row, *usageCount) []any
	key      func(*Row) []any // for Scan
	setLossy func(ctx context.Context, tx *ent.Client, row Row, lossy string) error
}

// store writes rows in a fixed order, so two processes cannot deadlock. Written rows are locked, so the union of lossy
// fields loses none.
func (t *usageTable[Row]) store(ctx context.Context, tx *ent.Client, counts map[Row]*usageCount) error {
	set := make([]any, 0, t.add.Width*len(counts))
	for _, row := range slices.SortedFunc(maps.Keys(counts), t.compare) {
		set = append(set, t.values(row, counts[row])...)
	}
	grown := map[Row][]string{}
	err := t.add.Query(ctx, tx, set, func(result *sql.Rows) error {
		var row Row
		var stored string
		if err := result.Scan(append(t.key(&row), &stored)...); err != nil {
			return err
		}
		known, err := lossyOf(stored)
		if err != nil {
			return err
		}
		if all := withLossy(known, counts[row].lossy); len(all) > len(known) {
			grown[row] = all
		}
		return nil
	})
	if err != nil {
		return err
	}
	for row, lossy := range grown {
		if err := t.setLossy(ctx, tx, row, lossyText(lossy)); err != nil {
			return err
		}
	}
	return nil
}

// lossyText is a list of fields as it is stored: JSON, and nothing for none.
func lossyText(lossy []string) string {
	if len(lossy) == 0 {
		return ""
	}
	return string(wire.EncodeJSON(nil, &lossy))
}

func lossyOf(text string) (lossy []string, err error) {
	if text == "" {
		return nil, nil
	}
	err = json.Unmarshal([]byte(text), &lossy)
	return lossy, wrap.Err(err, "read lossy fields")
}

// Keep is the worker's step: it stores the counts and purges old ones. After a flush the next one is not due at once. The
// counts of requests are stored once a minute.
func (u *Usage) Keep(ctx context.Context) (int, error) {
	_, err1 := u.flushCalls(ctx)
	var err2 error
	if u.config.Uptime()-time.Duration(u.requestsStored.Load()) >= time.Minute {
		err2 = u.flushRequests(ctx)
	}
	purged, err3 := u.Purge(ctx)
	return purged, cmp.Or(err1, err2, err3)
}
