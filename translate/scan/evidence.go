package scan

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// This file decides what a candidate is worth. It is left out when it is proven to be something else: a route that is served, a
// message, a link, or a path of another host. All others are findings, and the evidence makes them certain, likely or possible.

// surroundings are what the code around a candidate says it is.
type surroundings struct {
	served, said, linked bool
}

// place is a finding with what is kept of it until the end.
type place struct {
	Finding
	names []string // of the constants that have its path
}

// findings returns the findings of a file, and notes the constants whose paths are used.
func (f *file) findings() (found []place) {
	weak, kin := map[string][]place{}, map[string]bool{}
	f.last = map[string]int{}
	n := 0
	for c := range f.candidates() {
		c.readVerb()
		c.nearBase()
		k := c.around()
		if c.excluded(k) {
			continue
		}
		confidence, group := c.rank(), c.group()
		plans, _ := c.calls()
		if len(plans) > 1 && confidence != "" {
			confidence = Possible
		}
		places := c.places(plans, confidence)
		switch {
		case confidence != "":
			kin[group] = kin[group] || c.parts > 0 || strings.Contains(c.text[c.match.at:c.end], "/")
			for i := range places {
				found = f.add(found, &places[i])
			}
		case group != "" && n < maxWeak:
			n++
			weak[group] = append(weak[group], places...)
		}
	}
	for group, places := range weak {
		for i := range places {
			if kin[group] {
				places[i].Confidence = Possible
				found = append(found, places[i])
			}
		}
	}
	return found
}

// maxWeak bounds the places of a file that wait for a surer one of their group.
const maxWeak = 20_000

// add adds a place. Of like places of a line there is one, and of very many in a file as well.
func (f *file) add(found []place, p *place) []place {
	i, ok := f.last[p.Call]
	if ok && (found[i].Line == p.Line || len(found) >= maxLike) {
		found[i].Count++
		found[i].Confidence = surer(found[i].Confidence, p.Confidence)
		return found
	}
	f.last[p.Call] = len(found)
	return append(found, *p)
}

// places returns what a candidate is, a place for each call that it may be.
func (c *candidate) places(plans []*plan, confidence Confidence) (places []place) {
	f := c.file
	line, column := f.place(c.at)
	var names []string
	if name := c.value.constantAt(c.match.at); name != "" {
		f.used = append(f.used, f.top+"/"+simple(name))
	} else {
		for _, name := range f.holders(c.from, false) {
			names = append(names, f.top+"/"+simple(name))
		}
	}
	for _, plan := range plans {
		places = append(places, place{Finding{
			Line: line, Column: column, Call: plan.ID, Confidence: confidence, Count: 1, Fields: inOrder(plan, c.fields), Notes: c.notes(confidence, len(plans)),
		}, names})
	}
	return places
}

// group returns what a candidate has in common with others of its file: the table that has it, or the function that gets it first. What
// gets one path gets paths, so that a single word such as category is one there.
func (c *candidate) group() string {
	f := c.file
	if f.family.loose { // get category
		first := c.from
		for first > 1 && !f.tokens[first].fresh && c.from-first < 3 {
			first--
		}
		if f.family == families["shell"] && first < c.from && f.tokens[first].fresh && f.is(first, aText) {
			return f.str(first)
		}
		return ""
	}
	open := int(f.tokens[c.from].up)
	switch {
	case f.sgn(open, "(") && open == c.from-1:
		if from := f.begin(open); from < open && f.tokens[open].from-f.tokens[from].from < maxKey {
			return f.text[f.tokens[from].from:f.tokens[open].from]
		}
	case f.sgn(open, "{[") && !f.isBlock(open) && f.key(c.from) != "":
		return strconv.Itoa(open)
	}
	return ""
}

// maxKey is how long what calls have in common may be, in bytes.
const maxKey = 100

// surer returns the surer of two confidences.
func surer(a, b Confidence) Confidence {
	order := []Confidence{Possible, Likely, Certain}
	if slices.Index(order, a) > slices.Index(order, b) {
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

// nearBase looks for the host where the path does not have it: in the object that sends it, and in the names beside it.
func (c *candidate) nearBase() {
	if c.base == baseOurs || c.base == baseForeign {
		return
	}
	f := c.file
	m := f.scan.matcher
	seen := baseNone
	look := func(i int) {
		if !f.is(i, aName) && !f.is(i, aText) || i >= c.from && i < c.to && f.is(i, aText) {
			return
		}
		text := f.str(i)
		if f.is(i, aName) {
			if f.sgn(i+1, "(") {
				return
			}
			var ok bool
			name := text
			if text, ok = f.constant(name); !ok || strings.Contains(text, "://") && !m.ours(HostName(text)) && !f.inProgram(name) {
				return
			}
		}
		if m.ours(HostName(text)) {
			seen = baseOurs
		} else if strings.Contains(text, "://") && seen == baseNone && len(text) < maxConstant {
			if host := HostName(text); i < c.to && strings.Contains(host, ".") && strings.IndexByte(host, hole) < 0 && f.is(i, aName) {
				seen = baseForeign
			}
		}
	}
	for i := c.from; i < c.to; i++ {
		look(i)
	}
	up := f.tokens[c.from].up
	for level := 0; level < 4 && up > 0 && seen == baseNone && !f.isBlock(int(up)); level++ {
		for i := f.begin(int(up)); i < int(up); i++ { // client.get(
			look(i)
		}
		closing := int(f.tokens[up].pair)
		if closing == 0 {
			closing = c.next
		}
		for i := max(int(up), c.before, c.from-nearby); i < min(closing, c.next, c.to+nearby) && seen != baseOurs; i++ {
			if f.sgn(i, "{") && f.isBlock(i) && f.tokens[i].pair > 0 {
				i = int(f.tokens[i].pair)
			}
			look(i)
		}
		up = f.tokens[up].up
	}
	if seen == baseNone {
		for i := c.from - 1; i > c.before && i > c.from-40 && !f.sgn(i, ";{}") && !f.tokens[i+1].fresh; i-- {
			look(i)
		}
		for i := c.to; i < c.next && i < c.to+40 && !f.sgn(i, ";{}") && !f.tokens[i].fresh; i++ {
			look(i)
		}
	}
	if seen == baseOurs || seen == baseForeign && c.base != baseRest {
		c.base = seen
	}
}

// around reads what kind of statement a candidate stands in.
func (c *candidate) around() (k surroundings) {
	f := c.file
	up := f.tokens[c.from].up
	inner := true
	for level := 0; level < 3 && up > 0; level++ {
		if f.isBlock(int(up)) {
			break
		}
		if f.sgn(int(up), "(") && f.is(f.calleeOf(int(up)), aName) {
			c.calleeContext(int(up), inner, &k)
			inner = false
		}
		up = f.tokens[up].up
	}
	// What begins the line: echo, raise, location, get '/x', to: …
	first := c.from
	for first > 1 && !f.tokens[first].fresh && !f.sgn(first-1, ";{}") && c.from-first < 40 {
		first--
	}
	low := strings.ToLower(f.str(first))
	if f.is(first, aName) || f.is(first, aText) && f.family.loose {
		if inner && has("says", low) && !f.sgn(first+1, "=:") && c.command == "" {
			k.said = true
		}
		if has("serves", low) && !f.client {
			k.served = true
		}
		if has("links", low) && f.family.loose && c.command == "" && !f.sgn(first+1, "=:") {
			k.linked = true
		}
	}
	if inner && !f.family.loose && isMethod(low) != "" && f.is(first, aName) && !f.sgn(first+1, "(=.:") && f.family == families["ruby"] && !c.file.knows { // Rails, Sinatra
		k.served = true
	}
	for i := c.to; i < min(c.to+8, c.next) && !f.tokens[i].fresh; i++ { // => 'items#show'
		if f.is(i, aText) && strings.Contains(f.str(i), "#") && f.family == families["ruby"] {
			k.served = true
		}
	}
	before := c.from - 1
	switch {
	case f.sgn(before, "=") && f.sgn(before-1, "=!"), f.sgn(c.to, "=") && f.sgn(c.to+1, "="): // a comparison
		k.linked = true
	case f.sgn(before, "=,") && (f.is(before-1, aName) || f.is(before-1, aText)): // href = '/x', attr('href', '/x')
		k.linked = k.linked || has("links", strings.ToLower(f.str(before-1)))
	}
	if key := strings.ToLower(f.key(c.from)); key != "" {
		k.linked = k.linked || has("links", key) || has("says", key)
		k.served = k.served || has("serves", key)
	}
	head := strings.TrimLeft(c.text[max(c.address()-maxValue, 0):c.address()], "= \t\r\n")
	words := strings.Fields(head)
	switch {
	case c.command != "":
	case strings.IndexByte(head, '<') >= 0: // HTML in a text
		k.linked = true
	case len(words) > 1, len(words) == 1 && isMethod(words[0]) == "" && !f.family.loose:
		k.said = true
	case len(words) == 1 && isMethod(words[0]) != "" && c.base != baseOurs && !c.verb.sends && f.key(c.from) == "" && len(f.holders(c.from, false)) == 0: // a sentence
		k.said = true
	}
	k.said = k.said || c.said
	return k
}

// calleeContext reads the function that gets the path.
func (c *candidate) calleeContext(open int, inner bool, k *surroundings) {
	f := c.file
	first := f.begin(open)
	marked := f.sgn(first-1, "@") || f.sgn(first-1, "[") && f.family == familyC || f.sgn(first-1, "[") && f.sgn(first-2, "#")
	last := strings.ToLower(f.str(f.calleeOf(open)))
	for i := first; i < open; i++ {
		if !f.is(i, aName) {
			if f.sgn(i, "([") && f.tokens[i].pair > 0 && int(f.tokens[i].pair) < open {
				i = int(f.tokens[i].pair)
			}
			continue
		}
		low := strings.ToLower(f.str(i))
		if has("serves", low) && !(f.client && marked) || marked && i == open-1 && has("marks", low) && c.marksRoute(low) {
			k.served = true
		}
		if inner && (has("says", low) || has("says", last)) {
			k.said = true
		}
		if inner && i == open-1 && strings.HasPrefix(low, "redirect") {
			k.linked = true
		}
		if inner && (i == open-1 || i == first) && has("links", low) && !(i == open-1 && low == "open" && c.verb.force == 3) && !c.verb.sends {
			k.linked = true
		}
	}
	name := strings.ToLower(f.str(first))
	if f.is(first, aName) && (first == open-3 || first == open-4) && has("servant", name) && isMethod(last) != "" && c.answers(open) {
		k.served = true
	}
	if last == "path" && first == open-1 && f.family == families["python"] {
		k.served = true // Django
	}
}

// marksRoute says whether an annotation declares a route of a server: @Get in a controller, and not in a client.
func (c *candidate) marksRoute(name string) bool {
	return !c.file.client && (isMethod(name) == "" || c.file.serves)
}

// answers says whether a function that answers requests follows the path, or the path has names for its values.
func (c *candidate) answers(open int) bool {
	f := c.file
	if strings.ContainsAny(c.text, "<{") || strings.Contains(c.text, "/:") || strings.Contains(c.text, "(:") {
		return true
	}
	closing := int(f.tokens[open].pair)
	if f.sgn(c.to, ",") && closing > 0 {
		for i := c.to + 1; i < min(closing, c.to+60); i++ {
			if f.sgn(i, "=") && f.sgn(i+1, ">") && !f.family.arrow || f.is(i, aName) && (f.str(i) == "function" || f.str(i) == "func" || f.str(i) == "async" || f.str(i) == "fn") {
				return c.base != baseOurs
			}
		}
		if f.is(c.to+1, aName) && c.to+2 == closing && f.str(f.begin(open)) == "app" || f.sgn(c.to+1, "[") && f.linkAt(c.to+3) == 2 {
			return true
		}
	}
	return f.sgn(f.begin(open)-1, "@")
}

// excluded says whether a candidate is proven to be something else.
func (c *candidate) excluded(k surroundings) bool {
	plans, _ := c.calls()
	return len(plans) == 0 || c.base == baseForeign || k.served || k.said || k.linked && (c.base != baseOurs || !c.verb.sends) ||
		c.file.test && (c.base != baseOurs || !c.verb.sends)
}

// rank says how sure a candidate is, "" when it is none.
func (c *candidate) rank() Confidence {
	f := c.file
	w := f.scan.world
	near := f.knows || w.knows[f.top] || w.knows[""]
	clear := c.verb.force >= 2 || len(c.route.plans) == 1 || c.verb.sends
	_, fits := c.calls()
	level := c.route.level
	distinct := slices.ContainsFunc(c.fields, func(name string) bool { return f.scan.matcher.fields[name] || name == "apikey" })
	if c.loose && c.base != baseOurs {
		level = 0
	}
	switch {
	case f.test:
		return Possible
	case !fits && c.base != baseOurs && level < 3:
		return ""
	case c.open && c.base != baseOurs && !(near && c.verb.sends):
		return ""
	case c.open || len(c.others) > 0 || c.vague || !fits || f.isKey(c.to), c.loose && c.base != baseOurs:
		if c.base == baseOurs || near && (level > 0 && c.verb.sends || level > 1) {
			return Possible
		}
		return ""
	}
	if c.base == baseOurs {
		if clear || c.verb.force > 0 || c.whole {
			return Certain
		}
		return Likely
	}
	if c.base == baseNone && c.parts == 0 && !strings.ContainsAny(c.text, "/?") && level < 3 { // one word
		switch {
		case near && distinct:
			return Likely
		case f.knows && c.verb.force >= 3 && (c.verb.method != "GET" || distinct || !c.lookup()):
			return Likely
		case near && c.verb.force >= 3 && c.verb.sends && c.verb.method != "GET":
			return Likely
		case near && c.verb.force >= 3 && c.verb.sends && !c.lookup():
			return Possible
		case near && len(f.holders(c.from, false)) > 0 && c.verb.force > 0 && c.verb.method == "POST" && c.named():
			return Possible
		}
		return ""
	}
	if c.ofOther() && c.base != baseOurs {
		if near && level > 0 && c.base != baseNone {
			return Possible
		}
		return ""
	}
	strong := c.verb.sends || c.verb.force >= 2 || distinct
	switch {
	case c.base == baseRest && level >= 2 && (near || strong):
		return Certain
	case f.knows && level == 3 && strong, f.knows && distinct && c.verb.force >= 2:
		return Certain
	case f.knows && (level >= 2 || strong || c.base >= baseRest || c.parts > 0):
		return Likely
	case f.knows:
		return Possible
	case level == 3 && (near || strong), near && level == 2 && strong, near && c.base >= baseRest && strong:
		return Likely
	case near && (strong || level == 2 || c.base >= baseRest):
		return Possible
	case level == 3, w.any && level == 2, c.base == baseRest && strong, level == 2 && strong && c.base != baseNone:
		return Possible
	case w.any && strong && c.base == baseHole:
		return Possible
	}
	return ""
}

// isKey says whether an expression that ends before a token is the key of an object.
func (f *file) isKey(to int) bool {
	return f.sgn(to, ":") && !f.family.loose && f.tokens[to].up > 0 && f.sgn(int(f.tokens[to].up), "{") && !f.isBlock(int(f.tokens[to].up))
}

// ofOther says whether the object that sends, or the file, has the name of another service.
func (c *candidate) ofOther() bool {
	f := c.file
	names := []string{f.base}
	for level, up := 0, f.tokens[c.from].up; level < 3 && up > 0 && !f.isBlock(int(up)); level++ {
		for i := f.begin(int(up)); i < int(up); i++ {
			if f.is(i, aName) {
				names = append(names, f.str(i))
			}
		}
		up = f.tokens[up].up
	}
	for i := c.from; i < c.to; i++ {
		if f.is(i, aName) || f.is(i, aText) && f.sgn(i-1, "([") {
			names = append(names, f.str(i))
		}
	}
	return slices.ContainsFunc(names, func(name string) bool {
		return !strings.Contains(strings.ToLower(name), serviceName) && slices.ContainsFunc(wordsOf(name), func(word string) bool { return has("other", word) })
	})
}

// lookup says whether a word is looked up in a map, and not asked of a server: x.get('seller').
func (c *candidate) lookup() bool {
	f := c.file
	return f.sgn(c.from-1, "(") && strings.EqualFold(f.str(c.from-2), "get") && f.sgn(c.to, ")") && !f.based
}

// named says whether the name of a setting or a constant says what it is for.
func (c *candidate) named() bool {
	for _, name := range c.file.holders(c.from, false) {
		for _, part := range wordsOf(name) {
			if has("action", part) || part == "url" || part == "path" || part == "endpoint" {
				return true
			}
		}
	}
	return false
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
