package scan

import (
	"strings"
)

// This file reads the texts of Perl and Ruby with delimiters of their own, and here-documents.

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
