package site

import (
	"cmp"
	"html"
	"html/template"
	"strings"
)

// Heading is a line of the contents of a page.
type Heading struct {
	ID    string
	Text  template.HTML // without elements
	Level int           // 2 or 3
}

// Limits of contents. A page with fewer sections is seen at once. One with more headings shows those of its sections only.
const (
	leastSections = 2
	mostHeadings  = 24
)

// Contents are the headings of a page's body that links can lead to, in their order, and nothing for a page with few sections. The body is
// our own HTML: the id of a heading is in its element, or in the section or article before it.
func Contents(body template.HTML) []Heading {
	var all, sections []Heading
	for rest := string(body); ; {
		i := strings.Index(rest, "<h")
		if i < 0 || i+3 >= len(rest) {
			break
		}
		level, before := rest[i+2], rest[:i]
		rest = rest[i+3:]
		if level != '2' && level != '3' {
			continue
		}
		attributes, inside, _ := strings.Cut(rest, ">")
		text, _, _ := strings.Cut(inside, "</h"+string(level)+">")
		id := cmp.Or(idIn(attributes), idBefore(before))
		if id == "" || strings.Contains(attributes, "noprint") {
			continue
		}
		heading := Heading{id, template.HTML(withoutElements(text)), int(level - '0')} // the text was escaped in the body
		all = append(all, heading)
		if heading.Level == 2 {
			sections = append(sections, heading)
		}
	}
	switch {
	case len(sections) < leastSections:
		return nil
	case len(all) > mostHeadings:
		return sections
	}
	return all
}

// idIn is the id among the attributes of an element.
func idIn(attributes string) string {
	_, after, _ := strings.Cut(attributes, ` id="`)
	id, _, _ := strings.Cut(after, `"`)
	return id
}

// idBefore is the id of a section or an article that begins with the heading after a text.
func idBefore(text string) string {
	text = strings.TrimSpace(text)
	element := text[strings.LastIndexByte(text, '<')+1:]
	if strings.HasSuffix(element, ">") && (strings.HasPrefix(element, "section ") || strings.HasPrefix(element, "article ")) {
		return idIn(element)
	}
	return ""
}

// mostLead is how long a lead may be, in bytes. Search engines show about as much.
const mostLead = 200

// Lead is what a page's body says first, as text: the words of its first paragraph of text, as many as there is room for.
func Lead(body template.HTML) string {
	paragraph := ""
	for rest, found := string(body), true; found && paragraph == ""; {
		var attributes string
		_, rest, found = strings.Cut(rest, "<p")
		attributes, rest, _ = strings.Cut(rest, ">")
		if attributes == "" || strings.Contains(attributes, "lead") || strings.Contains(attributes, "note") { // no crumbs, no facts
			paragraph, _, _ = strings.Cut(rest, "</p>")
		}
	}
	text := strings.Join(strings.Fields(html.UnescapeString(withoutElements(paragraph))), " ")
	if len(text) <= mostLead {
		return strings.TrimSuffix(text, ":")
	}
	text = text[:mostLead]
	if end := strings.LastIndex(text, ". "); end > mostLead/3 {
		return text[:end+1]
	}
	return text[:max(strings.LastIndexByte(text, ' '), 0)] + " …"
}

// withoutElements is the text of HTML, still escaped.
func withoutElements(text string) string {
	var out strings.Builder
	for text != "" {
		words, element, _ := strings.Cut(text, "<")
		out.WriteString(words)
		_, text, _ = strings.Cut(element, ">")
	}
	return strings.TrimSpace(out.String())
}
