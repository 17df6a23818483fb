package server

import (
	"html/template"
	"net/http"
	"time"

	"sellerd/changelog"
	"sellerd/internal/site"
)

// issueOnPage is a known issue as the page shows it.
type issueOnPage struct {
	changelog.Issue
	SinceDay, UntilDay string // 22 November 2026
	Body, Workaround   template.HTML
}

// newIssuesPage is the page of known issues: those that last, and those that are corrected.
func newIssuesPage(issues []changelog.Issue) (template.HTML, error) {
	var open, corrected []issueOnPage
	for _, issue := range issues {
		on := issueOnPage{
			Issue: issue, SinceDay: day(issue.Since), UntilDay: day(issue.Until),
			Body: site.Reachable(issue.HTML("")), Workaround: site.Reachable(issue.WorkaroundHTML("")),
		}
		if issue.Open() {
			open = append(open, on)
		} else {
			corrected = append(corrected, on)
		}
	}
	return fill("issues", map[string]any{
		"Open": open, "Corrected": corrected, "Feed": issuesFeed,
	})
}

// issuesFeed is the feed of known issues alone.
const issuesFeed = changelog.FeedPath + "?category=" + changelog.IssueTerm

// day is a day of the table (2026-11-22) for people, empty if there is none. The table was checked when it was decoded.
func day(date string) string {
	at, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return ""
	}
	return at.Format(longDay)
}

// knownIssues shows what is known to affect programs.
func (s *Server) knownIssues(w http.ResponseWriter, r *http.Request) {
	body, err := newIssuesPage(s.issues)
	if err != nil {
		s.config.Service.Refuse(w, r, err)
		return
	}
	s.render(w, r, http.StatusOK, pageContent{
		Title: "Known issues", Feed: issuesFeed, Markdown: changelog.IssuesPath + markdownSuffix, Body: body,
		Description: "Faults of the seller API that are known to affect programs, and what programs can do about them.",
	})
}

// knownIssuesMarkdown serves the known issues in Markdown.
func (s *Server) knownIssuesMarkdown() http.HandlerFunc {
	return newAsset([]byte(changelog.IssuesMarkdown(s.issues)), markdownType).serve
}
