package rows

import (
	"strconv"
	"strings"

	"sellerd/ent/itemword"
)

// This file writes the queries for the ids that a filter matches.
//
// PostgreSQL keeps plans that it made for empty tables, or for tables that its statistics call empty. All indexes look alike to
// it then, and it may read all of an owner's rows for one value. So on PostgreSQL each of these queries asks for a range in place
// of an equal value, and for an order that only one index has. Several values are looked up one by one.
//
// To sort one row costs less than an index that is a level deeper, so the order alone does not decide. PostgreSQL expects a
// thousand rows of a series whose end it does not know: joined to a table, it makes sorting dear.

// manyExpectedTable is a table of one row. PostgreSQL takes a join with it for a thousand times as many rows, and so prefers the index
// with the order to a sort, whatever its statistics say.
const manyExpectedTable = "generate_series(1, (SELECT 1)) AS many_expected"

// addHits adds the query for the ids that a filter matches. The limit tells the planner how few they are; a driver's is
// twice what the probe has found room for, which no seller fills between the probe and the page.
func (q *Statement) addHits(l *List, f *filter, limit int, postgres, all bool) {
	switch {
	case f.isByID(l):
		q.Add("SELECT column1 AS id FROM ")
		q.addValues(f.Values)
		return
	case f.Hits == itemword.Table:
		q.addWords(l, f, limit, postgres, all)
		return
	case f.Values != nil && postgres:
		q.addOneByOne(l, f, limit)
		return
	default:
		q.Add("SELECT "+f.leads()+" AS id FROM "+f.Hits+manyExpected(postgres)+" WHERE owner = $ AND ", l.Owner)
		switch {
		case len(f.Values) == 1:
			q.Add(f.Column+" = $", f.Values...)
		case f.Values != nil:
			q.Add(f.Column+" IN ("+placeholders(len(f.Values))+")", f.Values...)
		default:
			q.Add(strings.ReplaceAll(f.Condition, "%s", f.Column), f.Args...)
		}
	}
	if f.Order != "" { // else PostgreSQL may read the whole table, in search of a thousand rows with a value that no row has
		q.Add(" ORDER BY " + f.Order)
	}
	q.Add(" LIMIT " + strconv.Itoa(limit))
}

// manyExpected joins manyExpectedTable.
func manyExpected(postgres bool) string {
	if postgres {
		return " CROSS JOIN " + manyExpectedTable
	}
	return ""
}

// leads is the column of Hits that holds the list's id.
func (f *filter) leads() string {
	if f.Leads == "" {
		return "id"
	}
	return f.Leads
}

// isByID says whether the filter's values are the ids.
func (f *filter) isByID(l *List) bool {
	return f.Column == "id" && f.Hits == l.Table && f.Values != nil
}

// byID is the filter that names the ids, which need no probe.
func (l *List) byID() *filter {
	for i := range l.Filters {
		if f := &l.Filters[i]; f.isByID(l) && l.Gather > 0 {
			return f
		}
	}
	return nil
}

// addWords adds the query for the items with a word that begins with another. A probe counts the words, so that it can stop
// at the limit, and an item with two such words counts twice.
func (q *Statement) addWords(l *List, f *filter, limit int, postgres, all bool) {
	prefix := strings.TrimSuffix(strings.TrimPrefix(f.Args[0].(string), "% "), "%")
	if all {
		q.Add("SELECT DISTINCT id FROM (")
	}
	q.Add("SELECT item_id AS id FROM item_words"+manyExpected(postgres)+" WHERE owner = $ AND word >= $ AND word < $ ORDER BY word, item_id LIMIT "+strconv.Itoa(limit), l.Owner, prefix, prefix+"\U0010FFFF")
	if all {
		q.Add(") AS found")
	}
}

// addOneByOne adds the query for the ids of rows with one of the filter's values, for PostgreSQL.
func (q *Statement) addOneByOne(l *List, f *filter, limit int) {
	most := " LIMIT " + strconv.Itoa(limit)
	switch {
	case f.Column == "id": // the whole row, since another index may hold all that is read of it
		q.Add("SELECT (found.whole)." + f.leads() + " AS id FROM ")
		q.addValues(f.Values)
		q.Add(" CROSS JOIN LATERAL (SELECT whole FROM "+f.Hits+" AS whole WHERE whole.id >= given.column1 AND whole.id <= given.column1 ORDER BY whole.id LIMIT 1) AS found"+
			" WHERE (found.whole).owner = $", l.Owner)
		return
	case len(f.Values) == 1:
		q.Add("SELECT "+f.leads()+" AS id FROM "+f.Hits+" CROSS JOIN "+manyExpectedTable+" WHERE owner = $ AND "+f.Column+" >= $ AND "+f.Column+" <= $", l.Owner, f.Values[0], f.Values[0])
	default:
		q.Add("SELECT found.id FROM ")
		q.addValues(f.Values)
		q.Add(" CROSS JOIN LATERAL (SELECT "+f.leads()+" AS id FROM "+f.Hits+" CROSS JOIN "+manyExpectedTable+" WHERE owner = $ AND "+f.Column+" >= given.column1 AND "+f.Column+" <= given.column1"+
			" ORDER BY "+f.Column+", "+f.Sorted+most+") AS found", l.Owner)
		q.Add(most)
		return
	}
	q.Add(" ORDER BY " + f.Column + ", " + f.Sorted + most)
}

// addValues adds a table of values, whose only column is column1 on both databases.
func (q *Statement) addValues(values []any) {
	kind := "bigint"
	if _, text := values[0].(string); text {
		kind = "text"
	}
	q.Add("(VALUES (CAST($ AS "+kind+"))"+strings.Repeat(", ($)", len(values)-1)+") AS given", values...)
}

// addBound adds a bound of the first of some columns.
func (q *Statement) addBound(columns []string, operator string, values []any) {
	if len(values) == 1 {
		q.Add(" AND "+columns[0]+operator+"$", values...)
		return
	}
	q.Add(" AND ("+strings.Join(columns[:len(values)], ", ")+")"+operator+"("+placeholders(len(values))+")", values...)
}

func placeholders(n int) string { return strings.TrimSuffix(strings.Repeat("$, ", n), ", ") }
