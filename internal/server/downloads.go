package server

import (
	"html/template"
	"net/http"

	"sellerd/internal/downloads"
	"sellerd/internal/site"
)

// mountDownloads mounts the page of the programs for sellers, and each of their files. Nothing else of their folder has an address.
func (s *Server) mountDownloads(public routes) {
	if s.config.Downloads == nil {
		return
	}
	public.HandleFunc("GET "+downloads.Path, s.downloadsPage)
	for _, file := range s.config.Downloads.Files {
		handler := file.ServeHTTP
		if file.Text != nil {
			text := newAsset(file.Text, file.Kind)
			text.cache = "no-cache"
			handler = text.serve
		}
		public.HandleFunc("GET "+downloads.Path+"/"+file.Name, handler)
	}
}

// downloadsPage shows the programs.
func (s *Server) downloadsPage(w http.ResponseWriter, r *http.Request) {
	body, err := s.downloadsBody()
	if err != nil {
		s.config.Service.Refuse(w, r, err)
		return
	}
	s.render(w, r, http.StatusOK, pageContent{
		Title: "Downloads", Scripts: []string{copyScript}, Body: body,
		Description: "The programs for sellers, for Windows, macOS and Linux, with their sums.",
	})
}

// downloadsBody is empty for a server without downloads.
func (s *Server) downloadsBody() (template.HTML, error) {
	body, err := s.config.Downloads.Page(s.config.BaseURL)
	return site.Reachable(body), err
}
