package reference

import (
	"bytes"
	"embed"
	"fmt"
	"strings"
	"sync"
	"text/template"

	"sellerd/internal/base/openjson"
)

// KeyVariable is the environment variable in which the samples expect the caller's key.
const KeyVariable = "SELLERD_KEY"

// The samples are whole programs that need only their language, so they run as they are copied. Each prints the status and
// the body of the answer, also of an error.
//
//go:embed samples
var sampleFiles embed.FS

// Sample is the request of an operation in a language, which blocks of code name so, and readers by the label.
type Sample struct{ Language, Label, Source string }

// languages are in the order in which they are offered, with the names of their templates.
var languages = []struct{ name, label, file string }{
	{"sh", "curl", "sample.sh"},
	{"php", "PHP", "sample.php"},
	{"js", "JavaScript", "sample.mjs"},
	{"python", "Python", "sample.py"},
	{"go", "Go", "sample.go.txt"},
}

var sampleTemplates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"key":    func() string { return KeyVariable },
		"json":   indented,
		"sh":     shellQuoted,
		"raw":    goQuoted,
		"python": func(value any) string { return pythonLiterals.write(value, 1) },
		"php":    func(value any) string { return phpLiterals.write(value, 1) },
		"inner":  func(value any) string { return shifted(indented(value), "  ") },
	}).ParseFS(sampleFiles, "samples/*"))
})

// samplesOf writes the samples of a request.
func samplesOf(r request) (samples []Sample, err error) {
	for _, l := range languages {
		var source bytes.Buffer
		if err := sampleTemplates().ExecuteTemplate(&source, l.file, r); err != nil {
			return nil, fmt.Errorf("in %s: %w", l.label, err)
		}
		samples = append(samples, Sample{l.name, l.label, strings.TrimSpace(source.String())})
	}
	return samples, nil
}

// indented is a value in JSON, two spaces a level.
func indented(value any) string { return strings.TrimSuffix(string(openjson.Print(value)), "\n") }

// shifted indents all lines but the first.
func shifted(text, by string) string { return strings.ReplaceAll(text, "\n", "\n"+by) }

// shellQuoted is a text as one word of a shell's command.
func shellQuoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// goQuoted is a text as a raw string of Go. A text with back quotes is written as JSON instead; the examples have none.
func goQuoted(text string) string { return "`" + strings.ReplaceAll(text, "`", `\u0060`) + "`" }

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
