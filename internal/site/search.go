package site

import (
	"cmp"
	"html/template"
	"maps"
	"path"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Index finds pages by the words of a question. It is filled once and then only read.
type Index struct {
	Words
	pages  []indexed
	places map[string][]place // of each word, by its stem
	named  map[string][]int   // pages with a name, by its words (nameKey)
}

// indexed is a page of the index.
type indexed struct {
	Entry
	sections []section // the first one is what stands before the first heading
}

// section is a part of a page that begins with a heading.
type section struct{ anchor, heading, text string }

// place says how well a section of a page fits a word that it has. The title of the page has the number ofTitle.
type place struct {
	page, section int
	score         float64
}

const ofTitle = -1

// Entry is what is said of a page to the index.
type Entry struct {
	Path, Title string
	Also        []string // other names by which people look for it
	About       string   // a few words about it
	Place       string   // the part of the site that it is in, such as the group of the menu
	Weight      float64  // of its readers: 1 is what sellers read
	InEnglish   bool     // its text is in English, and the index is not
}

// Scores of a word by where it is found. In the title and the heading it counts for more, the fewer words there are beside it.
const (
	inTitle   = 10.0
	inAlso    = 8.0
	inAbout   = 3.0
	inPath    = 1.0 // in the last part of the path of the page
	inHeading = 6.0 // of a section, or half as much in its anchor, which has the name of an operation or a call
	inRow     = 1.5 // in the first cell of a row, which says what the row is about, beside the text
	inText    = 1.0 // and a quarter more for each further time, up to mostInText
	inCode    = 0.5 // in a block of code or the head of a table, which no extract shows

	mostInText = 2.5
)

// AddText adds a page without sections.
func (x *Index) AddText(page Entry, text string) { x.Add(page, template.HTML(html.EscapeString(text))) }

// Add adds a page. Its body is HTML; each heading with an id, or in an element with an id, begins a section, and so does a
// <dt> with an id.
func (x *Index) Add(page Entry, body template.HTML) {
	root, err := html.Parse(strings.NewReader(string(body)))
	if err != nil {
		return // only an error of the reader, and a string has none
	}
	page.Weight = cmp.Or(page.Weight, 1)
	x.pages = append(x.pages, indexed{Entry: page})
	title := wordScores{&x.Words, map[string]float64{}}
	title.name(page.Title, inTitle)
	x.name(page.Title)
	for _, name := range page.Also {
		title.name(name, inAlso)
		x.name(name)
	}
	title.more(page.About, inAbout)
	title.more(path.Base(page.Path), inPath)
	x.keep(ofTitle, title)
	r := reader{index: x}
	r.walk(root, "")
	r.end()
}

// name keeps a name of the page that was added last.
func (x *Index) name(name string) {
	if x.named == nil {
		x.named = map[string][]int{}
	}
	key := x.nameKey(name)
	x.named[key] = append(x.named[key], len(x.pages)-1)
}

// keep keeps the words of a section of the page that was added last.
func (x *Index) keep(section int, words wordScores) {
	if x.places == nil {
		x.places = map[string][]place{}
	}
	for word, score := range words.of {
		x.places[word] = append(x.places[word], place{len(x.pages) - 1, section, score})
	}
}

// wordScores say for each word, by its stem, how well a title or a section fits it.
type wordScores struct {
	*Words
	of map[string]float64
}

// name counts the words of a name: one of two counts three quarters of a name's only word, and a part of a word half of it. Of several
// names with a word, the one in which it counts most is counted.
func (w wordScores) name(text string, score float64) {
	words := names(text)
	score *= 0.5 + 0.5/float64(max(1, len(w.meaningful(words))))
	for _, word := range words {
		for _, stem := range w.stems(word) {
			w.of[stem] = max(w.of[stem], score/2)
		}
		whole := w.stem(strings.ToLower(word))
		w.of[whole] = max(w.of[whole], score)
	}
}

// more counts the words that have not been counted.
func (w wordScores) more(text string, score float64) {
	more := map[string]float64{}
	for _, word := range w.stems(text) {
		if w.of[word] == 0 {
			more[word] = score
		}
	}
	maps.Copy(w.of, more)
}

// add counts words beside those that have been counted.
func (w wordScores) add(text string, score, most float64) {
	added := map[string]float64{}
	for _, word := range w.stems(text) {
		added[word] = min(cmp.Or(added[word], 0.75*score)+score/4, most)
	}
	for word, score := range added {
		w.of[word] += score
	}
}

// reader reads the sections of a page.
type reader struct {
	index            *Index
	anchor, heading  string
	text, rows, code strings.Builder
}

// end ends a section.
func (r *reader) end() {
	page := &r.index.pages[len(r.index.pages)-1]
	words := wordScores{&r.index.Words, map[string]float64{}}
	words.name(r.heading, inHeading)
	words.more(r.anchor, inHeading/2)
	words.add(r.rows.String(), inRow, inRow)
	words.add(r.text.String(), inText, mostInText)
	words.add(r.code.String(), inCode, inCode)
	r.index.keep(len(page.sections), words)
	page.sections = append(page.sections, section{r.anchor, r.heading, strings.Join(strings.Fields(r.text.String()), " ")})
	*r = reader{index: r.index}
}

// walk reads a node. id is that of the nearest element with one.
func (r *reader) walk(node *html.Node, id string) {
	if node.Type == html.TextNode {
		r.text.WriteString(node.Data)
		return
	}
	if own := attribute(node, "id"); own != "" {
		id = own
	}
	switch node.DataAtom {
	case atom.Script, atom.Style, atom.Form, atom.Nav, atom.Button, atom.H1: // the title is known
		return
	case atom.Figure, atom.Pre, atom.Thead:
		r.code.WriteString(textOf(node) + " ")
		return
	case atom.H2, atom.H3, atom.Dt:
		if id != "" {
			r.end()
			r.anchor, r.heading = id, textOf(node)
			return
		}
	case atom.Td:
		if isFirst(node) {
			r.rows.WriteString(textOf(node) + " ")
		}
	}
	for child := range node.ChildNodes() {
		r.walk(child, id)
	}
	if node.Type == html.ElementNode && node.DataAtom != atom.Code && node.DataAtom != atom.Span && node.DataAtom != atom.A {
		r.text.WriteByte(' ')
	}
}

// isFirst says whether a cell is the first of its row.
func isFirst(cell *html.Node) bool {
	for before := cell.PrevSibling; before != nil; before = before.PrevSibling {
		if before.Type == html.ElementNode {
			return false
		}
	}
	return true
}

func attribute(node *html.Node, name string) string {
	for _, a := range node.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func textOf(node *html.Node) string {
	var b strings.Builder
	for child := range node.Descendants() {
		if child.Type == html.TextNode {
			b.WriteString(child.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
