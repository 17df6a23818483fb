package scan

import (
	"slices"
	"strings"

	"sellerd/internal/base/pattern"
	"sellerd/translate/source"
)

// This file decides what a candidate is worth. It is left out when it is proven to be something else: a route that is served, a
// sentence, or a path of another host. All others are findings, and the evidence makes them certain, likely or possible.

// place is a finding with what is kept of it until the end.
type place struct {
	Finding
	name string // of the constant that has its path
	base string // of a record: what stands before its path, when only a running program knows it
	sure bool   // its method is known
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
	p.Line, p.Column = f.Place(c.at)
	if piece, _ := c.value.find(c.match.at); piece.name != "" {
		for _, plan := range plans {
			sure := confidence != Possible && (c.force > 0 || oneMethod(c.route.plans))
			f.used = append(f.used, use{f.top + "/" + simple(piece.name), plan.ID, sure})
		}
	} else if name := f.held(c.from); name != "" {
		p.name = f.top + "/" + simple(name)
	}
	for _, plan := range plans {
		p.sure = c.force > 0 && plan.Method == c.method
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
	if c.force == 0 && !oneMethod(c.route.plans) {
		notes = append(notes, "The method is not written near the path. GET is what most functions send.")
	}
	if confidence != Certain && c.base != baseOurs {
		notes = append(notes, "The host is only known to the running program.")
	}
	return notes
}

// newer finds an address that begins with the root of the new interface.
var newer = pattern.Late(`^(?:\w+://)?[\w.:-]+/v1(?:\W|$)`)

// hostAt takes the host that a token beside the path names, where the path does not have it.
func (c *candidate) hostAt(i int, r role) {
	f, text := c.file, c.file.Str(i)
	if r == near || c.base >= baseOurs || c.host == baseOurs || c.host != baseNone && c.hostAway < c.level {
		return
	}
	if f.Is(i, source.Name) {
		if text = f.constant(text).text; f.Sign(i+1, "(") {
			return
		}
	} else if i >= c.from && i < c.to {
		return
	}
	if host := HostName(text); f.scan.matcher.ours(host) {
		if c.host, c.hostAway = baseOurs, c.level; newer().MatchString(text) {
			c.host = baseForeign
		}
	} else if i < c.to && f.Is(i, source.Name) && strings.Contains(text, "://") && strings.Contains(host, ".") && strings.IndexByte(host, hole) < 0 {
		if c.host, c.hostAway = baseForeign, c.level; rooted().MatchString(text) {
			c.host = baseRest
		}
	}
}

// prose is a word of a sentence.
var prose = pattern.Late(`(?:^|\s)[A-Za-z]?[a-z]+(?:[\s.,:!]|$)`)

// isSaid says whether the path stands in a sentence, as in "POST /item failed", or in a text that is no part of a statement.
func (c *candidate) isSaid() bool {
	before := c.text[max(c.address()-maxValue, 0):c.address()]
	after, _, _ := strings.Cut(c.text[c.end:min(len(c.text), c.end+maxValue)], "\n")
	_, after, _ = strings.Cut(after, " ")
	code := strings.TrimRight(before[:max(len(before)-1, 0)], " ") // url = 'https://…
	quoted := c.base == baseOurs && code != "" && strings.ContainsAny(before[len(before)-1:], "'\"`") && strings.ContainsAny(code[len(code)-1:], "=(,+[")
	if c.command != "" || quoted || strings.HasPrefix(after, "HTTP/1") { // a command, a program in a text, or a request as it is sent
		return false
	}
	before = before[strings.LastIndexByte(before, '\n')+1:]
	among := c.isWord() && strings.Contains(strings.TrimSpace(c.text), " ") && isMethod(strings.Fields(c.text)[0]) == "" // of SQL
	return among || isMethod(strings.TrimSpace(before)) == "" && prose().MatchString(before) || prose().MatchString(after)
}

// isTold says whether a function that writes messages gets the path, as in log.info("item/1/restart") and echo "…", or whether the path
// only names something, as in - name: POST /item.
func (c *candidate) isTold() bool {
	f := c.file
	open := int(f.Tokens[c.from].Up)
	is := func(meaning string, i int) bool {
		return f.Is(i, source.Name) && has(meaning, strings.ToLower(f.Str(i)))
	}
	if f.Family == source.Families()["yaml"] {
		for i := c.from - 1; i > 0 && c.from-i < 40; i-- {
			if f.Sign(i+1, ":") || f.Tokens[i].Fresh {
				return f.Sign(i+1, ":") && has("called", strings.ToLower(f.Str(i)))
			}
		}
	}
	return f.Sign(open, "(") && (is("tells", open-1) || f.Sign(open-2, ".") && is("tells", open-3)) || is("tells", c.from-1) ||
		has("called", strings.ToLower(f.key(c.from)))
}

// isWord says whether a path is no more than a word.
func (c *candidate) isWord() bool {
	return c.base == baseNone && c.parts == 0 && !strings.ContainsAny(c.text, "/?") && c.route.level < 3
}

// isCompared says whether a path is compared, as a server does, or is the name of elements: req.url === "/item", xml \\ "item".
func (f *file) isCompared(from int) bool {
	return f.Sign(from-1, "~") || f.Sign(from-1, "\\") && !f.Tokens[from].Fresh
}

// isServed says whether the path is that of a route that the program serves: what gets it declares routes, or a function that answers
// stands beside it. A whole address of the service is only one when what gets it answers in a test.
func (c *candidate) isServed(whole bool) bool {
	f := c.file
	open, first := int(f.Tokens[c.from].Up), c.from
	for level := 0; level < 3 && open > 0 && !f.IsBlock(open) && !(f.Sign(open, "(") && f.Is(open-1, source.Name)); level++ {
		open = int(f.Tokens[open].Up)
	}
	for first > 1 && !f.Tokens[first].Fresh && !f.Sign(first-1, ";{}") && c.from-first < 40 && (!f.Sign(first, "<") || f.Is(first-1, source.Name)) {
		first--
	}
	if f.Sign(first, "<") { // <Route path=…>
		first++
	}
	low, called := strings.ToLower(f.Str(first)), f.Sign(open, "(") && f.Is(open-1, source.Name) // location, get '/x'
	begin := open
	if called {
		begin = f.Begin(open)
	}
	marked := f.Sign(begin-1, "@") || f.Sign(begin-1, "[") && (f.Family == source.Families()["c"] || f.Sign(begin-2, "#"))
	mocks, serves, sends := false, false, false
	for i := begin; i < open; i++ {
		if f.Sign(i, "([") && f.Pair(i) > 0 && f.Pair(i) < open {
			i = f.Pair(i)
		}
		if name := strings.ToLower(f.Str(i)); f.Is(i, source.Name) {
			mocks, serves, sends = mocks || has("mocks", name), serves || has("serves", name), sends || has("sends", name)
		}
	}
	last := strings.ToLower(f.Str(open - 1))
	asks := sends && (has("sends", last) || slices.ContainsFunc(wordsOf(f.Str(open-1)), func(word string) bool { return isMethod(word) != "" }))
	headed := f.Wordy(first) && !f.client && !asks && (has("mocks", low) || has("serves", low))
	switch {
	case whole:
		return mocks || !called && f.Wordy(first) && has("mocks", low) && !f.Sign(first+1, "=[")
	case action().MatchString(c.text), headed, f.Family.Loose && has("serves", strings.ToLower(f.key(c.from))):
		return true
	case !called: // get '/x' do … end, get '/x' => sub { … }, get '/x', to: 'items#show'
		return isMethod(low) != "" && f.Is(first, source.Name) && first == c.from-1 && f.answers(c.to, len(f.Tokens))
	case (mocks || serves) && !(f.client && marked):
		return true
	}
	servant, block := has("servant", strings.ToLower(f.Str(begin))) && open > begin+1, f.Pair(open)+1
	switch {
	case marked:
		return servant || has("marks", last) && !f.client && (isMethod(last) == "" || f.serves) // @Get in a controller
	case last == "path" && begin == open-1 && f.Family == source.Families()["python"]: // Django
		return true
	case isMethod(last) != "" && begin == open-1 && f.IsBlock(block) && f.Pair(block) > 0: // Ktor
		body := f.Text[f.Tokens[block].From:f.Tokens[f.Pair(block)].To]
		return strings.Contains(body[:min(len(body), maxValue)], "call.respond")
	}
	named := f.Is(c.to+1, source.Name) && c.to+2 == f.Pair(open) && strings.ContainsAny(c.text, ":{<") // r.Get("/item/{id}", show)
	return servant && isMethod(last) != "" && c.base != baseOurs && (named || f.answers(c.to, f.Pair(open)))
}

// answers says whether a function or an action follows a path.
func (f *file) answers(from, to int) bool {
	for i := from + 1; i < min(to, from+nearby/2) && (to < len(f.Tokens) || !f.Tokens[i].Fresh); i++ {
		if f.Sign(i, ">") || f.Is(i, source.Name) && has("defines", strings.ToLower(f.Str(i))) || f.Is(i, source.Text) && action().MatchString(f.Str(i)) ||
			i == from+1 && f.Family == source.Families()["ruby"] && strings.HasSuffix(f.Str(i), "Controller") { // Phoenix
			return true
		}
	}
	return false
}

// action is what Rails calls for a route: items#show.
var action = pattern.Late(`^\w+#\w+$`)

// excluded says whether a candidate is proven to be something else.
func (c *candidate) excluded() bool {
	whole := c.base == baseOurs
	c.whole = c.whole && whole
	byRoot := c.host == baseRest && c.base < baseRest
	c.unnamed = c.unnamed || byRoot
	if c.host == baseOurs || byRoot || c.host == baseForeign && c.base != baseRest {
		c.base = c.host
	}
	plans, _ := c.calls()
	moved := c.newer && c.route.parts[0] == "items" && c.base < baseRest && strings.Contains(c.file.Text, "/v1") // which has such a path, too
	alone := !c.file.scan.world.any && c.base < baseOurs && c.route.level < 2 && c.base != baseRest
	return len(plans) == 0 || alone || c.base == baseForeign || moved || c.isServed(whole) || c.isSaid()
}

// rank says how sure a candidate is, by what stands in the line, in the file, and in the program.
func (c *candidate) rank() Confidence {
	f, w, level := c.file, c.file.scan.world, c.route.level
	_, fits := c.calls()
	distinct := slices.ContainsFunc(c.fields, func(name string) bool { return f.scan.matcher.fields[name] || name == "apikey" })
	strong := c.sends || c.force >= 2 || distinct
	bare := f.Family == source.Families()[anyText] && f.Is(c.from, source.Text) && f.Tokens[c.from].Sign == 0
	said := bare && !c.sends && f.Is(c.from-1, source.Name) && f.Is(c.from-2, source.Name) // see the list at https://…
	evidence := 0
	for _, given := range []bool{
		level >= 2, level == 3, strong, c.base == baseRest || c.base == baseHole, c.parts > 0, f.knows, f.knows || w.knows[f.top] || w.knows[""],
	} {
		if given {
			evidence++
		}
	}
	switch {
	case f.test, c.shown, said, !f.scan.matcher.namesHost(c.text) && c.isTold(), f.isCompared(c.from), c.open, len(c.others) > 0, c.vague, !fits,
		f.Sign(c.to, ":") && f.Sign(int(f.Tokens[c.from].Up), "{") && !f.Family.Loose: // the key of an object
		return Possible
	case c.base == baseOurs && (len(c.route.plans) == 1 || c.force > 0 || c.sends || c.whole):
		return Certain
	case c.base == baseOurs:
		return Likely
	case c.unnamed && level > 1:
		return Likely
	case c.loose, c.unnamed, c.isWord() && !(distinct || c.force >= 3 && c.sends && c.method != "GET"):
		return Possible
	case c.base == baseRest && level >= 2 && evidence > 3, f.knows && (level == 3 && strong || distinct && c.force >= 2):
		return Certain
	case w.any && evidence > 2:
		return Likely
	}
	return Possible
}
