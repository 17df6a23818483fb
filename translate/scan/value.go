package scan

import (
	"strings"
)

// This file joins the parts of one expression: texts, holes in them, and names of constants.

// piece is a part of a value. at is where it stands in the source, or where the name of its constant stands.
type piece struct {
	text string
	at   int32
	here bool   // it stands in the source as it is
	name string // of the constant
}

// value is what an expression becomes.
type value []piece

// flat returns the text of a value.
func (v value) flat() string {
	if len(v) == 1 {
		return v[0].text
	}
	var b strings.Builder
	for _, p := range v {
		b.WriteString(p.text)
	}
	return b.String()
}

// with appends a piece. A scheme stands there once: 'https://' . HOST, and http:// + url.
func (v value) with(p piece) value {
	if n := len(v); n > 0 && !p.here && strings.HasSuffix(v[n-1].text, "://") {
		if _, rest, ok := strings.Cut(p.text, "://"); ok {
			p.text = rest
		}
	} else if n > 0 && v[n-1].name != "" && strings.HasPrefix(p.text, "://") { // conf.protocol . '://'
		v[n-1] = piece{text: string(hole), at: v[n-1].at}
	} else if n > 0 && v[n-1].name != "" && strings.Contains(v[n-1].text, "://") && !strings.HasSuffix(v[n-1].text, "/") && p.text != "" && isWord(p.text[0]) {
		p.text = "/" + p.text // a client that adds the slash
		p.at--
	}
	return append(v, p)
}

// constantAt returns the name of the constant that has the byte of a value.
func (v value) constantAt(i int) string {
	for _, p := range v {
		if i < len(p.text) {
			return p.name
		}
		i -= len(p.text)
	}
	return ""
}

// place returns where the byte of a value stands in the source.
func (v value) place(i int) int32 {
	for _, p := range v {
		if i < len(p.text) {
			if p.here {
				return p.at + int32(i)
			}
			return p.at
		}
		i -= len(p.text)
	}
	return v[len(v)-1].at
}

// These bound the work on an expression.
const (
	maxOperands = 60
	maxValue    = 4 << 10
	maxNested   = 6
)

// sgn says whether a token is a sign.
func (s *source) sgn(i int, signs string) bool {
	return i >= 0 && i < len(s.tokens) && s.tokens[i].kind == aSign && strings.IndexByte(signs, s.tokens[i].sign) >= 0
}

func (s *source) is(i int, k kind) bool { return i >= 0 && i < len(s.tokens) && s.tokens[i].kind == k }

// str returns the source of a token.
func (s *source) str(i int) string {
	if i < 0 || i >= len(s.tokens) {
		return ""
	}
	return s.text[s.tokens[i].from:s.tokens[i].to]
}

// joinAt returns how many tokens the operator at i has that joins texts, 0 when there is none.
func (s *source) joinAt(i int) int {
	if !s.is(i, aSign) {
		return 0
	}
	c := s.tokens[i].sign
	if strings.IndexByte(s.family.joins, c) < 0 || c == '|' && !s.sgn(i+1, "|") && !s.sgn(i-1, "|") {
		return 0
	}
	switch {
	case s.family == families[anyText] && c == '+' && s.sgn(i+1, "+") && (s.is(i+2, aText) || s.is(i+2, aName)): // ++ of Haskell
		return 2
	case c == '/' && !s.is(i+1, aText) && !s.is(i-1, aText) && !(s.sgn(i+2, "/") && s.is(i+3, aText)):
		return 0
	case s.sgn(i+1, "=") && s.tokens[i+1].glued, s.sgn(i+1, "&+") && s.sgn(i, "&+") && s.tokens[i+1].glued:
		return 0
	case s.sgn(i+1, "|."): // || and ..
		return 2
	}
	return 1
}

// linkAt returns how many tokens the sign at i has that leads to a member, 0 when there is none.
func (s *source) linkAt(i int) int {
	switch {
	case s.sgn(i, "-") && s.sgn(i+1, ">"), s.sgn(i, ":") && s.sgn(i+1, ":"), s.sgn(i, "?") && s.sgn(i+1, ".") && s.tokens[i+1].glued, s.sgn(i, "!") && s.sgn(i+1, "."):
		return 2
	case s.sgn(i, ".") && !s.family.arrow && s.family.joins != "." && !s.sgn(i+1, "."), s.sgn(i, ":") && s.family.joins == ".":
		return 1
	}
	return 0
}

// begin returns the first token of the operand that ends before i.
func (s *source) begin(i int) int {
	for steps := 0; i > 0 && steps < maxOperands; steps++ {
		j := i - 1
		switch {
		case s.sgn(j, ")]}") && s.tokens[j].pair > 0:
			i = int(s.tokens[j].pair)
			if s.sgn(i-1, ">") && s.sgn(i, "(") && s.generic(i-1) > 0 {
				i = s.generic(i - 1)
				continue
			}
			if s.sgn(i-1, ">") && s.linkAt(i-2) == 2 { // ->{x}, ->[x]
				i -= 2
				continue
			}
			if s.is(i-1, aName) && !s.tokens[i].fresh || s.sgn(i-1, ")]") || s.sgn(i-1, ".") || s.sgn(i-1, "!") && s.is(i-2, aName) {
				if s.sgn(i-1, "!.") {
					i--
				}
				continue
			}
			return i
		case s.is(j, aName), s.is(j, aText), s.is(j, aNumber):
			i = j
		default:
			return i
		}
		switch {
		case s.sgn(i-1, ".") && s.linkAt(i-1) == 1:
			i--
		case s.sgn(i-1, ">.:") && s.linkAt(i-2) == 2:
			i -= 2
		default:
			return i
		}
	}
	return i
}

// generic returns where the types begin that end at a token: get<Item>(…). It is 0 when there are none.
func (s *source) generic(end int) int {
	for i := end - 1; i > end-10 && i > 0; i-- {
		switch {
		case s.sgn(i, "<"):
			if s.is(i-1, aName) {
				return i
			}
			return 0
		case s.is(i, aName), s.sgn(i, ",.[]|>"):
		default:
			return 0
		}
	}
	return 0
}

// typed returns the bracket after types that begin at a token, 0 when they are none.
func (s *source) typed(at int) int {
	for i := at + 1; i < at+10; i++ {
		switch {
		case s.sgn(i, ">") && s.sgn(i+1, "("):
			return i + 1
		case s.is(i, aName), s.sgn(i, ",.[]|<>"):
		default:
			return 0
		}
	}
	return 0
}

// calleeOf returns the last name before a bracket.
func (s *source) calleeOf(open int) int {
	if s.sgn(open-1, ">") && s.generic(open-1) > 0 {
		return s.generic(open-1) - 1
	}
	return open - 1
}

// extent returns the first and the last token of the expression around a token, which may be in brackets of its own.
func (s *source) extent(i int) (from, to int) {
	from, to = i, i+1
	for range maxNested {
		for range maxOperands / 2 {
			to = s.operandEnd(from)
			if s.family.loose {
				for to < len(s.tokens) && s.tokens[to].glued && (s.is(to, aText) || s.is(to, aName)) {
					to++
				}
				for from > 0 && s.tokens[from].glued && (s.is(from-1, aText) || s.is(from-1, aName)) && !s.tokens[from].fresh {
					from--
				}
			}
			n := 0
			if n = s.joinAt(from - 1); n == 0 && s.sgn(from-1, "|.") {
				if n = s.joinAt(from - 2); n != 2 {
					n = 0
				}
			}
			if n == 0 {
				break
			}
			left := s.begin(from - n)
			if left >= from-n || s.operandEnd(left) == left {
				break
			}
			from = left
		}
		to = s.operandEnd(from)
		for range maxOperands {
			n := s.joinAt(to)
			if n == 0 {
				break
			}
			next := s.operandEnd(to + n)
			if next == to+n {
				break
			}
			to = next
		}
		if !s.sgn(from-1, "(") || int(s.tokens[from-1].pair) != to || s.joinAt(to+1) == 0 && s.joinAt(s.begin(from-1)-1) == 0 && s.joinAt(s.begin(to+1)-1) == 0 {
			return from, to
		}
		from = s.begin(to + 1)
	}
	return from, to
}

// operandEnd returns the token after the operand that begins at i.
func (s *source) operandEnd(i int) int {
	if s.is(i, aName) && (s.str(i) == "new" || s.str(i) == "await") {
		i++
	}
	switch {
	case s.is(i, aText), s.is(i, aNumber), s.is(i, aName):
		i++
	case s.sgn(i, "([") && s.tokens[i].pair > 0:
		i = int(s.tokens[i].pair) + 1
	default:
		return i
	}
	for range maxOperands {
		switch n := s.linkAt(i); {
		case n > 0 && s.is(i+n, aName):
			i += n + 1
		case n == 2 && s.sgn(i+n, "{[") && s.tokens[i+n].pair > 0:
			i = int(s.tokens[i+n].pair) + 1
		case s.sgn(i, "<") && s.is(i-1, aName) && s.typed(i) > 0:
			i = s.typed(i)
		case s.sgn(i, "([") && s.tokens[i].pair > 0 && !s.tokens[i].fresh && (!s.family.loose || s.tokens[i].glued), s.sgn(i, "{") && s.family == families["perl"] && s.tokens[i].pair > 0 && s.tokens[i].glued:
			i = int(s.tokens[i].pair) + 1
		case s.sgn(i, "!") && s.family.newlines && s.linkAt(i+1) > 0: // x!!.y
			i++
		default:
			return i
		}
	}
	return i
}

// evaluate joins the operands of an expression.
func (f *file) evaluate(from, to, depth int) (v value) {
	size := 0
	for i, steps := from, 0; i < to && steps < maxOperands && size < maxValue; steps++ {
		if f.sgn(i, "/") && f.joinAt(i) > 0 && len(v) > 0 && !strings.HasSuffix(v[len(v)-1].text, "/") {
			v = append(v, piece{text: "/", at: f.tokens[i].from})
		}
		i += f.joinAt(i)
		end := f.operandEnd(i)
		if end == i {
			break
		}
		part := f.operand(i, end, depth)
		if n := len(v); n > 0 && strings.HasSuffix(v[n-1].text, " ") && !startsCommand(v[0].text) && strings.Contains(part.flat(), "://") &&
			f.sgn(end-1, ")") { // "answer: " + get("https://…")
			part = value{{text: string(hole), at: f.tokens[i].from}}
		}
		for _, p := range part {
			size += len(p.text)
			v = v.with(p)
		}
		i = end
	}
	return v
}

// startsCommand says whether a text begins a command such as curl -X PUT.
func startsCommand(text string) bool {
	first, _, _ := strings.Cut(strings.TrimLeft(text, " "), " ")
	return has("command", strings.ToLower(first[strings.LastIndexByte(first, '/')+1:]))
}

// operand returns the value of an operand: a text, the constant that a name has, what is in brackets, or a hole.
func (f *file) operand(from, to, depth int) value {
	unknown := value{{text: string(hole), at: f.tokens[from].from}}
	for from < to && f.is(from, aName) && (f.str(from) == "new" || f.str(from) == "await") {
		from++
	}
	switch t := &f.tokens[from]; {
	case t.kind == aText:
		return f.textValue(from)
	case t.kind == aNumber:
		return value{{text: string(hole), at: t.from}}
	case t.kind == aName:
		last, found := from, false
		for i := from; i < to; i++ { // of a chain of names the last; before a function is called, the one that it is called on
			if f.is(i, aName) && (i == from || f.linkAt(i-1) == 1 || f.linkAt(i-2) == 2) && !(found && f.sgn(i+1, "(")) {
				if named := f.named(i); named || !found || strings.Contains(f.consts[simple(f.str(last))].text, "://") {
					last, found = i, named
				}
			} else if f.sgn(i, "([{") && f.tokens[i].pair > 0 {
				k := int(f.tokens[i].pair) - 1 // x['key'], x[:key]
				if k <= i+2 && (f.keyed(k) > 0 || f.sgn(i, "[") && (f.is(k, aText) || f.is(k, aName)) && f.named(k)) {
					last, found = k, true
					i = k + 1
					continue
				}
				if depth < maxNested && !found {
					if inner := f.inside(i, depth); inner != nil {
						return inner
					}
				}
				i = int(f.tokens[i].pair)
			}
		}
		if text, ok := f.member(last); ok && (f.named(last) || f.keyed(last) > 0) {
			return value{{text: text, at: f.tokens[from].from, name: f.str(last)}}
		}
	case depth < maxNested:
		if inner := f.inside(from, depth); inner != nil {
			return inner
		}
	}
	return unknown
}

// named says whether a name is that of a constant. An address may have any name; a path alone one that is written like a constant's:
// in capitals, as a member, or as the key of a table.
func (f *file) named(i int) bool {
	text, ok := f.member(i)
	if !ok || text == "" {
		return false
	}
	if f.is(i, aName) && f.sgn(i+1, "(") {
		return f.ofTable(i) && len(f.scan.matcher.find(text)) > 0
	}
	if found := f.scan.matcher.find(text); strings.Contains(text, "://") && (len(found) == 0 || found[0].open) {
		return true
	}
	name := f.str(i)
	return name[0] >= 'A' && name[0] <= 'Z' || len(wordsOf(name)) > 1 && strings.ToLower(name) != name || f.is(i, aText) || f.linkAt(i-1) == 1 && !f.sgn(i+1, "(") || f.linkAt(i-2) == 2 && !f.sgn(i+1, "(") || f.sgn(i-1, ":") && f.sgn(i-2, "[") ||
		strings.HasSuffix(text, "/")
}

// address returns the address of a name in a text, or the path of a name in capitals.
func (f *file) address(name string) (string, bool) {
	text, ok := f.constant(name)
	if !ok || text == "" || name == "" {
		return "", false
	}
	found := f.scan.matcher.find(text)
	return text, len(found) == 0 || found[0].open || name[0] >= 'A' && name[0] <= 'Z'
}

// inside returns the value in brackets, when it has an address or a path. Of several arguments it is the one that has a host.
func (f *file) inside(open, depth int) value {
	closing := int(f.tokens[open].pair)
	if closing == open+2 && isMethod(f.str(open+1)) != "" { // escapeshellarg('PUT')
		return f.evaluate(open+1, closing, depth+1)
	}
	for i, n := open+1, 0; i < closing && n < 8; n++ {
		from, to := f.extentRight(i)
		if to == from {
			i++
			continue
		}
		v := f.evaluate(from, to, depth+1)
		if text := v.flat(); strings.Contains(text, "://") || n == 0 && strings.ContainsRune(text, '/') && to == closing {
			return v
		}
		i = to
	}
	return nil
}

// extentRight returns the expression that begins at a token.
func (s *source) extentRight(from int) (int, int) {
	to := s.operandEnd(from)
	for range maxOperands {
		n := s.joinAt(to)
		if n == 0 || s.operandEnd(to+n) == to+n {
			break
		}
		to = s.operandEnd(to + n)
	}
	return from, to
}

// textValue returns the parts of a text, with the constants that its holes name.
func (f *file) textValue(i int) (v value) {
	t := &f.tokens[i]
	if t.plain && strings.IndexByte(f.text[t.from:t.to], '{') < 0 {
		return value{{text: f.text[t.from:t.to], at: t.from, here: true}}
	}
	add := func(from, to int) {
		if to > from {
			v = append(v, piece{text: f.text[from:to], at: int32(from), here: true})
		}
	}
	start := int(t.from)
	for at := start; at < int(t.to) && len(v) < maxOperands; {
		size := 0
		switch c := f.text[at]; {
		case c == '\\' && f.family.templates == `\` && strings.HasPrefix(f.text[at:t.to], `\(`):
			size = f.hole(at+1, int(t.to)) - at
		case c == '$' || c == '#' || c == '{':
			if f.isHole(at, t.braces) {
				size = f.hole(at, int(t.to)) - at
			}
		}
		if size == 0 && strings.HasPrefix(f.text[at:t.to], "{{") {
			if end := strings.Index(f.text[at:t.to], "}}"); end > 0 {
				size = end + 2
			}
		}
		if size == 0 && f.text[at] == '{' { // {base}, whose value follows, or is a name of the program
			if end := strings.IndexByte(f.text[at:min(int(t.to), at+40)], '}'); end > 1 {
				if text, ok := f.address(f.text[at+1 : at+end]); ok {
					add(start, at)
					v = v.with(piece{text: text, at: int32(at), name: f.text[at+1 : at+end]})
					at += end + 1
					start = at
					continue
				}
			}
		}
		if size == 0 {
			at++
			continue
		}
		add(start, at)
		text, name := f.holeText(f.text[at : at+size])
		v = v.with(piece{text: text, at: int32(at), name: name})
		at += size
		start = at
	}
	add(start, int(t.to))
	if v == nil {
		v = value{{at: t.from, here: true}}
	}
	return v
}

// holeText returns what a hole becomes: the address that is written in it, the constant that it names, or a hole.
func (f *file) holeText(inner string) (text, name string) {
	if i := strings.Index(inner, "://"); i > 0 {
		from := i
		for from > 0 && isWord(inner[from-1]) {
			from--
		}
		to := strings.IndexAny(inner[i:], "'\"`})")
		if to < 0 {
			to = len(inner) - i
		}
		return inner[from : i+to], ""
	}
	end := len(inner)
	for end > 0 && !isWord(inner[end-1]) {
		end--
	}
	from := end
	for from > 0 && isWord(inner[from-1]) {
		from--
	}
	name = inner[from:end]
	if text, ok := f.address(name); ok {
		return text, name
	}
	table := strings.TrimRight(inner[:from], ".:'\"[{>-")
	if i := strings.LastIndexFunc(table, func(r rune) bool { return r < 0x80 && !isWord(byte(r)) }); from > len(table) &&
		f.isTable(table[i+1:]) { // $paths{item}
		if text, ok := f.constant(name); ok {
			return text, name
		}
	}
	return string(hole), ""
}
