package server

import (
	"cmp"
	"context"
	"html/template"
	"net/http"
	"time"

	"sellerd/changelog"
	"sellerd/translate"
)

// alive answers 200 as long as the process lives.
func (s *Server) alive(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "ok\n") }

// readyTimeout bounds how long /readyz waits for the database: docs/operating.md promises an answer within two seconds.
const readyTimeout = 1500 * time.Millisecond

// ready answers 200 as long as the server can serve: the database answers, and the server is not stopping.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	switch {
	case s.draining.Load():
		plain(w, http.StatusServiceUnavailable, "draining\n")
	case s.config.Service.Ready(ctx) != nil:
		plain(w, http.StatusServiceUnavailable, "the database does not answer\n")
	default:
		plain(w, http.StatusOK, "ready\n")
	}
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text))
}

// sections are the parts of the site, in the order in which every page lists them.
var sections = []link{
	{"/", "The seller API"},
	{"/docs/" + conventionsPage, "How /v1 works"},
	{referencePagePath, "Reference"},
	{translate.GuidePath, "Migration guide"},
	{translatorPath, "Translator"},
	{changelog.PagePath, "Change log"},
	{changelog.IssuesPath, "Known issues"},
	{"/errors", "Error codes"},
}

var page = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{{.Title}} – sellerd</title>
{{with .Description}}<meta name="description" content="{{.}}">
{{end}}<link rel="icon" href="` + iconPath + `" type="image/svg+xml">
{{with .Style}}<link rel="stylesheet" href="{{.}}">
{{else}}<link rel="stylesheet" href="/style.css">
{{end}}{{with .Feed}}<link rel="alternate" type="application/atom+xml" title="Change log" href="{{.}}">
{{end}}{{with .Markdown}}<link rel="alternate" type="text/markdown" title="This page in Markdown" href="{{.}}">
{{end}}{{range .Scripts}}<script src="{{.}}" defer></script>
{{end}}</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<nav aria-label="Site">
<ul>
{{range .Nav}}<li><a href="{{.Path}}"{{if .Current}} aria-current="page"{{end}}>{{.Text}}</a></li>
{{end}}</ul>
</nav>
</header>
<main id="content"{{if .Wide}} class="wide"{{end}}>
{{if .Body}}{{.Body}}{{else}}<h1>{{.Title}}</h1>
{{range .Paragraphs}}<p>{{.}}</p>
{{end}}{{end}}{{if .Links}}<ul>
{{range .Links}}<li><a href="{{.Path}}">{{.Text}}</a></li>
{{end}}</ul>
{{end}}</main>
</body>
</html>
`))

// pageContent is the content of a page: a body with its own heading, or a heading and paragraphs.
type pageContent struct {
	Title       string
	Description string // a sentence for search engines
	Section     string // path of the section, if this is a section's first page
	Wide        bool   // needs more than the width of a text
	Feed        string // path of the page's feed, if it has one
	Markdown    string // path of the same page in Markdown, if it has one
	Scripts     []string
	Style       string // the stylesheet of a page that has one of its own
	Policy      string // the security policy of a page that needs another
	Body        template.HTML
	Paragraphs  []string
	Links       []link
}

// Nav are the sections of the site, with the current one marked.
func (c pageContent) Nav() (nav []navLink) {
	for _, section := range sections {
		nav = append(nav, navLink{section, section.Path == c.Section})
	}
	return nav
}

type link struct{ Path, Text string }

type navLink struct {
	link
	Current bool
}

// contentSecurityPolicy lets a page load our own stylesheets, pictures and scripts, and call our own API. Inline styles and
// scripts and other hosts are forbidden.
const contentSecurityPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'"

func (s *Server) render(w http.ResponseWriter, status int, content pageContent) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", cmp.Or(content.Policy, contentSecurityPolicy))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	if content.Markdown != "" {
		h.Set("Link", "<"+content.Markdown+`>; rel="alternate"; type="text/markdown"`)
	}
	w.WriteHeader(status)
	_ = page.Execute(w, content)
}
