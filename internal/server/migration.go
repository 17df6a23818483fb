package server

import (
	"bytes"
	"html/template"
	"net/http"
	"time"

	"sellerd/translate"
)

// migrationPages are the migration guide in the forms in which it is served.
type migrationPages struct {
	title string
	body  template.HTML
	files map[string]migrationFile // by path
}

// migrationFile is the guide as a file.
type migrationFile struct {
	text []byte
	kind string // its media type
	tag  string
}

// newMigrationPages prints the guide from the translate tables, for a service that is reached at baseURL.
func newMigrationPages(baseURL string) (*migrationPages, error) {
	table, err := translate.New()
	if err != nil {
		return nil, err
	}
	guide := translate.NewGuide(table, baseURL)
	pages := &migrationPages{title: "Migration guide: " + guide.Title, files: map[string]migrationFile{}}
	if pages.body, err = guide.HTML(); err != nil {
		return nil, err
	}
	text, err := guide.JSON()
	if err != nil {
		return nil, err
	}
	for path, file := range map[string]migrationFile{
		translate.GuidePath + ".md":   {guide.Markdown(), "text/markdown; charset=utf-8", ""},
		translate.GuidePath + ".json": {text, "application/json", ""},
		translate.GuideSchemaPath:     {translate.GuideSchema(baseURL), "application/schema+json", ""},
	} {
		file.tag = entityTag(file.text)
		pages.files[path] = file
	}
	return pages, nil
}

// migrationPage shows the guide to people.
func (s *Server) migrationPage(w http.ResponseWriter, r *http.Request) {
	pages, err := s.migration()
	if err != nil {
		s.config.Service.Refuse(w, r, err)
		return
	}
	s.render(w, http.StatusOK, pageContent{
		Title: pages.title, Description: "What to send to /v1 in place of each call of /rest, side by side.", Section: translate.GuidePath,
		Wide: true, Scripts: []string{assetPath + "guide.js"}, Body: pages.body,
	})
}

// migrationFile serves the guide in another form, and says when nothing changed.
func (s *Server) migrationFile(w http.ResponseWriter, r *http.Request) {
	pages, err := s.migration()
	if err != nil {
		s.config.Service.Refuse(w, r, err)
		return
	}
	file := pages.files[r.URL.Path]
	h := w.Header()
	h.Set("Content-Type", file.kind)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "public, max-age=300")
	h.Set("ETag", file.tag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file.text))
}
