package sunset

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"sellerd/ent"
	"sellerd/ent/legacyusage"
	"sellerd/ent/legacyuse"
	"sellerd/internal/base/each"
	"sellerd/v1/apikey"
	"sellerd/v1/core"
	"sellerd/v1/wire"
)

// This file shows an owner its own usage.

// LegacyUsage is an account's use of the legacy interface in the key's mode.
type LegacyUsage struct {
	Sunset  wire.Time        `json:"sunset" doc:"from then on /rest answers 410"`
	Days    int              `json:"days" doc:"how many days are told, besides today"`
	Results []LegacyUsageRow `json:"results" doc:"the most frequent first"`

	FirstUsedAt wire.Opt[wire.Time] `json:"first_used_at" since:"1.4.0" doc:"of any call with any key, kept until 90 days after the sunset; of a first call that a release before 1.4.0 counted, the beginning of its day; null without a call"`
	LastUsedAt  wire.Opt[wire.Time] `json:"last_used_at" since:"1.4.0" doc:"as first_used_at"`
	State       wire.Opt[string]    `json:"state" since:"1.4.0" enum:"active silent done" doc:"done: no call for 30 days while you use /v1; silent: no call for 30 days, and no request to /v1 either; null without a call"`
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

	FirstUsedAt wire.Time           `json:"first_used_at" since:"1.4.0" doc:"kept until 90 days after the sunset; of a first call that a release before 1.4.0 counted, the beginning of its day"`
	State       string              `json:"state" since:"1.4.0" enum:"active silent done" doc:"of this call with this key"`
	DrilledAt   wire.Opt[wire.Time] `json:"drilled_at" since:"1.4.0" doc:"when the call last met a drill; null if it met none"`
}

// LegacySuccessor is the operation that replaces a call.
type LegacySuccessor struct {
	Method string `json:"method"`
	Path   string `json:"path"`
}

// Report sums up an owner's usage over the days.
func (u *Usage) Report(ctx context.Context, owner int64) (*LegacyUsage, error) {
	uses, err := u.usesByRow(ctx, owner)
	if err != nil {
		return nil, err
	}
	moved, err := u.lastRequest(ctx, owner)
	if err != nil {
		return nil, err
	}
	type source struct{ call, key string }
	sums := map[source]*LegacyUsageRow{}
	stored, err := u.config.Store.Reader().LegacyUsage.Query().
		Where(legacyusage.Owner(owner), legacyusage.DayGTE(dayOf(u.now())-LegacyUsageDays)).
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
			sum = u.rowOf(row, uses[useRow{owner, row.KeyID, row.Call}])
			sums[from] = sum
		}
		sum.Count += row.Count
		sum.LastUsedAt = max(sum.LastUsedAt, wire.Time(row.LastUsedAt))
		sum.LossyFields = withLossy(sum.LossyFields, lossy)
	}
	out := &LegacyUsage{Sunset: LegacySunset, Days: LegacyUsageDays, Results: make([]LegacyUsageRow, 0, len(sums))}
	for _, sum := range sums {
		sum.State = u.state(sum.LastUsedAt, moved)
		out.Results = append(out.Results, *sum)
	}
	for _, use := range uses {
		out.include(wire.Time(use.FirstUsedAt), wire.Time(use.LastUsedAt))
	}
	for _, row := range out.Results { // a process of an earlier release counts calls, and stores no use
		out.include(row.FirstUsedAt, row.LastUsedAt)
	}
	if out.LastUsedAt.Set {
		out.State = wire.Some(u.state(out.LastUsedAt.V, moved))
	}
	slices.SortFunc(out.Results, func(a, b LegacyUsageRow) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Call, b.Call), cmp.Compare(a.KeyPrefix, b.KeyPrefix))
	})
	return out, nil
}

// include widens the time from the first to the last use.
func (l *LegacyUsage) include(first, last wire.Time) {
	l.FirstUsedAt = wire.Some(min(first, l.FirstUsedAt.Or(first)))
	l.LastUsedAt = wire.Some(max(last, l.LastUsedAt.Or(last)))
}

// rowOf is a row with only its first day. Without the use, which a process of an earlier release does not store, the first use
// is the beginning of that day.
func (u *Usage) rowOf(first *ent.LegacyUsage, use *ent.LegacyUse) *LegacyUsageRow {
	row := &LegacyUsageRow{
		Call: first.Call, FirstDay: dateOf(first.Day),
		GuideURL: u.config.BaseURL + "/migration#" + first.Call, KeyPrefix: u.prefix(first.Owner, first.KeyID),
		FirstUsedAt: wire.Time(first.Day * (24 * time.Hour).Microseconds()),
	}
	if use != nil {
		row.FirstUsedAt, row.DrilledAt = wire.Time(use.FirstUsedAt), wire.MaybeTime(use.DrilledAt)
	}
	if successor := u.successors[first.Call]; successor != (LegacySuccessor{}) {
		row.Successor = wire.Some(successor)
	}
	return row
}

// dateOf is a day, in days since 1970, for people.
func dateOf(day int64) string { return time.Unix(day*24*60*60, 0).UTC().Format(time.DateOnly) }

// prefix is the part of a key that can be shown.
func (u *Usage) prefix(owner int64, keyID string) string {
	if IsKeyID(keyID) {
		return KeyPrefix + "_" + keyID
	}
	return apikey.Prefix(keyID, core.Owner(owner).Mode())
}

// usesByRow are the uses of an owner.
func (u *Usage) usesByRow(ctx context.Context, owner int64) (map[useRow]*ent.LegacyUse, error) {
	all, err := u.config.Store.Reader().LegacyUse.Query().Where(legacyuse.Owner(owner)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("load legacy uses: %w", err)
	}
	return each.Keyed(all, func(use *ent.LegacyUse) (useRow, *ent.LegacyUse) { return useRow{use.Owner, use.KeyID, use.Call}, use }), nil
}

// The states of what uses the legacy interface.
const (
	LegacyActive = "active" // it does
	LegacySilent = "silent" // it has not for 30 days, and has not used /v1 either
	LegacyDone   = "done"   // it has not for 30 days, and uses /v1
)

// LegacyStates are the states.
var LegacyStates = []string{LegacyActive, LegacySilent, LegacyDone}

// state is the state after a last use of the legacy interface, and of /v1.
func (u *Usage) state(last, moved wire.Time) string {
	switch recent := u.recent(); {
	case last > recent:
		return LegacyActive
	case moved > recent:
		return LegacyDone
	}
	return LegacySilent
}

// recent is the instant after which a use is recent.
func (u *Usage) recent() wire.Time { return u.now().Add(-LegacyUsageDays * 24 * time.Hour) }
