package server

import (
	"html/template"
	"net/http"
	"time"

	"sellerd/changelog"
)

// newIssuesPage is the page of known issues: those that last, and those that are corrected.
func newIssuesPage(issues []changelog.Issue) template.HTML {
	var open, corrected []changelog.Issue
	for _, issue := range issues {
		if issue.Open() {
			open = append(open, issue)
		} else {
			corrected = append(corrected, issue)
		}
	}
	return fill("issues", map[string]any{"Open": open, "Corrected": corrected, "Feed": issuesFeed})
}

// issuesFeed is the feed of known issues alone.
const issuesFeed = changelog.FeedPath + "?category=" + changelog.IssueTerm

// day is a day of a table (2026-11-22) for people. The tables were checked when they were decoded.
func day(date string) string {
	at, _ := time.Parse(time.DateOnly, date)
	return at.Format(longDay)
}

// knownIssues shows what is known to affect programs.
func (s *Server) knownIssues(w http.ResponseWriter, r *http.Request) {
	s.render(w, r, http.StatusOK, pageContent{
		Title: "Known issues", Feed: issuesFeed, Markdown: changelog.IssuesPath + markdownSuffix, Body: newIssuesPage(s.issues),
		Description: "Faults of the seller API that are known to affect programs, and what programs can do about them.",
	})
}

// knownIssuesMarkdown serves the known issues in Markdown.
func (s *Server) knownIssuesMarkdown() http.HandlerFunc {
	return newAsset([]byte(changelog.IssuesMarkdown(s.issues)), markdownType).serve
}
