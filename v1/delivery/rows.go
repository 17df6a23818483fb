package delivery

import (
	"strings"

	"sellerd/v1/rows"
)

// The engine's statements are written by hand, and about sets of rows: a claim or a settlement costs the same few
// statements however many dispatches it is about. Most of them join what is stored with what is given, update each row
// with values of its own, or leap through an index, which ent's builders cannot express. BenchmarkClaim and BenchmarkSettle
// measure them, and their plans are tested on both databases. The names of tables and columns are ent's.

// bigint, text and boolean are the types of given columns.
const (
	bigint  = " bigint"
	text    = " text"
	boolean = " boolean"
)

// columnNames lists columns: "id, lease".
func columnNames(names ...string) string { return strings.Join(names, ", ") }

// columns lists columns of a table that a statement calls by an alias: "d.id, d.lease".
func columns(alias string, names ...string) string {
	return alias + "." + strings.Join(names, ", "+alias+".")
}

// assign sets columns to what is given under their names: "lease = given.lease, due_at = given.due_at".
func assign(names ...string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = name + " = given." + name
	}
	return strings.Join(all, ", ")
}

// on is a statement as the engine's database has it, and wakeNext that one.
func (e *Engine) on(s *rows.Sets) *rows.Set { return s.On(e.postgres) }

func (e *Engine) wakeNext() *rows.Set {
	if e.postgres {
		return wakeNext[0]
	}
	return wakeNext[1]
}

// nullUnless is a value, or NULL where there is none.
func nullUnless[T any](there bool, value T) any {
	if !there {
		return nil
	}
	return value
}
