package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
)

// callsShown are the calls whose sections the migration guide shows.
const callsShown = `[...document.querySelectorAll('section.call')].filter(e => e.offsetParent !== null).map(e => e.id).join(' ')`

// TestTheSearchOfTheGuide types what a reader knows of an old program, and goes where the search has hidden the target.
func TestTheSearchOfTheGuide(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := newTab(t, s.url)
	p.on(t, desktop)
	p.open(t, s.url+"/migration")
	all := eval[string](t, p, callsShown)
	for words, want := range map[string]string{
		"LostOrBrokenItem":                     "item-close",
		"There is already a bid on this item!": "item-update item-close",
		"Curl_Seller_Item_FirstBid":            "notification-list notification-test",
		"delcampeNotification":                 "notification-add",
		"items/{id} already restart":           "item-restart",
		"nothing that is anywhere 123":         "",
	} {
		p.do(t, chromedp.Focus(`#search-words`), chromedp.SendKeys(`#search-words`, words))
		if diff := cmp.Diff(want, frames[string](t, p, callsShown)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", words, diff)
		}
		p.do(t, chromedp.KeyEvent(kb.Escape))
		if diff := cmp.Diff(all, frames[string](t, p, callsShown)); diff != "" {
			t.Errorf("after Escape (-want +got):\n%s", diff)
		}
	}
	const atTop = `(() => { const box = document.getElementById(location.hash.slice(1)).getBoundingClientRect(); return box.height > 0 && box.top >= 0 && box.top < innerHeight / 2 })()`
	p.open(t, s.url+"/migration?q=feedback#item-close")
	p.await(t, "the address's section is shown", atTop)
	p.do(t, chromedp.Focus(`#search-words`), chromedp.SendKeys(`#search-words`, "feedback"))
	eval[string](t, p, `location.hash = '#seller'`)
	p.await(t, "the section of a new address is shown", atTop)
	p.wantNoProblems(t)
}

// TestTheUsageListAwaitsAKey follows the link that other pages have to the list.
func TestTheUsageListAwaitsAKey(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := newTab(t, s.url)
	p.on(t, desktop)
	p.open(t, s.url+"/migration?usage#usage")
	p.await(t, "the field for the key has the focus", `document.activeElement.id === 'usage-key'`)
	p.do(t, chromedp.KeyEvent("dk_test_nobody"), chromedp.KeyEvent(kb.Enter))
	p.await(t, "the key is refused", `document.querySelector('#usage [role=status]').textContent.startsWith('The key is not valid.')`)
	if address := eval[string](t, p, `location.href`); strings.Contains(address, "nobody") {
		t.Errorf("the key is in the address: %s", address)
	}
	p.wantNoProblems(t, "log: network: Failed to load resource: the server responded with a status of 401")
}
