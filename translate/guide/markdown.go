package guide

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
	"text/template"

	"sellerd/internal/base/pattern"
)

// This file writes the guide in Markdown: the whole of it, and each of its pages.

//go:embed guide.md.tmpl
var markdownSource string

var markdownTemplates = sync.OnceValue(func() *template.Template {
	t := template.New("")
	return template.Must(t.Funcs(template.FuncMap{
		"code":     code,
		"row":      func(cells ...any) string { return markdownRow(cells) },
		"rowOf":    markdownRow[string],
		"cells":    cellsOf,
		"section":  section,
		"indented": func(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") },
		"topic": func(g *Page, id string) (string, error) {
			var b strings.Builder
			err := t.ExecuteTemplate(&b, id, g)
			return b.String(), err
		},
	}).Parse(markdownSource))
})

// markdownRow is a row of a table.
func markdownRow[T any](cells []T) string {
	row := ""
	for _, cell := range cells {
		row += "| " + strings.ReplaceAll(fmt.Sprint(cell), "|", `\|`) + " "
	}
	return row + "|\n"
}

// fillMarkdown executes a template, and makes the links to pages of the service absolute. It panics when the template has a mistake.
func (g *Page) fillMarkdown(name string, in any) string {
	var b strings.Builder
	if err := markdownTemplates().ExecuteTemplate(&b, name, in); err != nil {
		panic("guide: " + err.Error())
	}
	return strings.ReplaceAll(b.String(), "](/", "]("+g.BaseURL+"/")
}

// Markdown returns the guide as a text, for readers of files and for tools. Links to other pages are absolute.
func (g *Page) Markdown() []byte { return []byte(g.fillMarkdown("guide", g)) }

// PartMarkdown returns a page of the guide as a text. Its links to other pages of the guide lead to their texts.
func (g *Page) PartMarkdown(part Part) []byte {
	var body string
	switch {
	case part.Call != nil:
		call := *part.Call
		call.FieldsAs, call.ElementsAs, call.Values = "", "", call.allValues
		body = g.fillMarkdown("call", map[string]any{"Guide": g, "Call": &call})
	case part.Phase != nil:
		body = g.fillMarkdown("steppage", g.step(part.Phase))
	default:
		body = g.fillMarkdown(part.ID, g)
	}
	if part.ID == "values" {
		body += g.fillMarkdown("enumerations", g.Enumerations())
	}
	return []byte(g.relinkedMarkdown(fmt.Sprintf("<a id=%q></a>\n\n# %s\n\n%s", part.ID, part.Title, body)))
}

var (
	markdownID    = pattern.Late(`<a id="([^"]+)">`)
	markdownPlace = pattern.Late(`\]\(#([^)]+)\)`)
)

// relinkedMarkdown lets links to anchors that a text does not have lead to the texts that have them.
func (g *Page) relinkedMarkdown(text string) string {
	here, elsewhere := map[string]bool{}, g.places
	for _, found := range markdownID().FindAllStringSubmatch(text, -1) {
		here[found[1]] = true
	}
	return markdownPlace().ReplaceAllStringFunc(text, func(link string) string {
		anchor := markdownPlace().FindStringSubmatch(link)[1]
		path, ok := elsewhere[anchor]
		if !ok || here[anchor] {
			return link
		}
		page, place, within := strings.Cut(path, "#")
		if within {
			place = "#" + place
		}
		return "](" + g.BaseURL + page + ".md" + place + ")"
	})
}
