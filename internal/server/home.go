package server

import (
	"html/template"
	"net/http"
	"time"

	"sellerd/changelog"
	"sellerd/translate"
)

// homeFacts are the parts of the home page that change with time.
type homeFacts struct {
	Deprecated, Sunset time.Time
	Over               bool     // the sunset has passed
	Days               int      // whole days that are left until it, at least 1 before it
	Drills             []string // when /rest rehearses its end for everybody
	Latest             *releasePage
	BaseURL            string
	Demo               bool // the server also has the pages for operators and developers
}

// home serves the home page: what the service is, where to begin, and how long the old interface answers.
func (s *Server) home(w http.ResponseWriter, r *http.Request, pages *changelogPages) {
	if toOwnLanguage(w, r) {
		return
	}
	now := s.config.Service.Clock().Now()
	left := translate.Sunset.Sub(now)
	facts := homeFacts{
		Deprecated: translate.Deprecated, Sunset: translate.Sunset, Over: left <= 0, Days: int((left + 24*time.Hour - 1) / (24 * time.Hour)),
		BaseURL: s.config.BaseURL, Demo: s.config.Demo, Latest: pages.latest,
		Drills: drillsToCome(s.config.Service.AnnouncedDrills(r.Context()), now),
	}
	w.Header().Set("Link", `<`+openAPIPath+`>; rel="service-desc", <`+referencePagePath+`>; rel="service-doc", <`+catalogPath+`>; rel="api-catalog"`)
	s.renderFilled(w, r, http.StatusOK, pageContent{
		Title: "The seller API", Feed: changelog.FeedPath, Scripts: []string{copyScript}, Description: summary,
	}, "home", facts)
}

// Date is a day as HTML, readable by people and by programs.
func (homeFacts) Date(t time.Time) template.HTML {
	return template.HTML(`<time datetime="` + t.Format(time.DateOnly) + `">` + t.Format(longDay) + `</time>`)
}
