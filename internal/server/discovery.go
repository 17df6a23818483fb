package server

import (
	"fmt"
	"html"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"sellerd/changelog"
	"sellerd/internal/languages"
	"sellerd/internal/reference"
	"sellerd/internal/site"
	"sellerd/translate"
	"sellerd/translate/guide"
)

// This file is for programs that look for an interface and its description: the catalogue of interfaces (RFC 9727), and the list of pages
// for language models (llmstxt.org). Both end their lines about /rest at its sunset. Search engines find the list of all pages, and people
// who have found a vulnerability whom to tell (RFC 9116).

const (
	catalogPath  = "/.well-known/api-catalog"
	llmsPath     = "/llms.txt"
	robotsPath   = "/robots.txt"
	sitemapPath  = "/sitemap.xml"
	securityPath = "/.well-known/security.txt"
)

const plainType = "text/plain; charset=utf-8"

// discoveryFiles are what programs look for.
type discoveryFiles struct{ catalog, llms *asset }

// newDiscoveryFiles makes them for a service that is reached at baseURL, with /rest or after its sunset.
func newDiscoveryFiles(pages *site.Site, baseURL string, withRest bool) discoveryFiles {
	return discoveryFiles{newCatalog(baseURL, withRest), newTextAsset("llms", map[string]any{
		"Summary": summary, "BaseURL": baseURL, "WithRest": withRest, "Sunset": translate.Sunset.Format(longDay), "Pages": pages.Pages(),
	}, plainType)}
}

// discoverable are the files of the present moment.
func (s *Server) discoverable() discoveryFiles {
	before, after := s.discovery()
	if s.config.Service.Clock().Now().Before(translate.Sunset) {
		return before
	}
	return after
}

// catalogProfile says of a set of links that it is a catalogue of interfaces.
const catalogProfile = "https://www.rfc-editor.org/info/rfc9727"

// linkContext is what one resource links to, by the relations of the links (RFC 9264).
type linkContext struct {
	Anchor      string       `json:"anchor"`
	Item        []linkTarget `json:"item,omitempty"`
	ServiceDesc []linkTarget `json:"service-desc,omitempty"`
	ServiceDoc  []linkTarget `json:"service-doc,omitempty"`
	Status      []linkTarget `json:"status,omitempty"`
	Deprecation []linkTarget `json:"deprecation,omitempty"`       // RFC 9745
	Sunset      []linkTarget `json:"sunset,omitempty"`            // RFC 8594
	Successor   []linkTarget `json:"successor-version,omitempty"` // RFC 5829
}

type linkTarget struct {
	Href  string `json:"href"`
	Type  string `json:"type,omitempty"`
	Title string `json:"title,omitempty"`
}

// newCatalog is the catalogue of interfaces of a service that is reached at baseURL: /v1, and /rest until it is switched off.
func newCatalog(baseURL string, withRest bool) *asset {
	page := func(path, title string) linkTarget { return linkTarget{baseURL + path, "text/html", title} }
	status := []linkTarget{page(changelog.IssuesPath, "Known issues"), {baseURL + "/readyz", "text/plain", "Whether the service is ready for requests"}}
	v1 := linkContext{
		Anchor:      baseURL + "/v1",
		ServiceDesc: []linkTarget{{baseURL + openAPIPath, jsonType, "OpenAPI 3.1"}, {baseURL + openAPIYAMLPath, yamlType, "OpenAPI 3.1"}},
		ServiceDoc: []linkTarget{
			page("/docs/api", "How /v1 works"), page(referencePagePath, "API reference"),
			{baseURL + llmsPath, "text/plain", "The documentation for language models"},
		},
		Status: status,
	}
	rest := linkContext{
		Anchor:      baseURL + "/rest",
		ServiceDesc: []linkTarget{{baseURL + openAPILegacyPath, "application/json", "OpenAPI 3.1"}},
		ServiceDoc:  []linkTarget{page("/docs/legacy", "The deprecated interface")},
		Status:      status,
		Deprecation: []linkTarget{page(translate.GuidePath, "Deprecated since "+translate.Deprecated.Format(longDay)+": how to move to /v1")},
		Sunset:      []linkTarget{page(translate.GuidePath+"#sunset", "Switched off on "+translate.Sunset.Format(longDay)), {baseURL + guide.CalendarPath, "text/calendar", "The days of the end"}},
		Successor:   []linkTarget{{Href: v1.Anchor}},
	}
	catalog := linkContext{Anchor: baseURL + catalogPath, Item: []linkTarget{{Href: v1.Anchor, Title: "The seller API"}}}
	contexts := []linkContext{catalog, v1}
	if withRest {
		contexts[0].Item = append(contexts[0].Item, linkTarget{Href: rest.Anchor, Title: "The deprecated interface"})
		contexts = append(contexts, rest)
	}
	text, err := json.Marshal(map[string]any{"linkset": contexts}, jsontext.WithIndent("  "))
	if err != nil {
		panic(fmt.Sprintf("print the catalogue: %v", err)) // it has only texts
	}
	return newAsset(append(text, '\n'), `application/linkset+json; profile="`+catalogProfile+`"`)
}

// summary is the service in a sentence.
const summary = "The API through which sellers of stamps, postcards, coins and other collectibles list items, follow sales, ship what was sold, rate buyers " +
	"and receive events by webhook."

// longDay is how pages write a day.
const longDay = "2 January 2006"

// catalog serves the catalogue, and names it in a header, by which a HEAD finds it.
func (s *Server) catalog(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Link", "<"+s.config.BaseURL+catalogPath+`>; rel="api-catalog"`)
	s.discoverable().catalog.serve(w, r)
}

// llms serves the list of pages for language models, in Markdown as llmstxt.org describes it.
func (s *Server) llms(w http.ResponseWriter, r *http.Request) {
	s.discoverable().llms.serve(w, r)
}

// serveRobots leads search engines to all pages. What is not a page is not for them.
func serveRobots(baseURL string) http.HandlerFunc {
	text := "User-agent: *\nDisallow: /v1/\nDisallow: /rest/\nDisallow: " + searchPath + "\n\nSitemap: " + baseURL + sitemapPath + "\n"
	return newAsset([]byte(text), plainType).serve
}

// sitemap lists all pages (sitemaps.org).
func (s *Server) sitemap(w http.ResponseWriter, r *http.Request) {
	releases, err := s.changelog.get(r.Context(), s.config.Service)
	if err != nil {
		s.config.Service.Refuse(w, r, err)
		return
	}
	migration, err := s.migration.get(r.Context(), s.config.Service)
	if err != nil {
		s.config.Service.Refuse(w, r, err)
		return
	}
	var paths []string
	for _, page := range s.site.Pages() {
		if page.Path != accountPath { // it shows nothing without a key
			paths = append(paths, page.Path)
		}
	}
	for i := range migration.parts {
		paths = append(paths, migration.parts[i].Path())
	}
	s.operations().Each(func(o *reference.Operation) { paths = append(paths, o.Address()) })
	for _, row := range s.errors().rows {
		paths = append(paths, errorsPath+"/"+string(row.Code))
	}
	for _, version := range slices.Sorted(maps.Keys(releases.releases)) {
		paths = append(paths, changelog.PagePath+"/"+version)
	}
	newFleetingAsset([]byte(sitemapOf(s.config.BaseURL, paths)), "application/xml").serve(w, r)
}

// sitemapOf lists the pages at English paths in all languages. Each one names itself in the others, as its own head does.
func sitemapOf(baseURL string, paths []string) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">` + "\n")
	for _, path := range paths {
		others := alternates(path, languages.English)
		var links strings.Builder
		for i, other := range others {
			to := `" href="` + html.EscapeString(baseURL+other.Path) + `"/>`
			links.WriteString(`<xhtml:link rel="alternate" hreflang="` + other.Code + to)
			if i == 0 {
				links.WriteString(`<xhtml:link rel="alternate" hreflang="x-default` + to)
			}
		}
		b.WriteString("<url><loc>" + html.EscapeString(baseURL+path) + "</loc>" + links.String() + "</url>\n")
		for i := 1; i < len(others); i++ {
			b.WriteString("<url><loc>" + html.EscapeString(baseURL+others[i].Path) + "</loc>" + links.String() + "</url>\n")
		}
	}
	b.WriteString("</urlset>\n")
	return b.String()
}

// securityDays is how long security.txt can be relied on. It is made anew on each day.
const securityDays = 180

// security says whom to tell of a vulnerability (RFC 9116).
func (s *Server) security(w http.ResponseWriter, r *http.Request) {
	expires := s.config.Service.Clock().Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, securityDays)
	text := "Contact: " + s.config.SecurityContact + "\nExpires: " + expires.Format(time.RFC3339) + "\nPreferred-Languages: en\nCanonical: " +
		s.config.BaseURL + securityPath + "\n"
	newAsset([]byte(text), plainType).serve(w, r)
}
