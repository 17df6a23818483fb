package server

import (
	"bytes"
	"cmp"
	"html/template"
	"net/http"
	"path"
	"strings"
	"sync"

	"sellerd/internal/site"
)

// This file is the frame of all pages: the menu, the search field, the links to the next page, and how a page is sent.

var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{"anchor": operationAnchor}).Parse(`<!doctype html>
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
{{end}}{{with .Canonical}}<link rel="canonical" href="{{.}}">
{{end}}{{with .Markdown}}<link rel="alternate" type="text/markdown" title="This page in Markdown" href="{{.}}">
{{end}}{{range .Scripts}}<script src="{{.}}" defer></script>
{{end}}</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a href="/">The seller API</a>
<button type="button" class="quiet" popovertarget="menu">Menu</button>
<search>
<form action="` + searchPath + `">
<label class="visually-hidden" for="find">Search all pages</label>
<input type="search" id="find" name="q" placeholder="Search" value="{{.Question}}">
</form>
</search>
</header>
<div class="frame">
<nav id="menu" aria-label="Pages" popover>
{{range .Menu}}<p>{{.Title}}</p>
<ul>
{{range .Links}}<li><a href="{{.Path}}"{{with .Current}} aria-current="{{.}}"{{end}}>{{.Title}}</a>{{if eq .Current "page"}}{{template "operations" $.Operations}}{{end}}{{if .Current}}{{template "chapters" $.Chapters}}{{end}}{{with .Parts}}
<ul>
{{range .}}<li><a href="{{.Path}}"{{with .Current}} aria-current="{{.}}"{{end}}>{{.Title}}</a></li>
{{end}}</ul>{{end}}</li>
{{end}}</ul>
{{end}}</nav>
<div class="page">
<main id="content"{{if .Wide}} class="wide"{{end}}>
{{if .Body}}{{.Body}}{{else}}<h1>{{.Title}}</h1>
{{range .Paragraphs}}<p>{{.}}</p>
{{end}}{{end}}{{if .Links}}<ul>
{{range .Links}}<li><a href="{{.Path}}">{{.Text}}</a></li>
{{end}}</ul>
{{end}}</main>
{{if or .Previous .Next}}<nav class="around" aria-label="Previous and next page">
{{with .Previous}}<a rel="prev" href="{{.Path}}"><span>Previous</span> {{.Title}}</a>
{{end}}{{with .Next}}<a rel="next" href="{{.Path}}"><span>Next</span> {{.Title}}</a>
{{end}}</nav>
{{end}}</div>
</div>
</body>
</html>
{{define "operations"}}{{range .}}
<details>
<summary>{{.Tag}}</summary>
<ul>
{{range .Operations}}<li><a href="#{{anchor .}}">{{.Method}} {{.Pattern}}</a></li>
{{end}}</ul>
</details>{{end}}{{end}}
{{define "chapters"}}{{range .}}
<details class="chapter"{{if .Open}} open{{end}}>
<summary>{{.Title}}</summary>
<ul>
{{range .Links}}<li><a href="{{.Path}}"{{with .Current}} aria-current="{{.}}"{{end}}>{{.Title}}</a></li>
{{end}}</ul>
</details>{{end}}{{end}}`))
})

// pageContent is the content of a page: a body with its own heading, or a heading and paragraphs.
type pageContent struct {
	Title       string
	Description string // a sentence for search engines
	Path        string // of the page in the menu; without it, the path of the request
	Section     string // path of the list that the page belongs to, if it is not in the menu itself
	Feed        string // path of the page's feed, if it has one
	Markdown    string // path of the same page in Markdown, if it has one
	Scripts     []string
	Style       string // the stylesheet of a page that has one of its own
	Policy      string // the security policy of a page that needs another
	Question    string // what the search field shows
	Private     bool   // made of what the caller sent, and kept neither here nor by the caller
	Wide        bool   // has calls of both interfaces side by side
	Operations  []operationGroup
	Chapters    []chapter                          // the pages below the one of the menu
	Neighbours  func() (previous, next *site.Link) // of a page that is not in the menu, if it has some
	Body        template.HTML
	Paragraphs  []string
	Links       []link
}

type link struct{ Path, Text string }

// chapter is a part of a page of the menu that consists of pages itself.
type chapter struct {
	site.MenuGroup
	Open bool // the page is one of them
}

// framed is a page with what its frame shows.
type framed struct {
	pageContent
	Menu           []site.MenuGroup
	Previous, Next *site.Link
	Canonical      string // the address under which search engines know the page (RFC 6596), empty for none
}

// contentSecurityPolicy lets a page load our own stylesheets, pictures and scripts, and call our own API. Inline styles and
// scripts and other hosts are forbidden.
const contentSecurityPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'"

// copyScript lets readers copy the commands of a page that has some: each pre with data-copy.
const copyScript = assetPath + "copy.js"

const htmlType = "text/html; charset=utf-8"

// render answers with a page. A page that is found is compressed and has an entity tag, so that a browser that has it gets 304.
func (s *Server) render(w http.ResponseWriter, r *http.Request, status int, content pageContent) {
	path := cmp.Or(content.Path, r.URL.Path)
	in := framed{pageContent: content, Menu: s.site.Menu(path, content.Section)}
	if in.Previous, in.Next = s.site.Around(path); content.Neighbours != nil {
		in.Previous, in.Next = content.Neighbours()
	}
	if status == http.StatusOK && !content.Private {
		in.Canonical = s.config.BaseURL + path
	}
	var text bytes.Buffer
	if err := page().Execute(&text, in); err != nil {
		s.config.Service.Refuse(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", cmp.Or(content.Policy, contentSecurityPolicy))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	if content.Markdown != "" {
		h.Set("Link", "<"+content.Markdown+`>; rel="alternate"; type="text/markdown"`)
	}
	switch reads := r.Method == http.MethodGet || r.Method == http.MethodHead; {
	case reads && status == http.StatusOK && !content.Private:
		s.keptPage(r.URL.Path, text.Bytes()).serve(w, r)
	case reads && status == http.StatusOK:
		private := newFleetingAsset(text.Bytes(), htmlType)
		private.cache = "no-store"
		private.serve(w, r)
	default:
		h.Set("Content-Type", htmlType)
		h.Set("Cache-Control", "no-store")
		w.WriteHeader(status)
		_, _ = w.Write(text.Bytes())
	}
}

// keptPage is the page at a path, ready to be sent. The last one at each path is kept, so that a page is compressed only when it
// has changed.
func (s *Server) keptPage(path string, text []byte) *asset {
	made := newAsset(text, htmlType)
	made.cache = "no-cache" // a browser asks each time whether the page has changed
	if last, ok := s.pages.Load(path); ok && last.(*asset).tag == made.tag {
		return last.(*asset)
	}
	s.pages.Store(path, made)
	return made
}

// notFound answers a browser on an unknown path with a page. What is not a browser gets the answer of the API, and so does
// every path of the API.
func (s *Server) notFound(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isAPI(r.URL.Path) || r.Method != http.MethodGet && r.Method != http.MethodHead {
			api.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Vary", "Accept, Accept-Encoding")
		if !fromBrowser(r) {
			api.ServeHTTP(w, r)
			return
		}
		s.render(w, r, http.StatusNotFound, pageContent{
			Title:      "There is no such page",
			Paragraphs: []string{"Check the address, search all pages with the field above, or choose a page from the menu."},
			Links:      []link{{"/", "The seller API"}, {"/docs/start", "Start"}, {referencePagePath, "Reference"}},
		})
	})
}

// isAPI says whether a path belongs to the API, also if it is not clean.
func isAPI(requested string) bool {
	return strings.HasPrefix(path.Clean(requested)+"/", "/v1/") || strings.HasPrefix(requested, "/v1/")
}
