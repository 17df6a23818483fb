// Package source reads programs and settings as tokens, whatever their language: for package scan, which finds paths in them, and for
// package paste, which evaluates what was pasted.
package source

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"sellerd/internal/base/pattern"
)

// This file turns a file into tokens: names, texts, numbers and signs, without comments. It knows how a family of languages writes
// texts and comments, and which signs join texts or lead to a member, and nothing more of their grammar.

// Kind is what a token is.
type Kind uint8

// The kinds of tokens. A text is written in quotes, or is a word of a loose family.
const (
	Name Kind = iota
	Text
	Number
	Sign
)

// Token is a part of a file. It has no text of its own: a file of some megabytes has a million of them.
type Token struct {
	From, To int32 // in the source; of a name without the sign before it, of a text without its quotes
	Up       int32 // the token of the bracket around it, -1 for none
	Pair     int32 // of a bracket: the other one; 0 for none
	Kind     Kind
	Sign     byte // what it means, see operator; of a text: its quote, 0 for a word
	Fresh    bool // it is the first of its line
	Plain    bool // of a text: it has no holes
	Braces   bool // of a text: {x} is a hole
	Glued    bool // no blank stands before it
	Made     bool // new stands before it
	joins    bool // of a bracket: its commas join texts
}

// File is a program or a file of settings as tokens.
type File struct {
	Text   string
	Family *Family
	Tokens []Token

	at, line, column int // the place that was counted to last, from 0
}

// embedded are the parts of a page, or of a file of PHP, that are code, with forms and what follows a click.
var embedded = pattern.Late(`(?is)<script[^>]*(?:>(.*?)(?:</script>|\z)|\z)|<%(.*?)(?:%>|\z)|<\?(?:php|=)?(.*?)(?:\?>|\z)|` +
	`(<form\b[^<>]*)|\s(?:on\w+|@[\w.:-]+|v-on:[\w.:-]+|\(\w+\))=(?:"([^"<]*)"|'([^'<]*)')`)

// Lex turns code of a family of languages into tokens.
func Lex(family, text string) *File {
	s := &File{Text: text}
	s.lex(Families()[family], 0, len(text))
	return s
}

// Parse turns a file into tokens, which are written over others. Its kind is a family of languages, or page: of pages only the scripts
// are read, and what stands in the tags of their servers.
func Parse(kind, text string, over []Token) *File {
	s := &File{Text: text, Tokens: over[:0]}
	family := Families()[cmp.Or(map[string]string{"page": "js", "json": "js"}[kind], kind)]
	if kind != "page" && kind != "php" {
		s.lex(family, 0, len(text))
		return s
	}
	s.lex(family, 0, 0)
	for _, at := range embedded().FindAllStringSubmatchIndex(text, -1) {
		for group, part := range []string{"", "js", "c", "php", "any", "js", "js"} {
			if from := at[2*group]; group > 0 && from >= 0 && (kind == "php" || part != "php") {
				s.lex(Families()[part], from, at[2*group+1])
			}
		}
	}
	s.Family = family
	return s
}

// lexer makes tokens.
type lexer struct {
	*File
	at    int
	start int // of the token that is read
	end   int
	open  []int32
	fresh bool

	endless string // what ends no comment any more
	concat  bool   // the bracket of a function follows whose arguments are joined
	made    bool   // new was read
}

// lex appends the tokens of a part of a text.
func (s *File) lex(f *Family, from, to int) {
	s.Family = f
	if len(s.Tokens) == 0 { // so that no bracket is token 0
		s.Tokens = append(s.Tokens, Token{Kind: Sign, Sign: ';', Up: -1})
	}
	l := &lexer{File: s, at: from, end: to, fresh: true}
	for l.at < l.end {
		if n := len(s.Tokens); n == cap(s.Tokens) { // as many as there will be, when the rest is like what was read
			larger := make([]Token, n, max(n+(l.end-l.at)/4, n*9/8*len(s.Text)/max(l.at, len(s.Text)/8, 1))+16)
			copy(larger, s.Tokens)
			s.Tokens = larger
		}
		l.next()
	}
}

// has says whether the text goes on with a prefix. A line break or a tab before it stands for the beginning of a line or a word.
func (l *lexer) has(prefix string) bool {
	switch prefix[0] {
	case '\n':
		return (l.at == 0 || l.Text[l.at-1] == '\n' || l.fresh) && strings.HasPrefix(l.Text[l.at:l.end], prefix[1:])
	case '\t':
		return l.at > 0 && IsBlank(l.Text[l.at-1]) && strings.HasPrefix(l.Text[l.at:l.end], prefix[1:])
	}
	return strings.HasPrefix(l.Text[l.at:l.end], prefix)
}

// IsBlank says whether a byte is white space.
func IsBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' }

// IsWord says whether a byte is one of names.
func IsWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
}

// next reads a token, a blank or a comment.
func (l *lexer) next() {
	c := l.Text[l.at]
	l.start = l.at
	switch {
	case IsBlank(c):
		l.fresh = l.fresh || c == '\n'
		l.at++
	case c == '_' && l.Family == Families()["vb"] && l.at > 0 && IsBlank(l.Text[l.at-1]) &&
		strings.HasPrefix(strings.TrimLeft(l.Text[l.at+1:min(l.end, l.at+80)], " \t\r"), "\n"): // the line goes on
		l.at += strings.IndexByte(l.Text[l.at:], '\n') + 1
	case l.Family.Character == `\` && c == '\\':
		l.at = min(l.end, l.at+2)
	case l.Family.Character == "'" && c == '\'' && l.at+2 < l.end && l.Text[l.at+2] == '\'':
		l.at += 3
	case l.comment():
	case strings.IndexByte(l.Family.Quotes, c) >= 0:
		l.quoted(c, 1, string(c))
	case (c == 'q' || c == '%') && l.delimited(c):
	case l.Family == Families()["power"] && (l.has("@\"\n") || l.has("@'\n")):
		l.quoted(l.Text[l.at+1], 3, "\n"+l.Text[l.at+1:l.at+2]+"@")
	case l.Family.Loose:
		l.looseWord()
	case l.Family.Bare && strings.IndexByte("$%h", c) >= 0 && l.matches(bareAddress),
		l.Family == Families()["power"] && l.isArgument() && l.matches(bareWord):
	case c == '<' && l.heredoc():
	case c >= '0' && c <= '9':
		for l.at < l.end && (IsWord(l.Text[l.at]) || l.Text[l.at] == '.' && l.at+1 < l.end && IsWord(l.Text[l.at+1])) {
			l.at++
		}
		l.take(0, Number)
	case IsWord(c) || (c == '$' || c == '@') && l.at+1 < l.end && IsWord(l.Text[l.at+1]):
		l.name()
	case c == '$' && l.Family == Families()["js"] && (l.has("$(") || l.has("$.")): // jQuery
		l.take(1, Name)
	case c == '/' && l.Family.Regexes && l.pattern():
	default:
		l.sign(c)
	}
}

var (
	bareWord    = pattern.Late(`^\w[\w./-]*`)
	bareAddress = pattern.Late(`^(?:\$\w+|%\w+%|https?:/)/[^\s"'()]*`)
	hereMark    = pattern.Late(`^<<[<~-]?[ \t]*['"]?([A-Z]\w*)['"]?[^\n]*\n`)
)

// isArgument says whether what follows is a word of a command of PowerShell.
func (l *lexer) isArgument() bool {
	return !l.fresh && l.at > 0 && IsBlank(l.Text[l.at-1]) && l.Tokens[len(l.Tokens)-1].Kind <= Text
}

// rest returns what is looked at of the text behind a place. It is bounded.
func (l *lexer) rest() string { return l.Text[l.at:min(l.end, l.at+maxHole)] }

// matches reads a text with a pattern.
func (l *lexer) matches(form func() *regexp.Regexp) bool {
	n := len(form().FindString(l.rest()))
	return n > 0 && l.take(n, Text)
}

// take adds what was read as a token, with so many bytes more.
func (l *lexer) take(n int, k Kind) bool {
	l.at += n
	l.add(Token{Kind: k, From: int32(l.start), To: int32(l.at)})
	return true
}

// comment skips a comment.
func (l *lexer) comment() bool {
	for b := range slices.Chunk(l.Family.block, 2) {
		if l.has(b[0]) && l.endless != b[1] {
			end := strings.Index(l.Text[l.at+len(b[0])-1:l.end], b[1])
			if end < 0 {
				l.endless = b[1]
				return false
			}
			l.at += len(b[0]) - 1 + end + len(b[1])
			return true
		}
	}
	for _, begin := range l.Family.line {
		if l.has(begin) && !l.within(begin) {
			line, _, _ := strings.Cut(l.Text[l.at:l.end], "\n")
			l.at += len(line)
			return true
		}
	}
	return false
}

// within says whether what would begin a comment is a part of an address, a word or an operator of Haskell, such as -->.
func (l *lexer) within(begin string) bool {
	before := byte(' ')
	if l.at > 0 {
		before = l.Text[l.at-1]
	}
	switch begin {
	case "//":
		return before == ':'
	case "#":
		return l.Family.Loose && !IsBlank(before)
	case "--":
		after := strings.TrimLeft(l.Text[l.at:l.end], "-") + " "
		return l.Family == Families()["haskell"] && strings.ContainsAny(string(before)+after[:1], "!#$%&*+./<=>?@\\^|~:")
	}
	return false
}

// add appends a token. Texts that follow one another are joined, and in a loose family what is written without a blank.
func (l *lexer) add(t Token) {
	t.Up, t.Fresh, t.Glued, l.fresh = -1, l.fresh, l.start > 0 && !IsBlank(l.Text[l.start-1]), false
	t.Made, l.made = l.made, false
	if n := len(l.open); n > 0 {
		t.Up = l.open[n-1]
	}
	last := &l.Tokens[len(l.Tokens)-1]
	blank := l.Family == Families()["hotkey"] && t.Kind <= Text && last.Kind <= Text && t.Kind+last.Kind > Name || // x "y"
		l.Family.Calls && t.Kind == Name && last.Kind == Text && l.Text[last.To-1] == '/'
	glued := l.Family.Loose && l.Family != Families()["xml"] && t.Glued && !t.Fresh && t.Kind <= Text && last.Kind <= Text
	if glued || blank && t.Up > 0 && last.Up == t.Up || l.Family.Adjoins && t.Kind == Text && last.Kind == Text && last.Up == t.Up && (!t.Fresh || t.Up > 0) {
		l.Tokens = append(l.Tokens, Token{Kind: Sign, Sign: '+', From: t.From, To: t.From, Up: t.Up})
	}
	l.Tokens = append(l.Tokens, t)
}

// maxOpen is how deep brackets may be nested.
const maxOpen = 1000

// sign reads a sign. Brackets are paired; one that closes another kind closes all that are open within. A dot between blanks joins.
func (l *lexer) sign(c byte) {
	if c == ')' && l.cast() {
		return
	}
	at, size := int32(len(l.Tokens)), 1
	if c < 128 {
		for _, o := range l.Family.operators[c] {
			if l.has(o.text) {
				c, size = o.sign, len(o.text)
				break
			}
		}
	}
	if c == '.' && l.at > 0 && IsBlank(l.Text[l.at-1]) && l.at+1 < l.end && IsBlank(l.Text[l.at+1]) {
		c = '+'
	}
	t := Token{Kind: Sign, Sign: c, From: int32(l.at), To: int32(l.at + size), joins: l.concat}
	if n := len(l.open); c == ',' && n > 0 && l.Tokens[l.open[n-1]].joins {
		t.Sign = '+'
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
			if open := l.open[n]; l.Tokens[open].Sign == "([{"[strings.IndexByte(")]}", c)] {
				l.Tokens[open].Pair, l.Tokens[at].Pair = at, open
				l.Tokens[at].Up = l.Tokens[open].Up
				l.open = l.open[:n]
				break
			}
		}
	}
}

// converted is a bracket with a value behind it.
var converted = pattern.Late(`^\)\s*[\w$@"'(&\\]`)

// cast takes back a type in brackets that converts what follows: (int)$id is $id.
func (l *lexer) cast() bool {
	n, open := len(l.Tokens), len(l.open)-1
	if open < 0 || int(l.open[open]) != n-2 || !l.Is(n-1, Name) || !l.Sign(n-2, "(") || !l.Tokens[n-3].opens() ||
		!slices.Contains(l.Family.casts, strings.ToLower(l.Str(n-1))) || !converted().MatchString(l.Text[l.at:l.end]) {
		return false
	}
	l.fresh = l.Tokens[n-2].Fresh
	l.Tokens, l.open = l.Tokens[:n-2], l.open[:open]
	l.at++
	return true
}

// name reads a name, without the sign before it. What only says that something is made or awaited is left out.
func (l *lexer) name() {
	sql := l.Family == Families()["sql"]
	switch l.Text[l.at] {
	case '@':
		if sql { // a variable
			l.at++
		} else {
			l.sign('@')
		}
	case '$':
		l.at++
	}
	from := l.at
	scope := l.Family == Families()["power"] && from > l.start // $script:x
	for l.at < l.end && (IsWord(l.Text[l.at]) || scope && l.Text[l.at] == ':' && l.at+1 < l.end && IsWord(l.Text[l.at+1])) {
		l.at++
	}
	last := &l.Tokens[len(l.Tokens)-1]
	switch name := l.Text[from:l.at]; {
	case last.Sign == '.' && name == "concat" && l.has("(") && strings.Contains(l.Family.Joins, "+"):
		last.Sign, l.concat = '+', true // "".concat(a, "/x") is "" + (a + "/x"): compilers write templates so
		return
	case (name == "new" || name == "await") && last.Sign != '.' && l.at < l.end && l.Text[l.at] == ' ':
		l.made = name == "new"
		return
	}
	l.add(Token{Kind: Name, From: int32(from), To: int32(l.at)})
	l.concat = sql && strings.EqualFold(l.Text[from:l.at], "concat") && l.has("(")
	if l.Family == Families()["rust"] && (l.has("!(") || l.has("![")) {
		l.at++
	}
}

// delimited reads a text such as qq{x} and q(x) of Perl, and %Q[x] and %(x) of Ruby.
func (l *lexer) delimited(c byte) bool {
	size := 1
	for size < 3 && l.at+size < l.end && strings.IndexByte("qQwW", l.Text[l.at+size]) >= 0 {
		size++
	}
	if l.at+size >= l.end || l.Family != Families()[map[byte]string{'q': "perl", '%': "ruby"}[c]] || !l.Tokens[len(l.Tokens)-1].opens() {
		return false
	}
	k := strings.IndexByte("({[|!", l.Text[l.at+size])
	if k < 0 || strings.IndexByte(l.rest()[size+1:], ")}]|!"[k]) < 0 {
		return false
	}
	l.quoted('"', size+1, ")}]|!"[k:k+1])
	return true
}

// quoted reads a text in quotes, which begins with so many bytes.
func (l *lexer) quoted(q byte, size int, closing string) {
	from, long := l.at+size, strings.IndexByte(l.Family.Long, q) >= 0
	if triple := strings.Repeat(closing, 3); l.has(triple) && size == 1 && !l.Family.Doubled && q != '`' {
		from, closing, long = l.at+3, triple, true
	}
	t := Token{Kind: Text, Sign: q, From: int32(from), Plain: true}
	before := byte(' ')
	if l.at > 0 {
		before = l.Text[l.at-1] // the f of f"{x}"
	}
	t.Braces = strings.IndexByte(l.Family.Templates, '{') >= 0 && (before == 'f' || before == 'F' || before == '$') || q == '|'
	if last := &l.Tokens[len(l.Tokens)-1]; t.Braces && last.Kind == Name && int(last.To) == l.at && last.To-last.From <= 2 {
		l.Tokens = l.Tokens[:len(l.Tokens)-1]
		l.fresh, l.start = last.Fresh, int(last.From)
	}
	single := q == '\'' && strings.IndexByte(l.Family.Templates, '$') >= 0 && !l.Family.Loose
	l.at, t.To = from, int32(from) // when it never ends, it is a quote that stands for itself
	for at := from; at < l.end; at++ {
		switch c := l.Text[at]; {
		case c == '\\' && l.Family.Templates == `\` && at+1 < l.end && l.Text[at+1] == '(':
			t.Plain = false
			at = l.Hole(at+1, l.end) - 1
		case c == '\\' && !l.Family.Doubled, c == '`' && l.Family == Families()["power"] && !single,
			l.Family.Doubled && c == q && at+1 < l.end && l.Text[at+1] == q:
			at++
		case strings.HasPrefix(l.Text[at:l.end], closing), c == '\n' && !long:
			if l.at, t.To = at, int32(at); c != '\n' {
				l.at += len(closing)
			}
			l.add(t)
			return
		case !single && strings.IndexByte("$#{%", c) >= 0 && l.IsHole(at, t.Braces):
			t.Plain = false
			at = l.Hole(at, l.end) - 1
		}
	}
	l.add(t)
}

// IsHole says whether a hole begins at a place of a text.
func (s *File) IsHole(at int, braces bool) bool {
	next := s.Text[min(at+1, len(s.Text)-1)]
	switch s.Text[at] {
	case '$':
		commands := s.Family.Loose || s.Family == Families()["power"]
		return strings.IndexByte(s.Family.Templates, '$') >= 0 && (next == '{' || next == '(' && commands || IsWord(next))
	case '#':
		return s.Family.Templates == "#" && next == '{' || s.between(at) > 0
	case '%':
		return s.between(at) > 0
	}
	return braces && next != '{' || s.Family == Families()["php"] && next == '$'
}

// twins are holes whose first sign is their last.
var twins = pattern.Late(`^(?:#[\w.]+#|%\w+%)`)

// between returns the length of a hole such as #x.y# and %x%, 0 when there is none.
func (s *File) between(at int) int {
	if t := s.Family.Templates; len(t) < 2 || t[0] != t[1] || s.Text[at] != t[0] {
		return 0
	}
	return len(twins().FindString(s.Text[at:min(len(s.Text), at+60)]))
}

// maxHole is how long a hole may be, in bytes.
const maxHole = 2000

// members are what follows the variable of a hole: $x->y, $x[y], $x->{y}, $x{y}.
var members = pattern.Late(`^(?:(?:->)?(?:\{[^}\n]{0,60}\}|\[[^\]\n]{0,60}\])|->\w+)*`)

// Hole returns the end of a hole that begins at a place: of $x->y[z], ${x}, $(x), #{x}, (x), {x}, #x# and %x%.
func (s *File) Hole(at, end int) int {
	limit, i := min(end, at+maxHole), at
	if n := s.between(at); n > 0 {
		return min(at+n, end)
	}
	if s.Text[i] == '$' || s.Text[i] == '#' {
		i++
	}
	if i < limit && (s.Text[i] == '{' || s.Text[i] == '(') {
		opener, closer, depth := s.Text[i], "})"[strings.IndexByte("{(", s.Text[i])], 0
		for ; i < limit; i++ {
			if s.Text[i] == opener {
				depth++
			} else if s.Text[i] == closer {
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
		return min(at+2, end)
	}
	for i < limit && IsWord(s.Text[i]) {
		i++
	}
	if i < limit && s.Family.Keys && strings.IndexByte("-{[", s.Text[i]) >= 0 {
		i += len(members().FindString(s.Text[i:min(limit, i+300)]))
	}
	return i
}

// heredoc reads a text such as <<<A … A. The rest of the line of its beginning is left out: mostly it ends the statement.
func (l *lexer) heredoc() bool {
	if !l.has("<<") || l.Family.Long == "" || l.Family.Long == "`" {
		return false
	}
	head := hereMark().FindStringSubmatchIndex(l.rest())
	if head == nil {
		return false
	}
	name, from := l.Text[l.at+head[2]:l.at+head[3]], l.at+head[1]
	at := from
	for row := range strings.Lines(l.Text[from:l.end]) {
		if bare := strings.TrimLeft(row, " \t"); strings.HasPrefix(bare, name) {
			l.add(Token{Kind: Text, Sign: '"', From: int32(from), To: int32(max(at-1, from))})
			l.at = at + len(row) - len(bare) + len(name)
			return true
		}
		at += len(row)
	}
	return false
}

// opens says whether a text or a pattern may follow, because the token ends no operand.
func (t *Token) opens() bool { return t.Kind == Sign && strings.IndexByte(")]}/$", t.Sign) < 0 }

// pattern skips a regular expression such as /['"]/. It is one when nothing before it can be divided.
func (l *lexer) pattern() bool {
	if t := &l.Tokens[len(l.Tokens)-1]; !t.opens() && l.Text[t.From:t.To] != "return" {
		return false
	}
	for at, class := l.at+1, false; at < min(l.end, l.at+maxHole); at++ {
		switch c := l.Text[at]; {
		case c == '\n', c == '/' && at == l.at+1:
			return false
		case c == '/' && !class:
			return l.take(at+1-l.at, Number)
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
	if l.has("$(") && strings.IndexByte(l.Text[l.at:l.Hole(l.at, l.end)], ' ') >= 0 { // a command, and not a variable of make
		l.at++
		l.sign('(')
		return
	}
	if l.has("\\\n") || l.has("\\\r") { // the command goes on in the next line
		for l.at++; l.at < l.end && IsBlank(l.Text[l.at]); {
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
		l.sign(l.Text[l.at])
		return
	}
	l.at += len(word)
	t := Token{Kind: Text, From: int32(from), To: int32(l.at), Plain: plainName().MatchString(word)}
	follows := strings.TrimLeft(l.Text[l.at:min(l.end, l.at+40)], " \t")
	if t.Plain && follows != "" && (follows[0] == '=' || follows[0] == ':') && word[0] != '-' {
		t.Kind = Name
	} else if word[0] == '$' && len(word) > 1 && word[1] != '(' && l.Hole(from, l.at) == l.at {
		t.Kind, t.From = Name, t.From+1
	}
	l.add(t)
}
