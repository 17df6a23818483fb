package browsertest

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// crawl is what is found by following the links of a server from one page on, and what is wrong with it.
//
// Every page is read over HTTP first. A few of each kind are then opened in the browser.
type crawl struct {
	server   *url.URL
	found    map[string]*crawled // by address, without the fragment
	order    []string            // addresses in the order in which they were found
	places   []place
	problems []string
}

// crawled is what is at an address.
type crawled struct {
	status   int
	isHTML   bool
	shown    bool // by browsers, as a page
	document document
	live     document // as its scripts changed it, once it was opened
}

// place is a part of a page to which another page leads.
type place struct{ from, page, fragment string }

// follow reads the pages of a server, all that can be reached from the first ones.
func follow(t *testing.T, server string, first ...string) *crawl {
	t.Helper()
	address, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	c := &crawl{server: address, found: map[string]*crawled{}}
	for _, path := range first {
		c.read(t, "", server+path)
	}
	return c
}

// read reads what is at an address, if it is ours and was not read before, and all that it leads to.
func (c *crawl) read(t *testing.T, from, link string) {
	t.Helper()
	to, err := url.Parse(link)
	if err != nil || to.Host != c.server.Host {
		return
	}
	address, fragment := cutFragment(link)
	if fragment != "" {
		c.addPlace(place{from, address, fragment})
	}
	if c.found[address] != nil {
		return
	}
	is := &crawled{}
	c.found[address] = is
	c.order = append(c.order, address)
	text := c.fetch(t, address, is)
	if from != "" && is.status != http.StatusOK {
		c.report(from, "broken link to %s: %d", c.path(address), is.status)
	}
	if !is.isHTML {
		return
	}
	if is.document, err = readDocument(text, address); err != nil {
		t.Fatal(err)
	}
	for _, id := range is.document.twice() {
		c.report(address, "the id %s is there twice", id)
	}
	for _, next := range is.document.links {
		c.read(t, address, next)
	}
}

// fetch asks for a page as a browser does.
func (c *crawl) fetch(t *testing.T, address string, is *crawled) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil {
		c.report(address, "Content-Type: %v", err)
	}
	is.status, is.isHTML = response.StatusCode, kind == "text/html"
	is.shown = is.isHTML || kind == "application/xml"
	if is.shown {
		if wrong := scriptPolicy(response.Header.Get("Content-Security-Policy")); wrong != "" {
			c.report(address, "%s", wrong)
		}
	}
	return string(text)
}

func (c *crawl) addPlace(p place) {
	if !slices.Contains(c.places, p) {
		c.places = append(c.places, p)
	}
}

func (c *crawl) report(address, format string, args ...any) {
	c.problems = append(c.problems, c.path(address)+": "+fmt.Sprintf(format, args...))
}

func (c *crawl) path(address string) string {
	return strings.TrimPrefix(address, c.server.String())
}

// pages are the addresses of the pages that a browser shows, in the order in which they were found.
func (c *crawl) pages() (addresses []string) {
	for _, address := range c.order {
		if c.found[address].shown && c.found[address].status == http.StatusOK {
			addresses = append(addresses, address)
		}
	}
	return addresses
}

// open opens a few pages of each kind in the browser, also those that only their scripts lead to, and tries the places in them.
func (c *crawl) open(t *testing.T) {
	t.Helper()
	opened := map[string]bool{}
	for {
		var next []string
		for _, address := range c.aFew(c.pages()) {
			if !opened[address] {
				next = append(next, address)
				opened[address] = true
			}
		}
		if len(next) == 0 {
			break
		}
		for address, is := range c.openAll(t, next) {
			c.found[address].live = is.document
			for _, problem := range is.problems {
				c.report(address, "%s", problem)
			}
		}
		for _, address := range next {
			for _, link := range c.found[address].live.links {
				c.read(t, address, link)
			}
		}
	}
	c.tryPlaces(t)
}

// opened is how a page was when the browser had loaded it.
type opened struct {
	document document
	problems []string
}

// openAll opens pages in as many tabs as there may be.
func (c *crawl) openAll(t *testing.T, addresses []string) map[string]opened {
	t.Helper()
	var (
		mu    sync.Mutex
		all   = map[string]opened{}
		queue = make(chan string, len(addresses))
	)
	for _, address := range addresses {
		queue <- address
	}
	close(queue)
	t.Run("in the browser", func(t *testing.T) {
		for range min(tabs, len(addresses)) {
			t.Run("in a tab", func(t *testing.T) {
				t.Parallel()
				p := newTab(t, c.server.String())
				for address := range queue {
					p.open(t, address)
					is, err := readDocument(eval[string](t, p, `document.documentElement.outerHTML`), address)
					if err != nil {
						t.Fatal(err)
					}
					mu.Lock()
					all[address] = opened{is, p.problems()}
					mu.Unlock()
				}
			})
		}
	})
	return all
}

// tryPlaces looks for the places that pages lead to. Those that only scripts make are there once the page was opened at
// them.
func (c *crawl) tryPlaces(t *testing.T) {
	t.Helper()
	tried := map[string]bool{} // by address with the fragment
	var p *tab
	for _, place := range c.places {
		is := c.found[place.page]
		address := place.page + "#" + place.fragment
		if !is.isHTML || is.document.has(place.fragment) || is.live.has(place.fragment) {
			continue
		}
		if _, done := tried[address]; !done && is.document.scripts {
			if p == nil {
				p = newTab(t, c.server.String())
			}
			p.open(t, "about:blank") // so that the page is loaded anew, and not only scrolled
			p.open(t, address)
			is, err := readDocument(eval[string](t, p, `document.documentElement.outerHTML`), address)
			if err != nil {
				t.Fatal(err)
			}
			tried[address] = is.has(place.fragment)
		}
		if !tried[address] {
			c.report(place.from, "broken link to %s: no such place in the page", c.path(address))
		}
	}
}

func TestEveryPageLoadsWithoutProblems(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := follow(t, s.url, "/", "/errors/no_such_code", "/changelog/0.0.0", "/docs/no-such-page", "/assets/no-such-file")
	c.open(t)

	for _, problem := range c.problems {
		t.Error(problem)
	}
	t.Logf("%d addresses, of which %d were opened in the browser", len(c.order), len(c.aFew(c.pages())))
}
