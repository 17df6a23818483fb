package server

import (
	"net/http"
	"path"
	"strings"

	"sellerd/docs"
	"sellerd/internal/languages"
	"sellerd/v1/client"
)

// markdownSuffix ends the paths of pages in Markdown, which are for programs. The rest of the path is that of the page in HTML.
const markdownSuffix = ".md"

// markdownType is the media type of pages in Markdown (RFC 7763).
const markdownType = "text/markdown; charset=utf-8"

// doc serves a page of the folder docs, or its source.
func (s *Server) doc(w http.ResponseWriter, r *http.Request) {
	name, asSource := strings.CutSuffix(r.PathValue("page"), markdownSuffix)
	page, ok := s.site.Doc(name)
	switch {
	case !ok:
		s.noDoc(w, r, name)
	case asSource:
		w.Header().Set("Link", "<"+page.Path()+`>; rel="alternate"; type="text/html"`)
		s.sources()[page.Name].serve(w, r)
	default:
		s.render(w, r, http.StatusOK, pageContent{Title: page.Title, Path: page.Path(), Markdown: page.Path() + markdownSuffix, Scripts: []string{copyScript}, Body: page.HTML})
	}
}

// noDoc leads from the address of a removed page to the one that has its content, in the same form.
func (s *Server) noDoc(w http.ResponseWriter, r *http.Request, name string) {
	page, anchor, ok := s.site.Successor(name)
	if !ok {
		s.missing(w, r, "There is no such page")
		return
	}
	to := page.Path() + strings.TrimPrefix(r.PathValue("page"), name)
	if languages.Has(to) {
		to = languageOf(r).Path(to)
	}
	http.Redirect(w, r, to+"#"+anchor, http.StatusMovedPermanently)
}

// docSources are the pages in Markdown, by name.
func (s *Server) docSources() map[string]*asset {
	sources := map[string]*asset{}
	for _, page := range s.site.Pages() {
		if doc, ok := s.site.Doc(page.Doc); ok {
			sources[doc.Name] = newAsset([]byte(doc.Markdown), markdownType)
		}
	}
	return sources
}

// download serves a file that a page links to: one of a folder of docs, or the Go client, which the program uses itself. A page is no
// download: it has an address of its own.
func (s *Server) download(folder string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		file := r.PathValue("file")
		source, err := docs.Files.ReadFile(path.Join(folder, file))
		if err != nil && folder == "clients" {
			source, err = client.Sources.ReadFile(file)
		}
		if err != nil || path.Ext(file) == ".md" {
			s.missing(w, r, "There is no such file")
			return
		}
		text := string(source)
		if folder != "deploy" { // those are about a service that is yet to be set up, not about this one
			text = strings.ReplaceAll(text, "http://localhost:8080", s.config.BaseURL)
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		plain(w, http.StatusOK, text)
	}
}
