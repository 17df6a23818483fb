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

// This file writes the statements of a list's page.

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
	switch {
	case f.hits == itemword.Table:
		prefix := strings.TrimSuffix(strings.TrimPrefix(f.args[0].(string), "% "), "%")
		q.add("SELECT DISTINCT item_id AS id FROM item_words WHERE owner = $ AND word >= $ AND word < $", l.owner, prefix, prefix+"\U0010FFFF")
	case f.elsewhere != "":
		q.add(f.elsewhere, f.args...)
	default:
		q.add("SELECT id FROM "+l.table+" WHERE owner = $ AND ", l.owner)
		q.add(strings.ReplaceAll(f.condition, "%s", f.column), f.args...)
	}
	if f.order != "" && f.hits != itemword.Table { // else PostgreSQL may read the whole table, looking for the first thousand of a value nobody has
		q.add(" ORDER BY " + f.order)
	}
	q.add(" LIMIT " + strconv.Itoa(limit))
}

// usualStatement is room for the text of most pages, in bytes.
const usualStatement = 1500

// planList chooses between walk and gather and returns the query for one page and one row more. No query means that
// nothing matches.
func (s lists) planList(ctx context.Context, l *list, after Opt[string], limit int) (string, []any, error) {
	var from Opt[cursor]
	if after.Set {
		decoded, err := s.cursors.decode(after.V, l.scope())
		if err != nil {
			return "", nil, err
		}
		from = Some(decoded)
	}
	driver, empty, err := s.chooseDriver(ctx, l)
	if err != nil || empty {
		return "", nil, err
	}
	q := l.page(s.store.Dialect(), driver, from, limit)
	return q.text.String(), q.args, nil
}

// page writes the query for the rows after a cursor, as many as the limit and one more: a gather by the driver, or a walk
// without one.
func (l *list) page(in string, driver *filter, from Opt[cursor], limit int) *statement {
	q := &statement{}
	q.text.Grow(usualStatement)
	if driver != nil {
		q.add("WITH hits AS MATERIALIZED (")
		all := *driver
		if all.order == "" {
			all.order = "id + 0" // all are wanted: PostgreSQL must not hope to meet the first of them anywhere
		}
		if all.elsewhere == "" {
			q.addHits(l, &all, 2*gatherLimit)
		} else {
			q.add("SELECT DISTINCT id FROM (")
			q.addHits(l, &all, 2*gatherLimit)
			q.add(") AS found")
		}
		q.add(") ")
	}
	q.add("SELECT ")
	q.add(l.columns)
	q.add(" FROM ")
	if driver == nil {
		q.add(l.table)
	} else {
		q.add("hits")
		q.addOneOf(l.table, "hits.id", in)
	}
	if l.joined != "" {
		q.addOneOf(l.joined, l.table+"."+l.joinedBy, in)
	}
	q.add(" WHERE "+l.table+".owner = $", l.owner)
	l.addFilters(q, driver)
	l.addOrder(q, from.V, from.Set, limit)
	return q
}

// addOneOf adds to every row before it the one row of a table that it names by id. The rows keep their order: SQLite
// takes the tables of a CROSS JOIN in the order in which they are written, and what stands behind OFFSET is looked up
// for each row by PostgreSQL, which else may read the whole table for a hash join.
func (q *statement) addOneOf(table, id, in string) {
	if in == dialect.Postgres {
		q.add(" CROSS JOIN LATERAL (SELECT * FROM " + table + " WHERE id = " + id + " OFFSET 0) AS " + table)
	} else {
		q.add(" CROSS JOIN " + table + " ON " + table + ".id = " + id)
	}
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

// columnList is columns of a table for a list's page.
func columnList(table string, columns []string) string {
	return table + "." + strings.Join(columns, ", "+table+".")
}

func (l *list) addOrder(q *statement, from cursor, continued bool, limit int) {
	key, id := l.table+"."+l.sortColumn, l.table+".id"
	// Of a bound and a cursor at the same end only the nearer one is written: given both, SQLite may start at the other.
	// That is the cursor, unless the bound is a moving one and has passed it.
	lower, upper := l.bounds()
	switch {
	case continued && !l.descending && lower != nil:
		if continued = from.key >= *lower; continued {
			lower = nil
		}
	case continued && l.descending && upper != nil:
		if continued = from.key < *upper; continued {
			upper = nil
		}
	}
	if lower != nil {
		q.add(" AND "+key+" >= $", *lower)
	}
	if upper != nil {
		q.add(" AND "+key+" < $", *upper)
	}
	operator, direction := ">", ""
	if l.descending {
		operator, direction = "<", " DESC"
	}
	if continued {
		q.add(" AND ("+key+", "+id+") "+operator+" ($, $)", from.key, from.id)
	}
	q.add(" ORDER BY " + key + direction + ", " + id + direction + " LIMIT ")
	if l.limitArg {
		q.add("$", int64(limit+1))
	} else {
		q.add(strconv.Itoa(limit + 1))
	}
}

// chooseDriver looks for the filter that matches the fewest rows, if they are few enough to gather. A filter that
// matches none leaves nothing to read.
func (s lists) chooseDriver(ctx context.Context, l *list) (driver *filter, empty bool, err error) {
	q, probed := l.probes()
	if len(probed) == 0 {
		return nil, false, nil
	}
	rows, err := s.store.Reader().QueryContext(ctx, q.text.String(), q.args...)
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
	if counts[fewest] <= l.gather {
		driver = probed[fewest]
	}
	return driver, counts[fewest] == 0, nil
}

// probes counts, in one statement, what each of the filters matches that could be gathered, as far as the counts can
// matter. A filter that stands alone in the walk's own index needs no count: its walk meets nothing else.
func (l *list) probes() (q *statement, probed []*filter) {
	q = &statement{}
	for i := range l.filters {
		f := &l.filters[i]
		if f.hits == "" || f.walksWith == l.sortColumn && len(l.filters) == 1 {
			continue
		}
		lead := ", "
		if len(probed) == 0 {
			lead = "SELECT "
		}
		q.add(lead + "(SELECT count(*) FROM (")
		q.addHits(l, f, l.gather+1)
		q.add(") AS hits)")
		probed = append(probed, f)
	}
	return q, probed
}
