package rows

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sellerd/ent/itemword"
	"sellerd/v1/wire"
)

// This file writes the statements of a list's page.

// Statement puts a query together and numbers its arguments in the order in which they appear, which is how both
// databases read them.
type Statement struct {
	Text strings.Builder
	Args []any
}

// Add appends text in which each $ stands for the next of the arguments.
func (q *Statement) Add(text string, args ...any) {
	for {
		before, after, found := strings.Cut(text, "$")
		q.Text.WriteString(before)
		if !found {
			return
		}
		q.Args = append(q.Args, args[0])
		q.Text.WriteString("$" + strconv.Itoa(len(q.Args)))
		text, args = after, args[1:]
	}
}

// usualStatement is room for the text of most pages, in bytes.
const usualStatement = 1500

// Plan chooses between walk and gather and returns the query for one page and one row more. No query means that
// nothing matches.
func (s Lists) Plan(ctx context.Context, l *List, after wire.Opt[string], limit int) (string, []any, error) {
	var from wire.Opt[Cursor]
	if after.Set {
		decoded, err := s.Cursors.Decode(after.V, l.Scope())
		if err != nil {
			return "", nil, err
		}
		from = wire.Some(decoded)
	}
	driver, empty, err := s.chooseDriver(ctx, l)
	if err != nil || empty {
		return "", nil, err
	}
	q := l.Page(s.Store.ManyWriters(), driver, from, limit)
	return q.Text.String(), q.Args, nil
}

// Page writes the query for the rows after a cursor, as many as the limit and one more: a gather by the driver, or a walk
// without one.
func (l *List) Page(postgres bool, driver *filter, from wire.Opt[Cursor], limit int) *Statement {
	q := &Statement{}
	q.Text.Grow(usualStatement)
	if driver != nil {
		q.Add("WITH hits AS MATERIALIZED (")
		if driver.Leads != "" {
			q.Add("SELECT DISTINCT id FROM (")
		}
		q.addHits(l, driver, 2*GatherLimit, postgres, true)
		if driver.Leads != "" {
			q.Add(") AS found")
		}
		q.Add(") ")
	}
	q.Add("SELECT ")
	q.Add(l.Columns)
	if l.also.text != "" {
		q.Add(", "+l.also.text, l.also.args...)
	}
	q.Add(" FROM ")
	prefix := l.prefix(postgres, driver)
	if driver == nil {
		q.Add(l.Table)
		if prefix != nil {
			q.Add(manyExpected(postgres))
		}
	} else {
		q.Add("hits")
		q.addOneOf(l.Table, "hits.id", postgres)
	}
	if l.Joined != "" {
		q.addOneOf(l.Joined, l.Table+"."+l.JoinedBy, postgres)
	}
	q.Add(" WHERE "+l.Table+".owner = $", l.Owner)
	l.addFilters(q, postgres, driver, prefix)
	l.addOrder(q, postgres, driver, prefix, from.V, from.Set, limit)
	return q
}

// addOneOf adds to every row before it the one row of a table that it names by id. The rows keep their order: SQLite
// takes the tables of a CROSS JOIN in the order in which they are written, and what has a LIMIT is looked up for each row by
// PostgreSQL, which else may read the whole table for a hash join. The order that is asked for is that of the primary key.
func (q *Statement) addOneOf(table, id string, postgres bool) {
	if postgres {
		q.Add(" CROSS JOIN LATERAL (SELECT * FROM " + table + " WHERE id >= " + id + " AND id <= " + id + " ORDER BY id LIMIT 1) AS " + table)
	} else {
		q.Add(" CROSS JOIN " + table + " ON " + table + ".id = " + id)
	}
}

// addFilters adds the conditions that the driver, if there is one, has not seen to. Those that the sort's walk can use
// stand in the open; the others hide in a CASE, in which no planner looks for an index, and of which PostgreSQL expects
// to let half of the rows pass, however many conditions there are. Left in the open they would let it expect so few
// rows that it reads and sorts all of the owner's. The prefix is left to addOrder.
//
// A condition without arguments is that of a partial index. PostgreSQL takes an index on all rows for as good where the
// condition costs it nothing to check, as IS NULL does. So the condition is said once more, in a way that has a cost. The
// partial index spares both.
func (l *List) addFilters(q *Statement, postgres bool, driver, prefix *filter) {
	var hidden []*filter
	for i := range l.Filters {
		f := &l.Filters[i]
		switch {
		case f == prefix || f == driver && f.Hits != itemword.Table:
		case f.literal != "":
			q.Add(" AND " + strings.ReplaceAll(f.literal, "%s", l.Table+"."+f.Column))
		case driver == nil && f.Hits != "" && f.walksWith == l.SortColumn && (prefix == nil || len(f.Args) == 0):
			q.Add(" AND "+f.on(l.Table, postgres), f.Args...)
			if postgres && len(f.Args) == 0 {
				q.Add(" AND (" + f.on(l.Table, postgres) + " OR " + l.Table + ".id <> 0)")
			}
		default:
			hidden = append(hidden, f)
		}
	}
	for i, f := range hidden {
		lead := " AND "
		if i == 0 {
			lead = " AND CASE WHEN "
		}
		q.Add(lead+f.on(l.Table, postgres), f.Args...)
	}
	if len(hidden) > 0 {
		q.Add(" THEN true ELSE false END")
	}
}

// on is the condition with the column of a table.
func (f *filter) on(table string, postgres bool) string {
	condition := f.Condition
	if postgres && f.Walked != "" {
		condition = f.Walked
	}
	return strings.ReplaceAll(condition, "%s", table+"."+f.Column)
}

// ColumnList is columns of a table for a list's page.
func ColumnList(table string, columns []string) string {
	return table + "." + strings.Join(columns, ", "+table+".")
}

// prefix is the filter of a walk on PostgreSQL whose column stands before the sort's in an index. The walk asks for a range of
// both columns, and for the order of both: only that index has it. Asked for an equal value, PostgreSQL would take the sort's
// own index for as good when it believes that the table is empty, and read all of the owner's rows.
func (l *List) prefix(postgres bool, driver *filter) *filter {
	if !postgres || driver != nil || l.covered {
		return nil
	}
	for i := range l.Filters {
		if f := &l.Filters[i]; len(f.Values) == 1 && f.walksWith == l.SortColumn {
			return f
		}
	}
	return nil
}

// addOrder adds the part of the order that the page begins at, the order and the limit.
func (l *List) addOrder(q *Statement, postgres bool, driver, prefix *filter, from Cursor, continued bool, limit int) {
	columns, fixed := []string{l.Table + "." + l.SortColumn, l.Table + ".id"}, []any(nil)
	if prefix != nil {
		columns, fixed = append([]string{l.Table + "." + prefix.Column}, columns...), prefix.Values
	}
	bound := func(operator string, values ...any) { q.addBound(columns, operator, slices.Concat(fixed, values)) }
	// Of a bound and a cursor at the same end only the nearer one is written: given both, SQLite may start at the other.
	// That is the cursor, unless the bound is a moving one and has passed it.
	lower, upper := l.bounds()
	switch {
	case continued && !l.Descending && lower != nil:
		if continued = from.Key >= *lower; continued {
			lower = nil
		}
	case continued && l.Descending && upper != nil:
		if continued = from.Key < *upper; continued {
			upper = nil
		}
	}
	after, before := continued && !l.Descending, continued && l.Descending
	switch {
	case after:
		bound(" > ", from.Key, from.ID)
	case lower != nil:
		bound(" >= ", *lower)
	case prefix != nil:
		bound(" >= ")
	}
	switch {
	case before:
		bound(" < ", from.Key, from.ID)
	case upper != nil:
		bound(" < ", *upper)
	case prefix != nil:
		bound(" <= ")
	}
	direction := ""
	if l.Descending {
		direction = " DESC"
	}
	q.Add(" ORDER BY " + strings.Join(columns, direction+", ") + direction + " LIMIT ")
	if postgres && driver == nil {
		q.Add("$", int64(limit+1)) // as a number, it would have PostgreSQL read and sort all rows where it expects few
	} else {
		q.Add(strconv.Itoa(limit + 1))
	}
}

// chooseDriver looks for the filter that matches the fewest rows, if they are few enough to gather. A filter that
// matches none leaves nothing to read.
func (s Lists) chooseDriver(ctx context.Context, l *List) (driver *filter, empty bool, err error) {
	if driver := l.byID(); driver != nil {
		return driver, false, nil
	}
	q, probed := l.Probes(s.Store.ManyWriters())
	if len(probed) == 0 {
		return nil, false, nil
	}
	rows, err := s.Store.Query(ctx, q.Text.String(), q.Args...)
	if err != nil {
		return nil, false, fmt.Errorf("probe filters: %w", err)
	}
	defer rows.Close()
	counts, targets := make([]int, len(probed)), make([]any, len(probed))
	for i := range counts {
		targets[i] = &counts[i]
	}
	if rows.Next() {
		err = rows.Scan(targets...)
	}
	if err := cmp.Or(err, rows.Err()); err != nil {
		return nil, false, fmt.Errorf("probe filters: %w", err)
	}
	fewest := slices.Index(counts, slices.Min(counts))
	if counts[fewest] <= l.Gather {
		driver = probed[fewest]
	}
	return driver, counts[fewest] == 0, nil
}

// Probes counts, in one statement, what each of the filters matches that could be gathered, as far as the counts can
// matter. A filter that stands alone in the walk's own index needs no count, and neither do those that one index covers:
// the walk meets nothing else.
func (l *List) Probes(postgres bool) (q *Statement, probed []*filter) {
	q = &Statement{}
	if l.covered || l.byID() != nil {
		return q, nil
	}
	for i := range l.Filters {
		f := &l.Filters[i]
		if f.Hits == "" || f.walksWith == l.SortColumn && len(l.Filters) == 1 {
			continue
		}
		lead := ", "
		if len(probed) == 0 {
			lead = "SELECT "
		}
		q.Add(lead + "(SELECT count(*) FROM (")
		q.addHits(l, f, l.Gather+1, postgres, false)
		q.Add(") AS hits)")
		probed = append(probed, f)
	}
	return q, probed
}
