package rows

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sellerd/ent"
	"sellerd/ent/itemword"
	"sellerd/internal/base/each"
	"sellerd/v1/wire"
)

// A list is a page query over one owner's rows of a table, sorted by an instant and the id. There are two ways to run
// it, and the planner is not asked which:
//
//   - Walk: follow the sort's index from the cursor and keep what the filters let pass. The cost of a page does not
//     depend on how deep it lies, but on how rare the rows are that pass.
//   - Gather: when some filter matches at most GatherLimit rows, take those from that filter's index and sort them.
//
// So a page costs at most the sorting of GatherLimit rows, or a walk in which every filter by itself matches more
// than GatherLimit rows. Such a walk is short when what matches is spread over the sort's order, and longest when it
// lies together at the far end: the sales changed since yesterday, if they are more than GatherLimit, walked from the
// oldest one. Then the first page passes over every row before them, at most all of the owner's, once: the cursor
// stands behind those rows, so the pages that follow do not meet them again.
//
// A page is at most two statements: one that counts what the filters match, and the page itself. What keeps planners
// on the way chosen is explained where it is written, in list_page.go.
type List struct {
	operation  string
	Table      string
	Columns    string // of the page, as ColumnList writes them
	Joined     string // table of which every row of the list has one that shows in the page, or none
	JoinedBy   string // column that holds its id
	Owner      int64
	sort       string // the parameter's value, for the cursor's scope
	SortColumn string
	Descending bool
	Filters    []filter
	From, To   *int64 // bounds of the sort column, the second excluded
	moving     movingBounds
	Gather     int  // gather when a filter matches at most so many rows
	covered    bool // one index holds just the rows that pass all filters, in the sort order
	also       alsoColumn
}

// alsoColumn is a column of every row that is not of the list.
type alsoColumn struct {
	text   string
	args   []any
	target any
	check  func() error
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
	Column    string
	Condition string
	Args      []any
	Values    []any  // that the column has, one of them, where the condition says just this of a row of Hits
	Hits      string // table whose rows lead to those that match, when an index of its own makes that cheap
	Leads     string // column of Hits that holds the list's id, by default "id"; it may hold an id twice
	Order     string // of the rows in the index that makes hits cheap, after the columns that the condition fixes
	Sorted    string // the order of that index after the column, where there are Values
	Walked    string // the condition of a walk on PostgreSQL, if it is another; it has the same arguments
	walksWith string // sort column whose index has this column before it, so that a walk can use it directly
	literal   string // the condition in a covered list, without arguments
}

const GatherLimit = 1000

// NewList begins a list; sort is "<column>_asc" or "<column>_desc", by default ascending.
func NewList(operation, table, columns string, owner int64, sort, defaultColumn string) *List {
	l := &List{operation: operation, Table: table, Columns: columns, Owner: owner, SortColumn: defaultColumn, Gather: GatherLimit}
	if sort != "" {
		l.SortColumn, l.Descending = strings.CutSuffix(sort, "_desc")
		l.SortColumn = strings.TrimSuffix(l.SortColumn, "_asc")
	}
	l.sort = l.SortColumn + strconv.FormatBool(l.Descending)
	return l
}

// In keeps rows whose column has one of the values; no values, no filter. Their order and repetitions mean nothing.
func (l *List) In(column string, values []any, walksWith string) {
	if len(values) == 0 {
		return
	}
	slices.SortFunc(values, compareValues)
	values = slices.Compact(values)
	condition := "%s IN (" + placeholders(len(values)) + ")"
	order, sorted := "", "id"
	if walksWith != "" {
		sorted = walksWith + ", id"
	}
	if len(values) == 1 {
		condition = "%s = $"
		if walksWith != "" { // where the id alone is left to order by, PostgreSQL would walk the primary key
			order = sorted
		}
	} else {
		walksWith = "" // several values come in several runs of the index, not in its order
	}
	if column == "id" {
		order = "id" // else SQLite looks for the ids in an index of all the owner's rows
	}
	l.Filters = append(l.Filters, filter{
		Column: column, Condition: condition, Args: values, Values: values, Order: order, Sorted: sorted, walksWith: walksWith, Hits: l.Table,
	})
}

// Between keeps rows whose column lies in a range: from the first bound, to the second, which belongs to it or not.
func (l *List) Between(column string, from, to *int64, inclusive bool) {
	if column == l.SortColumn {
		l.From, l.To = from, to
		return
	}
	var conditions []string
	f := filter{Column: column, Hits: l.Table, Order: column + ", id"}
	if from != nil {
		conditions, f.Args = append(conditions, "%s >= $"), append(f.Args, *from)
	}
	if to != nil {
		operator := " < $"
		if inclusive {
			operator = " <= $"
		}
		conditions, f.Args = append(conditions, "%s"+operator), append(f.Args, *to)
	}
	if f.Condition = strings.Join(conditions, " AND "); f.Condition != "" {
		l.Filters = append(l.Filters, f)
	}
}

// Since keeps rows whose instant is at or after a bound. Few rows have one: a partial index holds them, ordered by walksWith and the id.
func (l *List) Since(column string, from *int64, walksWith string) {
	if from == nil {
		return
	}
	l.Filters = append(l.Filters, filter{
		Column: column, Condition: "%s IS NOT NULL AND %s >= $", Args: []any{*from}, Hits: l.Table, Order: walksWith + ", id", walksWith: walksWith,
	})
}

// Narrow bounds the sort column further, by instants that move with the clock.
func (l *List) Narrow(name string, from, to *int64) { l.moving = movingBounds{name, from, to} }

// bounds are those of the sort column at the moment.
func (l *List) bounds() (from, to *int64) {
	from, to = l.From, l.To
	if m := l.moving.from; m != nil && (from == nil || *m > *from) {
		from = m
	}
	if m := l.moving.to; m != nil && (to == nil || *m < *to) {
		to = m
	}
	return from, to
}

// compareValues orders two values of a filter: two texts, or two numbers of type int64.
func compareValues(a, b any) int {
	if text, ok := a.(string); ok {
		return strings.Compare(text, b.(string))
	}
	return cmp.Compare(a.(int64), b.(int64))
}

// Literal keeps rows that meet a condition on a number, in which there are no arguments. An index that holds the rows
// meeting it, ordered by walksWith, makes it indexed.
func (l *List) Literal(column, condition, walksWith string, indexed bool) {
	f := filter{Column: column, Condition: condition, walksWith: walksWith}
	if indexed {
		f.Hits, f.Order = l.Table, walksWith+", id"
	}
	l.Filters = append(l.Filters, f)
}

// Also reads one column more with every row, after those of the list. Its text holds $ for each argument. check is called
// once, after the first row is scanned. The page ends with its error.
func (l *List) Also(text string, args []any, target any, check func() error) {
	l.also = alsoColumn{text, args, target, check}
}

// Cover says that one partial index holds just the rows that pass all the filters, ordered by the sort column and the id.
// Then a walk meets no other rows, and nothing is probed. The condition is that of the index on a column, with literals;
// it stands in for the column's filter. A cursor belongs to the list with or without it.
func (l *List) Cover(column, condition string) {
	l.covered = true
	for i := range l.Filters {
		f := &l.Filters[i]
		if f.walksWith = l.SortColumn; f.Column == column {
			f.literal = condition
		}
	}
}

// Words keeps items in which each of the words begins a word.
func (l *List) Words(words []string) {
	for _, word := range words {
		l.Filters = append(l.Filters, filter{
			Condition: "search LIKE $", Args: []any{"% " + word + "%"},
			Hits: itemword.Table,
		})
	}
}

// Parts are the rows of another table that belong to rows of a list, as the sales of a bill do. The table has an index of each column
// that is asked for with the owner before it and the sort column and the id behind it, and one of Leads with the same behind it.
type Parts struct {
	Table      string
	Leads      string // column that holds the list's id
	SortColumn string
}

// InParts keeps rows with a part whose column has one of the values; no values, no filter. The probe counts parts, so what has more than
// GatherLimit of them is walked. A walk reads the few parts of each row. With + 0 and OFFSET 0 no planner reads the parts with the
// value instead, which can be tens of thousands, or the whole table.
func (l *List) InParts(p Parts, column string, values []any) {
	if len(values) == 0 {
		return
	}
	slices.SortFunc(values, compareValues)
	values = slices.Compact(values)
	id, sortColumn, leads := p.Table+".id", p.Table+"."+p.SortColumn, p.Table+"."+p.Leads
	order := "" // the parts with several values lie in several ranges of the index, and PostgreSQL would read all of them to sort them
	switch {
	case column == "id":
		order = id
	case len(values) == 1:
		order = sortColumn + ", " + id
	}
	owned := "WHERE " + p.Table + ".owner = $ AND " + leads
	given := " AND " + p.Table + "." + column + " + 0 IN (" + placeholders(len(values)) + ")"
	l.Filters = append(l.Filters, filter{
		Column:    column,
		Condition: "EXISTS (SELECT 1 FROM " + p.Table + " " + owned + " = " + l.Table + ".id" + given + " LIMIT 1 OFFSET 0)",
		Walked: "EXISTS (SELECT 1 FROM " + p.Table + " CROSS JOIN " + manyExpectedTable + " " + owned + " >= " + l.Table + ".id" +
			" AND " + leads + " <= " + l.Table + ".id" + given +
			" ORDER BY " + leads + ", " + sortColumn + ", " + id + " LIMIT 1 OFFSET 0)",
		Args:   append([]any{l.Owner}, values...),
		Values: values,
		Hits:   p.Table,
		Leads:  p.Leads,
		Order:  order,
		Sorted: p.SortColumn + ", id",
	})
}

// Scope binds a cursor to this list.
func (l *List) Scope() uint64 {
	var b []byte
	for _, f := range l.Filters {
		b = fmt.Appendf(b, "%s|%s|%#v\n", f.Column, f.Condition, f.Args)
	}
	for _, bound := range []*int64{l.From, l.To} {
		if bound != nil {
			b = strconv.AppendInt(b, *bound, 10)
		}
		b = append(b, '|')
	}
	b = append(b, l.moving.name...)
	return Scope(l.operation, l.Owner, []byte(l.sort), b)
}

// Page is one page of a list. The last page has no next_cursor.
type Page[T any] struct {
	Results    []T              `json:"results"`
	NextCursor wire.Opt[string] `json:"next_cursor"`
}

// Lists reads pages of lists from a database.
type Lists struct {
	Store interface {
		Querier
		// ManyWriters says which database it is: PostgreSQL has many writers, SQLite has one.
		ManyWriters() bool
	}
	Cursors Key
}

// Querier runs single statements that read.
type Querier interface {
	Query(ctx context.Context, query string, args ...any) (Rows, error)
}

// Rows are the rows of a query, to be used as *sql.Rows is.
type Rows = interface {
	Next() bool
	Scan(targets ...any) error
	Err() error
	Close() error
}

// In is the Querier of a transaction.
type In struct{ Tx *ent.Client }

// Query implements Querier.
func (in In) Query(ctx context.Context, query string, args ...any) (Rows, error) {
	rows, err := in.Tx.QueryContext(ctx, query, args...) //nolint:rowserrcheck // the caller reads the error of the rows
	if err != nil {
		return nil, err
	}
	return rows, nil
}

// Reader reads pages of a list. All its fields are mandatory.
type Reader[T any] struct {
	List    *List
	Limit   int   // of results on a page
	Targets []any // every row is scanned into them
	// Convert makes a result of what was scanned, and tells the row's sort key and id.
	Convert func() (result T, key, id int64)
}

// Read reads the page after a cursor, and one row more to know whether there is a next page.
func (r Reader[T]) Read(ctx context.Context, s Lists, after wire.Opt[string]) (*Page[T], error) {
	query, args, err := s.Plan(ctx, r.List, after, r.Limit)
	if err != nil {
		return nil, err
	}
	if query == "" {
		return &Page[T]{}, nil
	}
	return r.Page(ctx, s.Store, s.Cursors, query, args)
}

// Page runs a page's query, in a snapshot or outside.
func (r Reader[T]) Page(ctx context.Context, in Querier, cursors Key, query string, args []any) (*Page[T], error) {
	l, targets := r.List, r.Targets
	rows, err := in.Query(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read a page of %s: %w", l.Table, err)
	}
	defer rows.Close()
	if l.also.target != nil {
		targets = append(targets[:len(targets):len(targets)], l.also.target)
	}
	out := &Page[T]{Results: make([]T, 0, r.Limit)}
	var key, id int64
	for rows.Next() {
		if len(out.Results) == r.Limit {
			out.NextCursor = wire.Some(cursors.Encode(Cursor{l.Scope(), key, id}))
			break
		}
		if err := rows.Scan(targets...); err != nil {
			return nil, fmt.Errorf("scan a row of %s: %w", l.Table, err)
		}
		if l.also.check != nil && len(out.Results) == 0 {
			if err := l.also.check(); err != nil {
				return nil, err
			}
		}
		var result T
		result, key, id = r.Convert()
		out.Results = append(out.Results, result)
	}
	return out, cmp.Or(rows.Err())
}

// Cut is a page of a list that is short enough to be read whole, with each request. The rows are in the order of their ids,
// which never changes, so a walk meets every row once that is there throughout. The scope binds the cursor to the list.
func Cut[T any](cursors Key, scope uint64, all []T, id func(*T) int64, after wire.Opt[string], limit int) (*Page[T], error) {
	if after.Set {
		last, err := cursors.Decode(after.V, scope)
		if err != nil {
			return nil, err
		}
		for len(all) > 0 && id(&all[0]) <= last.ID {
			all = all[1:]
		}
	}
	out := &Page[T]{Results: all}
	if len(all) > limit {
		out.Results = all[:limit:limit]
		out.NextCursor = wire.Some(cursors.Encode(Cursor{Scope: scope, ID: id(&all[limit-1])}))
	}
	return out, nil
}

// Found is a page of the rows that were read behind a cursor: as many as the limit, and one more if there is a next page. at is the place
// of a row.
func Found[R, T any](cursors Key, scope uint64, found []R, limit int, shown func(R) T, at func(R) Cursor) *Page[T] {
	page := &Page[T]{Results: each.Of(found[:min(limit, len(found))], shown)}
	if len(found) > limit {
		last := at(found[limit-1])
		last.Scope = scope
		page.NextCursor = wire.Some(cursors.Encode(last))
	}
	return page
}
