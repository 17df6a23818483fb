package scan

import (
	"strings"
)

// This file evaluates the functions that join texts, and those that change one.

// trimmed removes slashes from the ends of values as the named function does.
func (e *evaluator) trimmed(name string, values []value) []value {
	if !strings.Contains(name, "trim") && !strings.Contains(name, "strip") && name != "chomp" {
		return values
	}
	out := make([]value, 0, len(values))
	for _, v := range values {
		if len(v) > 0 {
			v = append(value(nil), v...)
			if last := &v[len(v)-1]; !last.hole && !strings.HasPrefix(name, "l") && name != "trimstart" {
				last.text = strings.TrimRight(last.text, "/ ")
			}
			if first := &v[0]; !first.hole && (strings.HasPrefix(name, "l") || name == "trim" || name == "trimstart" || name == "strip") {
				trimmed := strings.TrimLeft(first.text, "/ ")
				first.at += len(first.text) - len(trimmed)
				first.text = trimmed
			}
		}
		out = append(out, v)
	}
	return out
}

// format evaluates sprintf and its like.
func (e *evaluator) format(args [][]node, subject []value, st int) []value {
	for i := range subject {
		if text := literalOf(subject[i : i+1]); strings.ContainsAny(text, "%{") {
			return e.formatted(subject, args, st)
		}
	}
	for i, arg := range args {
		values := e.values(arg, st)
		if text := literalOf(values); text != "" {
			rest := args[i+1:]
			if len(rest) == 1 && len(rest[0]) == 1 && rest[0][0].isGroup('[') {
				rest = split(rest[0][0].kids, ",")
			}
			return e.formatted(values, rest, st)
		}
		if i == 1 {
			break
		}
	}
	return hole("")
}

// join evaluates the functions that join lists or parts of addresses.
func (e *evaluator) join(nodes []node, start, at int, name string, args [][]node, subject []value, st int) []value {
	paths := name != "join" && name != "implode"
	if at >= start+2 && nodes[start].isName() && (nodes[start].is("path", "posixpath", "os", "urllib", "URI", "Path", "Url", "url", "parse", "File", "urlparse") || startsUpper(nodes[start].token.text) && name == "combine") {
		paths = true
	}
	if paths {
		var result []value
		for i, arg := range args {
			if i == 0 {
				result = e.values(arg, st)
			} else {
				result = e.joinPaths(result, e.values(arg, st))
			}
		}
		if result == nil {
			return hole("")
		}
		return result
	}
	separator, list := args, []node(nil)
	for i, arg := range args { // the list, wherever it is
		for j := range arg {
			if j > 0 && (arg[j-1].isName() || arg[j-1].is("->")) && (e.file.lang == langPerl || e.file.lang == langPHP) && !arg[j-1].is("array") {
				continue // a key
			}
			if arg[j].token == nil && (arg[j].open == '[' || arg[j].open == '{' || arg[j].open == '(' && j > 0 && arg[j-1].is("array")) {
				list, separator = arg[j].kids, append(args[:i:i], args[i+1:]...)
			}
		}
	}
	between := hole("")
	if list == nil && !nodes[start].isGroup('[') {
		if parts := e.joinedParameter(nodes[start:at], args, st); parts != nil {
			return parts
		}
	}
	switch {
	case list == nil && at > start && nodes[start].isGroup('['):
		list = nodes[start].kids
		if len(args) > 0 {
			between = e.values(args[0], st)
		}
	case list == nil && len(args) > 1: // String.Join(separator, a, b), join separator, a, b
		between = e.values(args[0], st)
		return e.joined(between, args[1:], st)
	case len(separator) > 0:
		between = e.values(separator[0], st)
	case subject != nil && at > start:
		between = subject
	}
	if list == nil {
		return hole("")
	}
	return e.joined(between, split(list, ","), st)
}

func (e *evaluator) joined(between []value, parts [][]node, st int) []value {
	result := []value{{}}
	for i, part := range parts {
		if i > 0 {
			result = concat(result, between[:min(1, len(between))])
		}
		result = concat(result, e.values(part, st))
	}
	return result
}

// joinPaths joins two parts of an address with one slash.
func (e *evaluator) joinPaths(before, after []value) []value {
	var all []value
	for _, a := range before {
		for _, b := range after {
			if len(all) == maxValues {
				return all
			}
			switch {
			case len(b) > 0 && !b[0].hole && strings.Contains(b[0].text, "://"):
				all = append(all, b)
				continue
			case len(a) == 0:
				all = append(all, b)
				continue
			}
			last := a[len(a)-1]
			ends, begins := !last.hole && strings.HasSuffix(last.text, "/"), len(b) > 0 && !b[0].hole && strings.HasPrefix(b[0].text, "/")
			joined := append(value(nil), a...)
			if !ends && !begins {
				joined = append(joined, piece{text: "/", file: e.file})
			}
			all = append(all, append(joined, b...))
		}
	}
	return all
}
