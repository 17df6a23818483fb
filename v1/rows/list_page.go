package rows

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"entgo.io/ent/dialect"

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

// addHits adds the query for the ids that a filter matches. The limit tells the planner how few they are; a driver's is
// twice what the probe has found room for, which no seller fills between the probe and the page.
func (q *Statement) addHits(l *List, f *Filter, limit int) {
	switch {
	case f.Hits == itemword.Table:
		prefix := strings.TrimSuffix(strings.TrimPrefix(f.Args[0].(string), "% "), "%")
		q.Add("SELECT DISTINCT item_id AS id FROM item_words WHERE owner = $ AND word >= $ AND word < $", l.Owner, prefix, prefix+"\U0010FFFF")
	case f.Elsewhere != "":
		q.Add(f.Elsewhere, f.Args...)
	default:
		q.Add("SELECT id FROM "+l.Table+" WHERE owner = $ AND ", l.Owner)
		q.Add(strings.ReplaceAll(f.Condition, "%s", f.Column), f.Args...)
	}
	if f.Order != "" && f.Hits != itemword.Table { // else PostgreSQL may read the whole table, in search of a thousand rows with a value that no row has
		q.Add(" ORDER BY " + f.Order)
	}
	q.Add(" LIMIT " + strconv.Itoa(limit))
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
	q := l.Page(s.Store.Dialect(), driver, from, limit)
	return q.Text.String(), q.Args, nil
}

// Page writes the query for the rows after a cursor, as many as the limit and one more: a gather by the driver, or a walk
// without one.
func (l *List) Page(in string, driver *Filter, from wire.Opt[Cursor], limit int) *Statement {
	q := &Statement{}
	q.Text.Grow(usualStatement)
	if driver != nil {
		q.Add("WITH hits AS MATERIALIZED (")
		all := *driver
		if all.Order == "" {
			all.Order = "id + 0" // all are wanted: PostgreSQL must not hope to meet the first of them anywhere
		}
		if all.Elsewhere == "" {
			q.addHits(l, &all, 2*GatherLimit)
		} else {
			q.Add("SELECT DISTINCT id FROM (")
			q.addHits(l, &all, 2*GatherLimit)
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
	if driver == nil {
		q.Add(l.Table)
	} else {
		q.Add("hits")
		q.addOneOf(l.Table, "hits.id", in)
	}
	if l.Joined != "" {
		q.addOneOf(l.Joined, l.Table+"."+l.JoinedBy, in)
	}
	q.Add(" WHERE "+l.Table+".owner = $", l.Owner)
	l.addFilters(q, driver)
	l.addOrder(q, in, from.V, from.Set, limit)
	return q
}

// addOneOf adds to every row before it the one row of a table that it names by id. The rows keep their order: SQLite
// takes the tables of a CROSS JOIN in the order in which they are written, and what stands behind OFFSET is looked up
// for each row by PostgreSQL, which else may read the whole table for a hash join.
func (q *Statement) addOneOf(table, id, in string) {
	if in == dialect.Postgres {
		q.Add(" CROSS JOIN LATERAL (SELECT * FROM " + table + " WHERE id = " + id + " OFFSET 0) AS " + table)
	} else {
		q.Add(" CROSS JOIN " + table + " ON " + table + ".id = " + id)
	}
}

// addFilters adds the conditions that the driver, if there is one, has not seen to. Those that the sort's walk can use
// stand in the open; the others hide in a CASE, in which no planner looks for an index, and of which PostgreSQL expects
// to let half of the rows pass, however many conditions there are. Left in the open they would let it expect so few
// rows that it reads and sorts all of the owner's.
func (l *List) addFilters(q *Statement, driver *Filter) {
	var hidden []*Filter
	for i := range l.Filters {
		f := &l.Filters[i]
		switch {
		case f == driver && f.Hits != itemword.Table:
		case f.literal != "":
			q.Add(" AND " + strings.ReplaceAll(f.literal, "%s", l.Table+"."+f.Column))
		case driver == nil && f.walksWith == l.SortColumn:
			q.Add(" AND "+f.on(l.Table), f.Args...)
		default:
			hidden = append(hidden, f)
		}
	}
	for i, f := range hidden {
		lead := " AND "
		if i == 0 {
			lead = " AND CASE WHEN "
		}
		q.Add(lead+f.on(l.Table), f.Args...)
	}
	if len(hidden) > 0 {
		q.Add(" THEN true ELSE false END")
	}
}

// on is the condition with the column of a table.
func (f *Filter) on(table string) string {
	return strings.ReplaceAll(f.Condition, "%s", table+"."+f.Column)
}

// ColumnList is columns of a table for a list's page.
func ColumnList(table string, columns []string) string {
	return table + "." + strings.Join(columns, ", "+table+".")
}

func (l *List) addOrder(q *Statement, in string, from Cursor, continued bool, limit int) {
	key, id := l.Table+"."+l.SortColumn, l.Table+".id"
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
	if lower != nil {
		q.Add(" AND "+key+" >= $", *lower)
	}
	if upper != nil {
		q.Add(" AND "+key+" < $", *upper)
	}
	operator, direction := ">", ""
	if l.Descending {
		operator, direction = "<", " DESC"
	}
	if continued {
		q.Add(" AND ("+key+", "+id+") "+operator+" ($, $)", from.Key, from.ID)
	}
	q.Add(" ORDER BY " + key + direction + ", " + id + direction + " LIMIT ")
	if (l.HideLimit || l.covered) && in == dialect.Postgres { // as an argument
		q.Add("$", int64(limit+1))
	} else {
		q.Add(strconv.Itoa(limit + 1))
	}
}

// chooseDriver looks for the filter that matches the fewest rows, if they are few enough to gather. A filter that
// matches none leaves nothing to read.
func (s Lists) chooseDriver(ctx context.Context, l *List) (driver *Filter, empty bool, err error) {
	q, probed := l.Probes()
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
func (l *List) Probes() (q *Statement, probed []*Filter) {
	q = &Statement{}
	if l.covered {
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
		q.addHits(l, f, l.Gather+1)
		q.Add(") AS hits)")
		probed = append(probed, f)
	}
	return q, probed
}
