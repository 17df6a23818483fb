package privacy

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"sellerd/v1/core"
)

// This file reads the catalogue: what each column of the database holds, and whose it is. Exports, searches and erasures follow it, so
// that none of them can forget a table.

//go:embed catalogue.txt
var catalogueText string

// The classes of columns; catalogue.txt says what they mean.
const (
	classBuyer  = "buyer"
	classSeller = "seller"
	classText   = "text"
	classCopied = "copied"
	classSecret = "secret"
	classPlain  = "plain"
)

// catalogued is a table of the catalogue.
type catalogued struct {
	name    string
	by      string // owner, account, answer, nobody
	of      string // the column that names the owner
	order   []string
	kept    bool // by a reset of the sandbox
	columns []column
}

// column is a column of the catalogue.
type column struct{ name, class, format string }

// typed says whether people write what the column holds, so that names can be in it.
func (c column) typed() bool {
	return c.class == classBuyer || c.class == classSeller || c.class == classText
}

// shown are the columns of an export.
func (t *catalogued) shown() []column {
	return slices.DeleteFunc(slices.Clone(t.columns), func(c column) bool { return c.class == classCopied || c.class == classSecret })
}

// catalogue reads the catalogue once.
var catalogue = sync.OnceValue(func() (tables []*catalogued) {
	for line := range strings.Lines(catalogueText) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case words[0] == "table":
			words = append(words, "", "")
			t := &catalogued{name: words[1], by: words[2], of: words[3], kept: slices.Contains(words, "kept")}
			if words[4] != "" {
				t.order = strings.Split(words[4], ",")
			}
			tables = append(tables, t)
		default:
			class, format, _ := strings.Cut(words[0], ".")
			t := tables[len(tables)-1]
			for _, name := range words[1:] {
				t.columns = append(t.columns, column{name, class, format})
			}
		}
	}
	return tables
})

// ofOwner is the condition of an owner's rows.
func (t *catalogued) ofOwner(owner core.Owner) string {
	switch t.by {
	case "owner":
		return fmt.Sprintf("%s = %d", t.of, owner)
	case "account":
		return fmt.Sprintf("%s = %d", t.of, owner.Account())
	case "answer":
		return fmt.Sprintf("%s LIKE '%s%%'", t.of, core.AnswersBegin(int64(owner)))
	default:
		return "1 = 0"
	}
}

// Columns are the classes of all columns, by table and column such as "buyers.email", for tests.
func Columns() map[string]string {
	all := map[string]string{}
	for _, t := range catalogue() {
		for _, c := range t.columns {
			all[t.name+"."+c.name] = c.class
		}
	}
	return all
}
