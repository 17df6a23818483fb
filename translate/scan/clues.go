package scan

import (
	"cmp"
	"slices"
	"strings"

	"sellerd/translate/source"
)

// This file reads what stands around a path: the method, the fields and the host of the request.

// clues are what the tokens around a path say.
type clues struct {
	first    int    // the first token of the statement
	method   string // of the request
	force    int    // how clearly it is written: 3 in the statement, 2 near it, 1 by what is sent or by a name, 0 not at all
	level    int    // how many brackets are between the path and what is read
	taken    int    // the level of the method
	sends    bool   // something that sends requests stands there
	fields   []string
	command  string   // the command that gets the path
	shown    bool     // a method stands before the path, as messages have it
	newer    bool     // a field that only the new interface has is sent
	host     baseKind // of another text, or of a constant beside the path
	hostAway int      // how many brackets are between
}

// isMethod returns the method that a word is.
func isMethod(word string) string {
	if len(word) < 3 || len(word) > 6 {
		return ""
	}
	method, _ := meaningOf("method", strings.ToLower(word))
	return method
}

// nearby bounds what is read around a path, in tokens.
const nearby = 120

// role is how a token stands to a path.
type role uint8

const (
	beside  role = iota // an argument of the same function, or of one around it; a word of the same statement
	within              // a part of an argument
	callee              // in the name of a function that gets the path
	chained             // the name of a function that is called on the result
	near                // in a statement before or after it
)

// look reads all that stands around a path: what is in its text, its statement, and the statements after and before it.
func (c *candidate) look() {
	f := c.file
	c.inText()
	c.fieldsIn(c.text[max(c.address()-maxValue/2, 0):])
	for i := c.from; i < c.to; i++ {
		c.hostAt(i, beside)
	}
	ups, heads, table := []int32{f.Tokens[c.from].Up}, []int{}, false
	for up := int(ups[0]); up > 0 && !f.IsBlock(up) && len(ups) < 6; up = int(f.Tokens[up].Up) {
		ups, heads = append(ups, f.Tokens[up].Up), append(heads, max(f.Begin(up), up-nearby/2))
		table = table || f.Sign(up, "[{") && !f.Is(up-1, source.Name)
	}
	first, to := c.statement(ups[len(ups)-1])
	c.first = first
	for _, up := range ups[:len(heads)] {
		if !f.Family.Loose || f.Sign(int(up), "[{") {
			first, to = min(first, max(int(up), c.before, c.from-nearby)+1), max(to, min(f.Pair(int(up)), c.next, c.to+nearby))
		}
	}
	from := first
	for k, head := range heads { // what is far from the path is not read
		if head < from && int(ups[k]) >= from-nearby {
			from = head
		}
	}
	for i := from; i < to; i++ {
		if skipped := c.skipped(i); skipped >= i {
			i = skipped
			continue
		}
		up, level, r := f.Tokens[i].Up, slices.Index(ups, f.Tokens[i].Up), within
		for c.level = level; c.level < 0 && up > 0; c.level = slices.Index(ups, up) {
			up = f.Tokens[up].Up
		}
		switch {
		case level > 0 && i < int(ups[level-1]) && i >= heads[level-1]:
			r = callee
		case level >= 0 && i > c.to && f.Sign(i-1, ".") && f.Sign(i+1, "("):
			r = chained
		case i < first:
			continue
		case level >= 0:
			r = beside
		}
		c.read(i, r)
		if closing := f.Pair(i); closing > i && (closing < c.from || i > c.from) && f.other(i) {
			i = closing
		}
	}
	if !table {
		c.lines(to, 1)
		c.lines(from-1, -1)
	}
	c.byFields()
	if _, fits := c.calls(); !fits && c.shorter != nil { // post('item', fields)
		base, unnamed := c.base, c.unnamed // the address is the same
		c.match, c.parts = *c.shorter, 0
		c.base, c.unnamed = base, unnamed
	}
}

// skipped returns the last token of the path itself, or of a function that begins behind it: what a function gets and does is no argument.
// It returns -1 at other tokens.
func (c *candidate) skipped(i int) int {
	f := c.file
	if i == c.from {
		return c.to - 1
	} else if i < c.to || !f.Is(i, source.Name) || !has("defines", strings.ToLower(f.Str(i))) {
		return -1
	}
	for open := i + 1; open < min(len(f.Tokens), i+nearby/2); open++ {
		if closing := f.Pair(open); closing > open && f.Sign(open, "{") {
			return closing
		} else if closing > open {
			open = closing
		}
	}
	return -1
}

// statement returns the first token of the statement of a path, and the token after it. In a loose family it is a line.
func (c *candidate) statement(up int32) (from, to int) {
	f := c.file
	breaks := func(i int) bool {
		return i < len(f.Tokens) && f.Tokens[i].Fresh && (f.Family.Loose || f.Family.Newlines && !f.Continues(i) && f.Tokens[i].Up == up)
	}
	ends := func(i int) bool {
		block := f.Sign(i, "{}") && f.Tokens[i].Up <= up && (f.IsBlock(i) || f.IsBlock(f.Pair(i)))
		tag := f.Sign(i, "<>") && f.Family == source.Families()["cold"]
		return block || tag || f.Sign(i, ";") || f.Sign(i, "|") && f.Family.Loose
	}
	for from = c.from; from > max(c.before+1, c.from-nearby) && !breaks(from) && !ends(from-1); from-- {
	}
	for to = c.to; to < min(c.next, c.to+nearby) && !breaks(to) && !ends(to); to++ {
	}
	return from, to
}

// lines reads the statements after or before a path, to the next path, or the end of the block.
func (c *candidate) lines(from, step int) {
	f, before := c.file, c.before
	for step < 0 && before > 0 && before < from && !f.Tokens[before+1].Fresh && !f.Tokens[before].Fresh && !f.Sign(before, ";,") {
		before++ // it belongs to the path before
	}
	for i, lines := from, 0; i > max(before, c.from-nearby) && i < min(c.next, c.to+nearby) && lines < 10; i += step {
		if f.Tokens[i].Fresh {
			lines++
		}
		open, closing := i, f.Pair(i)
		if step > 0 {
			open, closing = closing, c.to+1
		}
		head := f.Tokens[i].Fresh && f.Is(i, source.Name) && has("defines", strings.ToLower(f.Str(i)))
		if head || f.Sign(i, "{}") && open > 0 && open < c.from && (closing == 0 || closing > c.to) && f.IsBlock(open) {
			return
		}
		c.read(i, near)
	}
}

// other says whether a bracket has a path of its own.
func (f *file) other(open int) bool {
	for i := open; i < min(f.Pair(open), open+nearby); i++ {
		if f.Is(i, source.Text) && strings.Contains(f.Str(i), "/") && f.scan.matcher.mayHave(f.Str(i)) {
			return true
		}
	}
	return false
}

// read takes what a token says.
func (c *candidate) read(i int, r role) {
	if c.file.Wordy(i) {
		c.methodOf(i, r)
		c.fieldAt(i, r)
		c.hostAt(i, r)
	}
}

// set takes a method that is clearer than the one before, or stands nearer.
func (c *candidate) set(method string, force int) {
	if method != "" && (force > c.force || force == c.force && c.level < c.taken) {
		c.method, c.force, c.taken = method, force, c.level
	}
}

// separators are what stands between the words of a command in a text.
func separators(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`,;|&()", r) }

// inText reads a command or a request line in the text itself.
func (c *candidate) inText() {
	rest, _, _ := strings.Cut(c.text[c.end:min(len(c.text), c.end+maxValue)], "\n")
	before := strings.FieldsFunc(c.text[max(c.address()-maxValue, 0):c.address()], separators)
	words := append(slices.Clip(before), strings.FieldsFunc(rest[:strings.IndexAny(rest+";", ";|")], separators)...)
	for i, word := range words {
		if i < len(before) || c.command != "" {
			c.word(word, append(words, "")[i+1])
		}
	}
	if c.command == "" && len(before) == 1 && before[0] == strings.ToUpper(before[0]) && isMethod(before[0]) != "" { // GET /item/1
		c.set(isMethod(before[0]), 3)
		c.sends = c.sends || strings.Contains(c.text, "HTTP/1")
		c.shown = !c.sends && c.file.key(c.from) == "" && c.file.held(c.from) == ""
	}
}

// address returns where the address begins in the text.
func (c *candidate) address() int { return min(c.match.before, len(c.text)) }

// word reads a word of a command, and the one that follows. It says whether there is a command.
func (c *candidate) word(word, next string) bool {
	low := strings.ToLower(word)
	if low = low[strings.LastIndexByte(low, '/')+1:]; has("command", low) {
		c.command, c.sends = low, true
	} else if c.command != "" {
		c.option(word, next)
	}
	return c.command != ""
}

// option reads an option of a command and what follows it.
func (c *candidate) option(word, next string) {
	name, value, given := strings.Cut(word, "=")
	implied, implies := meaningOf("option", name)
	switch dash := strings.HasPrefix(word, "-"); {
	case dash && strings.Contains(name, "X"): // -XPUT, -sX PUT
		c.set(isMethod(cmp.Or(name[strings.IndexByte(name, 'X')+1:], next)), 3)
	case dash && has("verb", strings.ToLower(strings.TrimLeft(name, "-"))):
		c.set(isMethod(strings.Trim(cmp.Or(value, next), `"'`)), 3)
	case dash && implies:
		if implied == "get" && c.force < 3 { // -d becomes the query
			c.force = 0
		}
		c.set(strings.ToUpper(implied), 2)
	case word == strings.ToUpper(word):
		c.set(isMethod(word), 3)
	case given && name != "" && !strings.HasPrefix(value, "=") && !strings.ContainsAny(name, "/:$?&-"):
		c.set("POST", 1)
	}
}

// methodOf takes the method that a token says.
func (c *candidate) methodOf(i int, r role) {
	f := c.file
	text, low, isText := f.Str(i), strings.ToLower(f.Str(i)), f.Is(i, source.Text)
	method, compound := f.methodAt(i)
	implied, implies := meaningOf("implies", low)
	// A word of a command on another line is none of this one.
	theirs := r == near && f.Family.Loose && f.Wordy(i-1) && f.Str(i-1) != "-" && !f.Tokens[i].Fresh && !f.Sign(int(f.Tokens[i].Up), "(")
	called := r == callee || r == chained ||
		r == beside && i < c.from && (!f.Family.Loose || (i == c.first || f.Sign(i-1, "([")) && c.command == "")
	said, next := method != "" && f.saidToBe(i), i+1
	if f.Sign(next, "=:") {
		next++
	}
	switch {
	case f.Family.Loose && r == beside && (i < c.from || c.command != "") && c.word(text, f.Str(next)):
	case isText && strings.HasPrefix(text, "-") && !theirs: // ['curl', '-X', 'PUT', …]
		c.option(text, f.Str(i+2))
	case method != "" && r == near && (said && f.Is(i-1, source.Sign) || (said || compound && !isText) && i > c.to && f.held(c.from) != ""):
		c.set(method, 2)
	case said && r != near:
		c.set(method, 3)
	case (r == beside || r == callee && isText) && method != "" &&
		(text == method || isText && (f.Sign(i-1, "(") || f.Sign(i+1, ",)")) || compound && !isText):
		c.set(method, 3)
	case implies && !isText && r != within && r != chained:
		c.set(strings.ToUpper(implied), map[bool]int{true: 1, false: 2}[r == near || f.Sign(c.to, ",")]) // what follows may say another one
	case called && (!isText || f.Family.Loose) && !f.Sign(i+1, "="):
		c.called(i, r)
	case r == near && i > c.to:
		c.after(i)
	}
	if r == near && i > c.to && !isText && (has("sends", low) || implies && strings.HasPrefix(low, "curlopt")) {
		c.sends = true
	}
}

// methodAt returns the method that a token is: 'PUT', PUT, :put, rmPUT, METH_PUT, HttpPut; compound says that its name says more.
func (f *file) methodAt(i int) (method string, compound bool) {
	text := f.Str(i)
	if method = isMethod(text); method != "" || f.Is(i, source.Text) || len(text) > 40 {
		return method, method != "" && f.Sign(i-1, ".") && has("verb", lastWord(f.Str(i-2)))
	}
	parts := wordsOf(text)
	if n := len(parts); n >= 2 && (has("verb", parts[n-2]) || n == 2 && parts[0] == "http") {
		return isMethod(parts[n-1]), true
	}
	return "", false
}

// lastWord returns the last word of a name.
func lastWord(name string) string {
	parts := append([]string{""}, wordsOf(name)...)
	return parts[len(parts)-1]
}

// saidToBe says whether a name before a token says that it is a method: method: 'PUT', setMethod(Method.Put), -Method Put.
func (f *file) saidToBe(i int) bool {
	j := i - 1
	for f.Sign(j, ".") {
		j -= 2
	}
	end := j
	for j > end-3 && f.Sign(j, "=:>(,&") {
		j--
	}
	name := f.Str(j)
	led := j < end || f.Family == source.Families()["power"] || strings.HasPrefix(name, "-")
	return f.Wordy(j) && led && (has("verb", simple(name)) || has("verb", lastWord(name)))
}

// called reads a name before the bracket of a function, or after it: client.put(, new HttpDelete(, Http::asForm()->post(, .method("PUT").
func (c *candidate) called(i int, r role) {
	f, text := c.file, c.file.Str(i)
	parts, neutral := wordsOf(text), 0
	for _, part := range parts {
		if has("sends", part) {
			c.sends = c.sends || r != chained
			neutral++
		} else if has("plain", part) {
			neutral++
		}
	}
	for k, part := range parts {
		method := isMethod(part)
		if method == "" || k > 0 && k < len(parts)-1 || r == chained && method == "GET" && (len(parts) > 1 || !f.Sign(i+2, ")")) {
			continue
		}
		if neutral < len(parts)-1 || r == chained && len(parts) > 1 {
			c.set(method, 1) // getUrl
		} else {
			c.set(method, 3)
			c.sends = c.sends || r != chained
		}
	}
}

// after reads a call that gets the variable that has the path: client.delete(url), x.open("PUT", url).
func (c *candidate) after(i int) {
	f, end := c.file, c.file.Tokens[i].To
	method := isMethod(append(wordsOf(f.Str(i)), "")[0])
	if method == "" || !f.Sign(i+1, map[bool]string{true: ",", false: "("}[f.Is(i, source.Text)]) {
		return
	}
	arguments, _, _ := strings.Cut(f.Text[end:min(len(f.Text), int(end)+200)], "\n")
	if slices.ContainsFunc(f.holders(c.from), func(h holder) bool { return slices.Contains(wordsIn(arguments), h.name) }) {
		c.set(method, 2)
		c.sends = true
	}
}

// wordsIn returns the names in a text.
func wordsIn(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r >= 128 || !source.IsWord(byte(r)) })
}

// takes says whether a call takes a field.
func takes(p *plan, field string) bool {
	return slices.Contains(p.FieldNames(), field) || p.TakesKey && field == "apikey"
}

// field adds a field of the calls of the path.
func (c *candidate) field(name string) {
	name, _, _ = strings.Cut(name, "[")
	if known := c.file.scan.matcher.known[name]; known && !slices.Contains(c.fields, name) &&
		slices.ContainsFunc(c.plans(), func(p *plan) bool { return takes(p, name) }) {
		c.fields = append(c.fields, name)
	}
}

// fieldsIn adds the fields of a form.
func (c *candidate) fieldsIn(text string) {
	if strings.IndexByte(text, '=') > 0 {
		ends := func(r rune) bool { return strings.ContainsRune("&?\"' \n\x00", r) }
		for pair := range strings.FieldsFuncSeq(text[:min(len(text), maxValue)], ends) {
			if name, _, ok := strings.Cut(pair, "="); ok {
				c.field(name)
			}
		}
	}
}

// fieldAt adds the field that a token is.
func (c *candidate) fieldAt(i int, r role) {
	f, up := c.file, int(c.file.Tokens[i].Up)
	c.newer = c.newer || f.Sign(i+1, "=:") && has("owned", f.Str(i)) && (f.Is(i, source.Text) || f.Sign(up, "{") && !f.IsBlock(up))
	switch {
	case i <= c.before || i >= c.next || r == callee:
	case f.Is(i, source.Text):
		if f.Sign(i+1, "=:,]-)") || f.Sign(i-1, "(,{") {
			c.field(f.Str(i))
		}
		c.fieldsIn(f.Str(i))
	case f.Sign(i+1, "=:") || f.Sign(i-1, "{,") && f.Sign(i+1, ",}"):
		c.field(f.Str(i))
	}
}

// byFields takes the method of the only call that has the fields, if nothing else says one.
func (c *candidate) byFields() {
	best, most := "", 0
	for _, p := range c.plans() {
		n := 0
		for _, field := range c.fields {
			if takes(p, field) && !strings.Contains(p.Pattern, "{"+field+"}") {
				n++
			}
		}
		if n > most {
			best, most = p.Method, n
		} else if n == most {
			best = ""
		}
	}
	c.set(best, 1-c.force)
}
