package server

import (
	"html/template"
	"net/http"
	"sync"
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
func (s *Server) home(w http.ResponseWriter, r *http.Request) {
	pages, err := s.changelog.get(r.Context(), s.config.Service)
	if err != nil {
		s.config.Service.Refuse(w, r, err)
		return
	}
	now := s.config.Service.Clock().Now()
	left := translate.Sunset.Sub(now)
	facts := homeFacts{
		Deprecated: translate.Deprecated, Sunset: translate.Sunset, Over: left <= 0, Days: int((left + 24*time.Hour - 1) / (24 * time.Hour)),
		BaseURL: s.config.BaseURL, Demo: s.config.Demo, Latest: pages.latest,
		Drills: drillsToCome(s.config.Service.AnnouncedDrills(r.Context()), now),
	}
	body, err := fill(homeTemplate(), "home", facts)
	if err != nil {
		s.config.Service.Refuse(w, r, err)
		return
	}
	w.Header().Set("Link", `<`+openAPIPath+`>; rel="service-desc", <`+referencePagePath+`>; rel="service-doc", <`+catalogPath+`>; rel="api-catalog"`)
	s.render(w, r, http.StatusOK, pageContent{
		Title: "The seller API", Feed: changelog.FeedPath, Scripts: []string{copyScript}, Body: body,
		Description: summary,
	})
}

// Date is a day as HTML, readable by people and by programs.
func (homeFacts) Date(t time.Time) template.HTML {
	return template.HTML(`<time datetime="` + t.Format(time.DateOnly) + `">` + t.Format(longDay) + `</time>`)
}

var homeTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Parse(`
{{define "home"}}<h1>The seller API</h1>
<p class="lead">For sellers of stamps, postcards, coins and other collectibles, and for their programs: list items, one or a hundred at a
time, follow sales, ship bills, rate buyers, and receive events by webhook.</p>
<ul class="cards">
<li>
<h2><a href="/docs/start">I sell there</a></h2>
<p><a href="/docs/start">Start</a> goes from the key to the first parcel in ten minutes, with a test key. Then read
<a href="/docs/api">how /v1 works</a>, and look operations up in <a href="/docs">the reference</a>.</p>
<p>Your program calls <code>/rest</code>? <a href="/migration">The migration guide</a> shows each old call beside the request that replaces
it.</p>
</li>
{{if .Demo}}<li>
<h2><a href="/docs/operating">I run it</a></h2>
<p><a href="/docs/operating">Operating</a> says what to do first, and leads to a page for each task.
<a href="/docs/deploy">Containers and systemd</a>, <a href="/docs/backup">backup</a> and <a href="/docs/scaling">scaling</a> follow.</p>
</li>
<li>
<h2><a href="/docs/architecture">I change it</a></h2>
<p><a href="/docs/architecture">Architecture</a> leads to the way of a request and the folders.
<a href="/docs/recipes">Recipes</a> name the files that each kind of change touches.</p>
</li>
{{else}}<li>
<h2><a href="/docs">I look something up</a></h2>
<p><a href="/docs">The reference</a> has every operation with examples in five languages, and <a href="/errors">the error codes</a> say what to do.
The field at the top searches all pages.</p>
</li>
<li>
<h2><a href="/known-issues">Something is wrong</a></h2>
<p><a href="/known-issues">Known issues</a> lists the faults that affect programs, <a href="/changelog">the change log</a> what each release changed, and
<a href="/readyz"><code>/readyz</code></a> says whether the service is ready.</p>
</li>
{{end}}</ul>
<section aria-labelledby="sunset">
<h2 id="sunset">How long /rest answers</h2>
{{if .Over}}<p class="warn"><code>/rest</code> was switched off on {{.Date .Sunset}} and answers 410.
<a href="/migration">The migration guide</a> leads to <code>/v1</code>.</p>
{{else}}<p class="note">The old interface, <code>/rest</code>, has been deprecated since {{.Date .Deprecated}}. It works unchanged until {{.Date .Sunset}},
00:00 UTC, and answers 410 from then on. {{if eq .Days 1}}Less than a day is{{else}}{{.Days}} days are{{end}} left.</p>
{{range .Drills}}<p class="warn">A drill for everybody: {{.}}. In that time <code>/rest</code> answers 410, as it will after its end.</p>
{{end}}<p>Paste a request of yours into <a href="/migration/translate">the translator</a> to see it in <code>/v1</code>.
<a href="/migration?usage#usage">Your own list</a> shows the old calls that your account still makes.
<a href="/docs/legacy">The deprecated interface</a> says what old programs get, and how to rehearse the last day.</p>
{{end}}</section>
<section aria-labelledby="first">
<h2 id="first">A first request</h2>
<pre data-copy tabindex="0"><code>curl {{.BaseURL}}/v1/account -H "X-Api-Key: $KEY"</code></pre>
<p>The marketplace issues keys: ask for a test key first. {{if .Demo}}A demo server prints its keys when it starts. {{end}}Keys begin with <code>dk_test_</code> or <code>dk_live_</code>; test data and live data are separate.
<a href="/docs/start">Start</a> sets <code>KEY</code>, and goes on with a first item.</p>
</section>
<section aria-labelledby="programs">
<h2 id="programs">For programs</h2>
<ul>
<li><a href="/openapi.json"><code>/openapi.json</code></a>: the description of <code>/v1</code> (OpenAPI 3.1), from which clients can be generated;
<a href="/openapi.yaml"><code>/openapi.yaml</code></a> is the same in YAML</li>
<li><a href="/openapi-rest.json"><code>/openapi-rest.json</code></a>: the same for <code>/rest</code></li>
<li><a href="/migration.json"><code>/migration.json</code></a>: the migration guide as data</li>
<li><a href="/errors.json"><code>/errors.json</code></a>: the error codes</li>
<li><a href="/changelog.atom"><code>/changelog.atom</code></a>: the change log, for feed readers</li>
<li><a href="/migration.ics"><code>/migration.ics</code></a>: the days of the end of <code>/rest</code>, for calendars</li>
<li><a href="/.well-known/api-catalog"><code>/.well-known/api-catalog</code></a>: the interfaces and their descriptions (RFC 9727)</li>
<li><a href="/llms.txt"><code>/llms.txt</code></a>: the documentation for language models. Each page under <code>/docs/</code> is also there in Markdown, such as
<a href="/docs/api.md"><code>/docs/api.md</code></a>, and so are <a href="/docs.md"><code>/docs.md</code></a>,
<a href="/changelog.md"><code>/changelog.md</code></a> and <a href="/known-issues.md"><code>/known-issues.md</code></a></li>
<li><a href="/healthz"><code>/healthz</code></a> and <a href="/readyz"><code>/readyz</code></a>: whether the service is alive, and whether it is ready for requests</li>
</ul>
</section>
{{with .Latest}}<section aria-labelledby="latest">
<h2 id="latest">Last release</h2>
<p><a href="/changelog/{{.Version}}">{{.Version}}: {{.Title}}</a>, <time datetime="{{.Date}}">{{.Day}}</time></p>
</section>
{{end}}{{end}}`))
})
