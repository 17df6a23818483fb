package scan

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// This file decides what a candidate is worth. It is left out when it is proven to be something else: a route that is served, a
// message, a link, or a path of another host. All others are findings, and the evidence makes them certain, likely or possible.

// place is a finding with what is kept of it until the end.
type place struct {
	Finding
	name string // of the constant that has its path
	base string // of a record: what stands before its path, when only a running program knows it
}

// findings returns the findings of a file, and notes the constants whose paths are used.
func (f *file) findings() []place {
	for c := range f.candidates() {
		if c.look(); !c.excluded() {
			for _, p := range c.places(c.rank()) {
				f.add(&p)
			}
		}
	}
	return f.found
}

// places returns what a candidate is, a place for each call that it may be.
func (c *candidate) places(confidence Confidence) (places []place) {
	f := c.file
	plans, _ := c.calls()
	if len(plans) > 1 {
		confidence = Possible
	}
	p := place{Finding: Finding{Confidence: confidence, Count: 1, Notes: c.notes(confidence, len(plans))}}
	p.Line, p.Column = f.place(c.at)
	if piece, _ := c.value.find(c.match.at); piece.name != "" {
		f.used = append(f.used, f.top+"/"+simple(piece.name))
	} else if name := f.held(c.from); name != "" {
		p.name = f.top + "/" + simple(name)
	}
	for _, plan := range plans {
		p.Call, p.Fields = plan.ID, inOrder(plan, c.fields)
		places = append(places, p)
	}
	return places
}

// surer returns the surer of two confidences.
func surer(a, b Confidence) Confidence {
	if a == Certain || b == Possible || b == "" {
		return a
	}
	return b
}

// notes says what is not sure.
func (c *candidate) notes(confidence Confidence, plans int) (notes []string) {
	if plans > 1 || len(c.others) > 0 || c.vague {
		notes = append(notes, "A part of the path is only known to the running program: it may be any of several calls.")
	}
	if c.open {
		notes = append(notes, "Only the beginning of the path is written here.")
	}
	if c.verb.force == 0 && slices.ContainsFunc(c.route.plans, func(p *plan) bool { return p.Method != c.route.plans[0].Method }) {
		notes = append(notes, "The method is not written near the path. GET is what most functions send.")
	}
	if confidence != Certain && c.base != baseOurs {
		notes = append(notes, "The host is only known to the running program.")
	}
	return notes
}

// hostAt takes the host that a token beside the path names, where the path does not have it.
func (c *candidate) hostAt(i int, r relation) {
	f, m := c.file, c.file.scan.matcher
	if f.is(i, aName) && (r.role == callee && r.level < 3 || i >= c.from && i < c.to) {
		c.other = c.other || otherService(f.str(i))
	}
	if c.base == baseOurs || c.base == baseForeign || r.role >= later || r.level > 3 || r.role != callee && (i < c.before || i >= c.next) ||
		c.host == baseOurs || c.host != baseNone && c.hostAway < r.level {
		return
	}
	text, foreign := f.str(i), false
	switch {
	case f.is(i, aText) && (i < c.from || i >= c.to):
	case f.is(i, aName) && !f.sgn(i+1, "("):
		text = f.constant(text).text
		host := HostName(text)
		foreign = i < c.to && strings.Contains(text, "://") && strings.Contains(host, ".") && strings.IndexByte(host, hole) < 0
	default:
		return
	}
	if m.ours(HostName(text)) {
		c.host, c.hostAway = baseOurs, r.level
	} else if foreign {
		c.host, c.hostAway = baseForeign, r.level
	}
}

// kind reads what kind of statement a candidate stands in.
func (c *candidate) kind() {
	f := c.file
	inner := true
	for up, level := int(f.tokens[c.from].up), 0; level < 3 && up > 0 && !f.isBlock(up); up, level = int(f.tokens[up].up), level+1 {
		if f.sgn(up, "(") && f.is(up-1, aName) {
			c.receiver(up, inner)
			inner = false
		}
	}
	// What begins the line: echo, raise, location, get '/x', to: …
	first := c.from
	for first > 1 && !f.tokens[first].fresh && !f.sgn(first-1, ";{}") && c.from-first < 40 {
		first--
	}
	low, ruby := strings.ToLower(f.str(first)), f.family == families["ruby"]
	if word := !f.sgn(first+1, "=:") && c.command == ""; f.is(first, aName) || f.is(first, aText) && f.family.loose {
		c.said = c.said || inner && word && has("says", low)
		c.served = c.served || has("serves", low) && !f.client
	}
	c.served = c.served || inner && ruby && isMethod(low) != "" && f.is(first, aName) && !f.sgn(first+1, "(=.:") && !f.knows // Rails, Sinatra
	for i := c.to; i < min(c.to+8, c.next) && ruby && !f.tokens[i].fresh; i++ {                                              // => 'items#show'
		c.served = c.served || f.is(i, aText) && action.MatchString(f.str(i))
	}
	key := strings.ToLower(f.key(c.from))
	c.served = c.served || has("serves", key)
	head := strings.TrimLeft(c.text[max(c.address()-maxValue, 0):c.address()], "= \t\r\n")
	words := strings.Fields(head)
	switch {
	case c.command != "":
	case len(words) > 1, len(words) == 1 && (isMethod(words[0]) == "" && !f.family.loose || // a sentence
		isMethod(words[0]) != "" && c.base != baseOurs && !c.verb.sends && key == "" && f.held(c.from) == ""):
		c.said = true
	}
}

// action is what Rails calls for a route: items#show.
var action = regexp.MustCompile(`^\w+#\w+$`)

// receiver reads the function that gets the path.
func (c *candidate) receiver(open int, inner bool) {
	f := c.file
	first, last := f.begin(open), strings.ToLower(f.str(open-1))
	marked := f.sgn(first-1, "@") || f.sgn(first-1, "[") && (f.family == families["c"] || f.sgn(first-2, "#"))
	for i := first; i < open; i++ {
		if !f.is(i, aName) {
			if f.sgn(i, "([") && f.pair(i) > 0 && f.pair(i) < open {
				i = f.pair(i)
			}
			continue
		}
		low := strings.ToLower(f.str(i))
		route := marked && i == open-1 && has("marks", low) && !f.client && (isMethod(low) == "" || f.serves) // @Get in a controller
		c.served = c.served || route || has("serves", low) && !(f.client && marked)
		c.said = c.said || inner && (has("says", low) || has("says", last))
	}
	servant := has("servant", strings.ToLower(f.str(first))) && open-first < 5 && open > first+1
	c.served = c.served || servant && isMethod(last) != "" && c.answers(open)
	c.served = c.served || last == "path" && first == open-1 && f.family == families["python"] // Django
}

// answers says whether a function that answers requests follows the path, or the path has names for its values.
func (c *candidate) answers(open int) bool {
	f := c.file
	if strings.ContainsAny(c.text, "<{") || strings.Contains(c.text, "/:") || strings.Contains(c.text, "(:") || f.sgn(f.begin(open)-1, "@") {
		return true
	}
	if !f.sgn(c.to, ",") {
		return false
	}
	for i := c.to + 1; i < min(f.pair(open), c.to+nearby/2); i++ {
		if f.sgn(i, ">") || f.is(i, aName) && has("defines", f.str(i)) {
			return c.base != baseOurs
		}
	}
	return f.is(c.to+1, aName) && c.to+2 == f.pair(open) && f.str(f.begin(open)) == "app" || f.sgn(c.to+1, "[") && f.sgn(c.to+3, ".")
}

// excluded says whether a candidate is proven to be something else.
func (c *candidate) excluded() bool {
	if c.host == baseOurs || c.host == baseForeign && c.base != baseRest {
		c.base = c.host
	}
	c.kind()
	plans, _ := c.calls()
	alone := !c.file.scan.world.any && c.base < baseOurs && c.route.level < 2 && c.base != baseRest
	return len(plans) == 0 || alone || c.base == baseForeign || c.served || c.said
}

// rank says how sure a candidate is, by what stands in the line, in the file, and in the program.
func (c *candidate) rank() Confidence {
	f, w := c.file, c.file.scan.world
	near := f.knows || w.knows[f.top] || w.knows[""]
	_, fits := c.calls()
	ours, level, sends := c.base == baseOurs, c.route.level, c.verb.sends
	distinct := slices.ContainsFunc(c.fields, func(name string) bool { return f.scan.matcher.fields[name] || name == "apikey" })
	strong := sends || c.verb.force >= 2 || distinct
	evidence := 0
	for _, given := range []bool{level >= 2, level == 3, strong, c.base == baseRest || c.base == baseHole, c.parts > 0} {
		if given {
			evidence++
		}
	}
	word := c.base == baseNone && c.parts == 0 && !strings.ContainsAny(c.text, "/?") && level < 3
	switch {
	case f.test, c.open, len(c.others) > 0, c.vague, !fits, f.isKey(c.to):
		return Possible
	case ours && (len(c.route.plans) == 1 || c.verb.force > 0 || sends || c.whole):
		return Certain
	case ours:
		return Likely
	case c.loose, c.other, otherService(f.base), word && !(distinct || c.verb.force >= 3 && sends && c.verb.method != "GET"):
		return Possible
	case c.base == baseRest && level >= 2 && (near || strong), f.knows && (level == 3 && strong || distinct && c.verb.force >= 2):
		return Certain
	case f.knows && evidence > 0, near && evidence > 1, w.any && evidence > 2:
		return Likely
	}
	return Possible
}

// isKey says whether an expression that ends before a token is the key of an object.
func (f *file) isKey(to int) bool {
	open := int(f.tokens[min(to, len(f.tokens)-1)].up)
	return f.sgn(to, ":") && !f.family.loose && f.sgn(open, "{") && !f.isBlock(open)
}

// otherService says whether a name is that of another service.
func otherService(name string) bool {
	return anyHas(name, "other") && !strings.Contains(strings.ToLower(name), serviceName)
}

// place returns the line and the column of a byte. It counts on from the place before.
func (f *file) place(at int) (line, column int) {
	if at < f.lineAt {
		if between := f.text[at:f.lineAt]; strings.IndexByte(between, '\n') < 0 {
			f.column -= utf8.RuneCountInString(between)
			f.lineAt = at
			return f.line, f.column + 1
		}
		f.lineAt, f.line, f.column = 0, 1, 0
	}
	between := f.text[f.lineAt:at]
	if i := strings.LastIndexByte(between, '\n'); i >= 0 {
		f.line += strings.Count(between, "\n")
		f.column, between = 0, between[i+1:]
	}
	f.column += utf8.RuneCountInString(between)
	f.lineAt = at
	return f.line, f.column + 1
}
