package itemset

import "strconv"

// Statement is one of the package's statements on PostgreSQL, with arguments for a call with so many items of an owner: those with ids from
// 1 on, whose references are R-1 and so on.
type Statement struct {
	Name, Text string
	Args       []any
}

// Statements are all statements.
func Statements(owner int64, n int) []Statement {
	var ids, references, prices, ends []any
	for i := range n {
		id := int64(i + 1)
		ids, references = append(ids, id), append(references, owner, "R-"+strconv.Itoa(i+1))
		prices = append(prices, id, 100, 100, 1, 2, 3)
		ends = append(ends, id, "closed", nil, 1, "other", nil, 2, 3)
	}
	var all []Statement
	add := func(name string, text string, args, _ []any) { all = append(all, Statement{name, text, args}) }
	add3 := func(name string) func(text string, args, rest []any) {
		return func(text string, args, rest []any) { add(name, text, args, rest) }
	}
	add3("items by id")(byID.On(true).Next(ids))
	add3("ids by reference")(byReference.Next(references))
	add3("prices")(updates[0].statement.On(true).Next(prices))
	add3("ends")(updates[1].statement.On(true).Next(ends))
	add("all of a reference", allByReference, []any{owner, "R-7", 100}, nil)
	return all
}
