package sunset

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"sellerd/ent"
	"sellerd/ent/listposition"
	"sellerd/ent/sale"
	"sellerd/internal/base/wrap"
	"sellerd/v1/rows"
)

// Positions are counters that find the n-th row of a list without passing over the rows before it. For each list that is
// read by position (window.go) they say how many of its rows lie in each bucket, a stretch of the instants that the list
// is sorted by, in fine buckets and in coarse ones. They move in the transaction of the change that moves a row, so in a
// snapshot they are exact. A bucket that has become empty keeps its counter: its list may come back to it.

// positionShifts make buckets of instants, the finest first: 2^27 µs are two minutes, 2^37 are 38 hours. A year has some
// 230 coarse buckets, and each of them 1024 fine ones; the migration that counted the first rows has the same numbers.
var positionShifts = [...]uint{27, 37}

// CoarseLevel is the level of the coarse buckets. That of the fine ones is 0.
const CoarseLevel = len(positionShifts) - 1

// position is a bucket of an owner's list.
type position struct {
	owner  int64
	list   string
	level  int
	bucket int64
}

// Counted names a list whose positions are counted. The zero value is no list.
type Counted struct {
	of string
	// withoutCancelled is the sale type of a list of standing sales. The counters count the cancelled ones as well. Those are
	// few and have an index of their own, so they are subtracted as they are: a counter of them would be wrong for ever
	// where an older program cancels a sale during an upgrade.
	withoutCancelled string
}

// OpenItems are the items of a sale type that are on sale, by created_at.
func OpenItems(saleType string) Counted { return Counted{of: "item/" + saleType + "/open"} }

// EndedItems are the items of a sale type that ended without a sale, by created_at.
func EndedItems(saleType string) Counted { return Counted{of: "item/" + saleType + "/ended"} }

// StandingSales are the sales of items of a sale type that are not cancelled, by sold_at.
func StandingSales(saleType string) Counted { return Counted{"sale/" + saleType, saleType} }

// Moves are by how much counters have to move.
type Moves map[position]int64

// Add notes that n rows came to an owner's list with an instant, or left it where n is negative. A cancelled sale stays in its list.
func (m Moves) Add(owner int64, list Counted, at, n int64) {
	if list == (Counted{}) {
		return
	}
	for level, shift := range positionShifts {
		m[position{owner, list.of, level, at >> shift}] += n
	}
}

// bucketColumns identify a counter.
var bucketColumns = strings.Join([]string{
	listposition.FieldOwner, listposition.FieldList, listposition.FieldLevel,
	listposition.FieldBucket,
}, ", ")

// movePositions is by hand, because builders have no ON CONFLICT.
var movePositions = rows.NewSet(`INSERT INTO `+listposition.Table+` (`+bucketColumns+`, `+listposition.FieldN+`)
 SELECT `+bucketColumns+`, `+listposition.FieldN+` FROM given WHERE `+listposition.FieldOwner+` IS NOT NULL
 ON CONFLICT (`+bucketColumns+`) DO UPDATE SET `+listposition.FieldN+` = `+listposition.Table+`.`+listposition.FieldN+` + excluded.`+listposition.FieldN,
	listposition.FieldOwner+" bigint", listposition.FieldList+" text", listposition.FieldLevel+" bigint", listposition.FieldBucket+" bigint", listposition.FieldN+" bigint")

// Store moves the counters, always in the same order, so that no two changes wait for each other. The client is the one of the
// transaction that moves the rows.
func (m Moves) Store(ctx context.Context, tx *ent.Client) error {
	moved := make([]position, 0, len(m))
	for p, n := range m {
		if n != 0 {
			moved = append(moved, p)
		}
	}
	slices.SortFunc(moved, func(a, b position) int {
		return cmp.Or(cmp.Compare(a.owner, b.owner), cmp.Compare(a.list, b.list), cmp.Compare(a.level, b.level), cmp.Compare(a.bucket, b.bucket))
	})
	rows := make([]any, 0, movePositions.Width*len(moved))
	for _, p := range moved {
		rows = append(rows, p.owner, p.list, p.level, p.bucket, m[p])
	}
	return wrap.Err(movePositions.Exec(ctx, tx, rows), "count positions")
}

// Bucket is the fine bucket in which a list has some row.
type Bucket struct {
	From, To int64 // its instants, the second excluded
	Before   int64 // rows in it that stand before the one looked for
}

// findBucket looks for the row at a position of a list, counted from 0: first for its coarse bucket, then within that
// for the fine one. It finds none when the list is not that long.
func (l *List) findBucket(ctx context.Context, client *ent.Client, start int) (found *Bucket, err error) {
	at := Bucket{From: 0, To: math.MaxInt64, Before: int64(start)}
	for level := CoarseLevel; level >= 0; level-- {
		shift := positionShifts[level]
		inside := false
		query, args := l.Buckets(level, at.From, at.To)
		rows, err := client.QueryContext(ctx, query, args...)
		if err == nil {
			inside, err = at.enter(rows, shift)
		}
		if err != nil {
			return nil, fmt.Errorf("read the positions of %s: %w", l.Counted.of, err)
		}
		switch {
		case !inside && level == CoarseLevel:
			return nil, nil // the list ends before it
		case !inside:
			return nil, fmt.Errorf("the positions of %s of owner %d do not add up at level %d", l.Counted.of, l.Owner, level)
		}
	}
	return &at, nil
}

// The statements of Buckets by level, of all rows that are counted, and of standing sales. The state of cancelled sales is a literal
// for the index that holds just them.
var bucketTexts, standingTexts = func() (counted, standing [len(positionShifts)]string) {
	const buckets = `SELECT {bucket}, {n} FROM {positions} WHERE {owner} = $1 AND {list} = $2 AND {level} = $3` +
		` AND {bucket} >= $4 AND {bucket} < $5`
	const withoutCancelled = `SELECT {bucket}, CAST(sum({n}) AS bigint) FROM (` + buckets +
		` UNION ALL SELECT {sold_at} >> {shift}, -count(*) FROM {sales} WHERE {cancellation} = 'cancelled' AND {seller} = $6` +
		` AND {sale_type} = $7 AND {sold_at} >= $8 AND {sold_at} < $9 GROUP BY 1) AS counted GROUP BY {bucket}`
	for level, shift := range positionShifts {
		names := []string{
			"positions", listposition.Table, "owner", listposition.FieldOwner, "list", listposition.FieldList,
			"level", listposition.FieldLevel, "bucket", listposition.FieldBucket, "n", listposition.FieldN,
			"sales", sale.Table, "seller", sale.FieldOwner, "sold_at", sale.FieldSoldAt, "sale_type", sale.FieldItemSaleType,
			"cancellation", sale.FieldCancellationStatus, "shift", strconv.Itoa(int(shift)),
		}
		counted[level], standing[level] = rows.Text(buckets, names...), rows.Text(withoutCancelled, names...)
	}
	return counted, standing
}()

// Buckets is the statement that reads the counters of a level between two instants, the second excluded. Its arguments are
// numbered as they appear, which is how both databases read them.
func (l *List) Buckets(level int, from, to int64) (query string, args []any) {
	shift := positionShifts[level]
	query, args = bucketTexts[level], []any{l.Owner, l.Counted.of, level, from >> shift, to >> shift}
	if l.Counted.withoutCancelled != "" {
		query, args = standingTexts[level], append(args, l.Owner, l.Counted.withoutCancelled, from, to)
	}
	query += " ORDER BY " + listposition.FieldBucket
	if l.Descending {
		query += " DESC"
	}
	return query, args
}

// enter goes through buckets in order, to the one that has the row, if any has.
func (b *Bucket) enter(rows *sql.Rows, shift uint) (inside bool, err error) {
	defer rows.Close()
	for rows.Next() {
		var bucket, n int64
		if err := rows.Scan(&bucket, &n); err != nil {
			return false, err
		}
		if b.Before < n {
			b.From, b.To = bucket<<shift, (bucket+1)<<shift
			return true, nil
		}
		b.Before -= n
	}
	return false, rows.Err()
}
