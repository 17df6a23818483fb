package v1

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"sellerd/ent"
	"sellerd/ent/legacyusage"
	"sellerd/v1/rows"
)

// This file is what a seller still does on the legacy interface: counted by call, key and day (sunset_usage_book.go holds what is
// not stored yet), and told as a list of what is left to move.

// LegacySunset is the instant from which the legacy interface answers 410: 5 October 2027, midnight UTC.
const LegacySunset Time = 1_822_694_400_000_000

// LegacyUsageDays is how many days of usage are kept and shown, besides the current day.
const LegacyUsageDays = 30

// GetLegacyUsage is the endpoint that tells sellers what is left to move.
var GetLegacyUsage = op("GetLegacyUsage", "GET", "/v1/account/legacy-usage", 200, (*Service).getLegacyUsage, since("1.2.0"),
	doc("Tells which calls of the deprecated interface you still make, and what takes their place."))

// LegacyCall is one call of the legacy interface.
type LegacyCall struct {
	Owner Owner
	KeyID string
	Call  string   // its id, such as item-create
	Lossy []string // its fields that were not translated unchanged
}

// CountLegacyCall counts a call, in memory until FlushLegacyUsageOnce.
func (s *Service) CountLegacyCall(u LegacyCall) {
	now := s.now()
	s.usage.add(usageRow{u.Owner, dayOf(now), u.Call, u.KeyID}, usageCount{1, now, u.Lossy})
}

// dayOf is the days since 1970 UTC.
func dayOf(t Time) int64 { return int64(t) / (24 * time.Hour).Microseconds() }

// addUsage adds to what is counted, and yields the lossy fields that are known: what stood there, else what is given.
var addUsage = rows.NewSet(`INSERT INTO legacy_usage (owner, day, call, key_id, count, last_used_at, lossy_fields)
 SELECT owner, day, call, key_id, count, last_used_at, lossy_fields FROM given WHERE owner IS NOT NULL
 ON CONFLICT (owner, day, call, key_id) DO UPDATE SET count = legacy_usage.count + excluded.count,
 last_used_at = CASE WHEN excluded.last_used_at > legacy_usage.last_used_at THEN excluded.last_used_at ELSE legacy_usage.last_used_at END
 RETURNING owner, day, call, key_id, lossy_fields`,
	"owner bigint", "day bigint", "call text", "key_id text", "count bigint", "last_used_at bigint", "lossy_fields text")

// FlushLegacyUsageOnce stores the new counts and returns the number of rows. Counts that cannot be stored are kept for the
// next time.
func (s *Service) FlushLegacyUsageOnce(ctx context.Context) (int, error) {
	counts, over := s.usage.take()
	if over > 0 {
		s.config.Logger.Error("legacy calls are missing in the usage: too many keys and calls at once", "calls", over, "rows", maxUsageRows)
	}
	if len(counts) == 0 {
		return 0, nil
	}
	err := s.store.Write(ctx, func(ctx context.Context, tx *ent.Client) error { return storeUsage(ctx, tx, counts) })
	if err != nil {
		for row, count := range counts {
			s.usage.add(row, *count)
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
		set = append(set, int64(row.owner), row.day, row.call, row.key, count.calls, int64(count.last), lossyText(count.lossy))
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
			Where(legacyusage.Owner(int64(row.owner)), legacyusage.Day(row.day), legacyusage.Call(row.call), legacyusage.KeyID(row.key)).
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
	return string(EncodeJSON(nil, &lossy))
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

// keepLegacyUsage is the worker's step: it stores the counts and purges old ones. After a flush the next one is not due at
// once.
func (s *Service) keepLegacyUsage(ctx context.Context) (int, error) {
	_, err1 := s.FlushLegacyUsageOnce(ctx)
	purged, err2 := s.PurgeLegacyUsageOnce(ctx)
	return purged, cmp.Or(err1, err2)
}

// purgeUsage is by hand, because a builder's DELETE has no LIMIT. Ids rise with the days, so the oldest rows are the first.
var purgeUsage = `DELETE FROM legacy_usage WHERE day < $1 AND id IN (SELECT id FROM legacy_usage ORDER BY id LIMIT ` + strconv.Itoa(sweepChunk) + `)`

// PurgeLegacyUsageOnce deletes a chunk of the usage that is no longer shown, and returns the number of rows.
func (s *Service) PurgeLegacyUsageOnce(ctx context.Context) (int, error) {
	if err := s.trustClock(); err != nil {
		return 0, err
	}
	kept := dayOf(s.now()) - LegacyUsageDays
	oldest, err := s.store.Reader().LegacyUsage.Query().Order(ent.Asc(legacyusage.FieldID)).First(ctx)
	if ent.IsNotFound(err) || err == nil && oldest.Day >= kept {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("look for old legacy usage: %w", err)
	}
	purged := 0
	err = s.store.Write(ctx, func(ctx context.Context, tx *ent.Client) (err error) {
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
	Sunset  Time             `json:"sunset" doc:"from then on /rest answers 410"`
	Days    int              `json:"days" doc:"how many days are told, besides today"`
	Results []LegacyUsageRow `json:"results" doc:"the most frequent first"`
}

// LegacyUsageRow is an account's use of one call with one key.
type LegacyUsageRow struct {
	Call        string               `json:"call" doc:"its id in the migration guide"`
	KeyPrefix   string               `json:"key_prefix" doc:"of an imported key: legacy_ and its fingerprint"`
	Count       int64                `json:"count" doc:"stored every few seconds"`
	FirstDay    string               `json:"first_day" doc:"date in UTC"`
	LastUsedAt  Time                 `json:"last_used_at"`
	LossyFields []string             `json:"lossy_fields" doc:"fields used that /v1 does not take over as they are, at most 50"`
	Successor   Opt[LegacySuccessor] `json:"successor" doc:"null when no single operation follows"`
	GuideURL    string               `json:"guide_url"`
}

// LegacySuccessor is the operation that replaces a call.
type LegacySuccessor struct {
	Method string `json:"method"`
	Path   string `json:"path"`
}

// getLegacyUsage sums up the account's usage over the days.
func (s *Service) getLegacyUsage(ctx context.Context, c *Call, _ *NoInput) (*LegacyUsage, error) {
	type source struct{ call, key string }
	sums := map[source]*LegacyUsageRow{}
	stored, err := s.store.Reader().LegacyUsage.Query().
		Where(legacyusage.Owner(int64(c.Owner)), legacyusage.DayGTE(dayOf(s.now())-LegacyUsageDays)).
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
			sum = s.usageRow(c, row.Call, row.KeyID, row.Day)
			sums[from] = sum
		}
		sum.Count += row.Count
		sum.LastUsedAt = max(sum.LastUsedAt, Time(row.LastUsedAt))
		sum.LossyFields = withLossy(sum.LossyFields, lossy)
	}
	out := &LegacyUsage{Sunset: LegacySunset, Days: LegacyUsageDays, Results: make([]LegacyUsageRow, 0, len(sums))}
	for _, sum := range sums {
		out.Results = append(out.Results, *sum)
	}
	slices.SortFunc(out.Results, func(a, b LegacyUsageRow) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Call, b.Call), cmp.Compare(a.KeyPrefix, b.KeyPrefix))
	})
	return out, nil
}

// usageRow is a row with only its first day.
func (s *Service) usageRow(c *Call, call, key string, day int64) *LegacyUsageRow {
	row := &LegacyUsageRow{
		Call: call, KeyPrefix: shownPrefix(key, c.Test), FirstDay: time.Unix(day*24*60*60, 0).UTC().Format(time.DateOnly),
		GuideURL: s.config.BaseURL + "/migration#" + call,
	}
	if isLegacyKeyID(key) {
		row.KeyPrefix = legacyKeyPrefix + "_" + key
	}
	if successor := s.config.LegacyCalls[call]; successor != (LegacySuccessor{}) {
		row.Successor = Some(successor)
	}
	return row
}
