package v1

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"entgo.io/ent/dialect"

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
// than gatherLimit rows. What keeps planners on the way chosen is explained where it is written.
type list struct {
	operation  string
	table      string
	columns    string
	owner      Owner
	sort       string // the parameter's value, for the cursor's scope
	sortColumn string
	descending bool
	filters    []filter
	from, to   *int64 // bounds of the sort column
	gather     int    // gather when a filter matches at most so many rows
}

// filter is one condition. Its text writes %s for the column and holds $ for each argument, numbered when the query is
// put together.
type filter struct {
	column    string
	condition string
	args      []any
	hits      string // a query for the ids that match, when an index of its own makes that cheap
	order     string // of the rows in the index that makes hits cheap, after the columns that the condition fixes
	walksWith string // sort column whose index has this column before it, so that a walk can use it directly
}

const gatherLimit = 1000

// newList begins a list; sort is "<column>_asc" or "<column>_desc", by default ascending.
func newList(operation, table, columns string, owner Owner, sort, defaultColumn string) *list {
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

// words keeps items in which every word of the text begins a word.
func (l *list) words(text string) error {
	found := words(text)
	if len(found) == 0 || len(found) > 10 {
		return failf(InvalidParameter, "q", "must hold 1 to 10 words of letters or digits")
	}
	for _, word := range found {
		l.filters = append(l.filters, filter{
			condition: "search LIKE $", args: []any{"% " + word + "%"},
			hits: itemword.Table,
		})
	}
	return nil
}

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
	return listScope(l.operation, l.owner, []byte(l.sort), b)
}

// statement puts a query together and numbers its arguments in the order in which they appear, which is how both
// databases read them.
type statement struct {
	text strings.Builder
	args []any
}

func (q *statement) add(text string, args ...any) {
	for {
		before, after, found := strings.Cut(text, "$")
		q.text.WriteString(before)
		if !found {
			return
		}
		q.args = append(q.args, args[0])
		q.text.WriteString("$" + strconv.Itoa(len(q.args)))
		text, args = after, args[1:]
	}
}

// addHits adds the query for the ids that a filter matches. The limit tells the planner how few they are; a driver's is
// twice what the probe has found room for, which no seller fills between the probe and the page.
func (q *statement) addHits(l *list, f *filter, limit int) {
	if f.hits == itemword.Table {
		prefix := strings.TrimSuffix(strings.TrimPrefix(f.args[0].(string), "% "), "%")
		q.add("SELECT DISTINCT item_id AS id FROM item_words WHERE owner = $ AND word >= $ AND word < $", int64(l.owner), prefix, prefix+"\U0010FFFF")
	} else {
		q.add("SELECT id FROM "+l.table+" WHERE owner = $ AND ", int64(l.owner))
		q.add(strings.ReplaceAll(f.condition, "%s", f.column), f.args...)
	}
	if f.order != "" && f.hits != itemword.Table { // else PostgreSQL may read the whole table, looking for the first thousand of a value nobody has
		q.add(" ORDER BY " + f.order)
	}
	q.add(" LIMIT " + strconv.Itoa(limit))
}

// planList chooses between walk and gather and returns the query for one page and one row more. No query means that
// nothing matches.
func (s *Service) planList(ctx context.Context, l *list, after Opt[string], limit int) (string, []any, error) {
	var from cursor
	if after.Set {
		var err error
		if from, err = s.cursors.decode(after.V, l.scope()); err != nil {
			return "", nil, err
		}
	}
	driver, empty, err := s.chooseDriver(ctx, l)
	if err != nil || empty {
		return "", nil, err
	}
	q := &statement{}
	if driver != nil {
		q.add("WITH hits AS MATERIALIZED (")
		all := *driver
		if all.order == "" {
			all.order = "id + 0" // all are wanted: PostgreSQL must not hope to meet the first of them anywhere
		}
		q.addHits(l, &all, 2*gatherLimit)
		q.add(") SELECT " + prefixColumns(l.table, l.columns) + " FROM hits CROSS JOIN ")
		if s.store.Dialect() == dialect.Postgres { // else it may read the whole table for a hash join
			q.add("LATERAL (SELECT * FROM "+l.table+" WHERE id = hits.id AND owner = $ OFFSET 0) AS "+l.table+" WHERE true", int64(l.owner))
		} else {
			q.add(l.table+" WHERE "+l.table+".id = hits.id AND "+l.table+".owner = $", int64(l.owner))
		}
	} else {
		q.add("SELECT "+l.columns+" FROM "+l.table+" WHERE owner = $", int64(l.owner))
	}
	l.addFilters(q, driver)
	l.addOrder(q, from, after.Set, limit)
	return q.text.String(), q.args, nil
}

// addFilters adds the conditions that the driver, if there is one, has not seen to. Those that the sort's walk can use
// stand in the open; the others hide in a CASE, in which no planner looks for an index, and of which PostgreSQL expects
// to let half of the rows pass, however many conditions there are. Left in the open they would let it expect so few
// rows that it reads and sorts all of the owner's.
func (l *list) addFilters(q *statement, driver *filter) {
	var hidden []*filter
	for i := range l.filters {
		f := &l.filters[i]
		switch {
		case f == driver && f.hits != itemword.Table:
		case driver == nil && f.walksWith == l.sortColumn:
			q.add(" AND "+f.on(l.table), f.args...)
		default:
			hidden = append(hidden, f)
		}
	}
	for i, f := range hidden {
		lead := " AND "
		if i == 0 {
			lead = " AND CASE WHEN "
		}
		q.add(lead+f.on(l.table), f.args...)
	}
	if len(hidden) > 0 {
		q.add(" THEN true ELSE false END")
	}
}

// on is the condition with the column of a table.
func (f *filter) on(table string) string {
	return strings.ReplaceAll(f.condition, "%s", table+"."+f.column)
}

func prefixColumns(table, columns string) string {
	return table + "." + strings.ReplaceAll(columns, ", ", ", "+table+".")
}

func (l *list) addOrder(q *statement, from cursor, continued bool, limit int) {
	key, id := l.table+"."+l.sortColumn, l.table+".id"
	// A cursor lies within the bounds, so it replaces the one behind it: given both, SQLite may start at the bound.
	if l.from != nil && (!continued || l.descending) {
		q.add(" AND "+key+" >= $", *l.from)
	}
	if l.to != nil && (!continued || !l.descending) {
		q.add(" AND "+key+" < $", *l.to)
	}
	operator, direction := ">", ""
	if l.descending {
		operator, direction = "<", " DESC"
	}
	if continued {
		q.add(" AND ("+key+", "+id+") "+operator+" ($, $)", from.key, from.id)
	}
	q.add(" ORDER BY " + key + direction + ", " + id + direction + " LIMIT " + strconv.Itoa(limit+1))
}

// chooseDriver looks for a filter that matches few rows. A filter that matches none ends the search.
func (s *Service) chooseDriver(ctx context.Context, l *list) (driver *filter, empty bool, err error) {
	for i := range l.filters {
		f := &l.filters[i]
		if f.hits == "" || f.walksWith == l.sortColumn && len(l.filters) == 1 {
			continue
		}
		q := &statement{}
		q.add("SELECT count(*) FROM (")
		q.addHits(l, f, l.gather+1)
		q.add(") AS hits")
		rows, err := s.store.Reader().QueryContext(ctx, q.text.String(), q.args...)
		if err != nil {
			return nil, false, fmt.Errorf("probe filter: %w", err)
		}
		var n int
		if rows.Next() {
			err = rows.Scan(&n)
		}
		if err := firstError(err, rows.Err(), rows.Close()); err != nil {
			return nil, false, fmt.Errorf("probe filter: %w", err)
		}
		switch {
		case n == 0:
			return nil, true, nil
		case n <= l.gather:
			return f, false, nil
		}
	}
	return nil, false, nil
}
