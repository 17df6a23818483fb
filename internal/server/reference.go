package server

import (
	"html/template"
	"net/http"
	"strings"
	"sync"

	"sellerd/internal/base/each"
	"sellerd/internal/reference"
	"sellerd/internal/site"
	"sellerd/v1"
	v1openapi "sellerd/v1/openapi"
)

// The API reference is drawn here, from the OpenAPI document: a list of all operations, and a page for each operation and each event.

// These are the paths of the reference. Its pages are below referencePages, and so was the document from which a script drew one page.
const (
	referencePagePath     = reference.Path
	referencePages        = reference.Path + "/reference"
	referenceDocumentPath = reference.Path + "/openapi.json"
)

// referenceScript leads from places of the one page of old to the pages of today, because a server does not get them.
const referenceScript = assetPath + "reference.js"

const referenceStyle = assetPath + "reference.css"

// described is the content of the reference. It is part of the program, so tests make all of it, and a page has no error to report.
func (s *Server) described() *reference.Reference {
	made, err := reference.New(v1openapi.Document(s.config.BaseURL))
	if err != nil {
		panic("make the reference: " + err.Error())
	}
	return made
}

// referencePaths are the pages of operations, by method and path.
var referencePaths = sync.OnceValue(func() map[string]string {
	paths := map[string]string{}
	for _, o := range v1.Operations {
		page := reference.Operation{ID: v1openapi.OperationID(o), Tag: v1openapi.Tag(o)}
		paths[o.Method+" "+o.Pattern] = page.Address()
	}
	return paths
})

// referencePath is the page of an operation of /v1, empty if there is no such operation.
func referencePath(method, pattern string) string { return referencePaths()[method+" "+pattern] }

// mountReference mounts the reference.
func (s *Server) mountReference(public routes) {
	public.HandleFunc("GET "+referencePagePath, s.referenceList)
	public.HandleFunc("GET "+referencePagePath+markdownSuffix, func(w http.ResponseWriter, r *http.Request) {
		newTextAsset("operations", map[string]any{"Links": referenceLinks, "Groups": s.operations().Groups}, markdownType).serve(w, r)
	})
	for _, old := range []string{referencePagePath + "/{$}", referencePages, referencePages + "/{$}"} {
		public.Handle("GET "+old, http.RedirectHandler(referencePagePath, http.StatusPermanentRedirect))
	}
	public.Handle("GET "+referenceDocumentPath, http.RedirectHandler(openAPIPath, http.StatusPermanentRedirect))
	public.HandleFunc("GET "+referencePages+"/{tag}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, referencePagePath+"#tag/"+r.PathValue("tag"), http.StatusPermanentRedirect)
	})
	public.HandleFunc("GET "+referencePages+"/{tag}/{operation}", s.referenceOperation)
}

// referenceList shows all operations.
func (s *Server) referenceList(w http.ResponseWriter, r *http.Request) {
	s.renderFilled(w, r, http.StatusOK, pageContent{
		Title: "API reference", Markdown: referencePagePath + markdownSuffix, Chapters: s.operationMenu(r.URL.Path),
		Description: "Every operation of the seller API, with samples in five languages.", Scripts: []string{referenceScript}, Style: referenceStyle,
	}, "reference", map[string]any{"Groups": s.operations().Groups, "Links": referenceLinks})
}

// referenceOperation shows an operation or an event, or answers with its Markdown.
func (s *Server) referenceOperation(w http.ResponseWriter, r *http.Request) {
	path, asMarkdown := strings.CutSuffix(r.URL.Path, markdownSuffix)
	o := s.operations().At(path)
	switch {
	case o == nil:
		s.render(w, r, http.StatusNotFound, pageContent{Title: "There is no such operation", Links: []link{{referencePagePath, "All operations"}}})
	case asMarkdown:
		w.Header().Set("Link", "<"+path+`>; rel="alternate"; type="text/html"`)
		newTextAsset("operation", o, markdownType).serve(w, r)
	default:
		s.renderFilled(w, r, http.StatusOK, pageContent{
			Title: o.Summary + ": " + o.Title(), Description: o.Title() + ": " + o.Text, Section: referencePagePath, Markdown: path + markdownSuffix,
			Scripts: []string{copyScript}, Chapters: s.operationMenu(path), Neighbours: s.operationLinks(), Wide: true, Style: referenceStyle,
		}, "operation", o)
	}
}

// referenceLinks are the pages that belong to the reference.
var referenceLinks = []link{
	{"/docs/api", "How /v1 works"},
	{"/docs/webhooks", "Webhooks"},
	{"/docs/webhook-security#check-the-signature", "How to check the signature of a webhook"},
	{"/docs/sandbox", "Sandbox"},
	{"/docs/states", "States"},
	{errorsPath, "Error codes"},
	{"/changelog", "Change log"},
}

// operationMenu is the menu of the reference on the page at a path.
func (s *Server) operationMenu(path string) (menu []site.MenuGroup) {
	for _, group := range s.operations().Groups {
		shown := site.MenuGroup{Title: group.Tag}
		for _, o := range group.Operations {
			line := site.MenuLink{Link: site.Link{Path: o.Address(), Title: o.Name()}}
			if o.Address() == path {
				line.Current, shown.Open = "page", true
			}
			shown.Links = append(shown.Links, line)
		}
		menu = append(menu, shown)
	}
	return menu
}

// operationLinks are the pages of operations in their order. The list stands before the first one.
func (s *Server) operationLinks() []site.Link {
	links := []site.Link{{Path: referencePagePath, Title: "Reference"}}
	s.operations().Each(func(o *reference.Operation) { links = append(links, site.Link{Path: o.Address(), Title: o.Name()}) })
	return links
}

// prose is a text of the document in HTML: what stands between back quotes is code.
func prose(text string) template.HTML {
	var out strings.Builder
	for i, part := range strings.Split(text, "`") {
		if part = template.HTMLEscapeString(part); i%2 == 1 {
			part = "<code>" + part + "</code>"
		}
		out.WriteString(part)
	}
	return template.HTML(out.String())
}

// sampleTabs are the samples of an operation.
func sampleTabs(samples []reference.Sample) template.HTML {
	return site.Tabs(each.Of(samples, func(sample reference.Sample) site.Sample {
		return site.Sample{Language: sample.Language, Label: sample.Label, Source: sample.Source}
	}))
}
