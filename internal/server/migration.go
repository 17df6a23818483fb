package server

import (
	"html/template"
	"net/http"

	"sellerd/changelog"
	"sellerd/internal/site"
	"sellerd/translate"
	"sellerd/translate/guide"
)

// migrationPages are the migration guide in all its served forms.
type migrationPages struct {
	title string
	body  template.HTML
	files map[string]*asset // by path
}

// newMigrationPages prints the guide from the tables, with the drills for everybody, for a service that is reached at baseURL.
func newMigrationPages(table *translate.Table, drills []changelog.Drill, baseURL string) (*migrationPages, error) {
	page := guide.New(table, baseURL)
	page.Timeline = withDrills(page.Timeline, drills)
	text, err := page.JSON()
	if err != nil {
		return nil, err
	}
	body, err := page.HTML()
	if err != nil {
		return nil, err
	}
	return &migrationPages{"Migration guide: " + page.Title, site.Labelled(body), map[string]*asset{
		translate.GuidePath + ".md":   newAsset(page.Markdown(), markdownType),
		translate.GuidePath + ".json": newAsset(text, "application/json"),
		guide.SchemaPath:              newAsset(guide.Schema(baseURL), "application/schema+json"),
	}}, nil
}

// migrationPage shows the guide to people.
func (s *Server) migrationPage(w http.ResponseWriter, r *http.Request) {
	pages, err := s.migration.get(r.Context(), s.config.Service)
	if err != nil {
		s.config.Service.Refuse(w, r, err)
		return
	}
	s.render(w, r, http.StatusOK, pageContent{
		Title: pages.title, Description: "What to send to /v1 in place of each call of /rest, side by side.",
		Markdown: translate.GuidePath + markdownSuffix,
		Scripts:  []string{assetPath + "guide.js", assetPath + "usage.js"}, Body: pages.body,
	})
}

// migrationFile serves the guide in another form, or 304 if it has not changed.
func (s *Server) migrationFile(w http.ResponseWriter, r *http.Request) {
	pages, err := s.migration.get(r.Context(), s.config.Service)
	if err != nil {
		s.config.Service.Refuse(w, r, err)
		return
	}
	if r.URL.Path == translate.GuidePath+".json" {
		w.Header().Set("Link", "<"+s.config.BaseURL+guide.SchemaPath+`>; rel="describedby"; type="application/schema+json"`) // RFC 8288, RFC 6892
	}
	pages.files[r.URL.Path].serve(w, r)
}
