package scan

import (
	"strings"
)

// This file reads YAML.

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
