package scan

import (
	"strings"
)

// This file turns a file into tokens: names, texts, numbers and signs, without comments. It knows how a family of languages writes
// texts and comments, and nothing more of their grammar.

// family is how a family of languages is written.
type family struct {
	line      []string    // what begins a comment that ends with the line
	block     [][2]string // what begins and ends a comment
	quotes    string      // what begins and ends a text
	long      string      // the quotes whose texts may have several lines
	joins     string      // the operators that join texts; a slash joins the parts of a path
	arrow     bool        // -> leads to a member, so that a dot joins
	templates string      // what begins a hole in a text: $ for $x and ${x}, # for #{x}, \ for \(x), { for {x} after f or $
	newlines  bool        // a line break ends a statement
	loose     bool        // words need no quotes: shells and settings
	doubled   bool        // a quote in a text is written twice, and a backslash is itself
	regexes   bool        // a slash may begin a pattern
}

// The families.
var (
	familyC = &family{line: []string{"//"}, block: [][2]string{{"/*", "*/"}}, quotes: `"'`, joins: "+", templates: "${"}
	// families are those of the kinds of files in words.txt.
	families = map[string]*family{
		"c":      familyC,
		"php":    {line: []string{"//", "#"}, block: [][2]string{{"/*", "*/"}}, quotes: `"'`, long: `"'`, joins: ".", arrow: true, templates: "$"},
		"js":     {line: []string{"//"}, block: [][2]string{{"/*", "*/"}}, quotes: "\"'`", long: "`", joins: "+", templates: "$", newlines: true, regexes: true},
		"python": {line: []string{"#"}, quotes: `"'`, joins: "+/", templates: "{", newlines: true},
		"go":     {line: []string{"//"}, block: [][2]string{{"/*", "*/"}}, quotes: "\"'`", long: "`", joins: "+", newlines: true},
		"kotlin": {line: []string{"//"}, block: [][2]string{{"/*", "*/"}}, quotes: `"'`, joins: "+/", templates: "${", newlines: true},
		"swift":  {line: []string{"//"}, block: [][2]string{{"/*", "*/"}}, quotes: `"`, joins: "+", templates: `\`, newlines: true},
		"rust":   {line: []string{"//"}, block: [][2]string{{"/*", "*/"}}, quotes: `"`, long: `"`, joins: "+"},
		"ruby":   {line: []string{"#"}, block: [][2]string{{"\n=begin", "\n=end"}}, quotes: "\"'`", long: "\"'`", joins: "+/", templates: "#", newlines: true, regexes: true},
		"perl":   {line: []string{"#"}, block: [][2]string{{"\n=pod", "\n=cut"}, {"\n=head", "\n=cut"}}, quotes: "\"'`", long: "\"'`", joins: ".", arrow: true, templates: "$", regexes: true},
		"lua":    {line: []string{"--"}, quotes: `"'`, joins: ".", newlines: true},
		"sql":    {line: []string{"--"}, block: [][2]string{{"/*", "*/"}}, quotes: `"'`, joins: "|+", doubled: true},
		"vb":     {line: []string{"'"}, quotes: `"`, joins: "&+", templates: "{", newlines: true, doubled: true},
		"pascal": {line: []string{"//"}, block: [][2]string{{"{", "}"}, {"(*", "*)"}}, quotes: `'`, joins: "+", doubled: true},
		"hcl":    {line: []string{"#", "//"}, block: [][2]string{{"/*", "*/"}}, quotes: `"`, joins: "", templates: "$", newlines: true},
		"shell":  {line: []string{"#"}, quotes: "\"'`", long: "\"'", templates: "$", newlines: true, loose: true},
		"power":  {line: []string{"#"}, block: [][2]string{{"<#", "#>"}}, quotes: `"'`, long: `"'`, joins: "+", templates: "$", newlines: true, loose: true},
		"ini":    {line: []string{"\n#", "\n;"}, quotes: `"'`, templates: "$", newlines: true, loose: true},
		"yaml":   {line: []string{" #", "\n#"}, quotes: `"'`, templates: "$", newlines: true, loose: true},
		"any":    {quotes: "\"'", joins: "+&.|", templates: "${#", newlines: true},
		"xml":    {block: [][2]string{{"<!--", "-->"}}, quotes: `"'`, long: `"'`, templates: "$", loose: true},
	}
)

// kind is what a token is.
type kind uint8

// The kinds of tokens. A text is written in quotes, or is a word of a loose family; a sign is one character.
const (
	aName kind = iota
	aText
	aNumber
	aSign
)

// token is a part of a file. It has no text of its own: a file of some megabytes has a million of them.
type token struct {
	from, to int32 // in the source; of a text without its quotes
	up       int32 // the token of the bracket around it, -1 for none
	pair     int32 // of a bracket: the other one; 0 for none
	kind     kind
	sign     byte
	fresh    bool // it is the first of its line
	plain    bool // of a text: it has neither holes nor escapes
	braces   bool // of a text: {x} is a hole
	glued    bool // no blank stands before it
	joins    bool // of a bracket: its commas join texts
}

// source is a file as tokens.
type source struct {
	text   string
	family *family
	tokens []token
}

// lexer makes tokens.
type lexer struct {
	*source
	at    int
	start int // of the token that is read
	end   int
	open  []int32
	fresh bool

	concat bool // the bracket of a function follows whose arguments are joined
}

// lex appends the tokens of a part of a text.
func (s *source) lex(f *family, from, to int) {
	s.family = f
	if len(s.tokens) == 0 { // so that no bracket is token 0
		s.tokens = append(s.tokens, token{kind: aSign, sign: ';', up: -1})
	}
	l := &lexer{source: s, at: from, end: to, fresh: true}
	for l.at < l.end {
		if n := len(s.tokens); n == cap(s.tokens) { // as many as there will be, when the rest is like what was read
			larger := make([]token, n, max(n+(l.end-l.at)/4, n*9/8*len(s.text)/max(l.at, len(s.text)/8, 1))+16)
			copy(larger, s.tokens)
			s.tokens = larger
		}
		l.next()
	}
}

// has says whether the text goes on with a prefix. A line break before it stands for the beginning of a line.
func (l *lexer) has(prefix string) bool {
	switch prefix[0] {
	case '\n':
		return (l.at == 0 || l.text[l.at-1] == '\n' || l.fresh) && strings.HasPrefix(l.text[l.at:l.end], prefix[1:])
	case ' ':
		return l.at > 0 && isBlank(l.text[l.at-1]) && strings.HasPrefix(l.text[l.at:l.end], prefix[1:])
	}
	return strings.HasPrefix(l.text[l.at:l.end], prefix)
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' }

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
}

// next reads a token, a blank or a comment.
func (l *lexer) next() {
	c := l.text[l.at]
	l.start = l.at
	switch {
	case c == '\n':
		l.fresh = true
		l.at++
		return
	case isBlank(c):
		l.at++
		return
	case l.comment():
		return
	case strings.IndexByte(l.family.quotes, c) >= 0:
		l.quoted(c)
	case l.family.loose:
		l.looseWord()
	case l.heredoc():
	case c >= '0' && c <= '9':
		from := l.at
		for l.at < l.end && (isWord(l.text[l.at]) || l.text[l.at] == '.' && l.at+1 < l.end && isWord(l.text[l.at+1])) {
			l.at++
		}
		l.add(token{kind: aNumber, from: int32(from), to: int32(l.at)})
	case isWord(c) || (c == '$' || c == '@') && l.at+1 < l.end && isWord(l.text[l.at+1]):
		l.name()
	case c == '/' && l.family.regexes && l.pattern():
	default:
		l.sign(c)
	}
}

// comment skips a comment.
func (l *lexer) comment() bool {
	for _, b := range l.family.block {
		if l.has(b[0]) {
			end := strings.Index(l.text[l.at+len(b[0])-1:l.end], b[1])
			if end < 0 {
				return false
			}
			l.at += len(b[0]) - 1 + end + len(b[1])
			return true
		}
	}
	for _, begin := range l.family.line {
		if l.has(begin) && (begin != "#" || !l.family.loose || l.at == 0 || isBlank(l.text[l.at-1])) && (begin != "//" || l.at == 0 || l.text[l.at-1] != ':') {
			if end := strings.IndexByte(l.text[l.at:l.end], '\n'); end >= 0 {
				l.at += end
			} else {
				l.at = l.end
			}
			return true
		}
	}
	return false
}

// add appends a token.
func (l *lexer) add(t token) {
	t.up, t.fresh, l.fresh = -1, l.fresh, false
	t.glued = l.start > 0 && !isBlank(l.text[l.start-1])
	if n := len(l.open); n > 0 {
		t.up = l.open[n-1]
	}
	l.tokens = append(l.tokens, t)
}

// maxOpen is how deep brackets may be nested.
const maxOpen = 1000

// sign reads a sign. Brackets are paired; one that closes another kind closes all that are open within.
func (l *lexer) sign(c byte) {
	at := int32(len(l.tokens))
	t := token{kind: aSign, sign: c, from: int32(l.at), to: int32(l.at + 1), joins: l.concat}
	if n := len(l.open); c == ',' && n > 0 && l.tokens[l.open[n-1]].joins {
		t.sign = '+'
	}
	l.concat = false
	l.add(t)
	l.at++
	switch c {
	case '(', '[', '{':
		if len(l.open) < maxOpen {
			l.open = append(l.open, at)
		}
	case ')', ']', '}':
		opener := map[byte]byte{')': '(', ']': '[', '}': '{'}[c]
		for n := len(l.open) - 1; n >= 0 && n >= len(l.open)-8; n-- {
			if open := l.open[n]; l.tokens[open].sign == opener {
				l.tokens[open].pair, l.tokens[at].pair = at, open
				l.tokens[at].up = l.tokens[open].up
				l.open = l.open[:n]
				break
			}
		}
	}
}

// name reads a name, without the sign before it.
func (l *lexer) name() {
	if !isWord(l.text[l.at]) {
		if l.text[l.at] == '@' {
			l.sign('@')
		} else {
			l.at++
		}
	}
	from := l.at
	for l.at < l.end && isWord(l.text[l.at]) {
		l.at++
	}
	n := len(l.tokens) - 1
	if l.tokens[n].sign == '.' && strings.HasPrefix(l.text[from:l.end], "concat(") && strings.Contains(l.family.joins, "+") {
		l.tokens[n].sign, l.concat = '+', true // "".concat(a, "/x") is "" + (a + "/x"): compilers write templates so
		return
	}
	l.add(token{kind: aName, from: int32(from), to: int32(l.at)})
}

// quoted reads a text in quotes.
func (l *lexer) quoted(q byte) {
	triple := strings.Repeat(string(q), 3)
	from, closing, long := l.at+1, string(q), strings.IndexByte(l.family.long, q) >= 0
	if l.has(triple) && !l.family.doubled && q != '`' {
		from, closing, long = l.at+3, triple, true
	}
	t := token{kind: aText, from: int32(from), plain: true}
	before := byte(' ')
	if n := len(l.tokens); n > 0 && int(l.tokens[n-1].to) == l.at && l.tokens[n-1].kind == aName && l.tokens[n-1].to-l.tokens[n-1].from <= 2 {
		before = l.text[l.at-1] // the f of f"{x}"
	} else if l.at > 0 {
		before = l.text[l.at-1]
	}
	t.braces = strings.IndexByte(l.family.templates, '{') >= 0 && (before == 'f' || before == 'F' || before == '$')
	single := q == '\'' && strings.IndexByte(l.family.templates, '$') >= 0 && !l.family.loose
	at := from
	for at < l.end {
		switch c := l.text[at]; {
		case c == '\\' && !l.family.doubled:
			if at+1 < l.end && l.text[at+1] == '(' && l.family.templates == `\` {
				t.plain = false
				at = l.hole(at+1, l.end)
				continue
			}
			at += 2
			continue
		case strings.HasPrefix(l.text[at:l.end], closing):
			if l.family.doubled && at+1 < l.end && l.text[at+1] == q {
				at += 2
				continue
			}
			l.at = at + len(closing)
			t.to = int32(at)
			l.add(t)
			if l.family == families["shell"] && q == '"' && !t.plain {
				l.commands(from, at)
			}
			return
		case c == '\n' && !long:
			l.at, t.to = at, int32(at)
			l.add(t)
			return
		case !single && (c == '$' || c == '#' || c == '{') && l.isHole(at, t.braces):
			t.plain = false
			at = l.hole(at, l.end)
			continue
		}
		at++
	}
	l.at, t.to = from, int32(from) // it never ends: a quote that stands for itself
	l.add(t)
}

// commands reads the commands $(…) in a text.
func (l *lexer) commands(from, to int) {
	for range 8 {
		i := strings.Index(l.text[from:to], "$(")
		if i < 0 {
			return
		}
		inner := *l
		inner.at, inner.end = from+i+2, max(l.hole(from+i, to)-1, from+i+2)
		from = inner.end
		if !strings.ContainsAny(l.text[inner.at:inner.end], " ") {
			continue
		}
		for inner.at < inner.end {
			inner.next()
		}
		if from >= to {
			return
		}
	}
}

// isHole says whether a hole begins at a place of a text.
func (s *source) isHole(at int, braces bool) bool {
	next := byte(' ')
	if at+1 < len(s.text) {
		next = s.text[at+1]
	}
	switch s.text[at] {
	case '$':
		return strings.IndexByte(s.family.templates, '$') >= 0 && (next == '{' || next == '(' && s.family.loose || isWord(next))
	case '#':
		return s.family.templates == "#" && next == '{'
	case '{':
		return braces && next != '{' || s.family.templates == "$" && next == '$' && s.family.arrow
	}
	return false
}

// maxHole is how long a hole may be, in bytes.
const maxHole = 2000

// hole returns the end of a hole that begins at a place: of $x->y[z], ${x}, $(x), #{x}, (x) and {x}.
func (s *source) hole(at, end int) int {
	limit := min(end, at+maxHole)
	i := at
	if s.text[i] == '$' || s.text[i] == '#' {
		i++
	}
	if i >= limit {
		return limit
	}
	if closer := map[byte]byte{'{': '}', '(': ')'}[s.text[i]]; closer != 0 {
		opener, depth := s.text[i], 0
		for ; i < limit; i++ {
			if s.text[i] == opener {
				depth++
			} else if s.text[i] == closer {
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
		return min(at+2, end)
	}
	for i < limit && isWord(s.text[i]) {
		i++
	}
	for s.family.arrow && i < limit { // $x->y, $x[y] and $x->{y}
		switch {
		case strings.HasPrefix(s.text[i:limit], "->") && i+2 < limit && (isWord(s.text[i+2]) || s.text[i+2] == '{'):
			for i += 2; i < limit && (isWord(s.text[i]) || s.text[i] == '{' || s.text[i] == '}'); {
				i++
			}
		case s.text[i] == '{' && s.family == families["perl"]:
			closing := strings.IndexByte(s.text[i:limit], '}')
			if closing < 0 || closing > 60 {
				return i
			}
			i += closing + 1
		case s.text[i] == '[':
			closing := strings.IndexByte(s.text[i:limit], ']')
			if closing < 0 || closing > 60 {
				return i
			}
			i += closing + 1
		default:
			return i
		}
	}
	return i
}

// heredoc reads a text such as <<<A … A.
func (l *lexer) heredoc() bool {
	if !l.has("<<") || l.family.long == "" || l.family.long == "`" {
		return false
	}
	i := l.at + 2
	for i < l.end && strings.IndexByte("<-~ '\"", l.text[i]) >= 0 {
		i++
	}
	word := i
	for i < l.end && isWord(l.text[i]) {
		i++
	}
	line := strings.IndexByte(l.text[i:l.end], '\n')
	if i == word || line < 0 || l.text[word] < 'A' || l.text[word] > 'Z' {
		return false
	}
	name, from := l.text[word:i], i+line+1
	for at := from; at < l.end; {
		next := strings.IndexByte(l.text[at:l.end], '\n')
		row := l.text[at:l.end]
		if next >= 0 {
			row = row[:next]
		}
		if blanks := len(row) - len(strings.TrimLeft(row, " \t")); strings.HasPrefix(row[blanks:], name) {
			// The rest of the line of the beginning is left out: mostly it ends the statement.
			l.add(token{kind: aText, from: int32(from), to: int32(max(at-1, from))})
			l.at = at + blanks + len(name)
			return true
		}
		if next < 0 {
			break
		}
		at += next + 1
	}
	return false
}

// pattern skips a regular expression such as /['"]/. It is one when nothing before it can be divided.
func (l *lexer) pattern() bool {
	if n := len(l.tokens); n > 0 {
		if t := l.tokens[n-1]; t.sign == '/' || t.kind != aSign && l.text[t.from:t.to] != "return" || strings.IndexByte(")]}", t.sign) >= 0 && t.kind == aSign {
			return false
		}
	}
	class := false
	for i := l.at + 1; i < min(l.end, l.at+maxHole) && l.text[i] != '\n'; i++ {
		switch c := l.text[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			l.add(token{kind: aNumber, from: int32(l.at), to: int32(i + 1)})
			l.at = i + 1
			return true
		}
	}
	return false
}

// looseWord reads a word of a shell or of settings: a sign, a name before : or =, or a text.
func (l *lexer) looseWord() {
	from := l.at
	if l.family == families["power"] && l.member() {
		return
	}
	if l.has("$(") && strings.ContainsAny(l.text[l.at:l.hole(l.at, l.end)], " ") { // a command, and not a variable of make
		l.at++
		l.sign('(')
		return
	}
	name := true // it has nothing but what names have
	for l.at < l.end {
		c := l.text[l.at]
		switch {
		case c == '%' && strings.HasPrefix(l.text[l.at:l.end], "%(") && strings.Contains(l.text[l.at:min(l.end, l.at+60)], ")s"):
			l.at += strings.Index(l.text[l.at:], ")s") + 2
			name = false
			continue
		case c == '\\' && l.at+1 < l.end:
			if l.text[l.at+1] == '\n' || l.text[l.at+1] == '\r' { // the command goes on in the next line
				if l.at == from {
					l.at++
					for l.at < l.end && isBlank(l.text[l.at]) {
						l.at++
					}
					l.fresh = false
					return
				}
			} else {
				l.at += 2
				continue
			}
		case c == '$' && l.isHole(l.at, false) || strings.HasPrefix(l.text[l.at:l.end], "{{"):
			l.at = l.hole(l.at, l.end)
			name = false
			continue
		case c == '{' && l.at > from && l.closesHere('}'):
			l.at += strings.IndexByte(l.text[l.at:l.end], '}') + 1
			name = false
			continue
		case isBlank(c) || strings.IndexByte("\"'`,;|()[]{}<>", c) >= 0:
		case c == '=' && name && l.at > from, c == ':' && l.at > from && (l.at+1 == l.end || isBlank(l.text[l.at+1])):
		case c == '=' && l.at == from, c == ':' && l.at == from:
		default:
			name = name && (isWord(c) || c == '.' || c == '-')
			l.at++
			continue
		}
		break
	}
	if l.at == from {
		l.sign(l.text[l.at])
		return
	}
	t := token{kind: aText, from: int32(from), to: int32(l.at), plain: name}
	if follows := strings.TrimLeft(l.text[l.at:min(l.end, l.at+40)], " \t"); name && follows != "" && (follows[0] == '=' || follows[0] == ':') && l.text[from] != '-' {
		t.kind = aName
	} else if l.text[from] == '$' && l.at > from+1 && l.hole(from, l.at) == l.at && l.text[from+1] != '(' {
		t.kind, t.from = aName, t.from+1
	}
	l.add(t)
}

// member reads a variable of PowerShell, a member of one, or an operator.
func (l *lexer) member() bool {
	c, next := l.text[l.at], byte(' ')
	if l.at+1 < l.end {
		next = l.text[l.at+1]
	}
	after := len(l.tokens) > 0 && int(l.tokens[len(l.tokens)-1].to) == l.at
	switch {
	case c == '$' && isWord(next):
		i := l.at + 1
		for i < l.end && (isWord(l.text[i]) || l.text[i] == ':' && i+1 < l.end && isWord(l.text[i+1])) {
			i++
		}
		if i < l.end && l.text[i] == '/' { // an address without quotes: $base/item
			return false
		}
		l.at++
		l.name()
		if i > l.at && l.text[l.at] == ':' {
			l.at++
			l.tokens = l.tokens[:len(l.tokens)-1]
			l.name()
		}
		return true
	case c == '.' && after && isWord(next), c == ':' && (after || next == ':'), c == '+' && !isWord(next):
		l.sign(c)
		return true
	case isWord(c) && after && len(l.tokens) > 0 && (l.tokens[len(l.tokens)-1].sign == '.' || l.tokens[len(l.tokens)-1].sign == ':'):
		l.name()
		return true
	}
	return false
}

// closesHere says whether a sign comes before the word ends.
func (l *lexer) closesHere(closer byte) bool {
	i := strings.IndexAny(l.text[l.at:min(l.end, l.at+60)], string(closer)+" \n\"'/")
	return i > 0 && l.text[l.at+i] == closer
}
