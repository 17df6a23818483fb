package v1

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"

	"sellerd/ent"
)

// rowSet is a statement about a set of rows, which stand in it as the table named given. Its texts are fixed (for 32
// rows, for 8 and for one), so that databases keep them prepared, and a set costs one statement however many rows it
// has. What is left of the last text is filled up with rows of NULL, which match nothing.
type rowSet struct {
	width int
	texts []setText
}

// setText is a statement for so many rows.
type setText struct {
	rows int
	text string
}

// newRowSet makes the texts. Columns are given with their types, "id bigint"; the statement begins after the WITH.
func newRowSet(statement string, columns ...string) *rowSet {
	names, types := make([]string, len(columns)), make([]string, len(columns))
	for i, column := range columns {
		names[i], types[i], _ = strings.Cut(column, " ")
	}
	r := &rowSet{width: len(columns)}
	for _, rows := range []int{32, 8, 1} {
		var text strings.Builder
		text.WriteString("WITH given(" + strings.Join(names, ", ") + ") AS (VALUES ")
		for n := range rows * len(columns) {
			switch {
			case n == 0:
				text.WriteString("(")
			case n%len(columns) == 0:
				text.WriteString("), (")
			default:
				text.WriteString(", ")
			}
			if n < len(columns) { // the types of the first row are those of all
				fmt.Fprintf(&text, "CAST($%d AS %s)", n+1, types[n])
			} else {
				fmt.Fprintf(&text, "$%d", n+1)
			}
		}
		text.WriteString(")) " + statement)
		r.texts = append(r.texts, setText{rows: rows, text: text.String()})
	}
	return r
}

// next cuts the first part off a set: a text with its arguments, and the rest.
func (r *rowSet) next(set []any) (text string, args, rest []any) {
	rows := len(set) / r.width
	if rows == 0 {
		return "", nil, nil
	}
	size := len(r.texts) - 1
	for size > 0 && r.texts[size].rows < rows { // the smallest that takes all, else the largest
		size--
	}
	n := r.texts[size].rows * r.width
	if n <= len(set) {
		return r.texts[size].text, set[:n], set[n:]
	}
	return r.texts[size].text, append(append(make([]any, 0, n), set...), make([]any, n-len(set))...), nil
}

// exec runs the statement on a set: each row's values, one row after another.
func (r *rowSet) exec(ctx context.Context, client *ent.Client, set []any) error {
	for len(set) > 0 {
		text, args, rest := r.next(set)
		if _, err := client.ExecContext(ctx, text, args...); err != nil {
			return err
		}
		set = rest
	}
	return nil
}

// rowsFor is a statement with its set.
type rowsFor struct {
	statement *rowSet
	set       []any
}

// execAll runs statements, each on its set, until one fails.
func execAll(ctx context.Context, client *ent.Client, all []rowsFor) error {
	for _, one := range all {
		if err := one.statement.exec(ctx, client, one.set); err != nil {
			return err
		}
	}
	return nil
}

// query runs the statement on a set and scans every row it yields.
func (r *rowSet) query(ctx context.Context, client *ent.Client, set []any, scan func(*sql.Rows) error) error {
	for len(set) > 0 {
		text, args, rest := r.next(set)
		if err := queryRows(ctx, client, text, args, scan); err != nil {
			return err
		}
		set = rest
	}
	return nil
}

// queryRows runs a query and scans every row it yields.
func queryRows(ctx context.Context, client *ent.Client, text string, args []any, scan func(*sql.Rows) error) error {
	rows, err := client.QueryContext(ctx, text, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// idSet is a set of single ids.
func idSet(ids []int64) []any {
	set := make([]any, len(ids))
	for i, id := range ids {
		set[i] = id
	}
	return set
}

// affect runs a statement and says how many rows it touched.
func affect(ctx context.Context, tx *ent.Client, text string, args ...any) (int, error) {
	result, err := tx.ExecContext(ctx, text, args...)
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	return int(n), err
}

// numberList is a list of numbers for a statement.
func numberList[N ~int64](numbers []N) string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = strconv.FormatInt(int64(n), 10)
	}
	return strings.Join(texts, ",")
}
