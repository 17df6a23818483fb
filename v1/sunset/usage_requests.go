package sunset

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sellerd/ent"
	"sellerd/ent/legacyuse"
	"sellerd/ent/successorusage"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// This file counts the requests of owners that use the legacy interface, by day: to /v1, and to /rest beside them. They say how
// far an owner has moved. Both counts of a day are in one row, so neither began before the other.

// requestRow is the key by which requests are counted.
type requestRow struct{ owner, day int64 }

func (r requestRow) compare(other requestRow) int {
	return cmp.Or(cmp.Compare(r.owner, other.owner), cmp.Compare(r.day, other.day))
}

// CountRequest counts a request of an owner to /v1. Flush stores it, if the owner has used the legacy interface.
func (u *Usage) CountRequest(owner int64) {
	now := u.now()
	u.requests.add(requestRow{owner, dayOf(now)}, usageCount{calls: 1, first: now, last: now})
}

// The statements add to what is counted. They are by hand, because builders have no ON CONFLICT. A query for one value, unlike
// EXISTS, is never made a join that reads all uses.
var (
	addRequests = newRequests(successorusage.FieldCount,
		` WHERE (SELECT u.`+legacyuse.FieldOwner+` FROM `+legacyuse.Table+` u WHERE u.`+legacyuse.FieldOwner+` = given.`+successorusage.FieldOwner+` ORDER BY u.`+
			legacyuse.FieldKeyID+`, u.`+legacyuse.FieldCall+` LIMIT 1) IS NOT NULL`)
	addLegacyRequests = newRequests(successorusage.FieldLegacyCount, ` WHERE given.`+successorusage.FieldOwner+` IS NOT NULL`)
)

// newRequests is the statement that adds to one of the counts.
func newRequests(count, condition string) *rows.Set {
	columns := strings.Join([]string{successorusage.FieldOwner, successorusage.FieldDay, count, successorusage.FieldLastUsedAt}, ", ")
	stored := successorusage.Table + "."
	return rows.NewSet(`INSERT INTO `+successorusage.Table+` (`+columns+`) SELECT `+columns+` FROM given`+condition+`
 ON CONFLICT (`+successorusage.FieldOwner+`, `+successorusage.FieldDay+`) DO UPDATE SET
 `+count+` = `+stored+count+` + excluded.`+count+`, `+
		successorusage.FieldLastUsedAt+` = CASE WHEN excluded.`+successorusage.FieldLastUsedAt+` > `+stored+successorusage.FieldLastUsedAt+` THEN excluded.`+
		successorusage.FieldLastUsedAt+` ELSE `+stored+successorusage.FieldLastUsedAt+` END`,
		successorusage.FieldOwner+" bigint", successorusage.FieldDay+" bigint", count+" bigint", successorusage.FieldLastUsedAt+" bigint")
}

// storeLegacyRequests adds the calls of /rest to their owners' days. They are no use of /v1.
func storeLegacyRequests(ctx context.Context, tx *ent.Client, counts map[usageRow]*usageCount) error {
	days := map[requestRow]int64{}
	for row, count := range counts {
		days[requestRow{row.owner, row.day}] += count.calls
	}
	set := make([]any, 0, addLegacyRequests.Width*len(days))
	for _, row := range slices.SortedFunc(maps.Keys(days), requestRow.compare) {
		set = append(set, row.owner, row.day, days[row], int64(0))
	}
	return addLegacyRequests.Exec(ctx, tx, set)
}

// requestChunk is how many rows a transaction stores, so that requests need not wait long for it.
const requestChunk = 1000

// flushRequests stores the new counts. Those that cannot be stored are kept for the next time.
func (u *Usage) flushRequests(ctx context.Context) error {
	u.requestsStored.Store(int64(u.config.Uptime()))
	counts, over := u.requests.take()
	u.requestsLost.note(over)
	if len(counts) == 0 {
		return nil
	}
	for some := range slices.Chunk(slices.SortedFunc(maps.Keys(counts), requestRow.compare), requestChunk) {
		set := make([]any, 0, addRequests.Width*len(some))
		for _, row := range some {
			set = append(set, row.owner, row.day, counts[row].calls, int64(counts[row].last))
		}
		err := u.config.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) error { return addRequests.Exec(ctx, tx, set) })
		if err != nil {
			u.requests.putBack(counts)
			return fmt.Errorf("store counts of requests: %w", err)
		}
		for _, row := range some {
			delete(counts, row)
		}
	}
	return nil
}

// traffic are an owner's requests of the days that are kept.
type traffic struct {
	rest, all int64
	since     int64 // the first day on which one is counted
}

const trafficColumns = `CAST(SUM(t.` + successorusage.FieldLegacyCount + `) AS bigint), CAST(SUM(t.` + successorusage.FieldLegacyCount + ` + t.` + successorusage.FieldCount +
	`) AS bigint), MIN(t.` + successorusage.FieldDay + `)`

// trafficQuery sums up the requests of owners since a day. Each is given with the day, because a Set has no other arguments.
var trafficQuery = rows.NewSet(`SELECT given.owner, `+trafficColumns+` FROM given JOIN `+successorusage.Table+` t ON t.`+successorusage.FieldOwner+` = given.owner AND t.`+
	successorusage.FieldDay+` >= given.day GROUP BY given.owner`, "owner bigint", "day bigint")

func (u *Usage) trafficOf(ctx context.Context, client *ent.Client, owners []int64) (map[int64]traffic, error) {
	set := make([]any, 0, 2*len(owners))
	for _, owner := range slices.Compact(slices.Sorted(slices.Values(owners))) {
		set = append(set, owner, u.oldestDay())
	}
	found := map[int64]traffic{}
	err := trafficQuery.Query(ctx, client, set, func(result *sql.Rows) error {
		var owner int64
		var of traffic
		err := result.Scan(&owner, &of.rest, &of.all, &of.since)
		found[owner] = of
		return err
	})
	return found, err
}

// lastRequest is when an owner last used /v1 on a day that is kept, 0 if it did not.
func (u *Usage) lastRequest(ctx context.Context, owner int64) (wire.Time, error) {
	days, err := u.config.Store.Reader().SuccessorUsage.Query().Where(successorusage.Owner(owner)).All(ctx)
	if err != nil {
		return 0, fmt.Errorf("load counts of requests: %w", err)
	}
	var last wire.Time
	for _, day := range days {
		last = max(last, wire.Time(day.LastUsedAt))
	}
	return last, nil
}
