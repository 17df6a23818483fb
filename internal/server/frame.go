package server

import (
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	texttemplate "text/template"

	"sellerd/changelog"
	"sellerd/internal/languages"
	"sellerd/internal/reference"
	"sellerd/internal/site"
	"sellerd/translate/guide"
	"sellerd/v1/etag"
)

// This file is the frame of all pages: the menu, the search field, the links to the next page, and how a page is sent.

//go:embed pages
var pageFiles embed.FS

// pageTemplates are the frame and the bodies of pages, by their names in the folder pages.
var pageTemplates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(guide.PageFuncs).Funcs(template.FuncMap{
		"code":              site.Code,
		"day":               day,
		"keyVariable":       func() string { return reference.KeyVariable },
		"prose":             prose,
		"reachable":         site.Reachable,
		"release":           releaseOf,
		"tabs":              sampleTabs,
		"workaroundHeading": func() string { return changelog.WorkaroundHeading },
	}).ParseFS(pageFiles, "pages/*.html.tmpl"))
})

// releaseOf finds a release, for pages that name it: one that is not out has no page of its own.
func releaseOf(version string) changelog.Release {
	r, _ := changelog.Find(version)
	return r
}

// fill executes a template with our own data. Both are part of the program, and tests see all pages.
func fill(name string, data any) template.HTML {
	var out strings.Builder
	if err := pageTemplates().ExecuteTemplate(&out, name, data); err != nil {
		panic(fmt.Sprintf("fill the page %s: %v", name, err))
	}
	return template.HTML(out.String()) // escaped by the template
}

// pageContent is the content of a page: a body with its own heading, or a heading and paragraphs.
type pageContent struct {
	Title       string
	Description string // a sentence for search engines; without it, what the body says first
	Path        string // of the page in the menu; without it, the path of the request
	Section     string // path of the list that the page belongs to, if it is not in the menu itself
	Feed        string // path of the page's feed, if it has one
	Markdown    string // path of the same page in Markdown, if it has one
	Scripts     []string
	Style       string           // another stylesheet, empty for none
	Question    string           // what the search field shows
	Private     bool             // made of what the caller sent, and kept neither here nor by the caller
	Wide        bool             // has two columns: both interfaces, or a text and its sample
	Home        bool             // is the first page, whose menu opens at the button
	Filled      bool             // a script fills the page with private data, so browsers must not store it
	Chapters    []site.MenuGroup // the pages below the one of the menu
	Neighbours  []site.Link      // the pages in whose order it stands, itself too, if it is not in the menu
	Body        template.HTML
	Paragraphs  []string
	Links       []link
}

type link struct{ Path, Text string }

// framed is a page with what its frame shows.
type framed struct {
	pageContent
	Menu           site.Menu
	Account        bool           // there is a page about the reader's account
	Contents       []site.Heading // of the page, beside it
	Previous, Next *site.Link
	Tabs           string // the script of a page that has tabs, else empty
	Canonical      string // the address under which search engines know the page (RFC 6596), empty for none
	Alternates     []alternate
	BaseURL        string
	Decides        string // where the English text of a page in another language is
}

// textTemplates are those of texts in Markdown.
var textTemplates = sync.OnceValue(func() *texttemplate.Template {
	return texttemplate.Must(texttemplate.New("").Funcs(texttemplate.FuncMap{
		"indentedFields": func(fields []reference.Field, indent string) map[string]any {
			return map[string]any{"Fields": fields, "Indent": indent}
		},
	}).ParseFS(pageFiles, "pages/*.md.tmpl"))
})

// fillText executes a template of a text with our own data.
func fillText(name string, data any) string {
	var out strings.Builder
	if err := textTemplates().ExecuteTemplate(&out, name, data); err != nil {
		panic(fmt.Sprintf("fill the text %s: %v", name, err)) // it has only texts
	}
	return out.String()
}

func newTextAsset(name string, data any, kind string) *asset {
	return newAsset([]byte(fillText(name, data)), kind)
}

// renderFilled answers with a page whose body is the template with a name, filled.
func (s *Server) renderFilled(w http.ResponseWriter, r *http.Request, status int, content pageContent, name string, data any) {
	content.Body = fill(name, data)
	s.render(w, r, status, content)
}

// contentSecurityPolicy lets a page load our own stylesheets, pictures and scripts, and call our own API. Inline styles and
// scripts and other hosts are forbidden.
const contentSecurityPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'"

// copyScript lets readers copy the code of a page that has some.
const copyScript = assetPath + "copy.js"

// accountPath is the page about the reader's own account, to which the header leads.
const accountPath = "/account"

const htmlType = "text/html; charset=utf-8"

// render answers with a page. A page that is found is compressed and has an entity tag, so that a browser that has it gets 304.
func (s *Server) render(w http.ResponseWriter, r *http.Request, status int, content pageContent) {
	path := cmp.Or(content.Path, r.URL.Path)
	in := framed{pageContent: content, Menu: s.site.Menu(path, content.Section), Account: s.site.Has(accountPath)}
	if !content.Private {
		in.Description = cmp.Or(content.Description, site.Lead(content.Body))
	}
	if !content.Home {
		in.Contents = site.Contents(content.Body)
	}
	in.Previous, in.Next = s.site.Around(path)
	if i := slices.IndexFunc(content.Neighbours, func(l site.Link) bool { return l.Path == path }); i > 0 { // the first one is in the menu
		in.Previous = &content.Neighbours[i-1]
		if rest := content.Neighbours[i+1:]; len(rest) > 0 {
			in.Next = &rest[0]
		}
	}
	if strings.Contains(string(content.Body), `class="tabs"`) {
		in.Tabs = assetPath + "tabs.js"
	}
	if status == http.StatusOK && !content.Private { // an unknown address may contain a secret: do not repeat it
		in.Canonical, in.Alternates = s.config.BaseURL+languageOf(r).Path(path), alternates(path, languageOf(r))
	}
	in.BaseURL = s.config.BaseURL
	if languageOf(r) != languages.English && in.Alternates != nil {
		in.Decides = in.Alternates[0].SwitchPath()
	}
	english := []byte(fill("frame", in))
	h := w.Header()
	h.Set("Content-Language", languageOf(r).Code)
	h.Set("Content-Security-Policy", contentSecurityPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	if content.Markdown != "" {
		h.Set("Link", "<"+content.Markdown+`>; rel="alternate"; type="text/markdown"`)
	}
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	if reads && status == http.StatusOK && !content.Private && !content.Filled {
		page, err := s.keptPage(r, path, english)
		if err != nil {
			s.config.Service.Refuse(w, r, err)
			return
		}
		page.serve(w, r)
		return
	}
	text, err := s.inLanguage(r, english)
	switch {
	case err != nil:
		s.config.Service.Refuse(w, r, err)
	case reads && status == http.StatusOK:
		private := newFleetingAsset(text, htmlType)
		private.cache = "no-store"
		private.serve(w, r)
	default:
		h.Set("Content-Type", htmlType)
		h.Set("Cache-Control", "no-store")
		w.WriteHeader(status)
		_, _ = w.Write(text)
	}
}

// keptPage is a page, ready to be sent.
type keptPage struct {
	english string // the tag of the English page that it is made of
	page    *asset
}

// keptPage is the page at a path in the language of the request, ready to be sent. The last one of each is kept, so that a page is
// translated and compressed only when it has changed.
func (s *Server) keptPage(r *http.Request, path string, english []byte) (*asset, error) {
	key, tag := languageOf(r).Path(path), etag.Of(english)
	if last, ok := s.pages.Load(key); ok && last.(keptPage).english == tag {
		return last.(keptPage).page, nil
	}
	text, err := s.inLanguage(r, english)
	if err != nil {
		return nil, err
	}
	made := newAsset(text, htmlType)
	made.cache = "no-cache" // a browser asks each time whether the page has changed
	s.pages.Store(key, keptPage{tag, made})
	return made, nil
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
		s.missing(w, r, "There is no such page")
	})
}

// isAPI says whether a path belongs to the API, also if it is not clean.
func isAPI(requested string) bool {
	return strings.HasPrefix(path.Clean(requested)+"/", "/v1/") || strings.HasPrefix(requested, "/v1/")
}
