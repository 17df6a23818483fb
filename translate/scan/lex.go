package scan

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file splits source into tokens. It knows texts and comments; everything else is names, numbers and marks.

type tokenKind uint8

const (
	tokenMark tokenKind = iota
	tokenName
	tokenNumber
	tokenText
	tokenLine // a line break
)

// token is a piece of source. A text has parts: literal texts, and expressions between them.
type token struct {
	kind   tokenKind
	text   string
	parts  []part
	at     int  // offset in the file
	spaced bool // white space stands before it
}

// part is a literal text, or an expression.
type part struct {
	text string
	code []token // of an expression
	at   int
}

// literal returns a text without its expressions.
func (t *token) literal() string {
	if len(t.parts) == 1 && t.parts[0].code == nil {
		return t.parts[0].text
	}
	var b strings.Builder
	for i := range t.parts {
		b.WriteString(t.parts[i].text)
	}
	return b.String()
}

// maxInner is how deep expressions in texts are read.
const maxInner = 4

// lexer reads tokens.
type lexer struct {
	lang   *language
	src    string
	budget *budget
	at     int
	from   int // where src begins in the file
	inner  int // how many texts are around it
	tokens []token
	here   []pendingText // texts that begin after the line
	spaced bool
}

// pendingText is a text whose lines follow the line that names it.
type pendingText struct {
	end     string
	literal bool
	index   int // of its token
}

// lex returns the tokens of source.
func lex(lang *language, src string, from, inner int, b *budget) []token {
	l := &lexer{lang: lang, src: src, from: from, inner: inner, budget: b}
	l.all()
	return l.tokens
}

// all reads all tokens.
func (l *lexer) all() {
	if l.lang == langPHP && l.inner == 0 {
		l.skipPage()
	}
	for l.at < len(l.src) {
		l.budget.spend(1)
		l.next()
	}
}

func (l *lexer) add(kind tokenKind, text string, at int) {
	l.tokens = append(l.tokens, token{kind: kind, text: text, at: l.from + at, spaced: l.spaced})
	l.spaced = false
}

// skipPage skips the page around PHP.
func (l *lexer) skipPage() {
	for {
		i := strings.Index(l.src[l.at:], "<?")
		if i < 0 {
			l.at = len(l.src)
			return
		}
		l.at += i + 2
		if rest := l.src[l.at:]; strings.HasPrefix(rest, "xml") {
			continue
		} else if strings.HasPrefix(rest, "php") {
			l.at += 3
		} else if strings.HasPrefix(rest, "=") {
			l.at++
		}
		return
	}
}

// last returns the token before the current position, nil at the beginning.
func (l *lexer) last() *token {
	if len(l.tokens) == 0 {
		return nil
	}
	return &l.tokens[len(l.tokens)-1]
}

// next reads a token.
func (l *lexer) next() {
	c, start := l.src[l.at], l.at
	switch {
	case c == '\n':
		if l.comment() {
			return
		}
		l.at++
		l.lineBreak(start)
	case c == ' ' || c == '\t' || c == '\r' || c == 0xef && strings.HasPrefix(l.src[l.at:], "\ufeff"):
		l.at++
		if c == 0xef {
			l.at += 2
		}
		l.spaced = true
	case l.comment():
		l.spaced = true
	case l.lang == langPHP && strings.HasPrefix(l.src[l.at:], "?>"):
		l.add(tokenMark, ";", start)
		l.skipPage()
	case l.special():
	case strings.IndexByte(l.lang.quotes, c) >= 0:
		l.quoted(c, "")
	case c >= '0' && c <= '9':
		for l.at < len(l.src) && (isNameByte(l.src[l.at]) || l.src[l.at] == '.' && l.at+1 < len(l.src) && l.src[l.at+1] >= '0' && l.src[l.at+1] <= '9') {
			l.at++
		}
		l.add(tokenNumber, l.src[start:l.at], start)
	case isNameByte(c) || c == '$' || c == '@':
		l.name()
	default:
		l.mark()
	}
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// name reads a name, without its sigil.
func (l *lexer) name() {
	start := l.at
	if l.src[l.at] == '@' && !l.lang.sigils && l.lang != langRuby {
		l.at++
		l.add(tokenMark, "@", start)
		return
	}
	for l.at < len(l.src) && (l.src[l.at] == '$' || l.src[l.at] == '@') {
		l.at++
	}
	from := l.at
	for l.at < len(l.src) && isNameByte(l.src[l.at]) {
		l.at++
	}
	text := l.src[from:l.at]
	if text == "" { // jQuery's $, and marks such as @{
		if text = "$"; l.src[start] == '@' {
			l.add(tokenMark, "@", start)
			return
		}
	}
	if l.lang == langVB && strings.EqualFold(text, "rem") && l.atStatement() {
		l.skipLine()
		return
	}
	l.add(tokenName, text, start)
}

func (l *lexer) atStatement() bool {
	last := l.last()
	return last == nil || last.kind == tokenLine || last.text == ":"
}

func (l *lexer) skipLine() {
	if i := strings.IndexByte(l.src[l.at:], '\n'); i >= 0 {
		l.at += i
	} else {
		l.at = len(l.src)
	}
}

// lineBreak ends a line: of a statement, or before the texts that the line announced.
func (l *lexer) lineBreak(at int) {
	for _, pending := range l.here {
		l.hereText(pending)
	}
	l.here = l.here[:0]
	l.add(tokenLine, "\n", at)
}

// comment skips a comment.
func (l *lexer) comment() bool {
	rest := l.src[l.at:]
	for _, pair := range l.lang.block {
		if !strings.HasPrefix(rest, pair[0]) {
			continue
		}
		end := strings.Index(rest[len(pair[0]):], pair[1])
		if end < 0 {
			l.at = len(l.src)
		} else {
			l.at += len(pair[0]) + end + len(pair[1])
			if pair[1][0] == '\n' {
				l.skipLine()
			}
		}
		return true
	}
	for _, mark := range l.lang.line {
		if !strings.HasPrefix(rest, mark) || l.lang == langPHP && strings.HasPrefix(rest, "#[") || l.lang == langPerl && l.at > 0 && l.src[l.at-1] == '$' {
			continue
		}
		end := strings.IndexByte(rest, '\n')
		if end < 0 {
			end = len(rest)
		}
		if l.lang == langPHP {
			if tag := strings.Index(rest[:end], "?>"); tag >= 0 {
				end = tag
			}
		}
		l.at += end
		return true
	}
	return false
}

// threes are operators of more than one character.
var operators = []string{
	"===", "!==", "**=", "...", "<=>", "<<=", ">>=", "??=", "||=", "&&=", "?->", "=>", "->", "::", "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "?:",
	"+=", "-=", "*=", "/=", ".=", "&=", "|=", "%=", ":=", "=~", "!~", "<<", ">>", "++", "--", "..", "//",
}

func (l *lexer) mark() {
	rest := l.src[l.at:]
	for _, operator := range operators {
		if strings.HasPrefix(rest, operator) {
			l.add(tokenMark, operator, l.at)
			l.at += len(operator)
			return
		}
	}
	_, size := utf8.DecodeRuneInString(rest)
	l.add(tokenMark, rest[:size], l.at)
	l.at += size
}

// operand says whether the token before is a value, so that a slash after it divides.
func (l *lexer) operand() bool {
	last := l.last()
	switch {
	case last == nil || last.kind == tokenLine:
		return false
	case last.kind == tokenName:
		switch last.text {
		case "return", "typeof", "case", "in", "of", "and", "or", "not", "if", "unless", "when", "while", "split", "grep":
			return false
		}
		return true
	case last.kind == tokenMark:
		return last.text == ")" || last.text == "]" || last.text == "}"
	}
	return true
}

// isSpace says whether a byte is white space.
func isSpace(c byte) bool { return c < utf8.RuneSelf && unicode.IsSpace(rune(c)) }
