package browsertest

import (
	"cmp"
	"net/http/httptest"
	"testing"

	"sellerd/internal/servertest"
	"sellerd/v1"
)

// site is the whole service where a browser reaches it.
type site struct {
	*servertest.World
	url string
}

// newSite starts a service. What it calls its own address is where it is, as everywhere in production.
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
	public.Config.Handler = w.Server.Public
	public.Start()
	t.Cleanup(public.Close)
	return &site{w, address}
}

// pages are the addresses of the pages, a few of those that are made of the same template.
func (s *site) pages(t *testing.T) (addresses []string) {
	t.Helper()
	c := follow(t, s.url, "/")
	for _, address := range c.pages() {
		if c.found[address].isHTML {
			addresses = append(addresses, address)
		}
	}
	return addresses
}
