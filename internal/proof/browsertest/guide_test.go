package browsertest

import (
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
)

// searchResult is what the index of the guide shows of a search.
type searchResult struct {
	Calls []string `json:"calls"` // the rows that are shown
	Says  string   `json:"says"`
	Query string   `json:"query"` // in the address
}

const guideShows = `({
	calls: [...document.querySelectorAll('tr[data-search]')].filter(e => e.checkVisibility()).map(e => e.id),
	says: document.querySelector('output[for=search-words]').textContent,
	query: new URLSearchParams(location.search).get('q') || '',
})`

var searchField = chromedp.CSS("#search-words")

// aCallsPage waits for a page about a call.
var aCallsPage = chromedp.WaitVisible(chromedp.CSS("h2#answer"))

// wantTitle demands the title of the page that the tab shows.
func (p *tab) wantTitle(t *testing.T, want string) {
	t.Helper()
	if got := p.text(t, "h1"); got != want {
		t.Errorf("the page is about %q, not about %q", got, want)
	}
}

func TestTheGuideIsSearched(t *testing.T) {
	t.Parallel()
	s, p := atDesk(t)
	p.open(t, s.url+"/migration")
	whole := eval[searchResult](t, p, guideShows)
	if len(whole.Calls) < 20 {
		t.Fatalf("the guide is about %v only", whole.Calls)
	}

	p.do(t, chromedp.SendKeys(searchField, "RESTART  already"))
	want := searchResult{[]string{"item-restart"}, "1 call matches.", "RESTART  already"}
	if diff := cmp.Diff(want, frames[searchResult](t, p, guideShows)); diff != "" {
		t.Errorf("of two words, in any case and order (-want +got):\n%s", diff)
	}
	const beside = `document.querySelector('tr[data-search]:not([hidden])').getBoundingClientRect().top - document.getElementById('search-words').getBoundingClientRect().bottom`
	if below := eval[float64](t, p, beside); below < 0 || below > 300 {
		t.Errorf("the result is %.0f pixels below the field", below)
	}
	p.do(t, chromedp.SendKeys(searchField, " xyzzy"))
	want = searchResult{[]string{}, "No call has all of these words.", "RESTART  already xyzzy"}
	if diff := cmp.Diff(want, frames[searchResult](t, p, guideShows)); diff != "" {
		t.Errorf("of a word that is nowhere (-want +got):\n%s", diff)
	}
	p.do(t, chromedp.SendKeys(searchField, kb.Escape))
	if diff := cmp.Diff(whole, frames[searchResult](t, p, guideShows)); diff != "" {
		t.Errorf("after Esc (-want +got):\n%s", diff)
	}

	p.open(t, s.url+"/migration?q="+url.QueryEscape("PUT /rest/item"))
	sent := frames[searchResult](t, p, guideShows)
	if len(sent.Calls) == 0 || len(sent.Calls) == len(whole.Calls) || sent.Query != "PUT /rest/item" {
		t.Errorf("a search from a link shows %v", sent)
	}
	p.wantNoProblems(t)
}

// TestTheGuideIsSearchedForWhatOldProgramsKnow asks for values, texts and addresses of /rest, with scripts and without.
func TestTheGuideIsSearchedForWhatOldProgramsKnow(t *testing.T) {
	t.Parallel()
	s, p := atDesk(t)
	for _, scripts := range []bool{true, false} {
		if !scripts {
			p.withoutScripts(t)
		}
		for words, want := range map[string][]string{
			"LostOrBrokenItem":                     {"item-close"},
			"There is already a bid on this item!": {"item-update", "item-close"},
			"Curl_Seller_Item_FirstBid":            {"notification-add", "notification-test"},
			"delcampeNotification":                 {"notification-add"},
			"items/{id} already restart":           {"item-restart"},
		} {
			p.open(t, s.url+"/migration?q="+url.QueryEscape(words))
			if diff := cmp.Diff(want, eval[searchResult](t, p, guideShows).Calls); diff != "" {
				t.Errorf("%s, scripts %v (-want +got):\n%s", words, scripts, diff)
			}
		}
	}
	p.wantNoProblems(t)
}

// TestOldAnchorsLeadToTheirPages opens addresses that answers of /rest, reports and bookmarks have: of calls, of topics, and of
// what is within a page. A search does not keep them from arriving.
func TestOldAnchorsLeadToTheirPages(t *testing.T) {
	t.Parallel()
	s, p := atDesk(t)
	for from, to := range map[string]string{
		"/migration#item-create":           "/migration/item-create",
		"/migration#phase-off":             "/migration/phase-off",
		"/migration#new":                   "/migration/new",
		"/migration#value-money":           "/migration/values#value-money",
		"/migration#Curl_Seller_Item_Move": "/migration/notifications#Curl_Seller_Item_Move",
		"/migration?q=feedback#item-close": "/migration/item-close",
		"/migration#sunset":                "/migration#sunset",
	} {
		page, _, _ := strings.Cut(to, "#")
		p.do(t, chromedp.Navigate(s.url+from), chromedp.WaitVisible(chromedp.CSS(`#menu a[aria-current=page][href="`+page+`"]`)))
		if got := eval[string](t, p, `location.pathname + location.hash`); got != to {
			t.Errorf("%s leads to %s, not to %s", from, got, to)
		}
	}
	p.open(t, s.url+"/migration")
	p.do(t, chromedp.Evaluate[chromedp.Void](`location.hash = '#seller'`), aCallsPage)
	p.wantTitle(t, "Read your account")
	p.wantNoProblems(t)
}

// TestOldAnchorsArriveWithoutScripts opens one in the index, where its entry is shown, and follows the link of the entry.
func TestOldAnchorsArriveWithoutScripts(t *testing.T) {
	t.Parallel()
	s, p := atDesk(t)
	p.withoutScripts(t)
	p.open(t, s.url+"/migration#item-create")
	const shown = `(() => { const box = document.querySelector(':target').getBoundingClientRect(); return box.height > 0 && box.top >= 0 && box.bottom <= innerHeight })()`
	p.await(t, "the entry is shown", shown)
	p.do(t, chromedp.Click(chromedp.CSS(`:target a`)), aCallsPage)
	p.wantTitle(t, "Put an item on sale")
	p.wantNoProblems(t)
}

func TestTheGuideIsWholeWithoutScripts(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := newTab(t, s.url)
	p.open(t, s.url+"/migration")
	want := eval[searchResult](t, p, guideShows).Calls
	p.withoutScripts(t)
	p.open(t, s.url+"/migration")
	if diff := cmp.Diff(want, eval[searchResult](t, p, guideShows).Calls); diff != "" {
		t.Errorf("the calls (-want +got):\n%s", diff)
	}
	p.do(t, chromedp.SendKeys(searchField, "restart already"+kb.Enter), chromedp.WaitVisible(chromedp.CSS(`#search-all`)))
	if diff := cmp.Diff([]string{"item-restart"}, eval[searchResult](t, p, guideShows).Calls); diff != "" {
		t.Errorf("what the form finds (-want +got):\n%s", diff)
	}
	const idle = `[...document.querySelectorAll('main form, main input, main button')].filter(e => e.checkVisibility() && !e.closest('form[action]')).map(e => e.outerHTML)`
	if diff := cmp.Diff([]string{}, eval[[]string](t, p, idle)); diff != "" {
		t.Errorf("controls that do nothing without scripts (-want +got):\n%s", diff)
	}
	p.wantNoProblems(t)
}

// TestTheMenuLeadsFromCallToCall opens a page about a call: the menu shows the other calls of its step.
func TestTheMenuLeadsFromCallToCall(t *testing.T) {
	t.Parallel()
	s, p := atDesk(t)
	p.open(t, s.url+"/migration/item-update")
	const open = `[...document.querySelectorAll('#menu .chapter[open] a')].map(e => e.pathname + (e.ariaCurrent ? ' ' + getComputedStyle(e).fontWeight : ''))`
	want := []string{
		"/migration/phase-listing", "/migration/item-create", "/migration/item-bulk", "/migration/item-update 600", "/migration/item-close",
		"/migration/item-restart",
	}
	got := eval[[]string](t, p, open)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	p.do(t, chromedp.Click(chromedp.CSS(`#menu a[href="/migration/item-close"]`)), chromedp.WaitVisible(chromedp.CSS(`#menu a[href="/migration/item-close"][aria-current]`)))
	p.wantTitle(t, "Take an item off sale")
	p.wantNoProblems(t)
}
