package browsertest

import (
	"mime"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// faulty is a site with every mistake that the crawl is to find. Only /good has none.
var faulty = map[string]string{
	"/": `<h1>Mistakes</h1><a href="/good">a</a> <a href="/good#here">b</a> <a href="/inline">c</a> <a href="/console">d</a>
		<a href="/uncaught">e</a> <a href="/image">f</a> <a href="/good#nowhere">g</a> <a href="/nothing">h</a>
		<a href="/lax">i</a> <a href="/twice">j</a> <a href="/late">k</a> <a href="/missing">l</a>`,
	"/good":        `<h1>Good</h1><p id="here">Here.</p>`,
	"/inline":      `<h1>Inline</h1><script>document.title = 'changed'</script>`,
	"/console":     `<h1>Console</h1><script src="/console.js"></script>`,
	"/console.js":  `console.error('out of %s', 'ink', 3)`,
	"/uncaught":    `<h1>Uncaught</h1><script src="/uncaught.js"></script>`,
	"/uncaught.js": `nothing.like.this()`,
	"/image":       `<h1>Image</h1><img src="{other}/a.png" alt="">`,
	"/lax":         `<h1>Lax</h1><img src="{other}/b.png" alt=""><script>document.title = 'changed'</script>`,
	"/twice":       `<h1 id="twice">Twice</h1><p id="twice">Twice.</p>`,
	"/late":        `<h1>Late</h1><script src="/late.js"></script>`,
	"/late.js":     `document.body.insertAdjacentHTML('beforeend', '<p id=now><a href="/gone">m</a> <a href="#now">n</a> <a href="#never">o</a>')`,
	"/favicon.ico": ``,
	"/missing":     `<h1>Missing</h1><link rel="stylesheet" href="/missing.css">`,
}

// laxPolicy lets happen what the policy of the others prevents.
const laxPolicy = "script-src 'self' 'unsafe-inline'; img-src *"

// TestTheCrawlFinds shows that the crawl finds what it is there to find, so that its silence about our pages says something.
func TestTheCrawlFinds(t *testing.T) {
	t.Parallel()
	requireBrowser(t)
	other := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	here := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := faulty[r.URL.Path]
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if kind := mime.TypeByExtension(path.Ext(r.URL.Path)); kind != "" {
			w.Header().Set("Content-Type", kind)
		}
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'")
		if r.URL.Path == "/lax" {
			w.Header().Set("Content-Security-Policy", laxPolicy)
		}
		if !ok {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write([]byte(strings.ReplaceAll(text, "{other}", other.URL)))
	}))
	t.Cleanup(here.Close)

	c := follow(t, here.URL, "/")
	c.open(t)

	var got []string
	hashes := regexp.MustCompile(`'sha256-[^']*'`)
	for _, problem := range c.problems {
		problem = hashes.ReplaceAllString(problem, "HASH")
		problem, _, _ = strings.Cut(strings.NewReplacer(other.URL, "OTHER", here.URL, "").Replace(problem), ". Either")
		got = append(got, problem)
	}
	slices.Sort(got)
	want := []string{
		"/: broken link to /good#nowhere: no such place in the page",
		"/: broken link to /nothing: 404",
		"/console: console: out of %s ink 3",
		"/image: log: security: Loading the image 'OTHER/a.png' violates the following Content Security Policy directive: \"img-src 'self'\". The action has been blocked.",
		"/image: request failed: OTHER/a.png: csp",
		"/image: request to another host: OTHER/a.png",
		"/inline: log: security: Executing inline script violates the following Content Security Policy directive 'script-src 'self''",
		"/late: broken link to /gone: 404",
		"/late: broken link to /late#never: no such place in the page",
		"/lax: request failed: OTHER/b.png: net::ERR_BLOCKED_BY_ORB",
		"/lax: request to another host: OTHER/b.png",
		"/lax: the Content-Security-Policy lets scripts run that are not ours: 'unsafe-inline'",
		"/missing: broken link to /missing.css: 404",
		"/missing: log: network: Failed to load resource: the server responded with a status of 404 (Not Found)",
		"/twice: the id twice is there twice",
		"/uncaught: uncaught: Uncaught ReferenceError: nothing is not defined",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
