package scan

import (
	"slices"
	"strings"
)

// This file reads the method of a request from the code around its path: first in the text itself, then in the brackets around it from
// the inside out, then in the statements after and before it, and at last in the names of functions, constants and settings.

// verb is a method, and how clearly it is written: 3 in the call itself, 2 near it, 1 by what is sent or by a name, 0 not at all.
type verb struct {
	method string
	force  int
	sends  bool // something that sends requests stands there
}

// methods are the methods of the tables, and those that stand for one.
var methods = map[string]string{"get": "GET", "post": "POST", "put": "PUT", "delete": "DELETE", "del": "DELETE", "head": "GET", "patch": "PATCH"}

// isMethod returns the method that a word is.
func isMethod(word string) string { return methods[strings.ToLower(word)] }

// nearby bounds what is read around a path, in tokens.
const nearby = 120

// readVerb finds the method of a candidate.
func (c *candidate) readVerb() {
	c.inText()
	c.aroundIt()
	if c.verb.force < 2 && !c.inTable() {
		c.beside(c.to, min(c.next, c.to+nearby), 1)
	}
	if c.verb.force < 2 && !c.inTable() {
		c.beside(c.from-1, max(c.before, c.from-nearby), -1)
	}
	c.readFields()
	if c.verb.force < 1 {
		c.byFields()
	}
	if c.verb.force < 1 {
		c.byName()
	}
	if _, fits := c.calls(); !fits && c.shorter != nil { // post('item', fields)
		c.match, c.parts = *c.shorter, 0
	}
}

// inTable says whether the path stands in an object or a list, whose other members are other things.
func (c *candidate) inTable() bool {
	f := c.file
	for up := f.tokens[c.from].up; up > 0 && !f.isBlock(int(up)); up = f.tokens[up].up {
		if f.sgn(int(up), "{[") {
			return true
		}
	}
	return false
}

// set takes a method that is clearer than the one before.
func (c *candidate) set(method string, force int) bool {
	if method == "" || force <= c.verb.force {
		return false
	}
	c.verb.method, c.verb.force = method, force
	return true
}

// inText reads a command or a request line in the text itself.
func (c *candidate) inText() {
	before := c.text[max(c.address()-maxValue, 0):c.address()]
	if before == "" {
		return
	}
	words := strings.FieldsFunc(before, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`,;|&()", r) })
	for i, word := range words {
		low := strings.ToLower(word)
		if has("command", low[strings.LastIndexByte(low, '/')+1:]) {
			c.command, c.verb.sends = before, true
			c.commandLine(words[i+1:], low)
		}
	}
	if c.command != "" {
		rest := c.text[c.end:min(len(c.text), c.end+maxValue)]
		if i := strings.IndexAny(rest, "\n;|"); i >= 0 {
			rest = rest[:i]
		}
		c.commandLine(strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`,;|&()", r) }), "")
		return
	}
	if len(words) != 1 {
		return
	}
	if method := isMethod(words[0]); method != "" && words[0] == strings.ToUpper(words[0]) { // GET /item/1
		c.set(method, 3)
		c.verb.sends = c.verb.sends || strings.Contains(c.text, "HTTP/1")
	}
}

// address returns where the address begins in the text.
func (c *candidate) address() int { return min(c.match.before, len(c.text)) }

// commandLine reads the options of curl, wget and HTTPie.
func (c *candidate) commandLine(words []string, command string) {
	for i, word := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		c.option(word, next, command)
	}
}

// option reads an option of a command and what follows it.
func (c *candidate) option(word, next, command string) {
	name, value, given := strings.Cut(word, "=")
	switch {
	case strings.HasPrefix(word, "-X") && len(word) > 2:
		c.set(isMethod(word[2:]), 3)
	case strings.EqualFold(name, "-X") || strings.EqualFold(name, "--request") || strings.EqualFold(name, "--method") || strings.EqualFold(name, "-method"):
		if !given {
			value = next
		}
		c.set(isMethod(strings.Trim(value, `"'`)), 3)
	case strings.HasPrefix(word, "-"):
		if method, ok := meaningOf("option", name); ok {
			if method == "get" {
				c.verb.method, c.verb.force = "GET", 3
			}
			c.set(strings.ToUpper(method), 2)
		}
	case word == strings.ToUpper(word) && (command == "http" || command == "https" || command == "xh" || command == ""):
		c.set(isMethod(word), 3)
	case given && name != "" && !strings.HasPrefix(value, "=") && !strings.ContainsAny(name, "/:$?&") && (command == "http" || command == "https" || command == "xh"):
		c.set("POST", 1)
	}
}

// aroundIt reads the brackets around the path, from the inside out, to the ends of the statement.
func (c *candidate) aroundIt() {
	f := c.file
	if f.family.loose {
		c.looseLine()
	}
	open := f.tokens[c.from].up
	for level := 0; level < 5; level++ {
		first, last := c.before, c.next
		if open >= 0 {
			if closing := int(f.tokens[open].pair); closing > 0 {
				first, last = int(open), closing
			}
			if f.isBlock(int(open)) {
				break
			}
		}
		if open < 0 {
			break
		}
		c.inGroup(first, last, level)
		if c.verb.force >= 3 {
			return
		}
		open = f.tokens[open].up
	}
	c.inStatement(open)
}

// inGroup reads the arguments of a bracket, the function before it, and what is called on its result.
func (c *candidate) inGroup(open, closing, level int) {
	f := c.file
	from, to := max(open+1, c.from-nearby), min(closing, c.to+nearby)
	object := f.sgn(open, "{[") && !f.is(open-1, aName)
	for i := from; i < to; i++ {
		t := &f.tokens[i]
		if i == c.from {
			i = c.to - 1
			continue
		}
		if i > open && f.sgn(i, "([{") && t.pair > 0 && (t.up != int32(open) || level > 0 || f.isBlock(i)) {
			if !f.other(i, int(t.pair)) {
				c.keyed(i+1, int(t.pair))
			}
			i = int(t.pair)
			continue
		}
		if (object || t.up != int32(open)) && !strings.HasPrefix(f.str(i), "-") {
			c.keyedAt(i)
			continue
		}
		c.argument(i)
	}
	if f.sgn(open, "(") {
		c.callee(f.calleeOf(open))
	}
	c.chain(closing + 1)
}

// other says whether a bracket has a path of its own.
func (f *file) other(from, to int) bool {
	for i := from; i < min(to, from+nearby); i++ {
		if f.is(i, aText) && strings.Contains(f.str(i), "/") && f.scan.matcher.mayHave(f.str(i)) {
			return true
		}
	}
	return false
}

// keyed reads method: 'PUT' among tokens.
func (c *candidate) keyed(from, to int) {
	for i := from; i < min(to, from+nearby); i++ {
		c.keyedAt(i)
	}
}

// keyedAt reads a value whose name says that it is a method.
func (c *candidate) keyedAt(i int) {
	f := c.file
	if !f.is(i, aText) && !f.is(i, aName) {
		return
	}
	method := c.methodAt(i)
	if method == "" {
		return
	}
	j := i - 1
	for f.sgn(j, ".:") && f.is(j-1, aName) && f.linkAt(j) == 1 || f.linkAt(j-1) == 2 { // Method.Put, HttpMethod::Delete
		j -= f.linkAt(j-1) + 1
		if f.linkAt(j) == 1 {
			j--
		}
	}
	for steps := 0; steps < 3 && f.sgn(j, "=:>(,&."); steps++ {
		j--
	}
	if (f.is(j, aName) || f.is(j, aText)) && j < i-1 && has("verb", simple(f.str(j))) {
		c.set(method, 3)
	} else if (f.is(j, aName) || f.is(j, aText)) && j < i-1 && f.sgn(j+1, "=:,(") {
		if parts := wordsOf(f.str(j)); len(parts) > 0 && has("verb", parts[len(parts)-1]) {
			c.set(method, 3)
		}
	}
}

// methodAt returns the method that a token is: 'PUT', PUT, Method.Put, :put, rmPUT, METH_PUT.
func (c *candidate) methodAt(i int) string {
	f := c.file
	text := f.str(i)
	if f.is(i, aText) {
		return isMethod(text)
	}
	if method := isMethod(text); method != "" {
		return method
	}
	parts := wordsOf(text)
	if n := len(parts); n >= 2 && isMethod(parts[n-1]) != "" && (has("verb", parts[n-2]) || n == 2 && parts[0] == "http") {
		return isMethod(parts[n-1])
	}
	return ""
}

// argument reads an argument that is a method, or says one.
func (c *candidate) argument(i int) {
	f := c.file
	switch {
	case f.is(i, aText) && strings.HasPrefix(f.str(i), "-") && !f.family.loose: // ['curl', '-X', 'PUT', …]
		c.option(f.str(i), f.str(i+2), "")
	case f.is(i, aText):
		if method := isMethod(f.str(i)); method != "" && (f.str(i) == strings.ToUpper(f.str(i)) || f.sgn(i-1, "(") || f.sgn(i+1, ",") && i < c.from) {
			c.set(method, 3)
		} else {
			c.keyedAt(i)
		}
	case f.is(i, aName):
		text := f.str(i)
		method := c.methodAt(i)
		switch {
		case method == "":
			if said, ok := meaningOf("implies", strings.ToLower(text)); ok {
				force := 2
				if f.sgn(i+1, "(") && f.sgn(c.to, ",") { // file_get_contents($url, false, $context): the context may say another one
					force = 1
				}
				c.set(strings.ToUpper(said), force)
			}
		case len(wordsOf(text)) > 1, text == strings.ToUpper(text), f.sgn(i-1, ":") && !f.sgn(i-2, ":"), f.linkAt(i-1) > 0 && has("verb", wordsOfLast(f.str(i-2))), f.linkAt(i-2) > 0 && has("verb", wordsOfLast(f.str(i-3))):
			c.set(method, 3)
		default:
			c.keyedAt(i)
		}
	}
}

func wordsOfLast(name string) string {
	if parts := wordsOf(name); len(parts) > 0 {
		return parts[len(parts)-1]
	}
	return ""
}

// callee reads the names before a bracket: client.put(, new HttpDelete(, Http::asForm()->post(.
func (c *candidate) callee(last int) {
	f := c.file
	for i, steps := last, 0; i > 0 && steps < 12; steps++ {
		switch {
		case f.is(i, aName):
			text := f.str(i)
			parts := wordsOf(text)
			low := strings.ToLower(text)
			if has("sends", low) || has("sends", simple(text)) || slices.ContainsFunc(parts, func(p string) bool { return has("sends", p) }) {
				c.verb.sends = true
			}
			for k, part := range parts {
				if method := isMethod(part); method != "" && (k == 0 || k == len(parts)-1 || has("sends", parts[0])) && (k == 0 || part != "get" || len(parts) < 3) {
					force := 3
					if k == 0 && len(parts) > 1 && !has("sends", parts[1]) && parts[1] != "async" && parts[1] != "for" && parts[1] != "json" && parts[1] != "form" && parts[1] != "with" && parts[1] != "string" && parts[1] != "as" || method == "GET" && len(parts) > 1 && parts[1] != "async" {
						force = 1 // getUrl
					}
					c.set(method, force)
					c.verb.sends = c.verb.sends || force == 3
				}
			}
			if said, ok := meaningOf("implies", low); ok {
				c.set(strings.ToUpper(said), 1)
			}
			i--
			if f.is(i, aName) && f.str(i) == "new" {
				i--
			}
		case f.sgn(i, ")]") && f.tokens[i].pair > 0:
			i = int(f.tokens[i].pair)
			if c.verb.force < 3 {
				c.keyed(i+1, min(int(f.tokens[i].pair), i+20))
			}
			i--
			continue
		default:
			return
		}
		switch {
		case f.linkAt(i) == 1:
			i--
		case f.linkAt(i-1) == 2:
			i -= 2
		case f.sgn(i, "@"):
			c.verb.sends = true
			return
		default:
			return
		}
	}
}

// chain reads what is called on the result: .method("PUT", …), .put(body).
func (c *candidate) chain(i int) {
	f := c.file
	for range 8 {
		n := f.linkAt(i)
		if n == 0 || !f.is(i+n, aName) || !f.sgn(i+n+1, "(") || f.tokens[i+n+1].pair == 0 {
			return
		}
		name, open := strings.ToLower(f.str(i+n)), i+n+1
		if has("verb", name) {
			if method := c.methodAt(open + 1); method != "" {
				c.set(method, 3)
			} else {
				c.keyed(open-1, int(f.tokens[open].pair))
			}
		} else if method := isMethod(name); method != "" && (method != "GET" || f.sgn(open+1, ")")) {
			c.set(method, 3)
		}
		i = int(f.tokens[open].pair) + 1
	}
}

// inStatement reads the statement outside all brackets.
func (c *candidate) inStatement(up int32) {
	f := c.file
	for _, step := range []int{-1, 1} {
		i := c.from - 1
		if step > 0 {
			i = c.to
		}
		for n := 0; n < nearby && i > c.before && i < c.next; i, n = i+step, n+1 {
			t := &f.tokens[i]
			switch {
			case f.sgn(i, ";"), f.sgn(i, "{}") && (t.up == up || t.up < up) && (f.isBlock(i) || f.sgn(i, "}") && f.isBlock(int(t.pair))):
				n = nearby
				continue
			case step > 0 && t.fresh && f.family.newlines && !f.continues(i), step < 0 && i+1 < len(f.tokens) && f.tokens[i+1].fresh && f.family.newlines && !f.continues(i+1):
				n = nearby
				continue
			case t.up != up:
				continue
			}
			if t.kind != aSign {
				c.argument(i)
				if f.is(i, aName) && step < 0 && !f.sgn(i+1, "=") {
					c.callee(i)
				}
			}
		}
	}
}

// continues says whether the line that begins with a token goes on with the statement before it.
func (s *source) continues(i int) bool {
	return s.sgn(i, ".?:|&)]}+-,") || s.sgn(i-1, ",([{=.+&|?:\\") || s.is(i-1, aName) && s.str(i-1) == "_"
}

// looseLine reads the words of a line of a shell or of settings, and of the lines that belong to it.
func (c *candidate) looseLine() {
	f := c.file
	first := c.from
	for first > max(c.before+1, c.from-nearby) && !f.tokens[first].fresh && !f.sgn(first-1, "|;") {
		first--
	}
	last := c.to
	for last < min(c.next, c.to+nearby) && !f.tokens[last].fresh && !f.sgn(last, "|;") {
		last++
	}
	command := ""
	for i := first; i < last && i < first+2*nearby; i++ {
		if i >= c.from && i < c.to || f.is(i, aSign) {
			continue
		}
		text := f.str(i)
		low := strings.ToLower(text)
		if i < c.from && has("command", low[strings.LastIndexByte(low, '/')+1:]) {
			command, c.command, c.verb.sends = low, low, true
			c.said = false
			continue
		}
		if i < c.from && has("says", strings.TrimLeft(low, "@-")) && !f.sgn(i+1, "=:") && command == "" {
			c.said = true
		}
		if i < c.from && has("sends", low) {
			c.verb.sends = true
		}
		next := ""
		if i+1 < last {
			next = f.str(i + 1)
			if f.sgn(i+1, "=:") {
				next = f.str(i + 2)
			}
		}
		c.option(text, next, command)
		if f.is(i, aName) && (has("verb", low) || has("verb", simple(low))) {
			c.set(isMethod(next), 3)
		}
	}
	if first > c.before+1 && f.family == families["shell"] { // Bruno: delete { url: … }
		if up := f.tokens[c.from].up; up > 0 && f.tokens[up-1].kind != aSign {
			if method := isMethod(f.str(int(up) - 1)); method != "" {
				c.set(method, 3)
				c.verb.sends = true
			}
		}
	}
}

// beside reads the statements after or before the path for one that sets the method, to the next path or the end of the block.
func (c *candidate) beside(from, to, step int) {
	f := c.file
	targets := f.holders(c.from, true)
	lines := 0
	for i := from; i > 0 && i < len(f.tokens) && (i < to) == (step > 0) && i != to; i += step {
		t := &f.tokens[i]
		if t.fresh {
			if lines++; lines > 10 {
				return
			}
		}
		switch {
		case step > 0 && f.sgn(i, "}") && t.pair > 0 && int(t.pair) < c.from && f.isBlock(int(t.pair)), step < 0 && f.sgn(i, "{") && (t.pair == 0 || int(t.pair) > c.to) && f.isBlock(i):
			return
		case f.is(i, aText), f.is(i, aName):
			low := strings.ToLower(f.str(i))
			if said, ok := meaningOf("implies", low); ok && f.is(i, aName) {
				c.set(strings.ToUpper(said), 1)
				if strings.HasPrefix(low, "curlopt") {
					c.verb.sends = true
				}
			}
			if f.is(i, aName) && has("sends", low) && step > 0 {
				c.verb.sends = true
			}
			method := c.methodAt(i)
			if method == "" && f.is(i, aName) && f.sgn(i+1, "(") {
				if parts := wordsOf(f.str(i)); len(parts) == 2 && parts[1] == "async" { // a method DeleteAsync, for example
					method = isMethod(parts[0])
				}
			}
			if method == "" {
				continue
			}
			opens := f.is(i, aText) && f.str(i) == method && f.sgn(i+1, ",") && f.is(i+2, aName) // x.open("PUT", url)
			if opens && step > 0 && slices.Contains(targets, f.str(i+2)) {
				c.set(method, 2)
				c.verb.sends = true
				return
			}
			before := c.verb.force
			if c.verb.force < 2 {
				c.keyedAt(i)
			}
			if c.verb.force > before {
				c.verb.force = 2
				return
			}
			if f.is(i, aName) && f.sgn(i+1, "(") && step > 0 && f.tokens[i+1].pair > 0 { // client.delete(url)
				for k := i + 2; k < min(int(f.tokens[i+1].pair), i+20); k++ {
					if f.is(k, aName) && slices.Contains(targets, f.str(k)) {
						c.set(method, 2)
						c.verb.sends = true
						return
					}
				}
			}
		}
	}
}

// readFields finds the fields of the calls of the path in the code around.
func (c *candidate) readFields() {
	f := c.file
	known := map[string]bool{}
	for _, p := range c.plans() {
		for _, name := range p.FieldNames() {
			known[name] = true
		}
		if p.TakesKey {
			known["apikey"] = true
		}
	}
	if len(known) == 0 {
		return
	}
	add := func(name string) {
		if i := strings.IndexByte(name, '['); i > 0 {
			name = name[:i]
		}
		if known[name] && !slices.Contains(c.fields, name) {
			c.fields = append(c.fields, name)
		}
	}
	texts := func(text string) {
		if strings.IndexByte(text, '=') > 0 {
			for pair := range strings.FieldsFuncSeq(text[:min(len(text), maxValue)], func(r rune) bool { return strings.ContainsRune("&?\"' \n\x00", r) }) {
				if name, _, ok := strings.Cut(pair, "="); ok {
					add(name)
				}
			}
		}
	}
	texts(c.text[max(c.address()-maxValue/2, 0):])
	lines := 0
	for i := c.to; i < min(c.next, c.to+nearby) && lines < 12; i++ {
		t := &f.tokens[i]
		if t.fresh {
			lines++
		}
		if f.sgn(i, "}") && t.pair > 0 && int(t.pair) < c.from && f.isBlock(int(t.pair)) {
			break
		}
		c.fieldAt(i, add, texts)
	}
	lines = 0
	for i := c.from - 1; i > max(c.before, c.from-nearby) && lines < 8; i-- {
		if f.tokens[i+1].fresh {
			lines++
		}
		if f.sgn(i, "{") && (f.tokens[i].pair == 0 || int(f.tokens[i].pair) > c.to) && f.isBlock(i) {
			break
		}
		c.fieldAt(i, add, texts)
	}
}

func (c *candidate) fieldAt(i int, add, texts func(string)) {
	f := c.file
	switch {
	case f.is(i, aText):
		text := f.str(i)
		if f.sgn(i+1, "=:,]-") || f.sgn(i-1, "(,{") || f.sgn(i+1, ")") {
			add(text)
		}
		texts(text)
	case f.is(i, aName) && (f.sgn(i+1, "=:") || f.sgn(i-1, "{,") && f.sgn(i+1, ",}")):
		add(f.str(i))
	}
}

// byFields takes the method of the only call that has the fields.
func (c *candidate) byFields() {
	best, most := "", 0
	for _, p := range c.plans() {
		n := 0
		for _, field := range c.fields {
			if slices.Contains(p.FieldNames(), field) && !strings.Contains(p.Pattern, "{"+field+"}") || p.TakesKey && field == "apikey" {
				n++
			}
		}
		if n > most {
			best, most = p.Method, n
		} else if n == most {
			best = ""
		}
	}
	c.set(best, 1)
}

// byName takes the method that a name on the line speaks for: of a function, a constant, or the key of a setting.
func (c *candidate) byName() {
	f := c.file
	first := c.from
	for first > 1 && !f.tokens[first].fresh && c.from-first < 30 {
		first--
	}
	names := f.holders(c.from, true)
	for i := first; i < c.from; i++ {
		if f.is(i, aName) && f.tokens[i].up < f.tokens[c.from].up || f.is(i, aName) && f.sgn(i+1, "(:=") {
			names = append(names, f.str(i))
		}
	}
	if line := c.function(); line != "" {
		names = append(names, line)
	}
	for _, name := range names {
		for _, part := range wordsOf(name) {
			if method, ok := meaningOf("action", part); ok {
				c.set(strings.ToUpper(method), 1)
				if p, fits := c.calls(); !fits || len(p) == 0 || p[0].Method != c.verb.method {
					c.verb.method, c.verb.force = "", 0
					continue
				}
				return
			}
		}
	}
}

// function returns the name of the function around a candidate, when its head is near.
func (c *candidate) function() string {
	f := c.file
	up := f.tokens[c.from].up
	for range 4 {
		if up <= 0 {
			break
		}
		if f.isBlock(int(up)) {
			if j := int(up) - 1; f.sgn(j, ")") && f.tokens[j].pair > 0 && f.is(int(f.tokens[j].pair)-1, aName) {
				return f.str(int(f.tokens[j].pair) - 1)
			}
		}
		up = f.tokens[up].up
	}
	for i, lines := c.from-1, 0; i > max(1, c.from-2*nearby) && lines < 6; i-- { // def name, sub name, function name
		if f.tokens[i].fresh {
			lines++
			if f.is(i, aName) && f.is(i+1, aName) {
				switch strings.ToLower(f.str(i)) {
				case "def", "sub", "function", "func", "fun", "procedure", "async", "public", "private":
					if strings.EqualFold(f.str(i+1), "sub") || strings.EqualFold(f.str(i+1), "function") || f.str(i+1) == "def" {
						return f.str(i + 2)
					}
					return f.str(i + 1)
				}
			}
		}
	}
	return ""
}
