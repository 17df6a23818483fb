package scan

import (
	"strings"
)

// This file reads texts: quotes with their escapes and expressions, raw texts, and texts of several lines.

// wordList is the text of a token that is a list of words.
const wordList = "words"

// special reads what begins a text, or looks like one, in one language only.
func (l *lexer) special() bool {
	rest, c := l.src[l.at:], l.src[l.at]
	switch l.lang {
	case langPHP:
		return c == '<' && strings.HasPrefix(rest, "<<<") && l.hereDocument(3)
	case langPython:
		return l.pythonText(rest)
	case langCSharp:
		return l.prefixedText(rest, `"""`, "$@\"", "@$\"", "$\"", "@\"")
	case langVB:
		return l.prefixedText(rest, "", "$\"")
	case langJava, langKotlin:
		return l.prefixedText(rest, `"""`, "s\"", "f\"")
	case langJavaScript:
		return c == '/' && !l.operand() && l.pattern()
	case langRuby:
		return c == '<' && strings.HasPrefix(rest, "<<") && l.hereDocument(2) || c == '%' && !l.operand() && l.generic(1, "qQwWiIr") ||
			c == '/' && !l.operand() && l.pattern() || c == ':' && l.symbol()
	case langPerl:
		return c == '<' && strings.HasPrefix(rest, "<<") && l.hereDocument(2) || l.perlQuote() || c == '/' && !l.operand() && l.pattern()
	}
	return false
}

// symbol reads a symbol of Ruby as a text.
func (l *lexer) symbol() bool {
	end := l.at + 1
	for end < len(l.src) && isNameByte(l.src[end]) {
		end++
	}
	if end == l.at+1 || l.src[l.at+1] <= '9' && l.src[l.at+1] >= '0' || l.at > 0 && (l.src[l.at-1] == ':' || isNameByte(l.src[l.at-1])) {
		return false
	}
	l.tokens = append(l.tokens, token{kind: tokenText, parts: []part{{text: l.src[l.at+1 : end], at: l.from + l.at + 1}}, at: l.from + l.at, spaced: l.spaced})
	l.spaced, l.at = false, end
	return true
}

// pattern skips a regular expression.
func (l *lexer) pattern() bool {
	length := 0
	for i, class := l.at+1, false; i < len(l.src) && l.src[i] != '\n'; i++ {
		length++
		switch c := l.src[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			for i++; i < len(l.src) && isNameByte(l.src[i]); i++ {
			}
			l.add(tokenNumber, "0", l.at)
			l.at = i
			return true
		}
	}
	l.budget.spend(length)
	return false
}

// pythonText reads a text with a prefix or with three quotes.
func (l *lexer) pythonText(rest string) bool {
	n := 0
	for n < len(rest) && n < 2 && strings.IndexByte("rRbBuUfF", rest[n]) >= 0 {
		n++
	}
	if n >= len(rest) || rest[n] != '"' && rest[n] != '\'' {
		return false
	}
	prefix, quote := strings.ToLower(rest[:n]), rest[n:n+1]
	if strings.HasPrefix(rest[n:], quote+quote+quote) {
		quote = quote + quote + quote
	}
	l.text(n, quote, textStyle{raw: strings.Contains(prefix, "r"), expressions: strings.Contains(prefix, "f"), lines: len(quote) == 3})
	return true
}

// prefixedText reads a text with one of some prefixes, or with three quotes.
func (l *lexer) prefixedText(rest, triple string, prefixes ...string) bool {
	if triple != "" {
		n := strings.IndexByte(rest[:min(3, len(rest))], '"')
		if n >= 0 && strings.Trim(rest[:n], "$@") == "" && strings.HasPrefix(rest[n:], triple) {
			l.text(n, triple, textStyle{raw: l.lang == langCSharp, expressions: n > 0 || l.lang.java(), lines: true})
			return true
		}
	}
	for _, prefix := range prefixes {
		if strings.HasPrefix(rest, prefix) {
			l.text(len(prefix)-1, `"`, textStyle{raw: strings.Contains(prefix, "@"), doubled: strings.Contains(prefix, "@") || l.lang == langVB, expressions: prefix != "@\"", lines: true})
			return true
		}
	}
	return false
}

// quoted reads a text in plain quotes.
func (l *lexer) quoted(quote byte, _ string) {
	style := textStyle{raw: quote == l.lang.raw, lines: quote == '`'}
	switch l.lang {
	case langPHP, langPerl:
		style.single, style.expressions, style.lines = quote == '\'', quote != '\'', true
	case langJavaScript:
		style.expressions = quote == '`'
	case langRuby:
		style.single, style.expressions, style.lines = quote == '\'', quote != '\'', true
	case langJava, langKotlin:
		style.expressions = quote == '"'
	case langVB:
		style.raw, style.doubled = true, true
	}
	l.text(0, string(quote), style)
}

// textStyle is what has a meaning in a text.
type textStyle struct {
	raw         bool // a backslash is a character
	single      bool // a backslash escapes only a quote and a backslash
	doubled     bool // a quote that is doubled is a character
	expressions bool
	lines       bool // it may have several lines
}

// text reads a text whose opening quote begins after some bytes of prefix.
func (l *lexer) text(prefix int, quote string, style textStyle) {
	start := l.at
	body := l.at + prefix + len(quote)
	end := l.textEnd(body, quote, style)
	closed := min(end+len(quote), len(l.src))
	if end < len(l.src) && l.src[end] == '\n' && !style.lines {
		closed = end // a quote that is not closed ends with its line
	}
	l.addText(start, body, l.src[body:end], style)
	l.at = closed
}

// textEnd returns where a text ends.
func (l *lexer) textEnd(i int, quote string, style textStyle) int {
	depth := 0
	for i < len(l.src) {
		c := l.src[i]
		switch {
		case depth == 0 && c == quote[0] && strings.HasPrefix(l.src[i:], quote):
			if !style.doubled || !strings.HasPrefix(l.src[i+len(quote):], quote) {
				return i
			}
			i += 2 * len(quote)
			continue
		case c == '\n' && !style.lines:
			return i
		case c == '\\' && !style.raw:
			i++
		case style.expressions && l.opens(i):
			depth++
		case style.expressions && depth > 0 && c == '{':
			depth++
		case style.expressions && depth > 0 && c == '}':
			depth--
		case depth > 0 && c == '\n' && quote != "`" && len(quote) == 1:
			depth = 0 // what looked like an expression is none
		}
		i++
	}
	return len(l.src)
}

// opens says whether an expression in braces begins at an offset of a text. The offset is that of its brace.
func (l *lexer) opens(i int) bool {
	if l.src[i] != '{' || i == 0 {
		return false
	}
	switch l.lang {
	case langJavaScript, langJava, langKotlin:
		return l.src[i-1] == '$'
	case langRuby:
		return l.src[i-1] == '#'
	case langPHP, langPerl:
		return l.src[i-1] == '$' || i+1 < len(l.src) && l.src[i+1] == '$' || l.src[i-1] == '@'
	}
	return false // in Python and C# no quote can stand in such an expression in old versions
}

// addText adds a text with its parts.
func (l *lexer) addText(start, body int, raw string, style textStyle) {
	t := token{kind: tokenText, at: l.from + start, spaced: l.spaced}
	l.spaced = false
	if !style.expressions || !strings.ContainsAny(raw, "${#@") || l.inner >= maxInner {
		t.parts = []part{{text: l.unescaped(raw, style), at: l.from + body}}
	} else {
		t.parts = l.parts(raw, body, style)
	}
	l.tokens = append(l.tokens, t)
}
