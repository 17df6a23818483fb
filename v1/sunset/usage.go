package sunset

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"sellerd/ent"
	"sellerd/ent/legacyusage"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// Ends is the instant from which the legacy interface answers 410: 5 October 2027, midnight UTC.
const Ends wire.Time = 1_822_694_400_000_000

// UsageDays is how many days of usage are kept and shown, besides the current day.
const UsageDays = 30

// UsesEnd is the instant until which the first and the last use of the calls are kept: 90 days after the end.
const UsesEnd = Ends + wire.Time(90*24*time.Hour/time.Microsecond)

// UsageConfig is what a Usage is made of. All fields but Successors are mandatory.
type UsageConfig struct {
	// Store is the database.
	Store interface {
		// Reader reads outside transactions.
		Reader() *ent.Client
		// Write runs fn in one transaction, more than once if need be, and returns after the commit is durable.
		Write(ctx context.Context, fn func(ctx context.Context, tx *ent.Client) error) error
	}
	// Clock gives the current time.
	Clock interface{ Now() time.Time }
	// Uptime is how long the process has run.
	Uptime func() time.Duration
	// TrustClock fails when the clock moved while the process ran. Then nothing is deleted for its age.
	TrustClock func() error
	// Logger gets what the operator should look at.
	Logger *slog.Logger
	// BaseURL is where the migration guide is reached, without a trailing slash.
	BaseURL string
	// Successors are the operations that follow the calls, by the calls' ids; empty for none.
	Successors map[string]LegacySuccessor
	// KeyPrefix is the part of a key of /v1 that can be shown, given the key's id and its owner.
	KeyPrefix func(owner int64, keyID string) string
	// OwnerOf is the owner of an account's rows in a mode, and AccountOf the account and the mode of an owner.
	OwnerOf   func(account int64, test bool) int64
	AccountOf func(owner int64) (account int64, mode string)
}

// Usage counts what sellers still do on the legacy interface by call, key and day, and keeps the first and the last use. What
// is not stored yet is in memory, and is lost when the process is killed. It is safe for concurrent use.
type Usage struct {
	config   UsageConfig
	book     usageBook[usageRow]
	seen     usageBook[shownRow] // calls whose key is not looked up yet, and was valid before
	strange  usageBook[shownRow] // calls whose key is not looked up yet, and was not
	valid    validKeys
	requests usageBook[requestRow]

	callsLost, strangeLost, requestsLost lost

	requestsStored atomic.Int64 // the uptime at which the counts of requests were last stored
}

// NewUsage makes a Usage that has counted nothing.
func NewUsage(c UsageConfig) *Usage {
	u := &Usage{config: c}
	u.book.room, u.seen.room, u.strange.room, u.requests.room = maxUsageRows, maxUsageRows, maxStrange, maxRequestRows
	u.callsLost.tell(c.Logger, "legacy calls are missing in the usage: too many keys and calls at once", "calls", maxUsageRows)
	u.strangeLost.tell(c.Logger, "legacy calls with keys that were never seen are missing in the usage, if the keys are valid: too many at once", "calls", maxStrange)
	u.requestsLost.tell(c.Logger, "requests are missing in the share of the legacy interface: too many callers at once", "requests",
		maxRequestRows)
	u.requestsStored.Store(int64(-time.Minute))
	return u
}

// UsedCall is a call of the legacy interface.
type UsedCall struct {
	Call  string   // its id, such as item-create
	Lossy []string // its fields that were not translated unchanged
	Drill bool     // it met a drill
}

// Count counts a call of an owner with a key. Flush stores it.
func (u *Usage) Count(owner int64, keyID string, c UsedCall) {
	now := u.now()
	u.book.add(usageRow{owner, dayOf(now), c.Call, keyID}, c.at(now))
}

// at is the count of one call.
func (c UsedCall) at(now wire.Time) usageCount {
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
		if err := storeUsage(ctx, tx, counts); err != nil {
			return err
		}
		if err := storeUses(ctx, tx, uses); err != nil {
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

// storeUsage writes rows in a fixed order, so two processes cannot deadlock. Written rows are locked, so the union of lossy
// fields loses none.
func storeUsage(ctx context.Context, tx *ent.Client, counts map[usageRow]*usageCount) error {
	rows := make([]usageRow, 0, len(counts))
	for row := range counts {
		rows = append(rows, row)
	}
	slices.SortFunc(rows, usageRow.compare)
	set := make([]any, 0, 7*len(rows))
	for _, row := range rows {
		count := counts[row]
		set = append(set, row.owner, row.day, row.call, row.key, count.calls, int64(count.last), lossyText(count.lossy))
	}
	grown := map[usageRow][]string{}
	err := addUsage.Query(ctx, tx, set, func(result *sql.Rows) error {
		var row usageRow
		var stored string
		if err := result.Scan(&row.owner, &row.day, &row.call, &row.key, &stored); err != nil {
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
		err := tx.LegacyUsage.Update().
			Where(legacyusage.Owner(row.owner), legacyusage.Day(row.day), legacyusage.Call(row.call), legacyusage.KeyID(row.key)).
			SetLossyFields(lossyText(lossy)).Exec(ctx)
		if err != nil {
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
	if err := json.Unmarshal([]byte(text), &lossy); err != nil {
		return nil, fmt.Errorf("read lossy fields: %w", err)
	}
	return lossy, nil
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
