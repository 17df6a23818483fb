package paste

import (
	"regexp"
	"strconv"
	"strings"

	"sellerd/internal/base/pattern"
	"sellerd/translate/source"
)

// This file reads texts in quotes, with the escapes of each language and the variables that stand in them.

// The places of variables in texts, by the quotes and the dialect.
var (
	inTemplate   = pattern.Late(`^\$\{\s*([^{}]*?)\s*\}`)
	inFormat     = pattern.Late(`^\{\s*([^{}:]*?)\s*(?::[^{}]*)?\}`)
	inPHP        = pattern.Late(`^\{?\$([A-Za-z_]\w*(?:\[[^\]]*\]|->\w+)?)\}?`)
	character    = pattern.Late(`^\[char\]\s*(0x[0-9A-Fa-f]+|\d+)$`)
	inPowerShell = pattern.Late(`^\$(?:\(([^()]*(?:\([^()]*\))?[^()]*)\)|\{?((?:(?i:env|global|script|using):)?\w+)\}?)`)
)

// unescaped returns the text that stands in quotes. It is a format when {x} is a place of a variable.
func (s *script) unescaped(inside, quote string, format bool) string {
	switch {
	case s.language == powerShell && quote == "'":
		return strings.ReplaceAll(inside, "''", "'")
	case s.language == powerShell:
		return s.interpolated(inside, '`', inPowerShell)
	case s.language == php && quote == "'":
		return strings.NewReplacer(`\\`, `\`, `\'`, `'`).Replace(inside)
	case s.language == php:
		return s.interpolated(inside, '\\', inPHP)
	case quote == "`":
		return s.interpolated(inside, '\\', inTemplate)
	case format:
		return s.interpolated(inside, '\\', inFormat)
	default:
		return s.interpolated(inside, '\\', nil)
	}
}

// interpolated returns a text without its escapes, and with the values of its variables.
func (s *script) interpolated(inside string, escape byte, variable func() *regexp.Regexp) string {
	l := lexer{text: inside, vars: s.vars}
	for l.at < len(inside) {
		c := inside[l.at]
		if (c == '$' || c == '{') && variable != nil {
			if m := variable().FindStringSubmatch(l.rest()); m != nil {
				l.at += len(m[0])
				l.add(s.insideText(strings.Join(m[1:], "")))
				continue
			}
		}
		l.at++
		switch {
		case c == '"' && s.language == powerShell: // there are two
			l.skip(`"`)
			l.add(`"`)
		case c != escape || l.at == len(inside):
			l.add(string([]byte{c}))
		case inside[l.at] == '\n':
			l.at++
		case strings.IndexByte("$`/{", inside[l.at]) >= 0 || s.language == powerShell && strings.IndexByte("nrt", inside[l.at]) < 0:
			l.add(inside[l.at : l.at+1])
			l.at++
		default:
			l.ansiEscape()
		}
	}
	return strings.ToValidUTF8(l.word.String(), "\ufffd")
}

// insideText evaluates an expression inside of a text.
func (s *script) insideText(expression string) string {
	if m := character().FindStringSubmatch(expression); m != nil {
		if n, err := strconv.ParseInt(m[1], 0, 32); err == nil {
			return string(rune(n))
		}
	}
	inner := *s
	inner.File, inner.at, inner.branchAt, inner.depth = source.Lex(s.language, expression), 1, -1, s.depth+1
	inner.requests, inner.client, inner.isPath = nil, nil, nil
	v, ok := inner.expression()
	if ok && v.isForm && v.isMap {
		v = (&value{text: strings.Join(s.form("", v, 0), "&")}).like(v)
	}
	if ok && !v.isMap && !v.isList && v.doubt == "" && inner.at == len(inner.Tokens) && s.spend(len(v.text)) {
		if v.branch {
			s.vars.note("", underCondition)
		}
		return v.text
	}
	return s.mark(expression, expression)
}
