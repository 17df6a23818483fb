package server

import (
	"bytes"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"sellerd/docs"
	"sellerd/v1/client"
)

// The pages for callers are Markdown files in the folder docs, where people also read them as files. This file turns them
// into HTML, once, at the first request.

// conventionsPage is the page that a new caller reads first.
const conventionsPage = "api"

// docPages are the pages that are served, in the order in which they are listed.
var docPages = []struct {
	name, about string
	optional    bool // few callers need it
}{
	{conventionsPage, "keys, requests, answers, errors, repeated requests, limits, lists, values, changes: what all operations share", false},
	{"webhooks", "how events are delivered, signed and repeated, and what each contains", false},
	{"sandbox", "how to play buyers and the marketplace with a test key", false},
	{"clients", "a small client for PHP, JavaScript, Python and Go, to copy into your program", false},
	{"states", "the states of items, submissions, sales and bills, and the moves between them", false},
	{"legacy", "what old programs get from /rest, until when, and how to rehearse its end", true},
	{"bridge", "how a program that cannot be changed goes on working after the end of /rest", true},
	{"scan", "how to find every place in your programs that calls /rest", true},
	{"conformance", "what releases promise, and how the promises are proven", true},
}

// docPage is a page as it is served.
type docPage struct {
	title  string
	body   template.HTML
	source []byte // in Markdown
}

var markdown = goldmark.New(
	goldmark.WithExtensions(extension.Table),
	goldmark.WithParserOptions(parser.WithAutoHeadingID(), parser.WithASTTransformers(util.Prioritized(forTheSite{}, 0))),
)

// forTheSite makes a page of a file: links between files (docs/sandbox.md#who-buys) become links between pages
// (sandbox#who-buys), and diagrams in Mermaid, which pages could only show as source, are left out. The table beside a
// diagram says the same.
type forTheSite struct{}

// Transform changes a document.
func (forTheSite) Transform(document *ast.Document, source text.Reader, _ parser.Context) {
	var diagrams []ast.Node
	_ = ast.Walk(document, func(node ast.Node, entering bool) (ast.WalkStatus, error) { // our function never fails
		switch node := node.(type) {
		case *ast.Link:
			if entering {
				node.Destination = siteLink(node.Destination)
			}
		case *ast.FencedCodeBlock:
			if entering && string(node.Language(source.Source())) == "mermaid" {
				diagrams = append(diagrams, node)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, diagram := range diagrams {
		diagram.Parent().RemoveChild(diagram.Parent(), diagram)
	}
}

func siteLink(destination []byte) []byte {
	u, err := url.Parse(string(destination))
	if err != nil || u.Host != "" || path.Ext(u.Path) != ".md" {
		return destination
	}
	u.Path = strings.TrimSuffix(u.Path, ".md")
	return []byte(u.String())
}

// renderedDocs are the pages by name. They are part of the program, so it panics only if the program was built wrong.
var renderedDocs = sync.OnceValue(func() map[string]docPage {
	pages := map[string]docPage{}
	for _, page := range docPages {
		name := page.name
		source, err := docs.Files.ReadFile(name + ".md")
		if err != nil {
			panic(err)
		}
		source = bytes.ReplaceAll(source, []byte("(../v1/client/"), []byte("(clients/")) // served beside the other clients
		heading, _, _ := bytes.Cut(source, []byte("\n"))
		title, isTitle := strings.CutPrefix(string(heading), "# ")
		if !isTitle {
			panic(fmt.Sprintf("the page %s does not begin with its title", name))
		}
		var body bytes.Buffer
		if err := markdown.Convert(source, &body); err != nil {
			panic(fmt.Sprintf("render the page %s: %v", name, err))
		}
		pages[name] = docPage{title, reachable(body.String()), source}
	}
	return pages
})

// reachable lets tables and code that are wider than the page scroll, with the keyboard too. goldmark removes HTML from the
// text, so all tags are goldmark's own.
func reachable(body string) template.HTML {
	return template.HTML(tags.Replace(body))
}

var tags = strings.NewReplacer(
	"<table>", `<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>`, "</table>", "</table></div>", "<pre>", `<pre tabindex="0">`,
)

// markdownSuffix ends the paths of pages in Markdown: /docs/api.md is /docs/api for programs.
const markdownSuffix = ".md"

// markdownType is the media type of pages in Markdown (RFC 7763).
const markdownType = "text/markdown; charset=utf-8"

// doc serves a page, or its source.
func (s *Server) doc(w http.ResponseWriter, r *http.Request) {
	name, asSource := strings.CutSuffix(r.PathValue("page"), markdownSuffix)
	p, ok := renderedDocs()[name]
	switch path := "/docs/" + name; {
	case !ok:
		s.render(w, http.StatusNotFound, pageContent{Title: "There is no such page", Links: docLinks()})
	case asSource:
		w.Header().Set("Link", "<"+path+`>; rel="alternate"; type="text/html"`)
		s.sources()[name].serve(w, r)
	default:
		body := template.HTML(addressed(string(p.body), template.HTMLEscapeString(s.config.BaseURL)))
		s.render(w, http.StatusOK, pageContent{Title: p.title, Section: path, Markdown: path + markdownSuffix, Body: body})
	}
}

// newDocSources are the pages in Markdown, for a service that is reached at baseURL.
func newDocSources(baseURL string) map[string]*asset {
	sources := map[string]*asset{}
	for name, page := range renderedDocs() {
		sources[name] = newAsset([]byte(addressed(string(page.source), baseURL)), markdownType)
	}
	return sources
}

// addressed replaces the address of `make run` in the files with that of the service, so that commands can be copied as
// they are.
func addressed(text, address string) string {
	return strings.ReplaceAll(text, "http://localhost:8080", address)
}

// docLinks are the links to the pages.
func docLinks() []link {
	var links []link
	for _, page := range docPages {
		links = append(links, link{"/docs/" + page.name, renderedDocs()[page.name].title})
	}
	return links
}

// download serves a file that a page links to: one of a folder of docs, or the Go client, which the program uses itself.
func (s *Server) download(folder string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		file := r.PathValue("file")
		source, err := docs.Files.ReadFile(path.Join(folder, file))
		if err != nil && folder == "clients" {
			source, err = client.Sources.ReadFile(file)
		}
		if err != nil {
			s.render(w, http.StatusNotFound, pageContent{Title: "There is no such file", Links: docLinks()})
			return
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		plain(w, http.StatusOK, addressed(string(source), s.config.BaseURL))
	}
}
