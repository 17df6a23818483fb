package paste

import (
	"regexp"
	"strconv"
	"strings"

	"sellerd/internal/base/pattern"
)

// This file reads texts in quotes, with the escapes of each language and the variables that stand in them.

// quoted evaluates a text in quotes. The prefix is Python's.
func (s *script) quoted(prefix string) (*value, bool) {
	quote := s.rest()[:1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(s.rest(), triple) && s.dialect == javaScript {
		quote = triple
	}
	s.pass(len(quote))
	start := s.at
	for s.at < len(s.text) {
		c := s.text[s.at]
		switch {
		case c == '\\' && s.dialect != powerShell, c == '`' && s.dialect == powerShell && quote == `"`:
			s.pass(2)
		case strings.HasPrefix(s.rest(), quote+quote) && s.dialect == powerShell:
			s.pass(2)
		case s.take(quote):
			inside := s.text[start : s.at-len(quote)]
			if strings.Contains(prefix, "r") {
				return &value{text: inside}, true
			}
			return &value{text: s.unescaped(inside, quote, prefix)}, true
		case strings.HasPrefix(s.rest(), "$(") && s.dialect == powerShell && quote == `"`:
			s.pass(2)
			s.close()
		default:
			s.pass(1)
		}
	}
	return nil, false
}

// The places of variables in texts, by the quotes and the dialect.
var (
	inTemplate   = pattern.Late(`^\$\{\s*([^{}]*?)\s*\}`)
	inFormat     = pattern.Late(`^\{\s*([^{}:]*?)\s*(?::[^{}]*)?\}`)
	inPHP        = pattern.Late(`^\{?\$([A-Za-z_]\w*(?:\[[^\]]*\]|->\w+)?)\}?`)
	inPowerShell = pattern.Late(`^\$(?:\(([^()]*(?:\([^()]*\))?[^()]*)\)|\{?((?:(?i:env|global|script|using):)?\w+)\}?)`)
)

// unescaped returns the text that stands in quotes.
func (s *script) unescaped(inside, quote, prefix string) string {
	switch {
	case s.dialect == powerShell && quote == "'":
		return strings.ReplaceAll(inside, "''", "'")
	case s.dialect == powerShell:
		return s.interpolated(inside, '`', inPowerShell)
	case s.dialect == php && quote == "'":
		return strings.NewReplacer(`\\`, `\`, `\'`, `'`).Replace(inside)
	case s.dialect == php:
		return s.interpolated(inside, '\\', inPHP)
	case quote == "`":
		return s.interpolated(inside, '\\', inTemplate)
	case strings.Contains(prefix, "f"):
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
		case c == '"' && s.dialect == powerShell: // there are two
			l.skip(`"`)
			l.add(`"`)
		case c != escape || l.at == len(inside):
			l.add(string([]byte{c}))
		case inside[l.at] == '\n':
			l.at++
		case strings.IndexByte("$`/{", inside[l.at]) >= 0 || s.dialect == powerShell && strings.IndexByte("nrt", inside[l.at]) < 0:
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
	inner := &script{dialect: s.dialect, text: expression, left: s.left, vars: s.vars, known: s.known, sources: s.sources, branchAt: -1, depth: s.depth + 1, whole: s.whole}
	v, ok := inner.expression()
	if ok && v.isForm && v.isMap {
		v = (&value{text: strings.Join(s.form("", v, 0), "&")}).like(v)
	}
	if ok && !v.isMap && !v.isList && v.doubt == "" && inner.at == len(expression) && s.spend(len(v.text)) {
		if v.branch {
			s.vars.note("", underCondition)
		}
		return v.text
	}
	return s.mark(expression, expression)
}
