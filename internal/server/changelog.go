package server

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"sellerd/changelog"
	"sellerd/internal/site"
	"sellerd/translate"
	"sellerd/v1"
)

// changelogPages are the pages and feeds of the change log.
type changelogPages struct {
	feeds    map[string]feedDocument // by category, the whole log under ""
	all      template.HTML
	markdown *asset
	latest   *releasePage           // the newest that is out
	releases map[string]releasePage // by version
}

// feedDocument is a feed as it is served: to feed readers, and to browsers, which show it only if it is not called Atom.
type feedDocument struct {
	feed, shown *asset
	updated     time.Time
}

// releasePage is the content of a release's page.
type releasePage struct {
	changelog.Release
	Addresses []link // method and path of each operation, and where the reference shows it if it does
}

// newChangelogPages makes the pages of what is released. It fails if the table has a mistake or names an operation that
// does not exist.
func newChangelogPages(issues []changelog.Issue, told announcements, baseURL string) (*changelogPages, error) {
	releases, err := changelog.Load()
	if err != nil {
		return nil, err
	}
	pages := &changelogPages{
		feeds: map[string]feedDocument{}, releases: map[string]releasePage{}, markdown: newAsset([]byte(changelog.Markdown(releases, told.reminders)), markdownType),
	}
	for _, category := range append([]changelog.Category{{}}, changelog.Categories...) {
		feed, err := changelog.Atom(changelog.News{Issues: issues, Drills: told.drills, Reminders: told.reminders}, baseURL, category.Term)
		if err != nil {
			return nil, err
		}
		pages.feeds[category.Term] = feedDocument{
			newAsset(feed.XML, "application/atom+xml; charset=utf-8"), newAsset(feed.XML, "application/xml; charset=utf-8"), feed.Updated,
		}
	}
	var shown []releasePage
	var entries []changelogEntry
	for _, release := range releases {
		p, err := newReleasePage(release)
		if err != nil {
			return nil, fmt.Errorf("%s: release %s: %w", changelog.File, release.Version, err)
		}
		if release.Released() {
			shown = append(shown, p)
			entries = append(entries, changelogEntry{Release: &p, day: release.Day()})
			pages.releases[release.Version] = p
		}
	}
	if len(shown) > 0 {
		pages.latest = &shown[0]
	}
	for _, reminder := range told.reminders {
		day := reminder.At.Format(time.DateOnly)
		entries = append(entries, changelogEntry{Reminder: &reminderEntry{reminder, day, day}, day: day})
	}
	slices.SortStableFunc(entries, func(a, b changelogEntry) int { return cmp.Compare(b.day, a.day) })
	pages.all = site.Labelled(fill("changelog", map[string]any{"Entries": entries, "Categories": changelog.Categories}))
	return pages, nil
}

// changelogEntry is an entry of the page of the change log: a release or a reminder.
type changelogEntry struct {
	Release  *releasePage
	Reminder *reminderEntry
	day      string // as YYYY-MM-DD
}

// reminderEntry is a reminder with its day, as releases have it.
type reminderEntry struct {
	changelog.Reminder
	Date, Day string
}

func newReleasePage(release changelog.Release) (releasePage, error) {
	p := releasePage{Release: release}
	for _, name := range release.Operations {
		address := addressOf(name)
		if address == "" {
			return p, fmt.Errorf("there is no operation and no call of /rest with the name %q", name)
		}
		method, path, _ := strings.Cut(address, " ")
		p.Addresses = append(p.Addresses, link{referencePath(method, path), address})
	}
	return p, nil
}

// addressOf is the method and path of an operation, or of a call of the old interface, empty when there is neither.
func addressOf(name string) string {
	for _, o := range v1.Operations {
		if o.Name == name {
			return o.Method + " " + o.Pattern
		}
	}
	for _, call := range translate.Calls {
		if call.ID == name {
			return call.Method + " " + call.Pattern
		}
	}
	return ""
}

// changelogFeed serves the feed, whole or of one category, and says when nothing changed.
func (s *Server) changelogFeed(w http.ResponseWriter, r *http.Request, pages *changelogPages) {
	feed, ok := pages.feeds[r.URL.Query().Get("category")]
	if !ok {
		s.render(w, r, http.StatusNotFound, pageContent{
			Title: "There is no such category", Paragraphs: []string{"The change log has a feed for each of these."}, Links: categoryLinks(),
		})
		return
	}
	h := w.Header()
	h.Set("Vary", "Accept, Accept-Encoding")
	h.Set("Content-Security-Policy", feedSecurityPolicy)
	h.Set("Last-Modified", feed.updated.Format(http.TimeFormat))
	// A release is dated at midnight and served later. A reader that sends the time of its last visit would miss it, so
	// only the exact date that we sent counts.
	var compared time.Time
	if r.Header.Get("If-Modified-Since") == h.Get("Last-Modified") {
		compared = feed.updated
	}
	if fromBrowser(r) {
		feed.shown.serveChanged(w, r, compared)
		return
	}
	feed.feed.serveChanged(w, r, compared)
}

// feedSecurityPolicy lets the feed, when a browser shows it, load our stylesheets and nothing else.
const feedSecurityPolicy = "default-src 'none'; style-src 'self'"

// fromBrowser says whether a browser opens the feed: it accepts HTML and, unlike feed readers, not Atom. Chromium shows
// what is called Atom as source text, whatever its stylesheets, and does apply them to XML.
func fromBrowser(r *http.Request) bool {
	accept := strings.Join(r.Header.Values("Accept"), ",")
	return strings.Contains(accept, "text/html") && !strings.Contains(accept, "application/atom+xml")
}

func categoryLinks() []link {
	links := []link{{changelog.FeedPath, "Everything"}}
	for _, c := range changelog.Categories {
		links = append(links, link{changelog.FeedPath + "?category=" + c.Term, c.Term + ": " + c.Meaning})
	}
	return links
}

// changelogPage shows all releases.
func (s *Server) changelogPage(w http.ResponseWriter, r *http.Request, pages *changelogPages) {
	s.render(w, r, http.StatusOK, pageContent{
		Title: "Change log", Feed: changelog.FeedPath, Markdown: changelog.PagePath + markdownSuffix, Body: pages.all,
	})
}

// changelogMarkdown serves all releases in Markdown.
func (s *Server) changelogMarkdown(w http.ResponseWriter, r *http.Request, pages *changelogPages) {
	pages.markdown.serve(w, r)
}

// changelogRelease shows one release, and the operations that it is about.
func (s *Server) changelogRelease(w http.ResponseWriter, r *http.Request, pages *changelogPages) {
	release, ok := pages.releases[r.PathValue("version")]
	if !ok {
		s.render(w, r, http.StatusNotFound, pageContent{
			Title: "There is no such release", Feed: changelog.FeedPath, Links: []link{{changelog.PagePath, "The change log"}},
		})
		return
	}
	s.renderFilled(w, r, http.StatusOK, pageContent{
		Title: release.Version + ": " + release.Title, Section: changelog.PagePath, Feed: changelog.FeedPath, Links: []link{{changelog.PagePath, "The change log"}},
	}, "release", release)
}
