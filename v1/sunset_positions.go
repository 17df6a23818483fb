package v1

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"

	"sellerd/ent"
	"sellerd/v1/rows"
)

// Positions are counters that find the n-th row of a list without passing over the rows before it. For each list that is
// read by position (sunset_window.go) they say how many of its rows lie in each bucket, a stretch of the instants that the list
// is sorted by, in fine buckets and in coarse ones. They move in the transaction of the change that moves a row, so in a
// snapshot they are exact. A bucket that has become empty keeps its counter: its list may come back to it.

// positionShifts make buckets of instants, the finest first: 2^27 µs are two minutes, 2^37 are 38 hours. A year has some
// 230 coarse buckets, and each of them 1024 fine ones; the migration that counted the first rows has the same numbers.
var positionShifts = [...]uint{27, 37}

// position is a bucket of a list.
type position struct {
	list   string
	level  int
	bucket int64
}

// itemPositions is the counted list that an item is in, or none.
func itemPositions(saleType, status string) string {
	switch status {
	case ItemOpen:
		return "item/" + saleType + "/open"
	case ItemUnsold, ItemClosed:
		return "item/" + saleType + "/ended"
	default:
		return ""
	}
}

// salePositions is the counted list that a sale is in, cancelled or not.
func salePositions(saleType string) string { return "sale/" + saleType }

// countedList is a list as the counters know it. Of a list of standing sales they count the cancelled ones as well, and
// withoutCancelled is its sale type. Cancelled sales are few, and have an index of their own, so they are subtracted as
// they are: a counter of them would be wrong for ever where an older program cancels a sale during an upgrade.
type countedList struct{ of, withoutCancelled string }

// positionMoves are by how much counters have to move.
type positionMoves map[position]int64

// item notes that an item came to the list it is in, or left it, with n = -1.
func (m positionMoves) item(row *ent.Item, n int64) {
	if row == nil {
		return
	}
	if list := itemPositions(row.SaleType, row.Status); list != "" {
		m.count(list, row.CreatedAt, n)
	}
}

func (m positionMoves) count(list string, at, n int64) {
	for level, shift := range positionShifts {
		m[position{list, level, at >> shift}] += n
	}
}

var movePositions = rows.NewSet(`INSERT INTO list_positions (owner, list, level, bucket, n)
 SELECT owner, list, level, bucket, n FROM given WHERE owner IS NOT NULL
 ON CONFLICT (owner, list, level, bucket) DO UPDATE SET n = list_positions.n + excluded.n`,
	"owner bigint", "list text", "level bigint", "bucket bigint", "n bigint")

// keepPositions is the hook that moves the counters, always in the same order, so that no two changes wait for each other.
// No sale ever leaves its list.
func keepPositions(ctx context.Context, tx *Change) error {
	if len(tx.changed) == 0 {
		return nil
	}
	moves := positionMoves{}
	for _, row := range tx.changed {
		moves.item(row.before, -1)
		moves.item(row.after, 1)
		if row.sale != nil {
			moves.count(salePositions(row.sale.ItemSaleType), row.sale.SoldAt, 1)
		}
	}
	moved := make([]position, 0, len(moves))
	for p, n := range moves {
		if n != 0 {
			moved = append(moved, p)
		}
	}
	slices.SortFunc(moved, func(a, b position) int {
		return cmp.Or(cmp.Compare(a.list, b.list), cmp.Compare(a.level, b.level), cmp.Compare(a.bucket, b.bucket))
	})
	rows := make([]any, 0, movePositions.Width*len(moved))
	for _, p := range moved {
		rows = append(rows, int64(tx.Owner), p.list, p.level, p.bucket, moves[p])
	}
	if err := movePositions.Exec(ctx, tx.Client, rows); err != nil {
		return fmt.Errorf("count positions: %w", err)
	}
	return nil
}

// countedBucket is the fine bucket in which a list has some row.
type countedBucket struct {
	from, to int64 // its instants, the second excluded
	before   int64 // rows in it that stand before the one looked for
}

// findBucket looks for the row at a position of a list, counted from 0: first for its coarse bucket, then within that
// for the fine one. It finds none when the list is not that long.
func findBucket(ctx context.Context, client *ent.Client, owner Owner, list countedList, descending bool, start int) (found *countedBucket, err error) {
	at := countedBucket{from: 0, to: math.MaxInt64, before: int64(start)}
	for level := len(positionShifts) - 1; level >= 0; level-- {
		shift := positionShifts[level]
		inside := false
		query, args := bucketsStatement(owner, list, descending, level, at.from, at.to)
		rows, err := client.QueryContext(ctx, query, args...)
		if err == nil {
			inside, err = at.enter(rows, shift)
		}
		if err != nil {
			return nil, fmt.Errorf("read the positions of %s: %w", list.of, err)
		}
		switch {
		case !inside && level == len(positionShifts)-1:
			return nil, nil // the list ends before it
		case !inside:
			return nil, fmt.Errorf("the positions of %s of owner %d do not add up at level %d", list.of, owner, level)
		}
	}
	return &at, nil
}

// bucketsStatement reads the counters of a level between two instants, the second excluded. Its arguments are numbered as
// they appear, which is how both databases read them.
func bucketsStatement(owner Owner, list countedList, descending bool, level int, from, to int64) (query string, args []any) {
	shift := positionShifts[level]
	query = "SELECT bucket, n FROM list_positions WHERE owner = $1 AND list = $2 AND level = $3 AND bucket >= $4 AND bucket < $5"
	args = []any{int64(owner), list.of, level, from >> shift, to >> shift}
	if list.withoutCancelled != "" {
		query = fmt.Sprintf("SELECT bucket, CAST(sum(n) AS bigint) FROM (%s UNION ALL SELECT sold_at >> %d, -count(*) FROM sales"+
			" WHERE cancellation_status = 'cancelled' AND owner = $6 AND item_sale_type = $7 AND sold_at >= $8 AND sold_at < $9 GROUP BY 1) AS counted GROUP BY bucket", query, shift)
		args = append(args, int64(owner), list.withoutCancelled, from, to)
	}
	query += " ORDER BY bucket"
	if descending {
		query += " DESC"
	}
	return query, args
}

// enter goes through buckets in order, to the one that has the row, if any has.
func (b *countedBucket) enter(rows *sql.Rows, shift uint) (inside bool, err error) {
	defer rows.Close()
	for rows.Next() {
		var bucket, n int64
		if err := rows.Scan(&bucket, &n); err != nil {
			return false, err
		}
		if b.before < n {
			b.from, b.to = bucket<<shift, (bucket+1)<<shift
			return true, nil
		}
		b.before -= n
	}
	return false, rows.Err()
}
