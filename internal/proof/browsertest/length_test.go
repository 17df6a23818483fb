package browsertest

import (
	"testing"

	pagesOf "sellerd/internal/site"
)

// mostScreens is how many screens of a desk a page for sellers may be high: three, and a little for machines with other fonts.
const mostScreens = 3.15

// longer are the pages for sellers that may be higher, in screens, with the reason.
var longer = map[string]struct {
	most   float64
	reason string
}{
	"start":            {4.2, "its commands depend on one another, from the key to the parcel, and are in tabs of five languages"},
	"event-feed":       {4.1, "it has a whole program, which a reader copies"},
	"authentication":   {3.5, "it has the table of permissions"},
	"requests":         {3.55, "it has requests, answers and values, with an example of each, and what happens to bodies that are late or too large"},
	"states":           {4, "it has a table for each kind of object"},
	"webhooks":         {3.25, "it shows the answer with the secret, which comes only once"},
	"webhook-receiver": {3.9, "it has what a receiver does, as a program in two languages"},
	"mcp":              {4.7, "it has the table of tools, one with the name that it had before"},
}

// height is how many screens high a page is, with its frame.
const height = `document.documentElement.scrollHeight / innerHeight`

// docPaths are the names of the pages of docs that a server shows to sellers, by path.
func (s *site) docPaths() map[string]string {
	names := map[string]string{}
	for _, page := range pagesOf.New(pagesOf.Options{BaseURL: s.url}).Pages() {
		if page.Doc != "" {
			names[page.Path] = page.Doc
		}
	}
	return names
}

// wantThreeScreens expects the page of docs that the tab shows to be three screens high at most, or as high as its reason allows.
func (p *tab) wantThreeScreens(t *testing.T, doc string) {
	t.Helper()
	got, most := eval[float64](t, p, height), max(mostScreens, longer[doc].most)
	t.Logf("%-26s %.2f", doc, got)
	if got > most {
		t.Errorf("%s is %.2f screens high, more than %.1f", p.path(t), got, most)
	}
	if most > mostScreens && got <= mostScreens {
		t.Errorf("%s is only %.2f screens high: take it off the list", p.path(t), got)
	}
}
