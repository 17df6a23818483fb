package guide

import (
	"bytes"
	_ "embed" // the template
	"fmt"
	"html/template"
	"strings"

	"github.com/yuin/goldmark"
)

//go:embed page.html.tmpl
var pageTemplate string

var pageTemplates = template.Must(template.New("").Funcs(template.FuncMap{
	"text":    inline,
	"words":   func(name string) string { return pageWords[name] },
	"cells":   func(f Field, request bool) []string { return f.cells(request) },
	"section": func(g *Page, id string) map[string]any { return map[string]any{"Guide": g, "Call": g.Call(id)} },
}).Parse(pageTemplate))

// pageWords are the texts around the tables, by the names that the template uses.
var pageWords = map[string]string{"pairs": pairsNote, "values": valuesNote, "notifications": notificationsNote, "errors": errorsNote, "new": newNote}

// HTML returns the guide as the body of a page. Links to other pages are relative to the service.
func (g *Page) HTML() (template.HTML, error) {
	var b strings.Builder
	if err := pageTemplates.ExecuteTemplate(&b, "guide", g); err != nil {
		return "", fmt.Errorf("fill the migration guide: %w", err)
	}
	return template.HTML(b.String()), nil // escaped by the template
}

// inline converts a text of one paragraph to HTML. HTML in the text is not kept: goldmark leaves it out.
func inline(text string) (template.HTML, error) {
	if !strings.ContainsAny(text, "`[*_\\<&!") { // most of them
		return template.HTML(template.HTMLEscapeString(text)), nil
	}
	var b bytes.Buffer
	if err := goldmark.Convert([]byte(text), &b); err != nil {
		return "", fmt.Errorf("render %q: %w", text, err)
	}
	html := strings.TrimSpace(b.String())
	if html == "" {
		return "", nil
	}
	inner, ok := strings.CutPrefix(html, "<p>")
	if !ok || strings.Contains(inner, "<p>") || strings.Contains(inner, "<!--") {
		return "", fmt.Errorf("the text %q is not one paragraph", text)
	}
	return template.HTML(strings.TrimSuffix(inner, "</p>")), nil
}

// SearchWords returns the words by which a reader may search for the section: paths, names and values on both sides, codes, the
// texts of /rest that programs compare, and notes.
func (c *Call) SearchWords() string {
	words := []string{c.ID, c.Title, c.Legacy.Method, c.Legacy.Path}
	for _, step := range c.V1 {
		words = append(words, step.Method, step.Path)
	}
	for _, rows := range [][]Field{c.Fields, c.Elements} {
		for i := range rows {
			words = append(words, rows[i].Legacy, rows[i].V1)
		}
	}
	for i := range c.Values {
		words = append(words, c.Values[i].Name)
		for _, pair := range c.Values[i].Pairs {
			words = append(words, pair.Legacy, pair.V1)
		}
	}
	for i := range c.Refusals {
		words = append(words, string(c.Refusals[i].Code), c.Refusals[i].Says)
	}
	for _, note := range c.Notes {
		words = append(words, strings.ReplaceAll(note, "`", ""))
	}
	seen := map[string]bool{}
	var once []string
	for _, word := range strings.Fields(strings.ToLower(strings.Join(words, " "))) {
		if !seen[word] {
			seen[word] = true
			once = append(once, word)
		}
	}
	return strings.Join(once, " ")
}
