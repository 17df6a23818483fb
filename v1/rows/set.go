// Package rows builds the statements that read and write many rows at once, which ent's builders cannot express or make too
// costly: a List reads pages of one owner's rows by cursor, an Insert stores rows with few statements, and a Set runs one
// statement about given rows. Columns come from ent's constants. The package knows both databases and none of the rules.
// Its callers say which one it is by Store.ManyWriters: PostgreSQL has many writers, SQLite has one.
package rows

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"sellerd/ent"
	"sellerd/internal/base/each"
)

// Set is a statement about a set of rows, which stand in it as the table named given. Its texts are fixed (for 32
// rows, for 8 and for one), so that databases keep them prepared, and a set costs one statement however many rows it
// has. What is left of the last text is filled up with rows of NULL, which match nothing.
type Set struct {
	Width int // how many columns are given
	texts []setText
}

// setText is a statement for so many rows.
type setText struct {
	rows int
	text func() string // made when it is first needed
}

// NewSet makes the texts. Columns are given with their types, "id bigint"; the statement begins after the WITH.
func NewSet(statement string, columns ...string) *Set {
	names, types := make([]string, len(columns)), make([]string, len(columns))
	for i, column := range columns {
		names[i], types[i], _ = strings.Cut(column, " ")
	}
	r := &Set{Width: len(columns)}
	for _, rows := range []int{32, 8, 1} {
		r.texts = append(r.texts, setText{rows, sync.OnceValue(func() string {
			return "WITH given(" + strings.Join(names, ", ") + ") AS (VALUES " + given(rows, types) + ")) " + statement
		})})
	}
	return r
}

// given are the places of the values of some rows.
func given(rows int, types []string) string {
	var text strings.Builder
	for n := range rows * len(types) {
		switch {
		case n == 0:
			text.WriteString("(")
		case n%len(types) == 0:
			text.WriteString("), (")
		default:
			text.WriteString(", ")
		}
		if n < len(types) { // the types of the first row are those of all
			fmt.Fprintf(&text, "CAST($%d AS %s)", n+1, types[n])
		} else {
			fmt.Fprintf(&text, "$%d", n+1)
		}
	}
	return text.String()
}

// Next cuts the first part off a set: a text with its arguments, and the rest.
func (r *Set) Next(set []any) (text string, args, rest []any) {
	rows := len(set) / r.Width
	if rows == 0 {
		return "", nil, nil
	}
	size := len(r.texts) - 1
	for size > 0 && r.texts[size].rows < rows { // the smallest that takes all, else the largest
		size--
	}
	n := r.texts[size].rows * r.Width
	if n <= len(set) {
		return r.texts[size].text(), set[:n], set[n:]
	}
	return r.texts[size].text(), append(append(make([]any, 0, n), set...), make([]any, n-len(set))...), nil
}

// Exec runs the statement on a set: each row's values, one row after another.
func (r *Set) Exec(ctx context.Context, client *ent.Client, set []any) error {
	for len(set) > 0 {
		text, args, rest := r.Next(set)
		if _, err := client.ExecContext(ctx, text, args...); err != nil {
			return err
		}
		set = rest
	}
	return nil
}

// For is a statement with its set.
type For struct {
	Statement *Set
	Set       []any
}

// ExecAll runs statements, each on its set, until one fails.
func ExecAll(ctx context.Context, client *ent.Client, all []For) error {
	for _, one := range all {
		if err := one.Statement.Exec(ctx, client, one.Set); err != nil {
			return err
		}
	}
	return nil
}

// Query runs the statement on a set and scans every row it yields.
func (r *Set) Query(ctx context.Context, client *ent.Client, set []any, scan func(*sql.Rows) error) error {
	for len(set) > 0 {
		text, args, rest := r.Next(set)
		if err := Query(ctx, client, text, args, scan); err != nil {
			return err
		}
		set = rest
	}
	return nil
}

// Text is a statement in which {name} stands for a column or a table. Names come with what they stand for, one after the other.
func Text(statement string, names ...string) string {
	pairs := slices.Clone(names)
	for i := 0; i < len(pairs); i += 2 {
		pairs[i] = "{" + pairs[i] + "}"
	}
	return strings.NewReplacer(pairs...).Replace(statement)
}

// Query runs a query and scans every row it yields.
func Query(ctx context.Context, client *ent.Client, text string, args []any, scan func(*sql.Rows) error) error {
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

// Column runs a query of one column and returns its values.
func Column[T any](ctx context.Context, client *ent.Client, text string, args ...any) (values []T, err error) {
	values = []T{}
	err = Query(ctx, client, text, args, func(row *sql.Rows) error {
		var value T
		err := row.Scan(&value)
		values = append(values, value)
		return err
	})
	return values, err
}

// IDs is a set of single ids.
func IDs(ids []int64) []any {
	return each.Of(ids, func(id int64) any { return id })
}

// Affect runs a statement and says how many rows it touched.
func Affect(ctx context.Context, tx *ent.Client, text string, args ...any) (int, error) {
	result, err := tx.ExecContext(ctx, text, args...)
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	return int(n), err
}

// NumberList is a list of numbers for a statement.
func NumberList[N ~int64](numbers []N) string {
	return strings.Join(each.Of(numbers, func(n N) string { return strconv.FormatInt(int64(n), 10) }), ",")
}
