package scan

import (
	"cmp"
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"sellerd/internal/base/pattern"
)

// This file turns a file into tokens: names, texts, numbers and signs, without comments. It knows how a family of languages writes
// texts and comments, and which signs join texts or lead to a member, and nothing more of their grammar.

// family is how a family of languages is written. Lists have blanks between their words.
type family struct {
	Line      string // what begins a comment that ends with the line
	Block     string // what begins and what ends a comment
	Quotes    string // what begins and ends a text
	Long      string // the quotes whose texts may have several lines
	Joins     string // the operators that join texts
	Links     string // the operators that lead to a member; "" for those of most languages
	Keys      bool   // => follows a key
	Templates string // what begins a hole in a text: $ for $x and ${x}, # for #{x}, \ for \(x), { for {x} after f or $
	Newlines  bool   // a line break ends a statement
	Loose     bool   // words need no quotes: shells and settings
	Doubled   bool   // a quote in a text is written twice, and a backslash is itself
	Regexes   bool   // a slash may begin a pattern
	Objects   bool   // a brace never begins a block
	Adjoins   bool   // texts that follow one another are one

	line, block []string
	operators   [128][]operator // by their first byte
}

// operator is a sign of several characters, or one with another meaning than its character: . leads to a member, + joins, = gives a value
// to a name, a appends, : follows a key, ~ compares, and > is the arrow of a function.
type operator struct {
	text string
	sign byte
}

// common are the operators of most languages, each with its sign.
const common = "=== ~ !== ~ == ~ != ~ <= ~ >= ~ =~ ~ && ? || ? => > -> > := = ++ ? -- ? += a"

//go:embed families.json
var familiesJSON []byte

// families are those of the kinds of files in words.txt.
var families = sync.OnceValue(func() (all map[string]*family) {
	if err := json.Unmarshal(familiesJSON, &all, json.MatchCaseInsensitiveNames(true)); err != nil {
		panic(err) // it is part of the program
	}
	for _, f := range all {
		words := func(text string) []string { return strings.FieldsFunc(text, func(r rune) bool { return r == ' ' }) }
		f.line, f.block = words(f.Line), words(f.Block)
		var list []operator
		for _, text := range words(f.Joins) {
			list = append(list, operator{text, '+'}, operator{text + "=", 'a'})
		}
		for _, text := range words(cmp.Or(f.Links, ". :: ?. !. !!.")) {
			list = append(list, operator{text, '.'})
		}
		if f.Keys {
			list = append(list, operator{"=>", ':'})
		}
		for pair := range slices.Chunk(words(common), 2) {
			list = append(list, operator{pair[0], pair[1][0]})
		}
		slices.SortStableFunc(list, func(a, b operator) int { return len(b.text) - len(a.text) })
		for _, o := range list {
			if !f.Loose {
				f.operators[o.text[0]] = append(f.operators[o.text[0]], o)
			}
		}
	}
	return all
})

// kind is what a token is.
type kind uint8

// The kinds of tokens. A text is written in quotes, or is a word of a loose family.
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
	plain    bool // of a text: it has no holes
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

	endless string // what ends no comment any more
	concat  bool   // the bracket of a function follows whose arguments are joined
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

// has says whether the text goes on with a prefix. A line break or a tab before it stands for the beginning of a line or a word.
func (l *lexer) has(prefix string) bool {
	switch prefix[0] {
	case '\n':
		return (l.at == 0 || l.text[l.at-1] == '\n' || l.fresh) && strings.HasPrefix(l.text[l.at:l.end], prefix[1:])
	case '\t':
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
	case isBlank(c):
		l.fresh = l.fresh || c == '\n'
		l.at++
	case l.comment():
	case strings.IndexByte(l.family.Quotes, c) >= 0:
		l.quoted(c, 1, string(c))
	case (c == 'q' || c == '%') && l.delimited(c):
	case l.family.Loose:
		l.looseWord()
	case l.family == families()["power"] && (l.matches(bareAddress) || l.isArgument() && l.matches(bareWord)):
	case c == '<' && l.heredoc():
	case c >= '0' && c <= '9':
		for l.at < l.end && (isWord(l.text[l.at]) || l.text[l.at] == '.' && l.at+1 < l.end && isWord(l.text[l.at+1])) {
			l.at++
		}
		l.take(0, aNumber)
	case isWord(c) || (c == '$' || c == '@') && l.at+1 < l.end && isWord(l.text[l.at+1]):
		l.name()
	case c == '/' && l.family.Regexes && l.pattern():
	default:
		l.sign(c)
	}
}

var (
	bareWord    = pattern.Late(`^\w[\w./-]*`)
	bareAddress = pattern.Late(`^(?:\$\w+|https?:/)/[^\s"'()]*`)
	hereMark    = pattern.Late(`^<<[<~-]?[ \t]*['"]?([A-Z]\w*)['"]?[^\n]*\n`)
)

// isArgument says whether what follows is a word of a command of PowerShell.
func (l *lexer) isArgument() bool {
	return !l.fresh && l.at > 0 && isBlank(l.text[l.at-1]) && l.tokens[len(l.tokens)-1].kind <= aText
}

// rest returns what is looked at of the text behind a place. It is bounded.
func (l *lexer) rest() string { return l.text[l.at:min(l.end, l.at+maxHole)] }

// matches reads a text with a pattern.
func (l *lexer) matches(form func() *regexp.Regexp) bool {
	n := len(form().FindString(l.rest()))
	return n > 0 && l.take(n, aText)
}

// take adds what was read as a token, with so many bytes more.
func (l *lexer) take(n int, k kind) bool {
	l.at += n
	l.add(token{kind: k, from: int32(l.start), to: int32(l.at)})
	return true
}

// comment skips a comment.
func (l *lexer) comment() bool {
	for b := range slices.Chunk(l.family.block, 2) {
		if l.has(b[0]) && l.endless != b[1] {
			end := strings.Index(l.text[l.at+len(b[0])-1:l.end], b[1])
			if end < 0 {
				l.endless = b[1]
				return false
			}
			l.at += len(b[0]) - 1 + end + len(b[1])
			return true
		}
	}
	for _, begin := range l.family.line {
		after := l.at > 0 && (begin == "//" && l.text[l.at-1] == ':' || begin == "#" && l.family.Loose && !isBlank(l.text[l.at-1]))
		if l.has(begin) && !after {
			line, _, _ := strings.Cut(l.text[l.at:l.end], "\n")
			l.at += len(line)
			return true
		}
	}
	return false
}

// add appends a token. Texts that follow one another are joined, and in a loose family what is written without a blank.
func (l *lexer) add(t token) {
	t.up, t.fresh, t.glued, l.fresh = -1, l.fresh, l.start > 0 && !isBlank(l.text[l.start-1]), false
	if n := len(l.open); n > 0 {
		t.up = l.open[n-1]
	}
	last := &l.tokens[len(l.tokens)-1]
	glued := l.family.Loose && l.family != families()["xml"] && t.glued && !t.fresh && t.kind <= aText && last.kind <= aText
	if glued || l.family.Adjoins && t.kind == aText && last.kind == aText && last.up == t.up && (!t.fresh || t.up > 0) {
		l.tokens = append(l.tokens, token{kind: aSign, sign: '+', from: t.from, to: t.from, up: t.up})
	}
	l.tokens = append(l.tokens, t)
}

// maxOpen is how deep brackets may be nested.
const maxOpen = 1000

// sign reads a sign. Brackets are paired; one that closes another kind closes all that are open within.
func (l *lexer) sign(c byte) {
	at, size := int32(len(l.tokens)), 1
	if c < 128 {
		for _, o := range l.family.operators[c] {
			if l.has(o.text) {
				c, size = o.sign, len(o.text)
				break
			}
		}
	}
	t := token{kind: aSign, sign: c, from: int32(l.at), to: int32(l.at + size), joins: l.concat}
	if n := len(l.open); c == ',' && n > 0 && l.tokens[l.open[n-1]].joins {
		t.sign = '+'
	}
	l.concat = false
	l.add(t)
	l.at += size
	switch c {
	case '(', '[', '{':
		if len(l.open) < maxOpen {
			l.open = append(l.open, at)
		}
	case ')', ']', '}':
		for n := len(l.open) - 1; n >= 0 && n >= len(l.open)-8; n-- {
			if open := l.open[n]; l.tokens[open].sign == "([{"[strings.IndexByte(")]}", c)] {
				l.tokens[open].pair, l.tokens[at].pair = at, open
				l.tokens[at].up = l.tokens[open].up
				l.open = l.open[:n]
				break
			}
		}
	}
}

// name reads a name, without the sign before it. What only says that something is made or awaited is left out.
func (l *lexer) name() {
	if l.text[l.at] == '@' {
		l.sign('@')
	} else if l.text[l.at] == '$' {
		l.at++
	}
	from := l.at
	for l.at < l.end && isWord(l.text[l.at]) {
		if l.at++; l.family == families()["power"] && l.at+1 < l.end && l.text[l.at] == ':' && isWord(l.text[l.at+1]) { // $script:x
			l.at++
			from = l.at
		}
	}
	last := &l.tokens[len(l.tokens)-1]
	switch name := l.text[from:l.at]; {
	case last.sign == '.' && name == "concat" && l.has("(") && strings.Contains(l.family.Joins, "+"):
		last.sign, l.concat = '+', true // "".concat(a, "/x") is "" + (a + "/x"): compilers write templates so
		return
	case (name == "new" || name == "await") && last.sign != '.' && l.at < l.end && l.text[l.at] == ' ':
		return
	}
	l.add(token{kind: aName, from: int32(from), to: int32(l.at)})
	if l.family == families()["rust"] && (l.has("!(") || l.has("![")) {
		l.at++
	}
}

// delimited reads a text such as qq{x} and q(x) of Perl, and %Q[x] and %(x) of Ruby.
func (l *lexer) delimited(c byte) bool {
	size := 1
	for size < 3 && l.at+size < l.end && strings.IndexByte("qQwW", l.text[l.at+size]) >= 0 {
		size++
	}
	if l.at+size >= l.end || l.family != families()[map[byte]string{'q': "perl", '%': "ruby"}[c]] || !l.tokens[len(l.tokens)-1].opens() {
		return false
	}
	k := strings.IndexByte("({[|!", l.text[l.at+size])
	if k < 0 || strings.IndexByte(l.rest()[size+1:], ")}]|!"[k]) < 0 {
		return false
	}
	l.quoted('"', size+1, ")}]|!"[k:k+1])
	return true
}

// quoted reads a text in quotes, which begins with so many bytes.
func (l *lexer) quoted(q byte, size int, closing string) {
	from, long := l.at+size, strings.IndexByte(l.family.Long, q) >= 0
	if triple := strings.Repeat(closing, 3); l.has(triple) && size == 1 && !l.family.Doubled && q != '`' {
		from, closing, long = l.at+3, triple, true
	}
	t := token{kind: aText, from: int32(from), plain: true}
	before := byte(' ')
	if l.at > 0 {
		before = l.text[l.at-1] // the f of f"{x}"
	}
	t.braces = strings.IndexByte(l.family.Templates, '{') >= 0 && (before == 'f' || before == 'F' || before == '$')
	if last := &l.tokens[len(l.tokens)-1]; t.braces && last.kind == aName && int(last.to) == l.at && last.to-last.from <= 2 {
		l.tokens = l.tokens[:len(l.tokens)-1]
		l.fresh, l.start = last.fresh, int(last.from)
	}
	single := q == '\'' && strings.IndexByte(l.family.Templates, '$') >= 0 && !l.family.Loose
	l.at, t.to = from, int32(from) // when it never ends, it is a quote that stands for itself
	for at := from; at < l.end; at++ {
		switch c := l.text[at]; {
		case c == '\\' && l.family.Templates == `\` && at+1 < l.end && l.text[at+1] == '(':
			t.plain = false
			at = l.hole(at+1, l.end) - 1
		case c == '\\' && !l.family.Doubled, l.family.Doubled && c == q && at+1 < l.end && l.text[at+1] == q:
			at++
		case strings.HasPrefix(l.text[at:l.end], closing), c == '\n' && !long:
			if l.at, t.to = at, int32(at); c != '\n' {
				l.at += len(closing)
			}
			l.add(t)
			return
		case !single && (c == '$' || c == '#' || c == '{') && l.isHole(at, t.braces):
			t.plain = false
			at = l.hole(at, l.end) - 1
		}
	}
	l.add(t)
}

// isHole says whether a hole begins at a place of a text.
func (s *source) isHole(at int, braces bool) bool {
	next := s.text[min(at+1, len(s.text)-1)]
	switch s.text[at] {
	case '$':
		commands := s.family.Loose || s.family == families()["power"]
		return strings.IndexByte(s.family.Templates, '$') >= 0 && (next == '{' || next == '(' && commands || isWord(next))
	case '#':
		return s.family.Templates == "#" && next == '{'
	}
	return braces && next != '{' || s.family == families()["php"] && next == '$'
}

// maxHole is how long a hole may be, in bytes.
const maxHole = 2000

// members are what follows the variable of a hole: $x->y, $x[y], $x->{y}, $x{y}.
var members = pattern.Late(`^(?:(?:->)?(?:\{[^}\n]{0,60}\}|\[[^\]\n]{0,60}\])|->\w+)*`)

// hole returns the end of a hole that begins at a place: of $x->y[z], ${x}, $(x), #{x}, (x) and {x}.
func (s *source) hole(at, end int) int {
	limit, i := min(end, at+maxHole), at
	if s.text[i] == '$' || s.text[i] == '#' {
		i++
	}
	if i < limit && (s.text[i] == '{' || s.text[i] == '(') {
		opener, closer, depth := s.text[i], "})"[strings.IndexByte("{(", s.text[i])], 0
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
	if i < limit && s.family.Keys && strings.IndexByte("-{[", s.text[i]) >= 0 {
		i += len(members().FindString(s.text[i:min(limit, i+300)]))
	}
	return i
}

// heredoc reads a text such as <<<A … A. The rest of the line of its beginning is left out: mostly it ends the statement.
func (l *lexer) heredoc() bool {
	if !l.has("<<") || l.family.Long == "" || l.family.Long == "`" {
		return false
	}
	head := hereMark().FindStringSubmatchIndex(l.rest())
	if head == nil {
		return false
	}
	name, from := l.text[l.at+head[2]:l.at+head[3]], l.at+head[1]
	at := from
	for row := range strings.Lines(l.text[from:l.end]) {
		if bare := strings.TrimLeft(row, " \t"); strings.HasPrefix(bare, name) {
			l.add(token{kind: aText, from: int32(from), to: int32(max(at-1, from))})
			l.at = at + len(row) - len(bare) + len(name)
			return true
		}
		at += len(row)
	}
	return false
}

// opens says whether a text or a pattern may follow, because the token ends no operand.
func (t *token) opens() bool { return t.kind == aSign && strings.IndexByte(")]}/$", t.sign) < 0 }

// pattern skips a regular expression such as /['"]/. It is one when nothing before it can be divided.
func (l *lexer) pattern() bool {
	if t := &l.tokens[len(l.tokens)-1]; !t.opens() && l.text[t.from:t.to] != "return" {
		return false
	}
	for at, class := l.at+1, false; at < min(l.end, l.at+maxHole); at++ {
		switch c := l.text[at]; {
		case c == '\n', c == '/' && at == l.at+1:
			return false
		case c == '/' && !class:
			return l.take(at+1-l.at, aNumber)
		case c == '\\':
			at++
		case c == '[', c == ']':
			class = c == '['
		}
	}
	return false
}

// looseRun is a word of a shell or of settings.
var (
	looseRun = pattern.Late("^(?:\\\\[^\r\n]|\\$\\{[^}\n]*\\}|\\$\\([^()\n]*\\)|\\{\\{[^}\n]*\\}\\}|%\\(\\w[^)\n]*\\)s|" +
		"[^\\s\"'`,;|()\\[\\]{}<>\\\\](?:\\{[^}\\s\"'/{]*\\})?)+")
	plainName = pattern.Late(`^[\w.-]*$`)
)

// looseWord reads a word of a shell or of settings: a sign, a name before : or =, or a text.
func (l *lexer) looseWord() {
	from := l.at
	if l.has("$(") && strings.IndexByte(l.text[l.at:l.hole(l.at, l.end)], ' ') >= 0 { // a command, and not a variable of make
		l.at++
		l.sign('(')
		return
	}
	if l.has("\\\n") || l.has("\\\r") { // the command goes on in the next line
		for l.at++; l.at < l.end && isBlank(l.text[l.at]); {
			l.at++
		}
		l.fresh = false
		return
	}
	word := looseRun().FindString(l.rest())
	if name, _, found := strings.Cut(word, "="); found && plainName().MatchString(name) {
		word = name
	}
	if len(word) > 1 {
		word = strings.TrimSuffix(word, ":")
	}
	if word == "" || word[0] == ':' {
		l.sign(l.text[l.at])
		return
	}
	l.at += len(word)
	t := token{kind: aText, from: int32(from), to: int32(l.at), plain: plainName().MatchString(word)}
	follows := strings.TrimLeft(l.text[l.at:min(l.end, l.at+40)], " \t")
	if t.plain && follows != "" && (follows[0] == '=' || follows[0] == ':') && word[0] != '-' {
		t.kind = aName
	} else if word[0] == '$' && len(word) > 1 && word[1] != '(' && l.hole(from, l.at) == l.at {
		t.kind, t.from = aName, t.from+1
	}
	l.add(t)
}
