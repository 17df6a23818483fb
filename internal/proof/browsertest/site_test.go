package browsertest

import (
	"cmp"
	"flag"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"sellerd/internal/proof/servertest"
	"sellerd/internal/server"
	"sellerd/v1"
)

// site is the whole service where a browser reaches it.
type site struct {
	*servertest.World
	url   string // of the listener, without a path
	first string // path of the page that leads to all others
}

// newSite starts a service that shows all pages. What it calls its own address is where it is, as everywhere in production.
func newSite(t *testing.T) *site {
	t.Helper()
	return newSiteCalled(t, "")
}

// newSiteCalled is newSite with another address in the texts of its pages, for pictures of them.
func newSiteCalled(t *testing.T, baseURL string) *site {
	t.Helper()
	requireBrowser(t)
	public := httptest.NewUnstartedServer(nil)
	address := "http://" + public.Listener.Addr().String()
	w := servertest.New(t, servertest.SQLite(t), func(c *v1.Config) { c.BaseURL = cmp.Or(baseURL, address) })
	all, err := server.New(server.Config{Service: w.Service, Logger: w.Config.Logger, BaseURL: w.Config.BaseURL, Demo: true})
	if err != nil {
		t.Fatal(err)
	}
	public.Config.Handler = all.Public
	public.Start()
	t.Cleanup(public.Close)
	return &site{w, address, "/"}
}

// atDesk is a service, and a tab as wide as on a desk to look at it.
func atDesk(t *testing.T) (*site, *tab) {
	t.Helper()
	s := newSite(t)
	p := newTab(t, s.url)
	p.on(t, desktop)
	return s, p
}

// everyPage has tests look at all pages, also at those that are made as others are. make soak-pages sets it.
var everyPage = flag.Bool("every-page", false, "open every page in the browser, and not a few of each kind")

// aKind is how many pages of a kind are opened in the browser. All are read over HTTP.
const aKind = 3

// kindOf puts pages together that are made of the same template. Pages in other languages than English are made of English ones by one
// function: those in French are of the kinds of the English ones, apart from them, and each other language is a kind.
func kindOf(path string) string {
	if french, ok := strings.CutPrefix(path, "/fr/"); ok {
		return "/fr" + kindOf("/"+french)
	}
	for _, language := range []string{"/de/", "/it/", "/es/", "/nl/"} {
		if strings.HasPrefix(path, language) {
			return language
		}
	}
	if tag, ok := strings.CutPrefix(path, "/docs/reference/"); ok {
		tag, _, _ = strings.Cut(tag, "/")
		return "/docs/reference/" + tag
	}
	for _, many := range []string{"/errors/", "/changelog/", "/migration/item", "/migration/notification-", "/migration/phase-", "/operator/pages/accounts/"} {
		if strings.HasPrefix(path, many) && path != many {
			return many
		}
	}
	return path
}

// aFew are a few addresses of each kind, in their order.
func (c *crawl) aFew(addresses []string) (few []string) {
	count := map[string]int{}
	for _, address := range addresses {
		if kind := kindOf(c.path(address)); *everyPage || count[kind] < aKind {
			count[kind]++
			few = append(few, address)
		}
	}
	return few
}

// pagePaths are the paths of the pages, a few of each kind, by the page that leads to them. They are the same on every site, so
// the first test that needs them follows the links.
var pagePaths = struct {
	sync.Mutex
	found map[string][]string
}{found: map[string][]string{}}

// pages are the addresses of the pages, a few of each kind.
func (s *site) pages(t *testing.T) (addresses []string) {
	t.Helper()
	pagePaths.Lock()
	defer pagePaths.Unlock()
	if pagePaths.found[s.first] == nil {
		c := follow(t, s.url, s.first)
		for _, address := range c.aFew(c.pages()) {
			if c.found[address].isHTML {
				pagePaths.found[s.first] = append(pagePaths.found[s.first], c.path(address))
			}
		}
	}
	for _, path := range pagePaths.found[s.first] {
		addresses = append(addresses, s.url+path)
	}
	return addresses
}
