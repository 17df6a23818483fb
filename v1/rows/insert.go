package rows

import (
	"context"
	"fmt"
	"strings"

	"sellerd/ent"
)

// Insert stores many rows of one table with few statements. Its texts are fixed (for a hundred rows, for thirty, and so on
// down to one), so that databases keep them prepared; ent's builders make a new one for every number of rows and spend some
// sixty allocations a row. It serves the tables that are written most, such as submissions and words. Column names come
// from ent's constants.
type Insert struct {
	shared, own int // columns that all rows of a call have in common, and those of each row
	texts       []bulkText
}

type bulkText struct {
	rows int
	text string
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
	for _, rows := range []int{100, 30, 10, 3, 1} {
		var text strings.Builder
		text.WriteString("INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES ")
		// Arguments are numbered in the order in which they first appear, which is how SQLite's driver counts them.
		next := len(shared)
		for row := range rows {
			if row > 0 {
				text.WriteString(", ")
			}
			for i := range shared {
				fmt.Fprintf(&text, "%s$%d", separator(i), i+1)
			}
			for i := range own {
				next++
				fmt.Fprintf(&text, "%s$%d", separator(len(shared)+i), next)
			}
			text.WriteString(literals.String() + ")")
		}
		b.texts = append(b.texts, bulkText{rows, text.String()})
	}
	return b
}

// Replacing makes the statements replace a row that has the same value in a unique column. It returns the receiver.
func (b *Insert) Replacing(unique string, columns ...string) *Insert {
	assignments := make([]string, len(columns))
	for i, column := range columns {
		assignments[i] = column + " = excluded." + column
	}
	for i := range b.texts {
		b.texts[i].text += " ON CONFLICT (" + unique + ") DO UPDATE SET " + strings.Join(assignments, ", ")
	}
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
		if _, err := tx.ExecContext(ctx, b.texts[size].text, args...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}
