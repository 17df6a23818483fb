package reference

import (
	"strings"

	"sellerd/internal/openjson"
)

// literals is how a language writes the values of JSON.
type literals struct {
	null, yes, no      string
	object, array      string // their brackets
	colon              string // between the name and the value of a member
	indent             string
	trailing           bool // whether a comma follows the last element too
	quote              func(string) string
	emptyObject, empty string
}

var pythonLiterals = literals{
	null: "None", yes: "True", no: "False", object: "{}", array: "[]", colon: ": ", indent: "    ", trailing: true, quote: jsonQuoted,
	emptyObject: "{}", empty: "[]",
}

// An empty array of PHP would become [] in JSON, and not {}.
var phpLiterals = literals{
	null: "null", yes: "true", no: "false", object: "[]", array: "[]", colon: " => ", indent: "    ", trailing: true, quote: phpQuoted,
	emptyObject: "new stdClass()", empty: "[]",
}

// write writes a value, whose first line stands on the given level.
func (l *literals) write(value any, level int) string {
	switch v := value.(type) {
	case openjson.Object:
		if len(v) == 0 {
			return l.emptyObject
		}
		lines := make([]string, len(v))
		for i, member := range v {
			lines[i] = l.quote(member.Name) + l.colon + l.write(member.Value, level+1)
		}
		return l.lines(l.object, lines, level)
	case []any:
		if len(v) == 0 {
			return l.empty
		}
		lines := make([]string, len(v))
		for i, element := range v {
			lines[i] = l.write(element, level+1)
		}
		return l.lines(l.array, lines, level)
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
	return string(openjson.Append(nil, value)) // numbers are alike everywhere
}

// lines puts elements between brackets, each on a line of its own.
func (l *literals) lines(brackets string, elements []string, level int) string {
	inner := "\n" + strings.Repeat(l.indent, level+1)
	end := "\n" + strings.Repeat(l.indent, level)
	if l.trailing {
		end = "," + end
	}
	return brackets[:1] + inner + strings.Join(elements, ","+inner) + end + brackets[1:]
}

// jsonQuoted is a text in double quotes, with the escapes of JSON, which Python has too.
func jsonQuoted(text string) string { return string(openjson.Append(nil, text)) }

// phpQuoted is a text in single quotes, between which PHP replaces nothing.
func phpQuoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}
