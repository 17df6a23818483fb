package server

import (
	"html/template"
	"net/http"
	"strings"
	"time"

	"sellerd/changelog"
	"sellerd/internal/reference"
	"sellerd/translate"
)

// homeFacts are the parts of the home page that change with time.
type homeFacts struct {
	Deprecated, Sunset time.Time
	Over               bool     // the sunset has passed
	Days               int      // whole days that are left until it, at least 1 before it
	Months             []month  // from the one to the other
	Drills             []string // when /rest rehearses its end for everybody
	Latest             *releasePage
	Sample             template.HTML
	Demo               bool // the server also has the pages for operators and developers
}

// month is a stamp of the timeline.
type month struct {
	Name  string
	State string // "past", "now", or empty: a class of style.css
}

// home serves the home page: what the service is, where to begin, and how long the old interface answers.
func (s *Server) home(w http.ResponseWriter, r *http.Request, pages *changelogPages) {
	now := s.config.Service.Clock().Now()
	left := translate.Sunset.Sub(now)
	facts := homeFacts{
		Deprecated: translate.Deprecated, Sunset: translate.Sunset, Over: left <= 0, Days: int((left + 24*time.Hour - 1) / (24 * time.Hour)),
		Months: monthsUntil(translate.Deprecated, translate.Sunset, now), Sample: s.firstSample(), Demo: s.config.Demo, Latest: pages.latest,
		Drills: drillsToCome(s.config.Service.AnnouncedDrills(r.Context()), now),
	}
	w.Header().Set("Link", `<`+openAPIPath+`>; rel="service-desc", <`+referencePagePath+`>; rel="service-doc", <`+catalogPath+`>; rel="api-catalog"`)
	s.renderFilled(w, r, http.StatusOK, pageContent{
		Title: "The seller API", Home: true, Feed: changelog.FeedPath, Scripts: []string{copyScript}, Description: summary,
	}, "home", facts)
}

// Date is a day as HTML, readable by people and by programs.
func (homeFacts) Date(t time.Time) template.HTML {
	return template.HTML(`<time datetime="` + t.Format(time.DateOnly) + `">` + t.Format(longDay) + `</time>`)
}

// Month is the month of a time, for people.
func (homeFacts) Month(t time.Time) string { return t.Format("January 2006") }

// Short is a day as a postmark has it.
func (homeFacts) Short(t time.Time) string { return strings.ToUpper(t.Format("2 Jan 2006")) }

// Passed is how many months have passed.
func (f homeFacts) Passed() (n int) {
	for _, m := range f.Months {
		if m.State == "past" {
			n++
		}
	}
	return n
}

// monthsUntil are the months between two days, which are on the same day of a month, as they are at a time.
func monthsUntil(from, until, now time.Time) (months []month) {
	for at := from; at.Before(until); at = at.AddDate(0, 1, 0) {
		m := month{Name: at.Format("Jan")}
		switch end := at.AddDate(0, 1, 0); {
		case !now.Before(end):
			m.State = "past"
		case !now.Before(at):
			m.State = "now"
		}
		months = append(months, m)
	}
	return months
}

// firstSample is the request that lists an item, as the reference shows it.
func (s *Server) firstSample() (sample template.HTML) {
	s.operations().Each(func(o *reference.Operation) {
		if o.ID == "submitItem" {
			sample = sampleTabs(o.Samples)
		}
	})
	return sample
}
