package v1

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sellerd/ent"
	"sellerd/ent/itemword"
)

// A list is a page query over one owner's rows of a table, sorted by an instant and the id. There are two ways to run
// it, and the planner is not asked which:
//
//   - Walk: follow the sort's index from the cursor and keep what the filters let pass. The cost of a page does not
//     depend on how deep it lies, but on how rare the rows are that pass.
//   - Gather: when some filter matches at most gatherLimit rows, take those from that filter's index and sort them.
//
// So a page costs at most the sorting of gatherLimit rows, or a walk in which every filter by itself matches more
// than gatherLimit rows. Such a walk is short when what matches is spread over the sort's order, and longest when it
// lies together at the far end: the sales changed since yesterday, if they are more than gatherLimit, walked from the
// oldest one. Then the first page passes over every row before them, at most all of the owner's, once: the cursor
// stands behind those rows, so the pages that follow do not meet them again.
//
// A page is at most two statements: one that counts what the filters match, and the page itself. What keeps planners
// on the way chosen is explained where it is written, in list_page.go.
type list struct {
	operation  string
	table      string
	columns    string // of the page, as columnList writes them
	joined     string // table of which every row of the list has one that shows in the page, or none
	joinedBy   string // column that holds its id
	owner      int64
	sort       string // the parameter's value, for the cursor's scope
	sortColumn string
	descending bool
	filters    []filter
	from, to   *int64 // bounds of the sort column, the second excluded
	moving     movingBounds
	gather     int  // gather when a filter matches at most so many rows
	limitArg   bool // whether a page's limit is an argument, for the planner not to know it
}

// movingBounds are bounds of the sort column that depend on the clock. A cursor's scope has their name instead of
// them, or a cursor would be stale as soon as it is made.
type movingBounds struct {
	name     string
	from, to *int64
}

// filter is one condition. Its text writes %s for the column and holds $ for each argument, numbered when the query is
// put together.
type filter struct {
	column    string
	condition string
	args      []any
	hits      string // a query for the ids that match, when an index of its own makes that cheap
	elsewhere string // the query for the hits, with the condition's args, where they are found by rows of another table; it may name an id twice
	order     string // of the rows in the index that makes hits cheap, after the columns that the condition fixes
	walksWith string // sort column whose index has this column before it, so that a walk can use it directly
}

const gatherLimit = 1000

// newList begins a list; sort is "<column>_asc" or "<column>_desc", by default ascending.
func newList(operation, table, columns string, owner int64, sort, defaultColumn string) *list {
	l := &list{operation: operation, table: table, columns: columns, owner: owner, sortColumn: defaultColumn, gather: gatherLimit}
	if sort != "" {
		l.sortColumn, l.descending = strings.CutSuffix(sort, "_desc")
		l.sortColumn = strings.TrimSuffix(l.sortColumn, "_asc")
	}
	l.sort = l.sortColumn + strconv.FormatBool(l.descending)
	return l
}

// in keeps rows whose column has one of the values; no values, no filter. Their order and repetitions mean nothing.
func (l *list) in(column string, values []any, walksWith string) {
	if len(values) == 0 {
		return
	}
	slices.SortFunc(values, compareValues)
	values = slices.Compact(values)
	condition := "%s IN (" + strings.TrimSuffix(strings.Repeat("$, ", len(values)), ", ") + ")"
	order := ""
	if len(values) == 1 {
		condition = "%s = $"
		if walksWith != "" { // where the id alone is left to order by, PostgreSQL would walk the primary key
			order = walksWith + ", id"
		}
	} else {
		walksWith = "" // several values come in several runs of the index, not in its order
	}
	if column == "id" {
		order = "id" // else SQLite looks for the ids in an index of all the owner's rows
	}
	l.filters = append(l.filters, filter{column: column, condition: condition, args: values, order: order, walksWith: walksWith, hits: l.table})
}

// between keeps rows whose column lies in a range: from the first bound, to the second, which belongs to it or not.
func (l *list) between(column string, from, to *int64, inclusive bool) {
	if column == l.sortColumn {
		l.from, l.to = from, to
		return
	}
	var conditions []string
	f := filter{column: column, hits: l.table, order: column + ", id"}
	if from != nil {
		conditions, f.args = append(conditions, "%s >= $"), append(f.args, *from)
	}
	if to != nil {
		operator := " < $"
		if inclusive {
			operator = " <= $"
		}
		conditions, f.args = append(conditions, "%s"+operator), append(f.args, *to)
	}
	if f.condition = strings.Join(conditions, " AND "); f.condition != "" {
		l.filters = append(l.filters, f)
	}
}

// narrow bounds the sort column further, by instants that move with the clock.
func (l *list) narrow(name string, from, to *int64) { l.moving = movingBounds{name, from, to} }

// bounds are those of the sort column at the moment.
func (l *list) bounds() (from, to *int64) {
	from, to = l.from, l.to
	if m := l.moving.from; m != nil && (from == nil || *m > *from) {
		from = m
	}
	if m := l.moving.to; m != nil && (to == nil || *m < *to) {
		to = m
	}
	return from, to
}

func compareValues(a, b any) int {
	if text, ok := a.(string); ok {
		return strings.Compare(text, b.(string))
	}
	return cmp.Compare(a.(int64), b.(int64))
}

// literal keeps rows that meet a condition on a number, in which there are no arguments. An index that holds the rows
// meeting it, ordered by walksWith, makes it indexed.
func (l *list) literal(column, condition, walksWith string, indexed bool) {
	f := filter{column: column, condition: condition, walksWith: walksWith}
	if indexed {
		f.hits, f.order = l.table, walksWith+", id"
	}
	l.filters = append(l.filters, f)
}

// words keeps items in which each of the words begins a word.
func (l *list) words(words []string) {
	for _, word := range words {
		l.filters = append(l.filters, filter{
			condition: "search LIKE $", args: []any{"% " + word + "%"},
			hits: itemword.Table,
		})
	}
}

// add adds a filter of the caller's own.
func (l *list) add(f filter) { l.filters = append(l.filters, f) }

// scope binds a cursor to this list.
func (l *list) scope() uint64 {
	var b []byte
	for _, f := range l.filters {
		b = fmt.Appendf(b, "%s|%s|%#v\n", f.column, f.condition, f.args)
	}
	for _, bound := range []*int64{l.from, l.to} {
		if bound != nil {
			b = strconv.AppendInt(b, *bound, 10)
		}
		b = append(b, '|')
	}
	b = append(b, l.moving.name...)
	return listScope(l.operation, l.owner, []byte(l.sort), b)
}

// Page is one page of a list. The last page has no next_cursor.
type Page[T any] struct {
	Results    []T         `json:"results"`
	NextCursor Opt[string] `json:"next_cursor"`
}

// lists reads pages of lists from a database.
type lists struct {
	store interface {
		Reader() *ent.Client
		Dialect() string
	}
	cursors cursorKey
}

// readPage reads one page of a list, and one row more to know whether there is a next. Every row is scanned into the
// targets; convert makes a result of it, and tells its sort key and id.
func readPage[T any](ctx context.Context, s lists, l *list, after Opt[string], limit int, targets []any, convert func() (result T, key, id int64)) (*Page[T], error) {
	query, args, err := s.planList(ctx, l, after, limit)
	if err != nil {
		return nil, err
	}
	if query == "" {
		return &Page[T]{}, nil
	}
	return scanPage(ctx, s.cursors, s.store.Reader(), l, query, args, limit, targets, convert)
}

// scanPage runs a page's query, in a snapshot or outside.
func scanPage[T any](ctx context.Context, cursors cursorKey, client *ent.Client, l *list, query string, args []any, limit int, targets []any, convert func() (result T, key, id int64)) (*Page[T], error) {
	rows, err := client.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read a page of %s: %w", l.table, err)
	}
	defer rows.Close()
	out := &Page[T]{Results: make([]T, 0, limit)}
	var key, id int64
	for rows.Next() {
		if len(out.Results) == limit {
			out.NextCursor = Some(cursors.encode(cursor{l.scope(), key, id}))
			break
		}
		if err := rows.Scan(targets...); err != nil {
			return nil, fmt.Errorf("scan a row of %s: %w", l.table, err)
		}
		var result T
		result, key, id = convert()
		out.Results = append(out.Results, result)
	}
	return out, cmp.Or(rows.Err())
}
