package sunset

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
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
	// TrustClock fails when the clock moved while the process ran. Then nothing is deleted for its age.
	TrustClock func() error
	// Logger gets what the operator should look at.
	Logger *slog.Logger
	// BaseURL is where the migration guide is reached, without a trailing slash.
	BaseURL string
	// Successors are the operations that follow the calls, by the calls' ids; empty for none.
	Successors map[string]LegacySuccessor
}

// Usage counts what sellers still do on the legacy interface by call, key and day. What is not stored yet is in memory, and
// is lost when the process is killed. It is safe for concurrent use.
type Usage struct {
	config UsageConfig
	book   usageBook
}

// NewUsage makes a Usage that has counted nothing.
func NewUsage(c UsageConfig) *Usage { return &Usage{config: c} }

// Count counts a call of an owner with a key. Call is its id, such as item-create; lossy are its fields that were not
// translated unchanged. Flush stores it.
func (u *Usage) Count(owner int64, call, keyID string, lossy []string) {
	now := u.now()
	u.book.add(usageRow{owner, dayOf(now), call, keyID}, usageCount{1, now, lossy})
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
	usageColumns = usageKey + ", " + strings.Join([]string{legacyusage.FieldCount, legacyusage.FieldLastUsedAt, legacyusage.FieldLossyFields}, ", ")
)

// Flush stores the new counts and returns the number of rows. Counts that cannot be stored are kept for the next time.
func (u *Usage) Flush(ctx context.Context) (int, error) {
	counts, over := u.book.take()
	if over > 0 {
		u.config.Logger.Error("legacy calls are missing in the usage: too many keys and calls at once", "calls", over, "rows", maxUsageRows)
	}
	if len(counts) == 0 {
		return 0, nil
	}
	err := u.config.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) error { return storeUsage(ctx, tx, counts) })
	if err != nil {
		for row, count := range counts {
			u.book.add(row, *count)
		}
		return 0, fmt.Errorf("store legacy usage: %w", err)
	}
	return len(counts), nil
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

// Keep is the worker's step: it stores the counts and purges old ones. After a flush the next one is not due at once.
func (u *Usage) Keep(ctx context.Context) (int, error) {
	_, err1 := u.Flush(ctx)
	purged, err2 := u.Purge(ctx)
	return purged, cmp.Or(err1, err2)
}

// purgeChunk bounds the transaction of one purge, in rows.
const purgeChunk = 1000

// purgeUsage is by hand, because a builder's DELETE has no LIMIT. Ids rise with the days, so the oldest rows are the first.
var purgeUsage = `DELETE FROM ` + legacyusage.Table + ` WHERE ` + legacyusage.FieldDay + ` < $1 AND ` + legacyusage.FieldID +
	` IN (SELECT ` + legacyusage.FieldID + ` FROM ` + legacyusage.Table + ` ORDER BY ` + legacyusage.FieldID + ` LIMIT ` + strconv.Itoa(purgeChunk) + `)`

// Purge deletes a chunk of the usage that is no longer shown, and returns the number of rows.
func (u *Usage) Purge(ctx context.Context) (int, error) {
	if err := u.config.TrustClock(); err != nil {
		return 0, err
	}
	kept := dayOf(u.now()) - UsageDays
	oldest, err := u.config.Store.Reader().LegacyUsage.Query().Order(ent.Asc(legacyusage.FieldID)).First(ctx)
	if ent.IsNotFound(err) || err == nil && oldest.Day >= kept {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("look for old legacy usage: %w", err)
	}
	purged := 0
	err = u.config.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) (err error) {
		purged, err = rows.Affect(ctx, tx, purgeUsage, kept)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("purge legacy usage: %w", err)
	}
	return purged, nil
}

// LegacyUsage is an account's use of the legacy interface in the key's mode.
type LegacyUsage struct {
	Sunset  wire.Time        `json:"sunset" doc:"from then on /rest answers 410"`
	Days    int              `json:"days" doc:"how many days are told, besides today"`
	Results []LegacyUsageRow `json:"results" doc:"the most frequent first"`
}

// LegacyUsageRow is an account's use of one call with one key.
type LegacyUsageRow struct {
	Call        string                    `json:"call" doc:"its id in the migration guide"`
	KeyPrefix   string                    `json:"key_prefix" doc:"of an imported key: legacy_ and its fingerprint"`
	Count       int64                     `json:"count" doc:"stored every few seconds"`
	FirstDay    string                    `json:"first_day" doc:"date in UTC"`
	LastUsedAt  wire.Time                 `json:"last_used_at"`
	LossyFields []string                  `json:"lossy_fields" doc:"fields used that /v1 does not take over as they are, at most 50"`
	Successor   wire.Opt[LegacySuccessor] `json:"successor" doc:"null when no single operation follows"`
	GuideURL    string                    `json:"guide_url"`
}

// LegacySuccessor is the operation that replaces a call.
type LegacySuccessor struct {
	Method string `json:"method"`
	Path   string `json:"path"`
}

// Report sums up an owner's usage over the days. Prefix is the part of a key of /v1 that can be shown, given the key's id.
func (u *Usage) Report(ctx context.Context, owner int64, prefix func(keyID string) string) (*LegacyUsage, error) {
	type source struct{ call, key string }
	sums := map[source]*LegacyUsageRow{}
	stored, err := u.config.Store.Reader().LegacyUsage.Query().
		Where(legacyusage.Owner(owner), legacyusage.DayGTE(dayOf(u.now())-UsageDays)).
		Order(ent.Asc(legacyusage.FieldDay, legacyusage.FieldCall, legacyusage.FieldKeyID)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("load legacy usage: %w", err)
	}
	for _, row := range stored {
		lossy, err := lossyOf(row.LossyFields)
		if err != nil {
			return nil, fmt.Errorf("load legacy usage: %w", err)
		}
		from := source{row.Call, row.KeyID}
		sum := sums[from]
		if sum == nil {
			sum = u.rowOf(row, prefix)
			sums[from] = sum
		}
		sum.Count += row.Count
		sum.LastUsedAt = max(sum.LastUsedAt, wire.Time(row.LastUsedAt))
		sum.LossyFields = withLossy(sum.LossyFields, lossy)
	}
	out := &LegacyUsage{Sunset: Ends, Days: UsageDays, Results: make([]LegacyUsageRow, 0, len(sums))}
	for _, sum := range sums {
		out.Results = append(out.Results, *sum)
	}
	slices.SortFunc(out.Results, func(a, b LegacyUsageRow) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Call, b.Call), cmp.Compare(a.KeyPrefix, b.KeyPrefix))
	})
	return out, nil
}

// rowOf is a row with only its first day.
func (u *Usage) rowOf(first *ent.LegacyUsage, prefix func(keyID string) string) *LegacyUsageRow {
	row := &LegacyUsageRow{
		Call: first.Call, FirstDay: time.Unix(first.Day*24*60*60, 0).UTC().Format(time.DateOnly),
		GuideURL: u.config.BaseURL + "/migration#" + first.Call,
	}
	if IsKeyID(first.KeyID) {
		row.KeyPrefix = KeyPrefix + "_" + first.KeyID
	} else {
		row.KeyPrefix = prefix(first.KeyID)
	}
	if successor := u.config.Successors[first.Call]; successor != (LegacySuccessor{}) {
		row.Successor = wire.Some(successor)
	}
	return row
}
