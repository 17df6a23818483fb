package scan

import (
	"encoding/xml"
	"io"
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
}

// readSettings reads a file of settings as a program.
func (s *scanner) readSettings(kind fileKind, text string) *program {
	p := &program{lang: langSettings, src: text, lines: lineStarts(text)}
	switch kind {
	case kindCron:
		p.lang = langShell
		p.cron()
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
			value.kids = append(value.kids, markNode(",", s.at), settingText(s.text, s.at))
		}
	case strings.HasPrefix(s.text, "{") || strings.HasPrefix(s.text, "["):
		if inner := readFlow(s.text, s.at); len(inner.kids) > 0 {
			value = inner.nodes()[0]
			break
		}
		value = settingText(s.text, s.at)
	default:
		value = settingText(s.text, s.at)
	}
	if s.key == "" {
		return []node{value}
	}
	return []node{nameNode(s.key, s.at), markNode("=", s.at), value}
}

// reference names another setting in a text.
var reference = regexp.MustCompile(`\$\{([A-Za-z_][\w.-]*)[^}]*\}|\$([A-Za-z_]\w*)|%\(([A-Za-z_]\w*)\)s|\{\{\s*([A-Za-z_][\w.]*)[^}]*\}\}`)

// settingText returns a text in which the names of other settings are expressions.
func settingText(text string, at int) node {
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
		t.parts = append(t.parts, part{code: []token{{kind: tokenName, text: name, at: at + m[0]}}, at: at + m[0]})
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

// readYAML reads the settings of YAML that programs write: keys, lists and texts of several lines, by their indentation.
func readYAML(text string) []*setting {
	root := &setting{}
	type level struct {
		indent int
		one    *setting
	}
	stack := []level{{-1, root}}
	lines := strings.SplitAfter(text, "\n")
	at := 0
	for i := 0; i < len(lines); i++ {
		line, start := lines[i], at
		at += len(line)
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || trimmed[0] == '#' || trimmed == "---" || trimmed == "..." {
			continue
		}
		indent := len(line) - len(strings.TrimLeft(line, " "))
		rest, offset := line[indent:], start+indent
		for len(stack) > 1 && (stack[len(stack)-1].indent > indent || stack[len(stack)-1].indent == indent && (!strings.HasPrefix(rest, "- ") || stack[len(stack)-1].one.key == "")) {
			stack = stack[:len(stack)-1]
		}
		for strings.HasPrefix(rest, "- ") || strings.TrimSpace(rest) == "-" {
			item := &setting{at: offset}
			top := stack[len(stack)-1].one
			if len(stack) < maxDepth {
				top.kids = append(top.kids, item)
				stack = append(stack, level{indent, item})
			}
			skip := 1
			for skip < len(rest) && rest[skip] == ' ' {
				skip++
			}
			rest, offset, indent = rest[skip:], offset+skip, indent+skip
		}
		top := stack[len(stack)-1].one
		colon := keyEnd(rest)
		if colon < 0 {
			if value, where := unquoted(strings.TrimRight(rest, "\r\n"), offset); value != "" {
				if top.text == "" && len(top.kids) == 0 {
					top.text, top.at = value, where
				} else {
					top.kids = append(top.kids, &setting{text: value, at: where})
				}
			}
			continue
		}
		one := &setting{key: strings.Trim(strings.TrimSpace(rest[:colon]), `"'`), at: offset}
		top.kids = append(top.kids, one)
		value, where := unquoted(strings.TrimRight(rest[colon+1:], "\r\n"), offset+colon+1)
		if value == "|" || value == ">" || value == "|-" || value == ">-" || value == "|+" {
			one.at = at
			var block strings.Builder
			for i+1 < len(lines) && (strings.TrimSpace(lines[i+1]) == "" || len(lines[i+1])-len(strings.TrimLeft(lines[i+1], " ")) > indent) {
				i++
				block.WriteString(lines[i])
				at += len(lines[i])
			}
			one.text = block.String()
			continue
		}
		one.text, one.at = value, where
		if len(stack) < maxDepth {
			stack = append(stack, level{indent, one})
		}
	}
	return withoutEmpty(root.kids)
}

// readFlow reads a table or a list on one line: { method: GET, path: /item }, [a, b].
func readFlow(text string, at int) *setting {
	one := &setting{at: at}
	depth, from, quote := 0, 1, byte(0)
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']' || c == ',' && depth == 1:
			if c != ',' {
				depth--
			}
			if depth > 1 || depth == 1 && c != ',' {
				continue
			}
			piece := text[from:i]
			kid := &setting{at: at + from}
			lead := len(piece) - len(strings.TrimLeft(piece, " "))
			if colon := keyEnd(piece[lead:]); colon >= 0 {
				kid.key = strings.Trim(strings.TrimSpace(piece[lead:lead+colon]), `"'`)
				kid.text, kid.at = unquoted(piece[lead+colon+1:], at+from+lead+colon+1)
			} else {
				kid.text, kid.at = unquoted(piece, at+from)
			}
			if kid.text != "" {
				one.kids = append(one.kids, kid)
			}
			from = i + 1
		}
	}
	return one
}

// keyEnd returns where the key of a line of YAML ends, -1 when it has none.
func keyEnd(line string) int {
	from := 0
	if line != "" && (line[0] == '"' || line[0] == '\'') {
		end := strings.IndexByte(line[1:], line[0])
		if end < 0 {
			return -1
		}
		from = end + 2
	} else if line != "" && (line[0] == '{' || line[0] == '[') {
		return -1
	}
	for i := from; i < len(line); i++ {
		if line[i] == ':' && (i+1 == len(line) || isSpace(line[i+1])) {
			return i
		}
		if line[i] == ' ' && i+1 < len(line) && line[i+1] == '#' {
			return -1
		}
	}
	return -1
}

// readXML reads the attributes and the texts of XML, up to the first error.
func readXML(text string) []*setting {
	decoder := xml.NewDecoder(strings.NewReader(text))
	decoder.Strict = false
	decoder.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // the text is UTF-8 already
	root := &setting{}
	stack := []*setting{root}
	lastKey := ""
	for {
		from := int(decoder.InputOffset())
		t, err := decoder.RawToken()
		if err != nil {
			return withoutEmpty(root.kids)
		}
		to := int(decoder.InputOffset())
		top := stack[len(stack)-1]
		switch t := t.(type) {
		case xml.StartElement:
			one := &setting{key: t.Name.Local, at: from}
			key, value := "", -1
			for i, attribute := range t.Attr {
				switch strings.ToLower(attribute.Name.Local) {
				case "key", "name", "id":
					if key == "" {
						key = attribute.Value
					}
				case "value", "connectionstring":
					value = i
				}
			}
			raw := text[from:min(to, len(text))]
			for i, attribute := range t.Attr {
				where := from + max(strings.Index(raw, attribute.Value), 0)
				if key != "" && i == value {
					one.key, one.text, one.at = key, attribute.Value, where
				}
				one.kids = append(one.kids, &setting{key: attribute.Name.Local, text: attribute.Value, at: where})
			}
			if key != "" && value < 0 && one.key != "setting" {
				one.key = key
			} else if key != "" && value < 0 {
				one.key = key
			}
			if one.text != "" && len(one.kids) > 2 { // key, value and more
				one.kids = append(one.kids, &setting{key: key, text: one.text, at: one.at})
				one.text = ""
			} else if one.text != "" {
				one.kids = nil
			}
			if lastKey != "" && one.key == "string" { // <key>…</key><string>…</string>
				one.key, lastKey = lastKey, ""
			}
			if len(stack) < maxDepth {
				top.kids = append(top.kids, one)
			}
			stack = append(stack, one)
		case xml.EndElement:
			if len(stack) > 1 {
				if top.key == "key" {
					lastKey = top.text
				}
				if top.key == "value" && len(top.kids) == 0 && len(stack) > 2 && stack[len(stack)-2].text == "" {
					stack[len(stack)-2].text, stack[len(stack)-2].at, stack[len(stack)-2].kids = top.text, top.at, nil
				}
				stack = stack[:len(stack)-1]
			}
		case xml.CharData:
			if value := strings.TrimSpace(string(t)); value != "" && top != root {
				top.text = value
				top.at = from + max(strings.Index(text[from:min(to, len(text))], value), 0)
			}
		}
	}
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
