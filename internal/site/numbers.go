package site

import (
	"regexp"

	"github.com/yuin/goldmark/ast"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// numberColumns gives the cells of each column of numbers the class number, so that style.css can put their digits one below another.
type numberColumns struct{}

// aNumber is a cell of such a column: digits, perhaps with a sign before them and a unit behind. An empty cell decides nothing.
var aNumber = regexp.MustCompile(`^[≤≥<>~+−-]?[\d.,]+ ?(%|µs|ms|s|min|h|KB|MB|GB|×)?$`)

// Transform changes a document.
func (numberColumns) Transform(document *ast.Document, source text.Reader, _ parser.Context) {
	_ = ast.Walk(document, func(node ast.Node, entering bool) (ast.WalkStatus, error) { // our function never fails
		if table, ok := node.(*tables.Table); ok && entering {
			alignNumbers(table, source.Source())
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
}

func alignNumbers(table *tables.Table, source []byte) {
	var columns [][]ast.Node // the cells of each column
	other := map[int]bool{0: true}
	numbers := map[int]bool{}
	for row := table.FirstChild(); row != nil; row = row.NextSibling() {
		column := 0
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			if column == len(columns) {
				columns = append(columns, nil)
			}
			columns[column] = append(columns[column], cell)
			if said := string(cell.Lines().Value(source)); row.Kind() == tables.KindTableRow && said != "" {
				numbers[column] = true
				other[column] = other[column] || !aNumber.MatchString(said)
			}
			column++
		}
	}
	for column, cells := range columns {
		for _, cell := range cells {
			if numbers[column] && !other[column] {
				cell.SetAttributeString("class", []byte("number"))
			}
		}
	}
}
