package sunset

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sellerd/ent"
	"sellerd/ent/legacyuse"
	"sellerd/ent/successorusage"
	"sellerd/v1/rows"
)

// This file counts the requests to /v1, by day, of owners that also use the legacy interface. They say how far an owner has
// moved.

// requestRow is the key by which requests are counted.
type requestRow struct{ owner, day int64 }

// CountRequest counts a request of an owner to /v1. Flush stores it, if the owner has used the legacy interface.
func (u *Usage) CountRequest(owner int64) {
	now := u.now()
	u.requests.add(requestRow{owner, dayOf(now)}, usageCount{calls: 1, first: now, last: now})
}

// addRequests adds to what is counted. It is by hand, because builders have no ON CONFLICT.
var addRequests = rows.NewSet(`INSERT INTO `+successorusage.Table+` (`+requestColumns+`)
 SELECT `+requestColumns+` FROM given
 WHERE EXISTS (SELECT 1 FROM `+legacyuse.Table+` u WHERE u.`+legacyuse.FieldOwner+` = given.`+successorusage.FieldOwner+`)
 ON CONFLICT (`+successorusage.FieldOwner+`, `+successorusage.FieldDay+`) DO UPDATE SET
 `+successorusage.FieldCount+` = `+successorusage.Table+`.`+successorusage.FieldCount+` + excluded.`+successorusage.FieldCount+`,
 `+successorusage.FieldLastUsedAt+` = CASE WHEN excluded.`+successorusage.FieldLastUsedAt+` > `+storedRequest+` THEN excluded.`+successorusage.FieldLastUsedAt+` ELSE `+storedRequest+` END`,
	successorusage.FieldOwner+" bigint", successorusage.FieldDay+" bigint", successorusage.FieldCount+" bigint", successorusage.FieldLastUsedAt+" bigint")

const storedRequest = successorusage.Table + "." + successorusage.FieldLastUsedAt

var requestColumns = strings.Join([]string{
	successorusage.FieldOwner, successorusage.FieldDay, successorusage.FieldCount, successorusage.FieldLastUsedAt,
}, ", ")

// requestChunk is how many rows a transaction stores, so that requests need not wait long for it.
const requestChunk = 1000

// flushRequests stores the new counts. Those that cannot be stored are kept for the next time.
func (u *Usage) flushRequests(ctx context.Context) error {
	u.requestsStored.Store(int64(u.now()))
	counts, over := u.requests.take()
	if over > 0 {
		u.config.Logger.Error("requests are missing in the share of the legacy interface: too many callers at once", "requests", over, "rows", maxRequestRows)
	}
	if len(counts) == 0 {
		return nil
	}
	sorted := slices.SortedFunc(maps.Keys(counts), func(a, b requestRow) int {
		return cmp.Or(cmp.Compare(a.owner, b.owner), cmp.Compare(a.day, b.day))
	})
	for some := range slices.Chunk(sorted, requestChunk) {
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
