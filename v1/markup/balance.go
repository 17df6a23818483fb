package markup

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// This file balances elements. Where a tag is missing, it closes elements where a browser does (HTML Standard, section 13.2.6,
// "Tree construction"). It is simpler than a browser: elements of style such as <b> end with the element around them.

// maxDepth is how many elements may be open at once. Deeper ones are left out, and their content stays.
const maxDepth = 100

// rule says what the tags of an element do to the open elements.
type rule struct {
	void   bool     // it has neither content nor an end
	block  bool     // a paragraph ends before it
	inside string   // it is left out if this element is not open
	ends   []string // these elements end before it, as far out …
	within []string // … as the innermost of these
	until  []string // its end tag closes nothing outside the innermost of these
}

var (
	edges    = []string{"table", "caption", "td", "th"} // what is in a table's cell closes nothing outside
	headings = []string{"h1", "h2", "h3", "h4", "h5", "h6"}
	lists    = append([]string{"ul", "ol", "dl"}, edges...)
	table    = []string{"table"}

	cells    = []string{"td", "th", "caption", "colgroup"}
	rows     = append([]string{"tr"}, cells...)
	sections = append([]string{"thead", "tbody", "tfoot"}, rows...)
)

// rules are those of the elements that differ from <b>.
var rules = func() map[string]rule {
	all := map[string]rule{
		"br": {void: true}, "img": {void: true}, "wbr": {void: true}, "hr": {void: true, block: true},
		"a":  {ends: []string{"a"}, within: edges, until: edges},
		"li": {block: true, ends: []string{"li"}, within: lists, until: lists},
		"dt": {block: true, ends: []string{"dt", "dd"}, within: lists, until: lists},
		"dd": {block: true, ends: []string{"dt", "dd"}, within: lists, until: lists},
		"rt": {ends: []string{"rt", "rp"}, within: []string{"ruby"}, until: edges},
		"rp": {ends: []string{"rt", "rp"}, within: []string{"ruby"}, until: edges},

		"table": {block: true, ends: table, within: []string{"td", "th", "caption"}},
		"col":   {void: true, inside: "table", ends: sections, within: []string{"colgroup", "table"}},
		"tr":    {inside: "table", ends: rows, within: table, until: table},
		"td":    {inside: "table", ends: cells, within: []string{"tr", "table"}, until: table},
		"th":    {inside: "table", ends: cells, within: []string{"tr", "table"}, until: table},
	}
	for _, name := range []string{"caption", "colgroup", "thead", "tbody", "tfoot"} {
		all[name] = rule{inside: "table", ends: sections, within: table, until: table}
	}
	for _, name := range headings {
		all[name] = rule{block: true, ends: headings, within: edges, until: edges}
	}
	for _, name := range []string{
		"p", "div", "ul", "ol", "dl", "blockquote", "pre", "center", "article", "aside", "section", "details", "summary",
		"figure", "figcaption", "hgroup",
	} {
		all[name] = rule{block: true, until: edges}
	}
	return all
}()

var (
	inline     = rule{until: edges} // of all other elements
	paragraphs = []string{"p"}
)

func ruleOf(name string) rule {
	if r, ok := rules[name]; ok {
		return r
	}
	return inline
}

// balancer writes a text again, and copies only if it changes something.
type balancer struct {
	text string
	out  strings.Builder
	kept int // how much of the text out has

	stack [maxDepth]string // an array, so that it needs no allocation
	depth int              // how many of its elements are open
}

func (b *balancer) open() []string { return b.stack[:b.depth] }

// replace writes a part of the text in another way.
func (b *balancer) replace(from, to int, with string) {
	if b.text[from:to] == with {
		return
	}
	if b.out.Len() == 0 {
		b.out.Grow(len(b.text) + len(b.text)/8)
	}
	b.out.WriteString(b.text[b.kept:from])
	b.out.WriteString(with)
	b.kept = to
}

// balance balances a text whose tags tag reads. It reports false if tag does not read one of them.
func balance(text string, tag func(text string) (tag string, length int)) (balanced string, readable bool) {
	b := balancer{text: text}
	for at := 0; at < len(text); {
		end := len(text)
		if i := strings.IndexByte(text[at:], '<'); i >= 0 {
			end = at + i
		}
		if i := strings.IndexAny(text[at:end], "&>\r\x00"); i >= 0 {
			if strings.ContainsAny(text[at+i:end], "\r\x00") {
				return "", false
			}
			b.replace(at+i, end, escaper.Replace(html.UnescapeString(text[at+i:end])))
		}
		if end == len(text) {
			break
		}
		spelled, length := tag(text[end:])
		if length == 0 {
			return "", false
		}
		at = end + length
		b.tag(end, at, spelled)
	}
	b.closeFrom(0, len(text))
	if b.kept == 0 && b.out.Len() == 0 {
		return text, true
	}
	b.out.WriteString(text[b.kept:])
	return b.out.String(), true
}

// escaper escapes what would be read as something else than text. Quotes stay.
var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", "&#13;")

// tag writes a tag that stands at a part of the text, or leaves it out, after the ends that are missing before it.
func (b *balancer) tag(from, to int, spelled string) {
	if name, closing := strings.CutPrefix(spelled[:len(spelled)-1], "</"); closing {
		if b.depth > 0 && b.stack[b.depth-1] == name {
			b.depth--
			b.replace(from, to, spelled)
			return
		}
		b.replace(from, to, "")
		b.closeFrom(b.endedBy(name), to)
		return
	}
	name := spelled[1 : 1+strings.IndexAny(spelled[1:], " />")]
	r := ruleOf(name)
	if r.inside != "" && !slices.Contains(b.open(), r.inside) {
		b.replace(from, to, "")
		return
	}
	if r.block {
		b.closeFrom(b.outermost(paragraphs, edges), from)
	}
	if r.ends != nil {
		b.closeFrom(b.outermost(r.ends, r.within), from)
	}
	switch {
	case r.void:
	case b.depth == maxDepth:
		b.replace(from, to, "")
		return
	default:
		b.stack[b.depth] = name
		b.depth++
		if start, alone := strings.CutSuffix(spelled, "/>"); alone {
			spelled = start + ">"
		}
	}
	b.replace(from, to, spelled)
}

// outermost is the place of the outermost open element of some names, inside the innermost of others.
func (b *balancer) outermost(names, within []string) int {
	found := b.depth
	for i := b.depth - 1; i >= 0; i-- {
		if slices.Contains(names, b.stack[i]) {
			found = i
		} else if slices.Contains(within, b.stack[i]) {
			break
		}
	}
	return found
}

// endedBy is the place of the element that an end tag closes. The end of any heading closes any other.
func (b *balancer) endedBy(name string) int {
	until := ruleOf(name).until
	heading := slices.Contains(headings, name)
	for i := b.depth - 1; i >= 0; i-- {
		switch open := b.stack[i]; {
		case open == name, heading && slices.Contains(headings, open):
			return i
		case slices.Contains(until, open):
			return b.depth
		}
	}
	return b.depth
}

// closeFrom closes the open elements from a place on, before a place in the text.
func (b *balancer) closeFrom(place, at int) {
	for i := b.depth - 1; i >= place; i-- {
		b.replace(at, at, "</"+b.stack[i]+">")
	}
	b.depth = place
}
