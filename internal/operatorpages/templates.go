package operatorpages

import (
	"embed"
	"html/template"
	"math"
	"strconv"
	"sync"
	"time"

	"sellerd/v1"
)

// The HTML of the pages is in pages.html.tmpl. They have the stylesheet of the public pages. Names and addresses are what sellers wrote:
// html/template escapes them, and none becomes a link.

//go:embed *.html.tmpl
var templateFiles embed.FS

var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"time": func(t v1.Time) template.HTML {
			return template.HTML(`<time datetime="` + t.String() + `">` + t.Std().Format("2 Jan 2006, 15:04:05") + `</time>`)
		},
		"duration": func(d time.Duration) string { return d.Round(time.Second).String() },
		"account":  func(id v1.ID) string { return accounts + "/" + id.String() },
		"percent":  func(share float64) string { return strconv.Itoa(int(math.Round(share*100))) + " %" },
		"states":   func() []string { return []string{"active", "silent", "done"} },
		"search":   func() accountList { return accountList{} },
		"accounts": func() string { return accounts },
		"current":  current,
		"legacy":   func() string { return legacy },
	}).ParseFS(templateFiles, "*.html.tmpl"))
})
