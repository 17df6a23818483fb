package server

import (
	"bytes"
	"html/template"
	"net/http"
	"time"

	"sellerd/translate"
)

// migrationPages are the migration guide in the forms in which it is served, made once.
type migrationPages struct {
	title                  string
	body                   template.HTML
	markdown, json, schema []byte
}

// newMigrationPages prints the guide from the translate tables, for a service that is reached at baseURL.
func newMigrationPages(baseURL string) (*migrationPages, error) {
	table, err := translate.New()
	if err != nil {
		return nil, err
	}
	guide := translate.NewGuide(table, baseURL)
	pages := &migrationPages{title: "Migration guide: " + guide.Title, markdown: guide.Markdown(), schema: translate.GuideSchema(baseURL)}
	if pages.body, err = guide.HTML(); err != nil {
		return nil, err
	}
	pages.json, err = guide.JSON()
	return pages, err
}

// migrationPage shows the guide to people.
func (s *Server) migrationPage(w http.ResponseWriter, _ *http.Request) {
	s.render(w, http.StatusOK, pageContent{
		Title: s.migration.title, Description: "What to send to /v1 in place of each call of /rest, side by side.", Section: translate.GuidePath,
		Wide: true, Scripts: []string{assetPath + "guide.js"}, Body: s.migration.body,
	})
}

// migrationFile serves the guide in another form, and says when nothing changed.
func (s *Server) migrationFile(kind string, text []byte) http.HandlerFunc {
	tag := entityTag(text)
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", kind)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "public, max-age=300")
		h.Set("ETag", tag)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
	}
}
