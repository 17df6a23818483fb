package scan

import (
	"strconv"
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
	for i, class := l.at+1, false; i < len(l.src) && l.src[i] != '\n'; i++ {
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

// parts splits a text at its expressions.
func (l *lexer) parts(raw string, body int, style textStyle) (parts []part) {
	from := 0
	literal := func(to int) {
		if to > from || len(parts) == 0 && to == len(raw) {
			parts = append(parts, part{text: l.unescaped(raw[from:to], style), at: l.from + body + from})
		}
	}
	for i := 0; i < len(raw); {
		if raw[i] == '\\' && !style.raw {
			i += 2
			continue
		}
		code, size := l.expressionAt(raw[i:])
		if size == 0 {
			i++
			continue
		}
		literal(i)
		offset := strings.Index(raw[i:i+size], code)
		parts = append(parts, part{code: append(lex(l.lang, code, l.from+body+i+max(offset, 0), l.inner+1), token{kind: tokenMark, text: ""}), at: l.from + body + i})
		i += size
		from = i
	}
	literal(len(raw))
	return parts
}

// expressionAt returns the expression at the beginning of a text, and how much of the text it takes; 0 when there is none.
func (l *lexer) expressionAt(text string) (code string, size int) {
	braces := func(from int) (string, int) {
		depth := 0
		for i := from; i < len(text); i++ {
			switch text[i] {
			case '{':
				depth++
			case '}':
				if depth--; depth == 0 {
					return text[from+1 : i], i + 1
				}
			}
		}
		return "", 0
	}
	switch l.lang {
	case langJavaScript, langJava, langKotlin:
		if strings.HasPrefix(text, "${") {
			return braces(1)
		}
		if n := nameBytes(text[1:]); l.lang.java() && text[0] == '$' && n > 0 {
			return text[1 : 1+n], 1 + n
		}
	case langRuby:
		if strings.HasPrefix(text, "#{") {
			return braces(1)
		}
	case langPython, langCSharp, langVB:
		if text[0] == '{' && !strings.HasPrefix(text, "{{") {
			code, size = braces(0)
			return withoutFormat(code), size
		}
		if strings.HasPrefix(text, "{{") {
			return "", 0
		}
	case langPHP, langPerl:
		return l.sigilExpression(text, braces)
	}
	return "", 0
}

// withoutFormat removes what follows the expression in a format: {price:0.00}, {name!r}.
func withoutFormat(code string) string {
	depth := 0
	for i := range len(code) {
		switch code[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ':':
			if depth == 0 && i > 0 {
				return code[:i]
			}
		}
	}
	return code
}

// sigilExpression reads $name, ${name}, {$expression}, $name->member and $name[key] in a text of PHP or Perl.
func (l *lexer) sigilExpression(text string, braces func(int) (string, int)) (string, int) {
	switch {
	case strings.HasPrefix(text, "{$"):
		return braces(0)
	case strings.HasPrefix(text, "${"), strings.HasPrefix(text, "@{"):
		return braces(1)
	case text[0] != '$':
		return "", 0
	}
	n := nameBytes(text[1:])
	if n == 0 {
		return "", 0
	}
	size := 1 + n
	for size < len(text) {
		rest := text[size:]
		switch {
		case strings.HasPrefix(rest, "->") && nameBytes(rest[2:]) > 0:
			size += 2 + nameBytes(rest[2:])
		case strings.HasPrefix(rest, "->{"), l.lang == langPerl && strings.HasPrefix(rest, "{"):
			end := strings.IndexByte(rest, '}')
			if end < 0 {
				return text[:size], size
			}
			size += end + 1
		case strings.HasPrefix(rest, "["):
			end := strings.IndexByte(rest, ']')
			if end < 0 {
				return text[:size], size
			}
			size += end + 1
		default:
			return text[:size], size
		}
		if l.lang == langPHP {
			break // a text of PHP has one member without braces
		}
	}
	return text[:size], size
}

func nameBytes(text string) int {
	n := 0
	for n < len(text) && isNameByte(text[n]) && (n > 0 || text[n] > '9' || text[n] < '0') {
		n++
	}
	return n
}

// unescaped replaces the escapes of a text.
func (l *lexer) unescaped(raw string, style textStyle) string {
	switch {
	case style.doubled:
		raw = strings.ReplaceAll(raw, `""`, `"`)
		fallthrough
	case style.raw:
		return raw
	case style.expressions && (l.lang == langPython || l.lang == langCSharp):
		raw = strings.NewReplacer("{{", "{", "}}", "}").Replace(raw)
	}
	if strings.IndexByte(raw, '\\') < 0 {
		return raw
	}
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' || i+1 == len(raw) {
			b.WriteByte(raw[i])
			continue
		}
		i++
		switch c := raw[i]; {
		case style.single && c != '\'' && c != '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == 'n':
			b.WriteByte('\n')
		case c == 'r':
			b.WriteByte('\r')
		case c == 't':
			b.WriteByte('\t')
		case c == '\n':
		case (c == 'u' || c == 'x') && i+2 < len(raw):
			width := map[byte]int{'u': 4, 'x': 2}[c]
			if n, err := strconv.ParseUint(raw[i+1:min(i+1+width, len(raw))], 16, 32); err == nil {
				b.WriteRune(rune(n))
				i += width
			}
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// perlQuote reads q(…), qq{…}, qw/…/ and skips m/…/ and s/…/…/.
func (l *lexer) perlQuote() bool {
	if l.at > 0 && (isNameByte(l.src[l.at-1]) || strings.IndexByte("$@%&>-", l.src[l.at-1]) >= 0) {
		return false
	}
	for _, name := range []string{"qq", "qw", "qr", "q", "m", "s", "tr", "y"} {
		rest, ok := strings.CutPrefix(l.src[l.at:], name)
		if !ok || rest == "" || isNameByte(rest[0]) || isSpace(rest[0]) || strings.IndexByte(",;)=.-", rest[0]) >= 0 || strings.HasPrefix(rest, "=>") {
			continue
		}
		start := l.at
		l.at += len(name)
		body, text := l.delimited()
		switch name {
		case "s", "tr", "y":
			if strings.IndexByte("{([<", rest[0]) >= 0 {
				for l.at < len(l.src) && isSpace(l.src[l.at]) {
					l.at++
				}
				l.delimited()
			} else {
				l.at--
				l.delimited()
			}
			fallthrough
		case "m", "qr":
			for l.at < len(l.src) && isNameByte(l.src[l.at]) {
				l.at++
			}
			l.add(tokenNumber, "0", start)
		default:
			l.addText(start, body, text, textStyle{single: name != "qq", expressions: name == "qq"})
			if name == "qw" {
				l.last().text = wordList
			}
		}
		return true
	}
	return false
}

// generic reads %q(…) and its like in Ruby.
func (l *lexer) generic(prefix int, letters string) bool {
	rest := l.src[l.at+prefix:]
	if rest == "" {
		return false
	}
	letter := byte('Q')
	if strings.IndexByte(letters, rest[0]) >= 0 && len(rest) > 1 {
		letter = rest[0]
		prefix++
		rest = rest[1:]
	}
	if strings.IndexByte("({[<|!", rest[0]) < 0 {
		return false
	}
	start := l.at
	l.at += prefix
	body, text := l.delimited()
	if letter == 'r' {
		l.add(tokenNumber, "0", start)
		return true
	}
	l.addText(start, body, text, textStyle{single: letter == 'q' || letter == 'w', expressions: letter == 'Q' || letter == 'W'})
	if letter == 'w' || letter == 'i' {
		l.last().text = wordList
	}
	return true
}

// delimited reads up to the delimiter that closes the one at the current position.
func (l *lexer) delimited() (body int, text string) {
	if l.at >= len(l.src) {
		return l.at, ""
	}
	open := l.src[l.at]
	end := open
	if i := strings.IndexByte("({[<", open); i >= 0 {
		end = ")}]>"[i]
	}
	body = l.at + 1
	depth := 1
	for i := body; i < len(l.src); i++ {
		switch c := l.src[i]; {
		case c == '\\':
			i++
		case c == end:
			if depth--; depth == 0 {
				l.at = i + 1
				return body, l.src[body:i]
			}
		case c == open:
			depth++
		}
	}
	l.at = len(l.src)
	return body, l.src[body:]
}

// hereDocument reads the name of a text that begins on the next line.
func (l *lexer) hereDocument(marks int) bool {
	rest := strings.TrimLeft(l.src[l.at+marks:], " ~-")
	skipped := len(l.src[l.at+marks:]) - len(rest)
	if skipped > 0 && l.lang != langPHP && rest != l.src[l.at+marks:] && l.src[l.at+marks] == ' ' {
		return false
	}
	quote := ""
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		quote = rest[:1]
		rest = rest[1:]
	}
	n := nameBytes(rest)
	if n == 0 || quote == "" && l.lang != langPHP && (rest[0] < 'A' || rest[0] > 'Z') {
		return false
	}
	l.here = append(l.here, pendingText{end: rest[:n], literal: quote == "'", index: len(l.tokens)})
	l.tokens = append(l.tokens, token{kind: tokenText, at: l.from + l.at, parts: []part{{at: l.from + l.at}}})
	l.at += marks + skipped + 2*len(quote) + n
	return true
}

// hereText reads the lines of a text up to the line with its name.
func (l *lexer) hereText(pending pendingText) {
	start := l.at
	for l.at < len(l.src) {
		line := l.src[l.at:]
		if i := strings.IndexByte(line, '\n'); i >= 0 {
			line = line[:i]
		}
		trimmed := strings.TrimLeft(line, " \t")
		if rest, ok := strings.CutPrefix(trimmed, pending.end); ok && (rest == "" || !isNameByte(rest[0])) {
			body := l.src[start:l.at]
			style := textStyle{raw: pending.literal, expressions: !pending.literal, lines: true}
			kept := l.tokens
			l.tokens = nil
			l.addText(start, start, body, style)
			kept[pending.index].parts = l.tokens[0].parts
			l.tokens = kept
			l.at += len(line) - len(rest)
			return
		}
		l.at = min(l.at+len(line)+1, len(l.src))
	}
}
