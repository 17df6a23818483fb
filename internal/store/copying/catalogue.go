package copying

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sellerd/internal/base/each"
	"sellerd/internal/store"
)

// kind is what a column holds, whatever its database calls it.
type kind string

// The kinds. Times, amounts and sets of flags are integers in this schema, JSON is text.
const (
	integer kind = "an integer" // int64
	boolean kind = "a boolean"  // bool
	text    kind = "text"       // string, valid UTF-8 without NUL
	blob    kind = "bytes"      // []byte
	real    kind = "a float"    // float64
)

// kindOf has the kinds of columns by their types, in small letters, of both databases.
var kindOf = map[string]kind{
	"bigint": integer, "integer": integer, "smallint": integer, "bool": boolean, "boolean": boolean, "text": text, "character varying": text,
	"blob": blob, "bytea": blob, "real": real, "double precision": real,
}

// column is a column of both databases.
type column struct {
	name  string
	kind  kind
	place int // in the primary key, from 1 on; 0 for none
}

// table is a table of one database.
type table struct {
	name    string
	columns []column // by name
	key     []int    // the primary key, as positions in columns
	refers  []string // the tables that rows refer to
	counter string   // the column that the database numbers itself, if there is one
}

// own are the tables that are the program's own record of a database. They belong to the database and not to its contents.
var own = map[string]bool{"goose_db_version": true, store.CopyTable: true}

// tables reads the catalogue by two queries. columns returns the table, the column, its type, its place in the primary key, and 1 if the
// database numbers it; references returns pairs of tables, of which the first one refers to the second.
func (s *session) tables(ctx context.Context, columns, references string) ([]*table, error) {
	found := map[string]*table{}
	lines, err := s.ask(ctx, columns)
	if err != nil {
		return nil, err
	}
	for _, line := range lines {
		name, c := line[0], column{name: line[1], kind: kindOf[line[2]]}
		if own[name] {
			continue
		}
		if c.kind == "" {
			return nil, fmt.Errorf("the column %s.%s has the type %s, which this package does not know", name, c.name, line[2])
		}
		if c.place, err = strconv.Atoi(line[3]); err != nil {
			return nil, err
		}
		if found[name] == nil {
			found[name] = &table{name: name}
		}
		found[name].columns = append(found[name].columns, c)
		if line[4] == "1" {
			found[name].counter = c.name
		}
	}
	if lines, err = s.ask(ctx, references); err != nil {
		return nil, err
	}
	for _, line := range lines {
		if t := found[line[0]]; t != nil {
			t.refers = append(t.refers, line[1])
		}
	}
	return order(slices.Collect(maps.Values(found)))
}

// order sorts each table's columns and the tables, so that rows come after the rows that they refer to.
func order(tables []*table) (ordered []*table, err error) {
	for _, t := range tables {
		slices.SortFunc(t.columns, func(a, b column) int { return strings.Compare(a.name, b.name) })
		for i, c := range t.columns {
			if c.place > 0 {
				t.key = append(t.key, i)
			}
		}
		if len(t.key) == 0 {
			return nil, fmt.Errorf("the table %s has no primary key", t.name)
		}
		slices.SortFunc(t.key, func(a, b int) int { return t.columns[a].place - t.columns[b].place })
	}
	slices.SortFunc(tables, func(a, b *table) int { return strings.Compare(a.name, b.name) })
	done := map[string]bool{}
	for len(ordered) < len(tables) {
		before := len(ordered)
		for _, t := range tables {
			if !done[t.name] && !slices.ContainsFunc(t.refers, func(name string) bool { return !done[name] }) {
				ordered, done[t.name] = append(ordered, t), true
			}
		}
		if len(ordered) == before {
			return nil, errors.New("tables refer to each other in a circle")
		}
	}
	return ordered, nil
}

// agree fails unless both databases have the same tables with the same columns.
func agree(source, target []*table) error {
	a, b := described(source), described(target)
	for _, line := range a {
		if !slices.Contains(b, line) {
			return fmt.Errorf("the source has %s, and the target has not", line)
		}
	}
	for _, line := range b {
		if !slices.Contains(a, line) {
			return fmt.Errorf("the target has %s, and the source has not", line)
		}
	}
	return nil
}

// described lists the columns of all tables.
func described(tables []*table) (lines []string) {
	for _, t := range tables {
		for _, c := range t.columns {
			lines = append(lines, fmt.Sprintf("the column %s.%s with %s", t.name, c.name, c.kind))
		}
	}
	return lines
}

// quoted is a name in SQL of both databases.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// list is columns in SQL.
func list(columns []column) string {
	return strings.Join(each.Of(columns, func(c column) string { return quoted(c.name) }), ", ")
}

// keyList is the primary key in SQL.
func (t *table) keyList() string {
	return list(each.Of(t.key, func(at int) column { return t.columns[at] }))
}

// keyOf is the primary key of a row.
func (t *table) keyOf(row []any) []any {
	return each.Of(t.key, func(at int) any { return row[at] })
}

// part is some of a table's rows.
type part struct {
	after []any // the key before the first row, nil for the first of all
	upTo  []any // the key of the last row, nil for the last of all
	limit int   // 0 for none
	// sorted returns the rows in the order of the key, and is slower.
	sorted bool
}

// query is the statement that reads a part, and its arguments.
func (t *table) query(p part) (text string, args []any) {
	condition := func(operator string, key []any) string {
		marks := make([]string, len(key))
		for i := range key {
			args = append(args, key[i])
			marks[i] = fmt.Sprintf("$%d", len(args))
		}
		if len(marks) == 1 {
			return t.keyList() + operator + marks[0]
		}
		return "(" + t.keyList() + ")" + operator + "(" + strings.Join(marks, ", ") + ")"
	}
	var conditions []string
	if p.after != nil {
		conditions = append(conditions, condition(" > ", p.after))
	}
	if p.upTo != nil {
		conditions = append(conditions, condition(" <= ", p.upTo))
	}
	text = "SELECT " + list(t.columns) + " FROM " + quoted(t.name)
	if len(conditions) > 0 {
		text += " WHERE " + strings.Join(conditions, " AND ")
	}
	if p.sorted {
		text += " ORDER BY " + t.keyList()
	}
	if p.limit > 0 {
		text += fmt.Sprintf(" LIMIT %d", p.limit)
	}
	return text, args
}
