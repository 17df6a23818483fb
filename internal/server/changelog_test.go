package server_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mmcdole/gofeed"

	"sellerd/changelog"
	"sellerd/internal/proof/servertest"
	"sellerd/translate"
	"sellerd/v1"
)

func TestTheChangeLogFitsTheProgram(t *testing.T) {
	named := map[string]bool{}
	for _, release := range changelog.Releases() {
		for _, name := range release.Operations {
			named[name] = true
		}
	}
	t.Run("every operation was announced", func(t *testing.T) {
		for _, o := range v1.Operations {
			if !named[o.Name] {
				t.Errorf("no release names %s", o.Name)
			}
		}
	})
	t.Run("a release names every call of /rest", func(t *testing.T) {
		for _, call := range translate.Calls {
			if !named[call.ID] {
				t.Errorf("no release names %s: add it to the operations of the open release", call.ID)
			}
		}
	})
	t.Run("the first release deprecates /rest, on the days in its headers", func(t *testing.T) {
		first, _ := changelog.Find("1.0.0")
		if !slices.Contains(first.Terms(), string(changelog.Deprecation)) || first.Date != translate.Deprecated.Format(time.DateOnly) {
			t.Errorf("it is of %s, in the categories %q", first.Date, first.Terms())
		}
		for _, want := range []string{translate.Sunset.Format("2 January 2006 at 15:04 UTC"), string(v1.LegacyAPIRetired)} {
			if !strings.Contains(string(first.Text), want) {
				t.Errorf("it does not say %q", want)
			}
		}
	})
	t.Run("the newest release is the one that the OpenAPI document names", func(t *testing.T) {
		if got := changelog.Releases()[0].Version; got != v1.Release {
			t.Errorf("the newest is %s, the document's %s", got, v1.Release)
		}
	})
}

func TestChangelogPages(t *testing.T) {
	_, s, _ := logged(t)
	for _, test := range []struct {
		path     string
		status   int
		contains string
	}{
		{"/changelog", 200, `<h2 id="1.1.0"><a href="/changelog/1.1.0"><span class="version">1.1.0<span class="visually-hidden">:</span></span> Sales can be listed newest first</a></h2>`},
		{"/changelog", 200, `<link rel="alternate" type="application/atom+xml" title="Change log" href="/changelog.atom">`},
		{"/changelog", 200, `<time datetime="2026-10-05">5 October 2026</time> <span class="badge initial">initial</span> <span class="badge deprecation">deprecation</span> <span class="badge v1">v1</span> <span class="badge rest">rest</span>`},
		{"/changelog", 200, `<a href="/changelog.atom?category=breaking">`},
		{"/changelog/1.0.0", 200, "<title>1.0.0: The seller API is released as /v1; /rest ends on 5 October 2027 – The seller API</title>"},
		{"/changelog/1.0.0", 200, "<summary>The 59 operations that this release concerns</summary>"},
		{"/changelog/1.0.0", 200, "<li><code>POST /rest/item/{id_item}/feedback</code></li>"},
		{"/changelog/1.1.0", 200, "<summary>The operation that this release concerns</summary>"},
		{"/changelog/1.2.0", 200, `<a href="/docs/sandbox">`},
		{"/changelog/9.9.9", 404, "There is no such release"},
		{"/changelog/", 404, "route_not_found"},
		{"/changelog.atom?category=soap", 404, `<li><a href="/changelog.atom?category=deprecation">deprecation: what still works`},
		{"/changelog.atom?category=Deprecation", 404, "There is no such category"},
		{"/changelog.css", 200, "@namespace"},
		{"/", 200, `<a href="/changelog">Change log</a>`},
	} {
		t.Run(test.path+" has "+test.contains, func(t *testing.T) {
			got := get(s.Public, test.path)
			if got.Code != test.status || !strings.Contains(got.Body.String(), test.contains) {
				t.Errorf("want %d with %q, got %d %.3000s", test.status, test.contains, got.Code, got.Body)
			}
		})
	}
}

func TestTheFeedIsServedAsAtom(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	for path, category := range map[string]string{
		"/changelog.atom": "", "/changelog.atom?category=": "", "/changelog.atom?utm_source=x": "",
		"/changelog.atom?category=deprecation": "deprecation", "/changelog.atom?category=fix": "fix",
	} {
		t.Run(path, func(t *testing.T) {
			feed, err := changelog.Atom(changelog.News{Issues: changelog.Issues()}, w.Config.BaseURL, category)
			if err != nil {
				t.Fatal(err)
			}
			got := get(w.Server.Public, path)
			if got.Code != http.StatusOK {
				t.Fatalf("%d %s", got.Code, got.Body)
			}
			if diff := cmp.Diff(string(feed.XML), got.Body.String()); diff != "" {
				t.Errorf("(-made +served):\n%s", diff)
			}
			h := got.Header()
			want := map[string]string{
				"Content-Type": "application/atom+xml; charset=utf-8", "Last-Modified": feed.Updated.Format(http.TimeFormat),
				"Cache-Control": "public, max-age=300", "Content-Security-Policy": "default-src 'none'; style-src 'self'",
			}
			for name, value := range want {
				if h.Get(name) != value {
					t.Errorf("%s is %q, want %q", name, h.Get(name), value)
				}
			}
		})
	}
	for name, c := range map[string]struct{ accept, want string }{
		"a browser gets XML, to which it applies stylesheets": {
			"text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8",
			"application/xml; charset=utf-8",
		},
		"a reader that would take HTML as well gets Atom":        {"application/atom+xml, application/rss+xml;q=0.9, text/html;q=0.5", "application/atom+xml; charset=utf-8"},
		"a program that takes anything gets Atom":                {"*/*", "application/atom+xml; charset=utf-8"},
		"a program that asks for XML of whatever kind gets Atom": {"application/xml", "application/atom+xml; charset=utf-8"},
	} {
		t.Run(name, func(t *testing.T) {
			got := get(w.Server.Public, "/changelog.atom", "Accept", c.accept).Header()
			if got.Get("Content-Type") != c.want || got.Get("Vary") != "Accept, Accept-Encoding" {
				t.Errorf("want %s, got %s, which varies by %q", c.want, got.Get("Content-Type"), got.Get("Vary"))
			}
		})
	}
	t.Run("what makes a page of it is there", func(t *testing.T) {
		for _, path := range changelog.Stylesheets {
			if got := get(w.Server.Public, path); got.Code != http.StatusOK || got.Header().Get("Content-Type") != "text/css; charset=utf-8" {
				t.Errorf("%s: %d %s", path, got.Code, got.Header().Get("Content-Type"))
			}
		}
	})
}

func TestTheFeedIsReadAgainOnlyWhenItChanged(t *testing.T) {
	_, s, _ := logged(t)
	first := get(s.Public, "/changelog.atom").Header()
	tag, modified := first.Get("ETag"), first.Get("Last-Modified")
	other := get(s.Public, "/changelog.atom?category=deprecation").Header().Get("ETag")
	if len(tag) < 3 || tag[0] != '"' || tag == other {
		t.Fatalf("the tags are %s and %s", tag, other)
	}
	date, err := http.ParseTime(modified)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		header []string
		want   int
	}{
		"its tag":                               {[]string{"If-None-Match", tag}, 304},
		"its tag among others":                  {[]string{"If-None-Match", `"other", ` + tag}, 304},
		"any tag":                               {[]string{"If-None-Match", "*"}, 304},
		"the tag of a part":                     {[]string{"If-None-Match", other}, 200},
		"its date":                              {[]string{"If-Modified-Since", modified}, 304},
		"a later date, perhaps of a last visit": {[]string{"If-Modified-Since", date.Add(12 * time.Hour).Format(http.TimeFormat)}, 200},
		"an earlier date":                       {[]string{"If-Modified-Since", date.Add(-time.Second).Format(http.TimeFormat)}, 200},
		"no date at all":                        {[]string{"If-Modified-Since", "yesterday"}, 200},
		"its date and another tag":              {[]string{"If-Modified-Since", modified, "If-None-Match", `"other"`}, 200},
	} {
		t.Run("with "+name, func(t *testing.T) {
			got := get(s.Public, "/changelog.atom", c.header...)
			if got.Code != c.want || (got.Body.Len() == 0) != (c.want == 304) {
				t.Errorf("want %d, got %d with %d bytes", c.want, got.Code, got.Body.Len())
			}
			if got.Header().Get("ETag") != tag {
				t.Errorf("its tag is now %s", got.Header().Get("ETag"))
			}
		})
	}
}

func TestTheChangeLogIsOnlyRead(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	public := httptest.NewServer(w.Server.Public)
	defer public.Close()
	for _, path := range []string{"/changelog.atom", "/changelog", "/changelog/1.0.0", "/errors", "/errors.json"} {
		t.Run("HEAD "+path, func(t *testing.T) {
			got, err := public.Client().Head(public.URL + path)
			if err != nil {
				t.Fatal(err)
			}
			got.Body.Close()
			if got.StatusCode != http.StatusOK || got.Header.Get("Content-Type") != get(w.Server.Public, path).Header().Get("Content-Type") {
				t.Errorf("%d %s", got.StatusCode, got.Header.Get("Content-Type"))
			}
		})
		t.Run("POST "+path, func(t *testing.T) {
			got := httptest.NewRecorder()
			w.Server.Public.ServeHTTP(got, httptest.NewRequest(http.MethodPost, path, http.NoBody))
			if got.Code != http.StatusMethodNotAllowed || got.Header().Get("Allow") != "GET, HEAD, OPTIONS" {
				t.Errorf("%d, Allow %q", got.Code, got.Header().Get("Allow"))
			}
		})
	}
}

// reading is what a feed reader makes of an entry.
type reading struct {
	ID, Title, Link    string
	Published, Updated time.Time
	Categories         []string
}

// toBeRead are the entries that every reader must find in a feed of a service at baseURL, in one category or in all.
func toBeRead(t *testing.T, baseURL, category string) []reading {
	t.Helper()
	var want []reading
	releases := changelog.Releases()
	for i, r := range releases {
		if !r.Released() || category != "" && !slices.Contains(r.Terms(), category) {
			continue
		}
		at, err := time.Parse(changelog.InstantForm, r.Date)
		if r.Date == r.Day() {
			at, err = time.Parse(time.DateOnly, r.Date)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, older := range releases[i+1:] {
			if older.Date == r.Date { // releases of one day, of which no more is known, are a second apart
				at = at.Add(time.Second)
			}
		}
		want = append(want, reading{
			"tag:delcampe.net,2026-10-05:seller-api/changelog/" + r.Version, r.Version + ": " + r.Title,
			baseURL + "/changelog/" + r.Version, at, at, r.Terms(),
		})
	}
	for _, issue := range changelog.Issues() {
		if category == "" {
			want = append(want, reading{
				"tag:delcampe.net,2026-10-05:seller-api/changelog/known-issue/" + issue.ID, "Corrected: " + issue.Title,
				baseURL + "/known-issues#" + issue.ID, issue.Announced, issue.Updated, append([]string{"known-issue"}, issue.Affects...),
			})
		}
	}
	slices.SortStableFunc(want, func(a, b reading) int { return b.Updated.Compare(a.Updated) })
	return want
}

// feedsToRead are a whole feed, and one of a category.
var feedsToRead = map[string]string{"": "/changelog.atom", "deprecation": "/changelog.atom?category=deprecation"}

func TestAFeedReaderInGoReadsTheFeed(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	public := httptest.NewServer(w.Server.Public)
	defer public.Close()
	for category, path := range feedsToRead {
		t.Run(path, func(t *testing.T) {
			feed, err := gofeed.NewParser().ParseURLWithContext(public.URL+path, t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if feed.FeedType != "atom" || feed.FeedLink != w.Config.BaseURL+path || feed.Link != w.Config.BaseURL+"/changelog" || len(feed.Authors) != 1 {
				t.Errorf("it is %s at %s for %s by %v", feed.FeedType, feed.FeedLink, feed.Link, feed.Authors)
			}
			var got []reading
			for _, item := range feed.Items {
				if item.PublishedParsed == nil || item.UpdatedParsed == nil {
					t.Fatalf("%s has the dates %q and %q", item.GUID, item.Published, item.Updated)
				}
				got = append(got, reading{item.GUID, item.Title, item.Link, *item.PublishedParsed, *item.UpdatedParsed, item.Categories})
				if !strings.HasPrefix(item.Content, "<p>") || item.Description == "" {
					t.Errorf("%s has the content %.100q and the summary %.100q", item.GUID, item.Content, item.Description)
				}
			}
			if diff := cmp.Diff(toBeRead(t, w.Config.BaseURL, category), got); diff != "" {
				t.Errorf("(-written +read):\n%s", diff)
			}
		})
	}
}
