package site

import (
	"errors"
	"html/template"
	"io"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"golang.org/x/net/html"
)

// Reachable makes the HTML of a text readable on every screen. Tables that are wider than the page can be scrolled with the keyboard too, and
// cells have the headings of their columns (Labelled). The HTML is our own, made of Markdown without HTML in it.
func Reachable(body string) template.HTML {
	return Labelled(template.HTML(tags.Replace(body)))
}

var tags = strings.NewReplacer("<table>", `<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>`, "</table>", "</table></div>")

// Labelled gives each cell of each table the heading of its column as data-label. A phone shows the cells of a row one below
// another, each with its heading. The first row of a table has the headings. Code becomes what Code makes of it. Everything else stays as it is,
// byte for byte.
func Labelled(body template.HTML) template.HTML {
	var (
		out     strings.Builder
		heads   []string
		row     = -1 // of the table, from 0
		cell    int
		heading *strings.Builder // the text of a heading that is being read
	)
	body = coded(body)
	z := html.NewTokenizer(strings.NewReader(string(body)))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			if !errors.Is(z.Err(), io.EOF) {
				return body
			}
			return template.HTML(out.String())
		}
		raw := string(z.Raw())
		name, _ := z.TagName()
		switch tag := string(name); {
		case kind == html.StartTagToken && tag == "table":
			heads, row = nil, -1
		case kind == html.StartTagToken && tag == "tr":
			row++
			cell = 0
		case kind == html.StartTagToken && tag == "th" && row == 0:
			heading = &strings.Builder{}
		case kind == html.EndTagToken && tag == "th" && heading != nil:
			heads = append(heads, strings.TrimSpace(heading.String()))
			heading = nil
		case kind == html.StartTagToken && (tag == "td" || tag == "th") && row > 0:
			if cell < len(heads) && heads[cell] != "" {
				raw = "<" + tag + ` data-label="` + html.EscapeString(heads[cell]) + `"` + raw[1+len(tag):]
			}
			cell++
		case kind == html.TextToken && heading != nil:
			heading.WriteString(html.UnescapeString(raw))
		}
		out.WriteString(raw)
	}
}

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
