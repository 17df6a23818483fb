package languages

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"sellerd/internal/base/pattern"
)

// This file writes a text with its inline elements as phrases have it, in the manner of Markdown, and makes elements of it again.

// isKept says whether what is in a node stays as it is: code that is not within a sentence, a day, which is written otherwise, and what says so.
func isKept(node *html.Node) bool {
	switch node.DataAtom {
	case atom.Script, atom.Style, atom.Pre, atom.Code, atom.Textarea, atom.Time:
		return true
	}
	return isNamed(node)
}

// isNamed says whether an element is not to be translated: it is a name, or in another language.
func isNamed(node *html.Node) bool {
	translate := attribute(node, "translate")
	return translate != nil && translate.Val == "no"
}

// marks are the signs around the texts of inline elements.
var marks = map[atom.Atom][2]string{
	atom.Code: {"`", "`"}, atom.Em: {"*", "*"}, atom.Strong: {"**", "**"}, atom.A: {"[", "]"}, atom.Time: {"{date}", ""},
	atom.Q: {"<q>", "</q>"}, atom.Kbd: {"<kbd>", "</kbd>"}, atom.Span: {"<span>", "</span>"}, atom.Small: {"<small>", "</small>"},
	atom.B: {"<b>", "</b>"}, atom.Var: {"<var>", "</var>"}, atom.Abbr: {"<abbr>", "</abbr>"},
}

// isInline says whether a node can be a part of a sentence.
func isInline(node *html.Node) bool {
	if node.Type == html.TextNode {
		return true
	}
	if _, ok := marks[node.DataAtom]; !ok || node.Namespace != "" || isNamed(node) {
		return false
	}
	for child := range node.ChildNodes() {
		if !isInline(child) && child.DataAtom != atom.Wbr {
			return false
		}
	}
	return true
}

// key is a run as phrases have it, with the blanks before and after it.
func (t *translation) key(run []*html.Node) (key, first, last string) {
	var b strings.Builder
	for _, node := range run {
		t.write(&b, node)
	}
	text := b.String()
	trimmed := strings.TrimSpace(text)
	at := strings.Index(text, trimmed)
	return strings.Join(strings.FieldsFunc(trimmed, isBlank), " "), text[:at], text[at+len(trimmed):]
}

// isBlank says whether a character ends words in HTML. No-break spaces do not.
func isBlank(r rune) bool { return strings.ContainsRune(" \n\t\r\f", r) }

func (t *translation) write(b *strings.Builder, node *html.Node) {
	switch node.DataAtom {
	case atom.Time:
		b.WriteString("{date}")
		return
	case atom.Code:
		b.WriteString("`" + textOf(node) + "`")
		return
	}
	if node.Type == html.TextNode {
		b.WriteString(node.Data)
		return
	}
	mark := marks[node.DataAtom]
	b.WriteString(mark[0])
	for child := range node.ChildNodes() {
		t.write(b, child)
	}
	b.WriteString(mark[1])
	if node.DataAtom == atom.A {
		b.WriteString("(" + t.destination(node) + ")")
	}
}

// destination is where a link leads, without the address of the server.
func (t *translation) destination(link *html.Node) string {
	if href := attribute(link, "href"); href != nil {
		return strings.TrimPrefix(href.Val, t.baseURL)
	}
	return ""
}

// textOf is the text in a node.
func textOf(node *html.Node) string {
	var b strings.Builder
	for child := range node.Descendants() {
		if child.Type == html.TextNode {
			b.WriteString(child.Data)
		}
	}
	return b.String()
}

// notProse are the parts of a text that are the same in all languages: code, the destinations of links, dates, and tags.
var notProse = pattern.Late("`[^`]*`|\\]\\([^)]*\\)|\\{date\\}|</?[a-z]+>")

// isProse says whether a text has something to translate. The code of an error has not.
func isProse(text string) bool {
	if strings.Contains(text, "_") && !strings.Contains(text, " ") {
		return false
	}
	return strings.ContainsFunc(notProse().ReplaceAllString(text, ""), unicode.IsLetter)
}

// writer makes elements of a text again. They have the attributes of those of the English text.
type writer struct {
	t     *translation
	given []*html.Node // the inline elements of the English text that are not used yet
}

func newWriter(t *translation, run []*html.Node) *writer {
	w := &writer{t: t}
	for _, node := range run {
		if node.Type == html.ElementNode {
			w.given = append(w.given, node)
		}
		for child := range node.Descendants() {
			if child.Type == html.ElementNode {
				w.given = append(w.given, child)
			}
		}
	}
	return w
}

// token finds the next sign of an inline element.
var token = regexp.MustCompile("`[^`]*`|\\*\\*|\\*|\\[|\\]\\([^)\\s]*\\)|\\{date\\}|</?(?:" + strings.Join(tagsInTexts(), "|") + ")>")

// tagsInTexts are the inline elements that texts have as tags.
func tagsInTexts() (names []string) {
	for _, element := range slices.Sorted(maps.Keys(marks)) {
		if strings.HasPrefix(marks[element][0], "<") {
			names = append(names, element.String())
		}
	}
	return names
}

// nodes makes the nodes of a text.
func (w *writer) nodes(text string) []*html.Node {
	root := &html.Node{Type: html.ElementNode, DataAtom: atom.Div, Data: "div"}
	open := []*html.Node{root} // the elements that have begun
	add := func(node *html.Node) { open[len(open)-1].AppendChild(node) }
	begin := func(element atom.Atom) {
		node := w.element(element, func(*html.Node) bool { return true })
		add(node)
		open = append(open, node)
	}
	end := func() { open = open[:max(1, len(open)-1)] }
	for text != "" {
		at := token.FindStringIndex(text)
		if at == nil {
			at = []int{len(text), len(text)}
		}
		if at[0] > 0 {
			add(newText(text[:at[0]]))
		}
		sign := text[at[0]:at[1]]
		text = text[at[1]:]
		switch in := open[len(open)-1].DataAtom; {
		case sign == "":
		case sign[0] == '`':
			add(w.code(sign[1 : len(sign)-1]))
		case sign == "{date}":
			add(w.date())
		case sign == "*" && !w.has(atom.Em) && in != atom.Em, sign == "**" && !w.has(atom.Strong) && in != atom.Strong, sign == "[" && !w.has(atom.A):
			add(newText(sign)) // a character as any other
		case sign == "*" && in == atom.Em, sign == "**" && in == atom.Strong, strings.HasPrefix(sign, "</"):
			end()
		case sign == "*":
			begin(atom.Em)
		case sign == "**":
			begin(atom.Strong)
		case sign == "[":
			add(&html.Node{Type: html.ElementNode, DataAtom: atom.A, Data: "a"})
			open = append(open, open[len(open)-1].LastChild)
		case sign[0] == ']' && in == atom.A:
			w.link(open[len(open)-1], sign)
			end()
		case sign[0] == ']':
			add(newText(sign))
		default:
			begin(atom.Lookup([]byte(strings.Trim(sign, "<>"))))
		}
	}
	made := slices.Collect(root.ChildNodes())
	for _, node := range made {
		root.RemoveChild(node)
	}
	return made
}

// has says whether an element of a kind is left.
func (w *writer) has(element atom.Atom) bool {
	return slices.ContainsFunc(w.given, func(node *html.Node) bool { return node.DataAtom == element })
}

// use takes the first element of a kind that is left and fits, out of the English text.
func (w *writer) use(element atom.Atom, fits func(*html.Node) bool) (node *html.Node, ok bool) {
	i := slices.IndexFunc(w.given, func(node *html.Node) bool { return node.DataAtom == element && fits(node) })
	if i < 0 {
		return nil, false
	}
	node = w.given[i]
	w.given = slices.Delete(w.given, i, i+1)
	if node.Parent != nil {
		node.Parent.RemoveChild(node)
	}
	return node, true
}

// element is a new element with the attributes of the first one of the English text that fits.
func (w *writer) element(element atom.Atom, fits func(*html.Node) bool) *html.Node {
	made := &html.Node{Type: html.ElementNode, DataAtom: element, Data: element.String()}
	if node, ok := w.use(element, fits); ok {
		made.Attr = node.Attr
	}
	return made
}

// code is code: that of the English text as it is if it has the same, because it may have places to break.
func (w *writer) code(text string) *html.Node {
	node, ok := w.use(atom.Code, func(other *html.Node) bool { return text == textOf(other) })
	if !ok {
		node = &html.Node{Type: html.ElementNode, DataAtom: atom.Code, Data: "code"}
		node.AppendChild(newText(text))
	}
	return node
}

// date is the next date of the English text.
func (w *writer) date() *html.Node {
	node, ok := w.use(atom.Time, func(*html.Node) bool { return true })
	if !ok {
		return newText("{date}") // a mistake in the texts, which their test finds
	}
	return node
}

func newText(text string) *html.Node { return &html.Node{Type: html.TextNode, Data: text} }

// link ends a link at the sign with its destination: it gets the attributes of the one to the same place in the English text. There is none
// if a reader wrote the signs of a link, which the page repeats; then they stay text.
func (w *writer) link(link *html.Node, sign string) {
	link.Attr = w.element(atom.A, func(node *html.Node) bool { return w.t.destination(node) == sign[2:len(sign)-1] }).Attr
	if attribute(link, "href") == nil {
		link.DataAtom, link.Data = atom.Span, "span"
		link.InsertBefore(newText("["), link.FirstChild)
		link.AppendChild(newText(sign))
	}
}
