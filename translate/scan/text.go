package scan

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"text/template"
	"unicode"

	"sellerd/translate/guide"
)

// This file prints a report for people.

//go:embed report.txt.tmpl
var reportSource string

var reportTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"join": strings.Join, "count": count, "printable": printable, "link": link,
	}).Parse(reportSource))
})

// text prints the report.
func (r *Report) text(w io.Writer) error {
	findings := map[bool][]Finding{} // by whether they are only possible
	for _, f := range r.Findings {
		findings[f.Confidence == Possible] = append(findings[f.Confidence == Possible], f)
	}
	places := 0
	for _, n := range r.Summary.Calls {
		places += n
	}
	steps := slices.Clone(r.guide.Phases)
	for i := range steps {
		steps[i].Calls = slices.DeleteFunc(slices.Clone(steps[i].Calls), func(id string) bool { return r.Summary.Calls[id] == 0 })
		steps[i].Short = strings.ReplaceAll(steps[i].Short, "`", "")
	}
	last := len(steps) - 1
	steps = append(slices.DeleteFunc(steps[:last:last], func(p guide.Phase) bool { return len(p.Calls) == 0 }), steps[last])
	return reportTemplate().ExecuteTemplate(w, "report", map[string]any{
		"Report": r, "Guide": r.guide, "Sure": findings[false], "Possible": findings[true], "Places": places, "Steps": steps,
	})
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Successor says what takes the place of a call.
func (f Finding) Successor() string {
	if f.V1 == nil {
		return "nothing to call"
	}
	return f.V1.Method + " " + f.V1.Path
}

func link(page *guide.Page, id string) string { return page.BaseURL + "/migration#" + id }

// printable returns a text without control characters of a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}
