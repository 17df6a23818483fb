package source

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"sellerd/internal/base/pattern"
)

// This file takes the code out of notebooks.

var (
	cellOnALine = pattern.Late(`"source"\s*:\s*(?:\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\]|"(?:[^"\\]|\\.)*")`)
	textOfJSON  = pattern.Late(`"(?:[^"\\]|\\.)*"`)
	remark      = pattern.Late(`(?m)^((?:[^#"'\n]|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')*)#.*$`)
	shellLine   = pattern.Late(`(?m)^!(.*)$`)
)

// Notebook returns the code of a notebook in JSON. Its lines are texts there, and stay where they are: mostly one on a line, and all on
// one line in a file without line breaks. A command of the notebook is one that Python runs.
func Notebook(text string) string {
	code := func(quoted string) string {
		unquoted, err := jsontext.AppendUnquote(nil, quoted)
		if err != nil {
			return ""
		}
		lines := remark().ReplaceAllString(shellLine().ReplaceAllString(string(unquoted), "system('''$1''')"), "$1")
		return strings.ReplaceAll(strings.TrimRight(lines, "\r\n"), "\n", " ; ")
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if quoted := strings.Trim(line, " \t\r\n,"); strings.HasPrefix(quoted, `"`) && textOfJSON().FindString(quoted) == quoted {
			b.WriteString(strings.Repeat(" ", strings.IndexByte(line, '"')) + " " + code(quoted))
		} else {
			for _, cell := range cellOnALine().FindAllString(line, -1) {
				for _, quoted := range textOfJSON().FindAllString(cell, -1)[1:] {
					b.WriteString(code(quoted) + " ; ")
				}
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
