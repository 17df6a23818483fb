// Package queue keeps the rows of a table that wait for a worker, and the work on them. A Queue finds the owners with due rows.
// Claims leases rows of a queue for one worker, owner by owner in turns, and gives back what was committed of lost leases. A
// Loop keeps claiming, and lets each set of rows go its way.
//
// It knows neither what the rows are nor what is done with them: the caller has the statement that leases an owner's rows,
// and the work. Owners are numbers here. Package lease has the tokens and the tries.
package queue

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"

	"sellerd/ent"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// A Queue is the rows of a table that wait for a worker. They are found owner by owner, by leaping through an index of
// owner, due instant and id. So a claim costs the same whatever waits: the hundred thousand rows of an owner who has enough in
// hand are one leap, and a row of another owner behind them is found by the next one. Each statement orders its rows exactly as
// that index does. No other index could do that without a sort, so PostgreSQL takes this one whatever its statistics say.
//
// The statements are by hand, because builders have neither recursion nor RETURNING, and TestClaims… of package v1 check their
// plans on both databases.
type Queue struct {
	Table string // it has the columns id, owner and lease
	Waits string // the condition of the index, in literals, so that both databases recognise it
	Due   string // the column that tells when a row is due
}

// leapMost is how many owners one statement leaps to.
const leapMost = 256

// Leap is the statement that finds owners with rows, due or not, and when the first row of each is due. The owners follow the
// one that is its argument.
func (q Queue) Leap() string {
	next := "(SELECT q.owner FROM " + q.Table + " q WHERE q." + q.Waits + " AND q.owner > "
	order := " ORDER BY q.owner, q." + q.Due + ", q.id LIMIT 1)"
	return "WITH RECURSIVE waiting(owner, n) AS (SELECT " + next + "$1" + order + ", 1 UNION ALL SELECT " + next + "waiting.owner" + order +
		", n + 1 FROM waiting WHERE waiting.owner IS NOT NULL AND n < " + strconv.Itoa(leapMost) + ")" +
		" SELECT waiting.owner, (SELECT q." + q.Due + " FROM " + q.Table + " q WHERE q." + q.Waits + " AND q.owner = waiting.owner ORDER BY q." +
		q.Due + ", q.id LIMIT 1) FROM waiting WHERE waiting.owner IS NOT NULL"
}

// Of is the query for an owner's rows that are due, the longest due first: what follows the table. Arguments: the owner, and now.
func (q Queue) Of(most int) string {
	return "WHERE " + q.Waits + " AND owner = $1 AND " + q.Due + " <= $2 ORDER BY " + q.Due + ", id LIMIT " + strconv.Itoa(most)
}

// leased is the query for the rows that are leased beyond now, which is its argument, and meet a further condition.
func (q Queue) leased(further string) string {
	return "WHERE " + q.Waits + " AND " + q.Due + " > $1" + further + " ORDER BY owner, " + q.Due + ", id"
}

// dueOwners are the owners with due rows that are not busy, in the order in which they have their turn: those after the one
// given, then the others. When there may be more of them, next is the owner to go on after, else 0.
func (q Queue) dueOwners(ctx context.Context, client *ent.Client, after int64, busy []int64, now wire.Time) (
	due []int64, next int64, err error,
) {
	again := false // the owners up to the one given have their turn
	for last := after; ; {
		leaps := 0
		err := rows.Query(ctx, client, q.Leap(), []any{last}, func(rows *sql.Rows) error {
			var first *int64 // none when a worker was faster
			err := rows.Scan(&last, &first)
			leaps++
			if first != nil && *first <= int64(now) && (!again || last <= after) && !slices.Contains(busy, last) {
				due = append(due, last)
			}
			return err
		})
		switch {
		case err != nil:
			return nil, 0, fmt.Errorf("find owners with due %s: %w", q.Table, err)
		case leaps == leapMost && len(due) > 0:
			return due, last, nil
		case leaps == leapMost && (!again || last < after): // none of these, so on to the next ones
		case again || after == 0:
			return due, 0, nil
		default:
			again, last = true, 0
		}
	}
}
