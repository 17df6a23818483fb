package site

import (
	"errors"
	"html/template"
	"io"
	"strings"

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
