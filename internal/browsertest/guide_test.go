package browsertest

import (
	"net/url"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
)

// searchResult is what the guide shows of a search.
type searchResult struct {
	Calls []string `json:"calls"` // the sections that are shown
	Says  string   `json:"says"`
	Query string   `json:"query"` // in the address
}

const guideShows = `({
	calls: [...document.querySelectorAll('section.call')].filter(e => e.checkVisibility()).map(e => e.id),
	says: document.querySelector('form[role=search] output').textContent,
	query: new URLSearchParams(location.search).get('q') || '',
})`

var searchField = chromedp.CSS("form[role=search] input")

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

// TestTheGuideIsSearchedForWhatOldProgramsKnow types values, texts and addresses of /rest.
func TestTheGuideIsSearchedForWhatOldProgramsKnow(t *testing.T) {
	t.Parallel()
	s, p := atDesk(t)
	for words, want := range map[string][]string{
		"LostOrBrokenItem":                     {"item-close"},
		"There is already a bid on this item!": {"item-update", "item-close"},
		"Curl_Seller_Item_FirstBid":            {"notification-add", "notification-test"},
		"delcampeNotification":                 {"notification-add"},
		"items/{id} already restart":           {"item-restart"},
	} {
		p.open(t, s.url+"/migration?q="+url.QueryEscape(words))
		if diff := cmp.Diff(want, frames[searchResult](t, p, guideShows).Calls); diff != "" {
			t.Errorf("%s (-want +got):\n%s", words, diff)
		}
	}
	p.wantNoProblems(t)
}

// TestAnAddressShowsItsSectionWhateverIsSearched goes where the search has hidden the target.
func TestAnAddressShowsItsSectionWhateverIsSearched(t *testing.T) {
	t.Parallel()
	s, p := atDesk(t)
	const atTop = `(() => { const box = document.getElementById(location.hash.slice(1)).getBoundingClientRect(); return box.height > 0 && box.top >= 0 && box.top < innerHeight / 2 })()`
	p.open(t, s.url+"/migration?q=feedback#item-close")
	p.await(t, "the address's section is shown", atTop)
	p.do(t, chromedp.SendKeys(searchField, "feedback"))
	eval[string](t, p, `location.hash = '#seller'`)
	p.await(t, "the section of a new address is shown", atTop)
	p.wantNoProblems(t)
}

// TestTheSearchHidesNothingThatALinkLeadsTo clicks a link in what was found, to a section that was not.
func TestTheSearchHidesNothingThatALinkLeadsTo(t *testing.T) {
	t.Parallel()
	s, p := atDesk(t)
	p.open(t, s.url+"/migration?q=restart")
	p.do(t, chromedp.Click(chromedp.CSS(`nav.toc a[href="#gone"]`)))
	p.await(t, "the section is there", `document.getElementById('gone').checkVisibility()`)
	if top := frames[float64](t, p, `document.getElementById('gone').getBoundingClientRect().top`); top < 0 || top > float64(desktop.height)/2 {
		t.Errorf("the section begins %.0f pixels below the top of the window", top)
	}
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
	const idle = `[...document.querySelectorAll('main form, main input, main button')].filter(e => e.checkVisibility()).map(e => e.outerHTML)`
	if diff := cmp.Diff([]string{}, eval[[]string](t, p, idle)); diff != "" {
		t.Errorf("controls that do nothing without scripts (-want +got):\n%s", diff)
	}
	p.wantNoProblems(t)
}
