package site

import (
	"cmp"
	"html/template"
	"math"
	"path"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Index finds the sections of pages by their words. It is filled once and then only read.
type Index struct {
	sections []section
	places   map[string][]place // of each word, by its stem, where it is, in the order of the sections
}

// section is a part of a page that begins with a heading.
type section struct {
	path, page, heading string
	text                string // as it is shown
	weight              float64
}

// place says how well a section fits a word that it has.
type place struct {
	section int
	score   float64
}

// Entry is what is said of a page to the index.
type Entry struct {
	Path, Title string
	Also        string  // words that are not in its title and by which people look for it
	Weight      float64 // of its readers: 1 is what sellers read
}

// Result is a section that fits a question.
type Result struct {
	Path    string // of the page, with the place in it
	Page    string // the title of the page
	Heading string // of the section, empty if it is the page's own
	Extract string // some words of the text, around the first one that was found
}

// Add adds a page. Its body is HTML; each heading with an id, or in an element with an id, begins a section, and so does a
// <dt> with an id.
func (x *Index) Add(page Entry, body template.HTML) {
	root, err := html.Parse(strings.NewReader(string(body)))
	if err != nil {
		return // only an error of the reader, and a string has none
	}
	place, heading := "", ""
	var (
		walk func(*html.Node, string)
		text strings.Builder
		rows [][]string // the words of the first cells of rows
	)
	end := func() {
		x.add(page, place, heading, strings.Join(strings.Fields(text.String()), " "), rows)
		text.Reset()
		rows = nil
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
			case atom.Script, atom.Style, atom.Form, atom.Nav, atom.Figcaption, atom.Button:
				return
			case atom.H2, atom.H3, atom.Dt:
				if id != "" {
					end()
					place, heading = id, textOf(node)
					return
				}
			case atom.H1:
				return // the title
			case atom.Td:
				if isFirst(node) {
					rows = append(rows, stems(textOf(node)))
				}
			}
		}
		for child := range node.ChildNodes() {
			walk(child, id)
		}
		if node.Type == html.ElementNode && node.DataAtom != atom.Code && node.DataAtom != atom.Span && node.DataAtom != atom.A {
			text.WriteByte(' ')
		}
	}
	walk(root, "")
	end()
}

// AddText adds a page without sections.
func (x *Index) AddText(page Entry, text string) { x.add(page, "", "", text, nil) }

// Scores of a word by where it is found. In the title and the heading it counts for more, the fewer words there are beside it.
const (
	inTitle      = 10.0 // of the page, for the page's own section
	inHeading    = 8.0  // of the section, or in its anchor, which has the name of an operation or a call
	inAlso       = 8.0
	inPath       = 1.0 // in the last part of the path of the page
	inRow        = 2.0 // in the first cell of a row, which says what the row is about, beside the text
	inText       = 1.0 // and a quarter more for each further time, up to mostFromText
	mostFromText = 2.5
	ofPage       = 0.5 // in the title of the page, for its other sections
)

// add adds a section. Its place is an anchor, empty for the page's own section, which has no heading.
func (x *Index) add(page Entry, anchor, heading, text string, rows [][]string) {
	s := section{path: page.Path, page: page.Title, heading: heading, text: text, weight: cmp.Or(page.Weight, 1)}
	if anchor != "" {
		s.path += "#" + anchor
	}
	scores := map[string]float64{}
	count := func(words []string, each, most float64) {
		these := map[string]float64{}
		for _, word := range words {
			if these[word] == 0 {
				these[word] = each
			} else {
				these[word] = min(these[word]+each/4, most)
			}
		}
		for word, score := range these {
			scores[word] += score
		}
	}
	// named counts words of a name: one of two counts three quarters of a name's only word.
	named := func(words []string, score float64) {
		count(words, score*(0.5+0.5/float64(max(1, len(meaningful(words))))), score)
	}
	// more counts the words of a text that a name does not have.
	more := func(text string, name []string, score float64) {
		count(slices.DeleteFunc(stems(text), func(word string) bool { return slices.Contains(name, word) }), score, score)
	}
	title, of := stems(page.Title), stems(heading)
	if anchor == "" {
		named(title, inTitle)
		more(page.Also, title, inAlso)
		more(path.Base(page.Path), title, inPath)
	} else {
		count(title, ofPage, ofPage)
		named(of, inHeading)
		more(anchor, of, inHeading/2)
	}
	count(slices.Concat(rows...), inRow, inRow)
	count(stems(text), inText, mostFromText)
	if x.places == nil {
		x.places = map[string][]place{}
	}
	for word, score := range scores {
		x.places[word] = append(x.places[word], place{len(x.sections), score})
	}
	x.sections = append(x.sections, s)
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

// words are the words of a text in small letters. A name such as item_has_bids or item.sold is one word.
func words(text string) (words []string) {
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !joins(r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if word = strings.Trim(word, "."); word != "" { // the end of a sentence
			words = append(words, word)
		}
	}
	return words
}

// joins says whether a letter joins the parts of a name.
func joins(r rune) bool { return r == '_' || r == '.' }

// stems are the words of a text in the singular. A name such as item_has_bids or item.sold is there as a whole and as its parts.
func stems(text string) (stems []string) {
	for _, word := range words(text) {
		if parts := strings.FieldsFunc(word, joins); len(parts) > 1 {
			for _, part := range parts {
				stems = append(stems, Stem(part))
			}
		}
		stems = append(stems, Stem(word))
	}
	return stems
}

// Stem is a word without the ending of a plural in English, as far as its letters tell.
func Stem(word string) string {
	n := len(word)
	switch {
	case n > 4 && strings.HasSuffix(word, "ies"):
		return word[:n-3] + "y"
	case n > 4 && (strings.HasSuffix(word, "sses") || strings.HasSuffix(word, "xes") || strings.HasSuffix(word, "ches") || strings.HasSuffix(word, "shes")):
		return word[:n-2]
	case n > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") && !strings.HasSuffix(word, "is"):
		return word[:n-1]
	}
	return word
}

// meaningful are the words of a question, without those that say nothing, unless it has no others.
func meaningful(words []string) []string {
	kept := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return slices.Contains(StopWords, word) })
	if len(kept) == 0 {
		return words
	}
	return kept
}

// mostWords is how many words of a question are looked for. Each costs a pass over all words of the index.
const mostWords = 10

// beginning is how much the beginning of a word counts, beside the whole word.
const beginning = 0.4

// Parts of a score: sameMeaning is how much another word of the same meaning counts, beside the word itself. Sections whose score is less
// than tooLittle of the best one are not shown.
const (
	sameMeaning = 0.7
	tooLittle   = 0.1
)

// Find returns up to most sections that have words of a question, the best first. A section that lacks a word of the question may be better
// than one that has all: its score is lowered for that. Words such as "how" and "the" are not looked for. A word may be the beginning of a
// longer one, or its plural, or another one of its meaning. Words after the first ten are ignored. all says whether one of these sections
// has all words.
func (x *Index) Find(question string, most int) (results []Result, all bool) {
	var asked []string
	for _, word := range meaningful(x.known(words(question))) {
		if !slices.Contains(asked, word) && len(asked) < mostWords {
			asked = append(asked, word)
		}
	}
	if len(asked) == 0 {
		return nil, false
	}
	total, has := make([]float64, len(x.sections)), make([]int, len(x.sections))
	for _, word := range asked {
		scores := x.scores(word)
		// A word that few sections have says more.
		rarity := math.Log(1 + float64(len(x.sections))/float64(1+len(scores)))
		for i, score := range scores {
			total[i] += score * rarity
			has[i]++
		}
	}
	best := 0.0
	for i := range total {
		share := float64(has[i]) / float64(len(asked))
		total[i] *= x.sections[i].weight * share * share
		best = max(best, total[i])
	}
	var found []int
	for i := range total {
		if best > 0 && total[i] > best*tooLittle {
			found = append(found, i)
		}
	}
	slices.SortStableFunc(found, func(a, b int) int { return cmp.Compare(total[b], total[a]) })
	for _, i := range found[:min(most, len(found))] {
		s := &x.sections[i]
		results = append(results, Result{s.path, s.page, s.heading, extract(s.text, asked)})
		all = all || has[i] == len(asked)
	}
	return results, all
}

// known are the words of a question. A name that no section has is looked for by its parts.
func (x *Index) known(words []string) (known []string) {
	for _, word := range words {
		if parts := strings.FieldsFunc(word, joins); len(parts) > 1 && len(x.scores(word)) == 0 {
			known = append(known, parts...)
		} else {
			known = append(known, word)
		}
	}
	return known
}

// scores are how well the sections that have a word, or another one of its meaning, fit it.
func (x *Index) scores(word string) map[int]float64 {
	scores := map[int]float64{}
	stem := Stem(word)
	for other, places := range x.places {
		part := 1.0
		switch {
		case other == stem:
		case slices.Contains(alsoMeant[stem], other):
			part = sameMeaning
		case strings.HasPrefix(other, word):
			part = beginning
		default:
			continue
		}
		for _, p := range places {
			scores[p.section] = max(scores[p.section], part*p.score)
		}
	}
	return scores
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
