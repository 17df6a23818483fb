package rows

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"sellerd/ent"
	"sellerd/internal/base/each"
)

// Insert stores many rows of one table with few statements. Its texts are fixed (for a hundred rows, for thirty, and so on
// down to one), so that databases keep them prepared; ent's builders make a new one for every number of rows and spend some
// sixty allocations a row. It serves the tables that are written most, such as submissions and words. Column names come
// from ent's constants.
type Insert struct {
	shared, own int // columns that all rows of a call have in common, and those of each row
	texts       []bulkText
	conflict    string // what Replacing adds
}

type bulkText struct {
	rows int
	text func() string // made when it is first needed
}

// NewInsert makes the statements. Constants are columns with the SQL literal that every row ever has there.
func NewInsert(table string, shared, own []string, constants [][2]string) *Insert {
	b := &Insert{shared: len(shared), own: len(own)}
	columns := append(append([]string{}, shared...), own...)
	var literals strings.Builder
	for _, constant := range constants {
		columns = append(columns, constant[0])
		literals.WriteString(", " + constant[1])
	}
	begin, end := "INSERT INTO "+table+" ("+strings.Join(columns, ", ")+") VALUES ", literals.String()+")"
	for _, rows := range []int{100, 30, 10, 3, 1} {
		b.texts = append(b.texts, bulkText{rows, sync.OnceValue(func() string { return begin + b.values(rows, end) + b.conflict })})
	}
	return b
}

// values are the places of the values of some rows.
func (b *Insert) values(rows int, end string) string {
	var text strings.Builder
	// Arguments are numbered in the order in which they first appear, which is how SQLite's driver counts them.
	next := b.shared
	for row := range rows {
		if row > 0 {
			text.WriteString(", ")
		}
		for i := range b.shared {
			fmt.Fprintf(&text, "%s$%d", separator(i), i+1)
		}
		for i := range b.own {
			next++
			fmt.Fprintf(&text, "%s$%d", separator(b.shared+i), next)
		}
		text.WriteString(end)
	}
	return text.String()
}

// Replacing makes the statements replace a row that has the same value in a unique column. It returns the receiver.
func (b *Insert) Replacing(unique string, columns ...string) *Insert {
	assignments := each.Of(columns, func(column string) string { return column + " = excluded." + column })
	b.conflict = " ON CONFLICT (" + unique + ") DO UPDATE SET " + strings.Join(assignments, ", ")
	return b
}

func separator(i int) string {
	if i == 0 {
		return "("
	}
	return ", "
}

// Rows stores rows: the shared values once, then each row's own values one after another.
func (b *Insert) Rows(ctx context.Context, tx *ent.Client, shared, rows []any) error {
	for len(rows) > 0 {
		size := 0
		for b.texts[size].rows*b.own > len(rows) {
			size++
		}
		n := b.texts[size].rows * b.own
		args := append(append(make([]any, 0, b.shared+n), shared...), rows[:n]...)
		if _, err := tx.ExecContext(ctx, b.texts[size].text(), args...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}
