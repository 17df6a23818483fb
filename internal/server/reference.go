package server

import (
	"html/template"
	"net/http"
	"sync"

	"sellerd/changelog"
	"sellerd/internal/reference"
	"sellerd/v1"
	v1openapi "sellerd/v1/openapi"
)

// Scalar, whose files are in assets/reference, draws the API reference in the browser from the OpenAPI document with
// samples of code. Until then, and for browsers without scripts, the page has a plain list of the operations.

// These are the paths of the reference and of the files that it loads.
const (
	referencePagePath     = "/docs"
	referenceDocumentPath = "/docs/openapi.json"
	referenceStyle        = assetPath + "reference.css"
	referenceScript       = assetPath + "reference.js"
	rendererScript        = assetPath + "reference/scalar-1.72.1.js"
)

// referenceSecurityPolicy is stricter than 'unsafe-inline' by naming the stylesheets that the renderer puts into the page,
// by their hashes; a new version of it has others (assets/reference/NOTICE.txt says how to find them). Its style attributes
// change with the window and cannot be listed. Scripts are our own files, as on all pages.
const referenceSecurityPolicy = contentSecurityPolicy + "; style-src-attr 'unsafe-inline'; style-src-elem 'self'" +
	" 'sha256-d7niGYA9R/xp7r1pyc/+3ntTepKCabnrqd2exao76s4='" + // its own
	" 'sha256-rO+6k1mDRASa9Q8IQu9I3bF+bjRdxDreAZCyGSaxzeI='" + // its colours, which reference.css replaces
	" 'sha256-ZW1GSuo0pKyEx5Ar7ZC5Dflb/mjatjeTW9aVx0iZAzE='" + // short messages
	" 'sha256-DLlkYCuDYGe6ME23YkUFB7Tc36rGDeo4mVBFbZX3uaU='" + // short messages, mended
	" 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='" // nothing, before its text is put into it

// referencePath is the path of an operation of /v1 in the reference, empty if there is no such operation.
func referencePath(method, pattern string) string {
	for _, o := range v1.Operations {
		if o.Method == method && o.Pattern == pattern {
			return referencePagePath + "#" + operationAnchor(o)
		}
	}
	return ""
}

// operationAnchor is the place of an operation on the page.
func operationAnchor(o *v1.Operation) string {
	return reference.Anchor(v1openapi.Tag(o), v1openapi.OperationID(o))
}

// reference shows the API reference.
func (s *Server) reference(w http.ResponseWriter, r *http.Request) {
	body, err := plainReference()
	if err != nil {
		s.config.Service.Refuse(w, r, err)
		return
	}
	s.render(w, r, http.StatusOK, pageContent{
		Title: "API reference", Operations: operationGroups(), Markdown: referencePagePath + markdownSuffix,
		Description: "Every operation of the seller API, with samples in five languages.",
		Style:       referenceStyle, Scripts: []string{referenceScript}, Policy: referenceSecurityPolicy, Body: body,
	})
}

// serveReferenceDocument serves the document that the page shows. It is made at the first request.
func (s *Server) serveReferenceDocument() http.HandlerFunc {
	made := sync.OnceValues(func() (*asset, error) {
		text, err := reference.Document(v1openapi.Document(s.config.BaseURL), referenceLead,
			fillText("introduction", map[string]any{"Links": referenceLinks(), "KeyVariable": reference.KeyVariable}))
		return newAsset(text, "application/json"), err
	})
	return func(w http.ResponseWriter, r *http.Request) {
		document, err := made()
		if err != nil {
			s.config.Service.Refuse(w, r, err)
			return
		}
		document.serve(w, r)
	}
}

// referenceMarkdown serves the list of operations in Markdown.
func (s *Server) referenceMarkdown() http.HandlerFunc {
	return newTextAsset("operations", map[string]any{"Links": referenceLinks(), "Groups": operationGroups()}, markdownType).serve
}

// referenceLinks are the pages that belong to the reference.
func referenceLinks() []link {
	return []link{
		{"/docs/start", "Start"},
		{"/docs/api", "How /v1 works"},
		{"/docs/webhooks", "Webhooks"},
		{"/docs/webhook-security#check-the-signature", "How to check the signature of a webhook"},
		{"/docs/sandbox", "Sandbox"},
		{"/docs/states", "States"},
		{errorsPath, "Error codes"},
		{changelog.PagePath, "Change log"},
		{openAPIPath, "This reference for programs (OpenAPI), without samples"},
	}
}

// referenceLead tells readers who begin here where to begin instead.
const referenceLead = "Are you new here? [Start](/docs/start) goes from the key to the first parcel in ten minutes."

// operationGroup are the operations of a tag.
type operationGroup struct {
	Tag        string
	Operations []*v1.Operation
}

// operationGroups are all operations by their tags.
func operationGroups() []operationGroup {
	var groups []operationGroup
	for _, o := range v1.Operations {
		if len(groups) == 0 || groups[len(groups)-1].Tag != v1openapi.Tag(o) {
			groups = append(groups, operationGroup{Tag: v1openapi.Tag(o)})
		}
		last := &groups[len(groups)-1]
		last.Operations = append(last.Operations, o)
	}
	return groups
}

// plainReference is the list of operations in HTML.
func plainReference() (template.HTML, error) {
	return fill("reference", map[string]any{
		"Document": referenceDocumentPath, "Renderer": rendererScript, "Groups": operationGroups(), "Links": referenceLinks(),
	})
}
