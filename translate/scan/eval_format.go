package scan

import (
	"strings"
)

// This file fills in format strings, such as those of sprintf and format.

// formatted replaces the places of a format by values.
func (e *evaluator) formatted(formats []value, args [][]node, st int) []value {
	var all []value
	for _, format := range formats {
		result := []value{{}}
		next := 0
		for _, p := range format {
			if p.hole {
				result = concat(result, []value{{p}})
				continue
			}
			from := 0
			for i := 0; i < len(p.text); {
				size, index, name := placeholder(p.text[i:])
				if size == 0 {
					i++
					continue
				}
				if i > from {
					result = concat(result, []value{{cut(p, from, i)}})
				}
				if index < 0 {
					index = next
					next++
				}
				result = concat(result, e.argument(args, index, name, st))
				i += size
				from = i
			}
			if from < len(p.text) {
				result = concat(result, []value{{cut(p, from, len(p.text))}})
			}
		}
		all = append(all, result...)
		if len(all) > maxValues {
			break
		}
	}
	return all
}

// cut returns a part of a literal.
func cut(p piece, from, to int) piece {
	p.text = p.text[from:to]
	p.at += from
	return p
}

// argument evaluates an argument by its position or its name.
func (e *evaluator) argument(args [][]node, index int, name string, st int) []value {
	for _, arg := range args {
		if len(arg) > 2 && arg[1].is("=", ":", "=>") && simple(arg[0].text()) == simple(name) && name != "" {
			return e.values(arg[2:], st)
		}
	}
	if name != "" || index >= len(args) {
		return hole(simple(name))
	}
	return e.values(args[index], st)
}

// placeholder returns the size of a placeholder at the beginning of a text, 0 for none, and the number or the name of its value;
// the number is -1 when it is the next one.
func placeholder(text string) (size, index int, name string) {
	switch text[0] {
	case '%':
		i := 1
		if i < len(text) && text[i] == '(' {
			if end := strings.IndexByte(text, ')'); end > 0 {
				name = text[2:end]
				i = end + 1
			}
		}
		number := 0
		for i < len(text) && strings.IndexByte("0123456789.+-#$ '", text[i]) >= 0 {
			if text[i] >= '0' && text[i] <= '9' {
				number = number*10 + int(text[i]-'0')
			}
			if text[i] == '$' {
				index = number
			}
			i++
		}
		if i >= len(text) || strings.IndexByte("sdiuvqfSDxXeEgGl@", text[i]) < 0 {
			return 0, 0, ""
		}
		if i > 1 && text[1] >= '0' && text[1] <= '9' && index == 0 && i >= 3 && strings.IndexByte("xXeEfFdD", text[i]) >= 0 {
			return 0, 0, "" // a percent-encoded character
		}
		return i + 1, index - 1, name
	case '{':
		end := strings.IndexByte(text, '}')
		if end < 0 || end > 40 {
			return 0, 0, ""
		}
		inside, _, _ := strings.Cut(text[1:end], ":")
		inside, _, _ = strings.Cut(inside, "!")
		if inside == "" {
			return end + 1, -1, ""
		}
		number := 0
		for i := range len(inside) {
			if inside[i] < '0' || inside[i] > '9' {
				if nameBytes(inside) == 0 {
					return 0, 0, ""
				}
				return end + 1, -2, inside
			}
			number = number*10 + int(inside[i]-'0')
		}
		return end + 1, number, ""
	}
	return 0, 0, ""
}
