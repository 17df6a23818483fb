package scan

import (
	"strconv"
	"strings"
)

// This file takes apart the contents of texts: expressions in them, and escapes.

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
		parts = append(parts, part{code: append(lex(l.lang, code, l.from+body+i+max(offset, 0), l.inner+1, l.budget), token{kind: tokenMark, text: ""}), at: l.from + body + i})
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
					l.budget.spend(i)
					return text[from+1 : i], i + 1
				}
			}
		}
		l.budget.spend(len(text))
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
				l.budget.spend(len(rest) / 16)
				return text[:size], size
			}
			size += end + 1
		case strings.HasPrefix(rest, "["):
			end := strings.IndexByte(rest, ']')
			if end < 0 {
				l.budget.spend(len(rest) / 16)
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
