package scan

import (
	"regexp"
	"strings"
)

// This file reads settings: each becomes a statement that assigns a table of texts, so that source can be evaluated with them.

// setting is a key with a text, or with further settings.
type setting struct {
	key  string
	text string
	at   int // of the text
	kids []*setting

	section string          // around it, "" for none
	beside  map[string]bool // the keys of the section
}

// readSettings reads a file of settings as a program.
func (s *scanner) readSettings(kind fileKind, text string) *program {
	p := &program{lang: langSettings, src: text, lines: lineStarts(text), budget: newBudget(len(text), &s.stop)}
	switch kind {
	case kindCron:
		p.lang = langShell
		p.budget.within(p.cron)
		return p
	case kindYAML:
		p.assignSettings(readYAML(text))
	case kindXML:
		p.assignSettings(readXML(text))
	default:
		p.assignSettings(readProperties(text))
	}
	return p
}

// assignSettings adds a statement for each setting.
func (p *program) assignSettings(settings []*setting) {
	var flat []*setting
	for _, one := range settings {
		if len(one.kids) > 0 {
			p.statements = append(p.statements, statement{nodes: one.nodes(), at: one.at})
		} else {
			flat = append(flat, one)
		}
	}
	for _, one := range flat {
		p.statements = append(p.statements, statement{nodes: one.nodes(), at: one.at})
	}
}

func nameNode(text string, at int) node {
	return node{token: &token{kind: tokenName, text: text, at: at}, at: at}
}

func markNode(text string, at int) node {
	return node{token: &token{kind: tokenMark, text: text, at: at}, at: at}
}

// nodes returns a setting as an assignment, or as its value when it has no key.
func (s *setting) nodes() []node {
	s.qualify()
	var value node
	switch {
	case len(s.kids) > 0:
		value = node{open: '{', at: s.at}
		for i, kid := range s.kids {
			if i > 0 {
				value.kids = append(value.kids, markNode(",", kid.at))
			}
			value.kids = append(value.kids, kid.nodes()...)
		}
		if s.text != "" {
			value.kids = append(value.kids, markNode(",", s.at), s.value())
		}
	case strings.HasPrefix(s.text, "{") || strings.HasPrefix(s.text, "["):
		if inner := readFlow(s.text, s.at); len(inner.kids) > 0 {
			value = inner.nodes()[0]
			break
		}
		value = s.value()
	default:
		value = s.value()
	}
	if s.key == "" {
		return []node{value}
	}
	return []node{nameNode(s.key, s.at), markNode("=", s.at), value}
}

// qualify marks the names in the texts of a section that are keys of the same section.
func (s *setting) qualify() {
	if s.key == "" || len(s.kids) == 0 {
		return
	}
	keys := make(map[string]bool, len(s.kids))
	for _, kid := range s.kids {
		keys[kid.key] = true
	}
	for _, kid := range s.kids {
		kid.section, kid.beside = s.key, keys
	}
}

// reference names another setting in a text.
var reference = regexp.MustCompile(`\$\{([A-Za-z_][\w.-]*)[^}]*\}|\$([A-Za-z_]\w*)|%\(([A-Za-z_]\w*)\)s|\{\{\s*([A-Za-z_][\w.]*)[^}]*\}\}`)

// value returns the text of a setting, in which the names of other settings are expressions.
func (s *setting) value() node {
	text, at := s.text, s.at
	t := &token{kind: tokenText, at: at}
	from := 0
	for _, m := range reference.FindAllStringSubmatchIndex(text, -1) {
		name := ""
		for group := 2; group < len(m); group += 2 {
			if m[group] >= 0 {
				name = text[m[group]:m[group+1]]
			}
		}
		if i := strings.LastIndexByte(name, '.'); i >= 0 {
			name = name[i+1:]
		}
		if m[0] > from {
			t.parts = append(t.parts, part{text: text[from:m[0]], at: at + from})
		}
		code := []token{{kind: tokenName, text: name, at: at + m[0]}}
		if s.beside[name] && name != s.key {
			code = append([]token{{kind: tokenName, text: s.section, at: at + m[0]}, {kind: tokenMark, text: ".", at: at + m[0]}}, code...)
		}
		t.parts = append(t.parts, part{code: code, at: at + m[0]})
		from = m[1]
	}
	if from < len(text) || len(t.parts) == 0 {
		t.parts = append(t.parts, part{text: text[from:], at: at + from})
	}
	return node{token: t, at: at}
}

// unquoted returns a value without its quotes and without a comment behind it.
func unquoted(text string, at int) (string, int) {
	trimmed := strings.TrimLeft(text, " \t")
	at += len(text) - len(trimmed)
	text = strings.TrimRight(trimmed, " \t\r\n,")
	if len(text) >= 2 && (text[0] == '"' || text[0] == '\'') {
		if end := strings.IndexByte(text[1:], text[0]); end >= 0 {
			return text[1 : 1+end], at + 1
		}
	}
	for _, mark := range []string{" #", " ;", "\t#", "\t;"} {
		if i := strings.Index(text, mark); i >= 0 {
			text = strings.TrimRight(text[:i], " \t")
		}
	}
	return text, at
}

// readProperties reads INI, .env, .properties and TOML.
func readProperties(text string) (settings []*setting) {
	section := &setting{}
	settings = append(settings, section)
	held := map[string]*setting{}
	at := 0
	for line := range strings.SplitAfterSeq(text, "\n") {
		start := at
		at += len(line)
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || strings.IndexByte("#;!", trimmed[0]) >= 0:
			continue
		case trimmed[0] == '[' && strings.HasSuffix(trimmed, "]"):
			name := strings.Trim(trimmed, "[] \"")
			section = &setting{key: name[strings.LastIndexByte(name, '.')+1:], at: start}
			settings = append(settings, section)
			continue
		}
		i := strings.IndexAny(line, "=:")
		if i <= 0 {
			continue
		}
		key := strings.Trim(strings.TrimSpace(line[:i]), `"'`)
		key = strings.TrimSpace(strings.TrimPrefix(key, "export "))
		if open := strings.IndexByte(key, '['); open > 0 { // key[] = value
			key = key[:open]
		}
		one := &setting{}
		one.text, one.at = unquoted(line[i+1:], start+i+1)
		if dot := strings.LastIndexByte(key, '.'); dot > 0 {
			prefix := key[:dot]
			if held[prefix] == nil {
				held[prefix] = &setting{key: prefix[strings.LastIndexByte(prefix, '.')+1:], at: start}
				settings = append(settings, held[prefix])
			}
			one.key = key[dot+1:]
			held[prefix].kids = append(held[prefix].kids, one)
			continue
		}
		one.key = key
		if section.key == "" {
			settings = append(settings, one)
		} else {
			section.kids = append(section.kids, one)
		}
	}
	return withoutEmpty(settings)
}

func withoutEmpty(settings []*setting) (kept []*setting) {
	for _, one := range settings {
		if one.text != "" || len(one.kids) > 0 {
			kept = append(kept, one)
		}
	}
	return kept
}

// cronLine is a line of a crontab: when, and a command.
var cronLine = regexp.MustCompile(`^\s*(?:@\w+|(?:[\d*,/\-A-Za-z]+\s+){4}[\d*,/\-A-Za-z]+)\s+`)

// cron reads a crontab.
func (p *program) cron() {
	at := 0
	for line := range strings.SplitAfterSeq(p.src, "\n") {
		start := at
		at += len(line)
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		skipped := len(cronLine.FindString(line))
		command := strings.ReplaceAll(line[skipped:], `\%`, "% ")
		for _, user := range []string{"root ", "www-data "} {
			if strings.HasPrefix(command, user) {
				command, skipped = command[len(user):], skipped+len(user)
			}
		}
		p.readShell(command, start+skipped, nil, 0)
	}
}
