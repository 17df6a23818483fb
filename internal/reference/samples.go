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
