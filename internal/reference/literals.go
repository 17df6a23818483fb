package reference

import (
	"strings"

	"sellerd/internal/base/openjson"
)

// literals are the forms of JSON values in a language.
type literals struct {
	null, yes, no string
	brackets      string // of an object
	empty         string // an object without members
	colon         string // between a member's name and its value
	quote         func(string) string
}

var pythonLiterals = literals{null: "None", yes: "True", no: "False", brackets: "{}", empty: "{}", colon: ": ", quote: jsonQuoted}

// An empty array of PHP would become [] in JSON, and not {}.
var phpLiterals = literals{null: "null", yes: "true", no: "false", brackets: "[]", empty: "new stdClass()", colon: " => ", quote: phpQuoted}

// write writes a value, whose first line stands on the given level.
func (l *literals) write(value any, level int) string {
	switch v := value.(type) {
	case openjson.Object:
		if len(v) == 0 {
			return l.empty
		}
		lines := make([]string, len(v))
		for i, member := range v {
			lines[i] = l.quote(member.Name) + l.colon + l.write(member.Value, level+1)
		}
		return onLines(l.brackets, lines, level)
	case []any:
		if len(v) == 0 {
			return "[]"
		}
		lines := make([]string, len(v))
		for i, element := range v {
			lines[i] = l.write(element, level+1)
		}
		return onLines("[]", lines, level)
	case string:
		return l.quote(v)
	case bool:
		if v {
			return l.yes
		}
		return l.no
	case nil:
		return l.null
	}
	return string(openjson.Append(nil, value)) // numbers are the same in every language
}

// onLines puts elements between brackets, each on a line of its own, with a comma behind the last one too.
func onLines(brackets string, elements []string, level int) string {
	const indent = "    "
	var b strings.Builder
	b.WriteString(brackets[:1] + "\n")
	for _, element := range elements {
		b.WriteString(strings.Repeat(indent, level+1) + element + ",\n")
	}
	b.WriteString(strings.Repeat(indent, level) + brackets[1:])
	return b.String()
}

// jsonQuoted is a text in double quotes, with the escapes of JSON, which Python has too.
func jsonQuoted(text string) string { return string(openjson.Append(nil, text)) }

// phpQuoted is a text in single quotes, between which PHP replaces nothing.
func phpQuoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}
