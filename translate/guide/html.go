package guide

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"regexp"
	"strings"
	"sync"

	"github.com/yuin/goldmark"

	"sellerd/internal/base/pattern"
	"sellerd/translate"
	"sellerd/v1"
)

// This file makes the pages of the guide: the whole of it on one page, the index, and a page for each part.

//go:embed *.html.tmpl
var templateFiles embed.FS

// pageTemplates are parsed when the first page is asked for. They are no variable that is set at the beginning: a program that shows no pages,
// as that of sellers, has no templates then.
func pageTemplates() *template.Template {
	parsedTemplates.once.Do(func() { parsedTemplates.all = parseTemplates() })
	return parsedTemplates.all
}

var parsedTemplates struct {
	once sync.Once
	all  *template.Template
}

func parseTemplates() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"text":     inline,
		"breaking": func(text string) (template.HTML, error) { return Breaking(inline(text)) },
		"captioned": func(caption string, table fieldTable) map[string]any {
			return map[string]any{"Caption": caption, "Head": table.Head, "Rows": table.Rows}
		},
		"section": func(g *Page, id string) map[string]any { return map[string]any{"Guide": g, "Call": g.Call(id)} },
		"address": func(id any) string { return address(fmt.Sprint(id)) },
		"named": func(g *Page, id, name string) map[string]string {
			return map[string]string{"ID": id, "Name": name, "Address": g.Address(id)}
		},
	}).ParseFS(templateFiles, "*.html.tmpl"))
}

// fill executes a template.
func fill(name string, in any) (template.HTML, error) {
	var b strings.Builder
	if err := pageTemplates().ExecuteTemplate(&b, name, in); err != nil {
		return "", fmt.Errorf("fill the migration guide: %w", err)
	}
	return template.HTML(b.String()), nil // escaped by the template
}

// HTML returns the whole guide as the body of a page. Links to other pages are relative to the service.
func (g *Page) HTML() (template.HTML, error) { return fill("guide", g) }

// Body returns a topic without its title, with headings of the third level, for the whole guide. Templates call it.
func (g *Page) Body(topic Part) (template.HTML, error) { return fill(topic.ID, g) }

// PartHTML returns a part of the guide as the body of a page. Its links to other parts lead to their pages.
func (g *Page) PartHTML(part Part) (template.HTML, error) {
	var body template.HTML
	var err error
	switch {
	case part.Call != nil:
		body, err = fill("callpage", map[string]any{"Call": part.Call})
	case part.Phase != nil:
		calls := make([]*Call, len(part.Phase.Calls))
		for i, id := range part.Phase.Calls {
			calls[i] = g.Call(id)
		}
		body, err = fill("step", map[string]any{"Phase": part.Phase, "Calls": calls})
	default:
		body, err = g.Body(part)
	}
	if err == nil && part.ID == "values" {
		var enumerations template.HTML
		enumerations, err = fill("enumerations", g.Enumerations())
		body += enumerations
	}
	if err != nil {
		return "", err
	}
	page, err := fill("part", map[string]any{"Part": part, "Body": template.HTML(raised.Replace(string(body)))})
	return g.linked(page, ownIDs(string(page))), err
}

// raised puts the headings of a section directly below the title of a page.
var raised = strings.NewReplacer("<h3", "<h2", "</h3>", "</h2>")

// indexStep is a step of the migration in the index.
type indexStep struct {
	*Phase
	Rows   []indexRow
	Hidden bool // no call of it is found
}

// indexRow is a call in the index.
type indexRow struct {
	*Call
	Hidden bool // it is not found
}

// IndexHTML returns the index of the guide as the body of a page. It shows the calls that have all words of a question, which
// are all calls for an empty one. The words may be in another language than English, into which say translates a text; it is nil for none.
func (g *Page) IndexHTML(question string, say func(english string) string) (template.HTML, error) {
	var steps []indexStep
	ignored := IgnoredWords
	if say != nil {
		ignored += " " + withoutAccents(say(IgnoredWords))
	}
	found := 0
	for i := range g.Phases {
		step := indexStep{Phase: &g.Phases[i], Hidden: strings.TrimSpace(question) != ""}
		for _, id := range step.Calls {
			row := indexRow{Call: g.Call(id)}
			if say != nil {
				row.Call = row.in(say)
			}
			if row.Hidden = !row.Matches(question, ignored); !row.Hidden {
				found++
				step.Hidden = false
			}
			step.Rows = append(step.Rows, row)
		}
		steps = append(steps, step)
	}
	page, err := fill("index", map[string]any{"Guide": g, "Steps": steps, "Question": question, "Ignored": ignored, "Says": says(question, found)})
	return g.linked(page, nil), err
}

// says tells how many calls were found. The script of the index says the same.
func says(question string, found int) string {
	switch {
	case strings.TrimSpace(question) == "":
		return ""
	case found == 0:
		return "No call has all of these words."
	case found == 1:
		return "1 call matches."
	default:
		return fmt.Sprintf("%d calls match.", found)
	}
}

var (
	ownID    = pattern.Late(` id="([^"]+)"`)
	ownPlace = pattern.Late(`href="#([^"]+)"`)
)

// ownIDs are the anchors that a page or a text has.
func ownIDs(page string) map[string]bool {
	ids := map[string]bool{}
	for _, found := range ownID().FindAllStringSubmatch(page, -1) {
		ids[found[1]] = true
	}
	return ids
}

// linked lets the links of a page to anchors lead to the pages that have them, except to those that are here.
func (g *Page) linked(page template.HTML, here map[string]bool) template.HTML {
	return template.HTML(g.relinked(string(page), ownPlace(), here, func(path string) string { return `href="` + path + `"` }))
}

// relinked replaces the links to anchors that are not here. link is the link to the page that has one.
func (g *Page) relinked(text string, links *regexp.Regexp, here map[string]bool, link func(path string) string) string {
	return links.ReplaceAllStringFunc(text, func(found string) string {
		anchor := links.FindStringSubmatch(found)[1]
		if path, ok := g.places[anchor]; ok && !here[anchor] {
			return link(path)
		}
		return found
	})
}

// PageFuncs are for templates of pages beside the guide: texts of the catalogue of errors with names as code, names that may break behind
// an underscore, and the kinds of notes in a word.
var PageFuncs = template.FuncMap{
	"marked": func(text string) (template.HTML, error) { return inline(marked(text)) },
	"breakable": func(name v1.Code) template.HTML {
		return template.HTML(strings.ReplaceAll(string(name), "_", "_<wbr>"))
	},
	"noteWord": func(kind translate.NoteKind) string { return changeWords[string(kind)] },
}

// Breaking lets the paths in a text break beside their parameters, so that no name is torn. It takes what inline returns.
func Breaking(text template.HTML, err error) (template.HTML, error) {
	return template.HTML(places.Replace(string(text))), err
}

// places are where a path may break.
var places = strings.NewReplacer("/{", "/<wbr>{", "}/", "}/<wbr>", "_address.", "_address.<wbr>", "data.sale.", "data.sale.<wbr>", "data.item.", "data.item.<wbr>")

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
