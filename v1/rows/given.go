package rows

import (
	"regexp"
	"strings"
)

// Sets is a Set about rows of tables that are given by their ids. Its text differs between the two databases.
//
// PostgreSQL keeps the plan that it made when a table was empty, or was believed to be. All indexes looked alike to it then, and
// it may find an id by reading all of an index that has the id last. So the rows are found by their physical places (ctid),
// and the places one by one in the order of the ids, which the primary key alone has. Other conditions on the table must not
// name a bare column with an index, or PostgreSQL might take that: Hidden writes them.
//
// A row that another transaction changes meanwhile has another place: PostgreSQL passes it over, or in older versions changes it as it
// is then. So such a statement is for rows that a lock which the transaction has, such as that on their webhook, keeps others from, or
// for work that another round repeats. In a partitioned table rows of different partitions have the same place: Each knows its row by
// the id as well and is right there, Any is not.
type Sets struct{ usual, postgres *Set }

// marker stands in a statement for the condition that a row of a table is among those given.
var marker = regexp.MustCompile(`\{(each|any) ([a-z_]+)\}`)

// Each is the condition that joins a row of a table, which the statement calls by its name, to the given row with its id.
func Each(table string) string { return "{each " + table + "}" }

// Any is the condition that a row of a table has one of the given ids. The given rows are not joined.
func Any(table string) string { return "{any " + table + "}" }

// Hidden is a text column in a condition that no index shall serve.
func Hidden(column string) string { return column + " || ''" }

// NewSets makes the texts as NewSet does, of a statement in which Each and Any stand for conditions. The first column is the
// id.
func NewSets(statement string, columns ...string) *Sets {
	const places = `$2.ctid = ANY(ARRAY(SELECT (SELECT x.ctid FROM $2 x WHERE x.id >= given.id AND x.id <= given.id ORDER BY x.id LIMIT 1) FROM given))`
	write := func(each, any string) *Set {
		return NewSet(marker.ReplaceAllStringFunc(statement, func(found string) string {
			condition := each
			if marker.FindStringSubmatch(found)[1] == "any" {
				condition = any
			}
			return marker.ReplaceAllString(found, condition)
		}), columns...)
	}
	return &Sets{
		usual:    write(`$2.id = given.id`, `$2.id IN (SELECT id FROM given)`),
		postgres: write(places+` AND $2.id + 0 = given.id`, places),
	}
}

// On is the statement for PostgreSQL, which has many writers, or for SQLite, which has one.
func (s *Sets) On(postgres bool) *Set {
	if postgres {
		return s.postgres
	}
	return s.usual
}

// NewRemoval deletes the rows of a table that have one of the given sets of values in some columns, with their types. An index begins
// with the columns, and no other row has the same values in them. On PostgreSQL the rows are found by their places, each in the order of
// that index: a plan for an empty table may compare the second column with a list of values by reading all rows that have the first.
func NewRemoval(table string, columns ...string) *Sets {
	of := func(table string) string {
		names := make([]string, len(columns))
		for i, column := range columns {
			name, _, _ := strings.Cut(column, " ")
			names[i] = table + name
		}
		return strings.Join(names, ", ")
	}
	key := of("x.")
	return &Sets{
		usual: NewSet(`DELETE FROM `+table+` WHERE (`+of("")+`) IN (SELECT `+of("")+` FROM given)`, columns...),
		postgres: NewSet(`DELETE FROM `+table+` WHERE ctid = ANY(ARRAY(SELECT (SELECT x.ctid FROM `+table+` x WHERE (`+key+`) >= (`+of("given.")+`) AND (`+key+`) <= (`+of("given.")+
			`) ORDER BY `+key+` LIMIT 1) FROM given))`, columns...),
	}
}
