package paste

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
)

// This file reads quotes of a shell, and what begins with a dollar sign.

func (l *lexer) single() error {
	return l.until('\'', func(byte) error { l.add(l.text[l.at-1 : l.at]); return nil })
}

// until reads up to a quote, and hands on the signs before it.
func (l *lexer) until(quote byte, read func(c byte) error) error {
	l.add("")
	for l.at < len(l.text) {
		c := l.text[l.at]
		if l.at++; c == quote {
			return nil
		}
		if err := read(c); err != nil {
			return err
		}
	}
	return errQuote
}

func (l *lexer) double() error {
	return l.until('"', func(c byte) error {
		switch next := l.rest(); {
		case c == '\\' && next != "" && strings.ContainsAny(next[:1], "$`\"\\\n"):
			if l.at++; next[0] != '\n' {
				l.add(next[:1])
			}
		case c == '$':
			return l.dollar(true)
		case c == '`':
			return l.command('`')
		default:
			l.add(l.text[l.at-1 : l.at])
		}
		return nil
	})
}

// dollar reads what follows a $: a variable, a command in brackets, or a quote with escapes.
func (l *lexer) dollar(quoted bool) error {
	next := l.rest()
	switch {
	case strings.HasPrefix(next, "'") && !quoted:
		l.at++
		return l.ansi()
	case strings.HasPrefix(next, `"`) && !quoted:
		l.at++
		return l.double()
	case strings.HasPrefix(next, "("):
		l.at++
		return l.command(')')
	case strings.HasPrefix(next, "{"):
		inside, _, closed := strings.Cut(next[1:], "}")
		if !closed {
			return errQuote
		}
		l.at += len(inside) + 2
		name := inside[:nameLength(inside)] // ${KEY:-default}
		if name == "" {
			l.add(l.vars.mark(outputOfCommand))
		} else {
			if name != inside {
				l.vars.note("", "The shell changes $"+l.vars.clean(name)+" inside of its braces, as by a default. Here it stands without that change.")
			}
			l.add(l.vars.mark(name))
		}
	case nameLength(next) > 0:
		n := nameLength(next)
		l.at += n
		l.add(l.vars.mark(next[:n]))
	default:
		l.add("$")
	}
	return nil
}

// nameLength returns the length of the variable name at the beginning of a text.
func nameLength(text string) int {
	return len(text) - len(strings.TrimLeft(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"))
}

// command skips a command inside the command, up to its closing mark.
func (l *lexer) command(end byte) error {
	for depth := 1; l.at < len(l.text); {
		c := l.text[l.at]
		l.at++
		switch {
		case c == end:
			depth--
		case c == '(' && end == ')':
			depth++
		case c == '\\' && l.at < len(l.text):
			l.at++
		case (c == '\'' || c == '"') && end == ')':
			inside, _, closed := strings.Cut(l.rest(), string(c))
			if !closed {
				return errQuote
			}
			l.at += len(inside) + 1
		}
		if depth == 0 {
			l.add(l.vars.mark(outputOfCommand))
			return nil
		}
	}
	return errQuote
}

// ansiEscapes are the escapes in $'…' of a single character.
var ansiEscapes = map[byte]string{
	'a': "\a", 'b': "\b", 'e': "\x1b", 'E': "\x1b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v",
	'\\': `\`, '\'': "'", '"': `"`, '?': "?",
}

// ansi reads $'…'. Browsers write texts with a quote or a line break so.
func (l *lexer) ansi() error {
	return l.until('\'', func(c byte) error {
		if c == '\\' && l.at < len(l.text) {
			l.ansiEscape()
		} else {
			l.add(l.text[l.at-1 : l.at])
		}
		return nil
	})
}

func (l *lexer) ansiEscape() {
	c := l.text[l.at]
	if text, ok := ansiEscapes[c]; ok {
		l.at++
		l.add(text)
		return
	}
	most, base := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c], 16
	if most > 0 {
		l.at++
	} else if c >= '0' && c <= '7' {
		most, base = 3, 8
	}
	from := l.at
	for l.at < len(l.text) && l.at-from < most {
		if _, err := strconv.ParseUint(l.text[l.at:l.at+1], base, 8); err != nil {
			break
		}
		l.at++
	}
	n, err := strconv.ParseUint(l.text[from:l.at], base, 32)
	switch {
	case err != nil && most > 0 && base == 16:
		l.add(`\` + string(c))
	case err != nil:
		l.add(`\`)
	case c == 'u' && utf16.IsSurrogate(rune(n)): // the first half of a character, or of none
		r := rune(unicode.ReplacementChar)
		if next := l.rest(); strings.HasPrefix(next, `\u`) && len(next) >= 6 {
			low, _ := strconv.ParseUint(next[2:6], 16, 16)
			if r = utf16.DecodeRune(rune(n), rune(low)); r != unicode.ReplacementChar {
				l.at += 6
			}
		}
		l.add(string(r))
	case c == 'u' || c == 'U':
		l.add(string(rune(n)))
	default:
		l.add(string([]byte{byte(n)}))
	}
}
