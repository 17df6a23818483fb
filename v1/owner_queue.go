package v1

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"

	"sellerd/ent"
	"sellerd/ent/item"
	"sellerd/ent/submission"
	"sellerd/v1/rows"
)

// An ownerQueue is the rows of a table that wait for a worker. They are found owner by owner, by leaping through an index of
// owner, due instant and id. So a claim costs the same whatever waits: the hundred thousand rows of an owner who has enough in
// hand are one leap, and a row of another owner behind them is found by the next one. Each statement orders its rows exactly as
// that index does. No other index could do that without a sort, so PostgreSQL takes this one whatever its statistics say.
//
// The statements are by hand, because builders have neither recursion nor RETURNING, and TestClaims… check their plans on both
// databases.
type ownerQueue struct {
	table string
	waits string // the condition of the index, in literals, so that both databases recognise it
	due   string // the column that tells when a row is due
}

var (
	// submissionQueue is that of the publisher. Its index is submissions_owner_due.
	submissionQueue = ownerQueue{table: submission.Table, waits: dueSubmissions, due: submission.FieldDueAt}
	// imageQueue is that of the fetcher of new pictures. Its index is items_owner_images_due.
	imageQueue = ownerQueue{table: item.Table, waits: item.FieldImagesDueAt + " IS NOT NULL", due: item.FieldImagesDueAt}
)

// dueSubmissions is the condition of the index submissions_owner_due.
const dueSubmissions = "status IN ('" + SubmissionPending + "','" + SubmissionProcessing + "')"

// leapMost is how many owners one statement leaps to.
const leapMost = 256

// leap is the statement that finds owners with rows, due or not, and when the first row of each is due. The owners follow the
// one that is its argument.
func (q ownerQueue) leap() string {
	next := "(SELECT q.owner FROM " + q.table + " q WHERE q." + q.waits + " AND q.owner > "
	order := " ORDER BY q.owner, q." + q.due + ", q.id LIMIT 1)"
	return "WITH RECURSIVE waiting(owner, n) AS (SELECT " + next + "$1" + order + ", 1 UNION ALL SELECT " + next + "waiting.owner" + order +
		", n + 1 FROM waiting WHERE waiting.owner IS NOT NULL AND n < " + strconv.Itoa(leapMost) + ")" +
		" SELECT waiting.owner, (SELECT q." + q.due + " FROM " + q.table + " q WHERE q." + q.waits + " AND q.owner = waiting.owner ORDER BY q." +
		q.due + ", q.id LIMIT 1) FROM waiting WHERE waiting.owner IS NOT NULL"
}

// of is the query for an owner's rows that are due, the longest due first: what follows the table. Arguments: the owner, and now.
func (q ownerQueue) of(most int) string {
	return "WHERE " + q.waits + " AND owner = $1 AND " + q.due + " <= $2 ORDER BY " + q.due + ", id LIMIT " + strconv.Itoa(most)
}

// leased is the query for the rows that are leased beyond now, which is its argument, and meet a further condition.
func (q ownerQueue) leased(further string) string {
	return "WHERE " + q.waits + " AND " + q.due + " > $1" + further + " ORDER BY owner, " + q.due + ", id"
}

// dueOwners are the owners with due rows that are not busy, in the order in which they have their turn: those after the one
// given, then the others. When there may be more of them, next is the owner to go on after, else 0.
func (q ownerQueue) dueOwners(ctx context.Context, client *ent.Client, after Owner, busy []Owner, now Time) (due []Owner, next Owner, err error) {
	again := false // the owners up to the one given have their turn
	for last := after; ; {
		leaps := 0
		err := rows.Query(ctx, client, q.leap(), []any{int64(last)}, func(rows *sql.Rows) error {
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
			return nil, 0, fmt.Errorf("find owners with due %s: %w", q.table, err)
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
