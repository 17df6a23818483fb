package server

import (
	"html/template"
	"net/http"
	"sync"
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
	return fill(issueTemplates(), "issues", map[string]any{
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

var issueTemplates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Parse(`
{{define "issues"}}<h1>Known issues</h1>
<p>This page lists the faults of the service that are known to affect programs, and what you can do until they are corrected. To hear of
them, give the address of <a href="{{.Feed}}">their feed</a> to a feed reader; they are also in the feed of the
<a href="/changelog">change log</a>.</p>
{{if .Open}}<h2 id="open">Not corrected yet</h2>
{{range .Open}}{{template "issue" .}}{{end}}{{else}}<p class="note">No issue is known to affect programs.</p>
{{end}}{{if .Corrected}}<h2 id="corrected">Corrected</h2>
{{range .Corrected}}{{template "issue" .}}{{end}}{{end}}<h2 id="report">Is something else wrong?</h2>
<p><a href="/readyz"><code>/readyz</code></a> says whether the service is ready for requests. If an answer differs from
<a href="/docs">the reference</a>, or is a 500, give its <code>X-Request-Id</code> to the operator of the service.</p>
{{end}}
{{define "issue"}}<article>
<h3 id="{{.ID}}">{{.Title}}</h3>
<p class="facts">since <time datetime="{{.Since}}">{{.SinceDay}}</time>{{if .Until}} · corrected on <time datetime="{{.Until}}">{{.UntilDay}}</time>{{end}} · affects
{{range $n, $name := .Affects}}{{if $n}}, {{end}}<code>/{{$name}}</code>{{end}}</p>
{{.Body}}{{if .Workaround}}<h4>` + changelog.WorkaroundHeading + `</h4>
{{.Workaround}}{{end}}</article>
{{end}}`))
})
