package site

import (
	"cmp"
	"html/template"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Index finds the sections of pages by their words. It is filled once and then only read.
type Index struct{ sections []section }

// section is a part of a page that begins with a heading.
type section struct {
	path, page, heading string
	text                string // as it is shown
	inPage, inHeading   string // the words, each after a space
	inText              string
}

// Result is a section that has all words of a question.
type Result struct {
	Path    string // of the page, with the place in it
	Page    string // the title of the page
	Heading string // of the section, empty if it is the page's own
	Extract string // some words of the text, around the first one that was found
}

// Add adds a page. Its body is HTML; each heading with an id, or in an element with an id, begins a section, and so does a
// <dt> with an id.
func (x *Index) Add(path, title string, body template.HTML) {
	root, err := html.Parse(strings.NewReader(string(body)))
	if err != nil {
		return // only an error of the reader, and a string has none
	}
	into := &section{path: path, page: title}
	var (
		walk func(*html.Node, string)
		text strings.Builder
	)
	end := func() {
		into.text = strings.Join(strings.Fields(text.String()), " ")
		text.Reset()
		x.add(*into)
	}
	walk = func(node *html.Node, id string) {
		switch node.Type {
		case html.TextNode:
			text.WriteString(node.Data)
			return
		case html.ElementNode:
			if own := attribute(node, "id"); own != "" {
				id = own
			}
			switch node.DataAtom {
			case atom.Script, atom.Style, atom.Form, atom.Nav:
				return
			case atom.H2, atom.H3, atom.Dt:
				if id != "" {
					end()
					into = &section{path: path + "#" + id, page: title, heading: textOf(node)}
					return
				}
			case atom.H1:
				return // the title
			}
		}
		for child := range node.ChildNodes() {
			walk(child, id)
		}
		if node.Type == html.ElementNode && node.DataAtom != atom.Code && node.DataAtom != atom.A {
			text.WriteByte(' ')
		}
	}
	walk(root, "")
	end()
}

// AddText adds a page without sections.
func (x *Index) AddText(path, title, text string) {
	x.add(section{path: path, page: title, text: text})
}

func (x *Index) add(s section) {
	_, place, _ := strings.Cut(s.path, "#") // has the name of an operation or a call
	s.inPage, s.inHeading, s.inText = spaced(s.page), spaced(s.heading+" "+place), spaced(s.text)
	x.sections = append(x.sections, s)
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

// words are the words of a text in small letters. A name such as item_has_bids is one word.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// spaced is the words of a text with a space before each, so that " word" finds the beginning of a word.
func spaced(text string) string {
	if found := words(text); len(found) > 0 {
		return " " + strings.Join(found, " ") + " "
	}
	return ""
}

// Weights of a word by where it is found. A whole word counts twice, in a title or a heading.
const (
	inPageTitle  = 30
	inHeading    = 20
	inTextOnce   = 1
	mostFromText = 8
)

// mostWords is how many words of a question are looked for. Each costs a pass over the whole text.
const mostWords = 10

// Find returns up to most sections that have all words of a question, the best first. A word may be the beginning of a
// longer one. Words after the first ten are ignored.
func (x *Index) Find(question string, most int) []Result {
	var asked []string
	for _, word := range words(question) {
		if !slices.Contains(asked, word) && len(asked) < mostWords {
			asked = append(asked, word)
		}
	}
	if len(asked) == 0 {
		return nil
	}
	type scored struct {
		*section
		score int
	}
	var found []scored
	for i := range x.sections {
		s := &x.sections[i]
		total := 0
		for _, word := range asked {
			score := s.score(word)
			if score == 0 {
				total = 0
				break
			}
			total += score
		}
		if total > 0 {
			found = append(found, scored{s, total})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var results []Result
	for _, f := range found[:min(most, len(found))] {
		results = append(results, Result{f.path, f.page, f.heading, extract(f.text, asked)})
	}
	return results
}

// score says how well a section fits a word, 0 if it does not have it.
func (s *section) score(word string) int {
	score := min(inTextOnce*strings.Count(s.inText, " "+word), mostFromText)
	for _, place := range []struct {
		words  string
		weight int
	}{{s.inHeading, inHeading}, {s.inPage, inPageTitle}} {
		if place.weight == inPageTitle && s.heading != "" {
			place.weight = inTextOnce // the page's own section says it already
		}
		if strings.Contains(place.words, " "+word+" ") {
			score += 2 * place.weight
		} else if strings.Contains(place.words, " "+word) {
			score += place.weight
		}
	}
	return score
}

// extractLength is about how many bytes of a section's text a result shows.
const extractLength = 180

// extract is the part of a text around the first of the words.
func extract(text string, asked []string) string {
	lower := strings.ToLower(text)
	at := -1
	for _, word := range asked {
		if i := strings.Index(lower, word); i >= 0 && (at < 0 || i < at) {
			at = i
		}
	}
	fields := strings.Fields(text)
	if len(lower) != len(text) { // letters that change their length: the place is not known
		at = 0
	}
	begin, seen := 0, 0
	for i, field := range fields {
		if seen > max(at-extractLength/3, 0) {
			break
		}
		begin = i
		seen += len(field) + 1
	}
	var out []string
	length := 0
	for _, field := range fields[min(begin, len(fields)):] {
		if length += len(field) + 1; length > extractLength {
			out = append(out, "…")
			break
		}
		out = append(out, field)
	}
	if begin > 0 && len(out) > 0 {
		out = append([]string{"…"}, out...)
	}
	return strings.Join(out, " ")
}
