package operatorpages

import (
	"embed"
	"html/template"
	"math"
	"strconv"
	"sync"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"sellerd/v1"
)

// The HTML of the pages is in pages.html.tmpl. They have the stylesheet of the public pages. Names and addresses are what sellers wrote:
// html/template escapes them, and none becomes a link.

//go:embed *.html.tmpl
var templateFiles embed.FS

var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"time": func(t v1.Time) template.HTML {
			return template.HTML(`<time datetime="` + t.String() + `">` + t.Std().Format("2\u00a0Jan\u00a02006, 15:04:05") + `</time>`)
		},
		"duration": func(d time.Duration) string { return d.Round(time.Second).String() },
		"account":  func(id v1.ID) string { return accounts + "/" + id.String() },
		"percent":  func(share float64) string { return strconv.Itoa(int(math.Round(share*100))) + " %" },
		"state":    stateClass,
		"states":   func() []string { return []string{"active", "silent", "done"} },
		"search":   func() *accountList { return &accountList{} },
		"audit":    func() string { return audit },
		"drills":   func() string { return drillForms },
		"field":    fieldOf,
		"limit":    limitText,
		"changed":  changedMembers,
		"folded":   func(members []changedMember) bool { return len(members) > mostChanged },
		"action":   actionWords,
		"auditOf":  auditOf,
		"number":   func(n int) string { return numbers.Sprint(n) },
		"more":     func(w *v1.WaitingSubmissions) int { return max(0, w.Count-len(w.First)) },
		"accounts": func() string { return accounts },
		"current":  current,
		"legacy":   func() string { return legacy },
	}).ParseFS(templateFiles, "*.html.tmpl"))
})

// numbers prints numbers as people read them, 250,000.
var numbers = message.NewPrinter(language.English)

// stateClasses are the colours of states, which always stand beside the word: good, to wait for or to look at, and bad.
var stateClasses = map[string]string{
	"active": "good", "done": "good", "good": "good",
	"paused": "wait", "silent": "wait", "wait": "wait",
	"suspended": "bad", "closed": "bad", "disabled": "bad", "failing": "bad", "revoked": "bad", "expired": "bad", "bad": "bad",
}

func stateClass(state string) string { return "state " + stateClasses[state] }

// formField is an input of a form, with what was typed and why it was refused.
type formField struct{ ID, Name, Label, Type, Value, Problem string }

// fieldOf is an input of a form, which has a value unless the form was refused.
func fieldOf(t *tried, form, name, label, kind, has string) formField {
	return formField{ID: form + "-" + name, Name: name, Label: label, Type: kind, Value: t.Value(form, name, has), Problem: t.Problem(form, name)}
}

// limitText is a limit in an input; empty for the service's default.
func limitText(limit v1.Opt[int]) string {
	if !limit.Set {
		return ""
	}
	return strconv.Itoa(limit.V)
}
