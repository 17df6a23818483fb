package browsertest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
)

var keyField = chromedp.CSS("#usage input")

// usageCards are the cards: the title with the state, and the facts.
const usageCards = `[...document.querySelectorAll('#left li')].map(card => [card.querySelector('h2').innerText, ...[...card.querySelectorAll('dd')].map(dd => dd.innerText)])`

// callRest makes what the usage shows: six calls of the old interface, one of them in a drill.
func (s *site) callRest(t *testing.T) {
	t.Helper()
	token := s.Session(t, s.LiveKey)
	for range 3 {
		s.Rest(t, http.MethodGet, "/rest/seller", "token="+token)
	}
	s.Rest(t, http.MethodPost, "/rest/item", "token="+token+"&title=Postcard&colour=blue")
	s.Rest(t, http.MethodGet, "/rest/shippingModels", "token="+token, "Legacy-Drill", "sunset")
	if _, err := s.Service.FlushLegacyUsageOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// askForUsage gives the seller's key to the page.
func askForUsage(t *testing.T, s *site, p *tab) {
	t.Helper()
	p.do(t, chromedp.SendKeys(keyField, s.LiveKey+kb.Enter))
	p.await(t, "there are cards", `document.querySelector('#left li') !== null`)
}

// TestAKeyShowsWhatIsLeftToMove gives the guide the key of an account whose programs still call /rest.
func TestAKeyShowsWhatIsLeftToMove(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.callRest(t)
	p := newTab(t, s.url)
	p.on(t, desktop)
	p.open(t, s.url+"/migration?usage") // as older releases print it
	if !eval[bool](t, p, `location.pathname === '/migration/usage' && document.querySelector('#usage-key') !== null`) {
		t.Error("the address does not lead to the field for the key")
	}
	askForUsage(t, s, p)

	prefix := s.LiveKey[:len("dk_live_")+12]
	want := [][]string{
		{"Read your account active", prefix, "3", "21 November 2026", "21 November 2026", "no drill", "GET /v1/account"},
		{"Put an item on sale active", prefix, "1", "21 November 2026", "21 November 2026", "no drill", "POST /v1/items", "colour"},
		{"Open a session active", prefix, "1", "21 November 2026", "21 November 2026", "no drill", "no single request: see the page"},
		{"List your shipping models active", prefix, "1", "21 November 2026", "21 November 2026", "21 November 2026", "GET /v1/shipping-models"},
	}
	if diff := cmp.Diff(want, eval[[][]string](t, p, usageCards)); diff != "" {
		t.Errorf("the cards (-want +got):\n%s", diff)
	}
	if text := p.text(t, "#usage"); !strings.Contains(text, "6 requests to 4 calls in the last 30 days.") {
		t.Errorf("it says:\n%s", text)
	}
	for where, text := range map[string]string{
		"the address": eval[string](t, p, `location.href + document.referrer + JSON.stringify(history.state)`), "what is stored": eval[string](t, p, stored),
		"an address that was asked": strings.Join(p.asked(), "\n"),
	} {
		if strings.Contains(text, s.LiveKey) {
			t.Errorf("%s holds the key: %s", where, text)
		}
	}
	p.do(t, chromedp.Click(chromedp.CSS(`#usage a[href="/migration/item-create"]`)), aCallsPage)
	p.wantTitle(t, "Put an item on sale")
	p.wantNoProblems(t)
}

func TestAWrongKeyIsToldSo(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := newTab(t, s.url)
	p.open(t, s.url+"/migration?usage")
	p.do(t, chromedp.SendKeys(keyField, "dk_live_nobodys"+kb.Enter))
	p.await(t, "the page refuses the key", `document.querySelector('#usage [role=status]').innerText.startsWith('The key is not valid.')`)
	if rows := eval[[][]string](t, p, usageCards); len(rows) > 0 {
		t.Errorf("it shows %v", rows)
	}
	p.wantNoProblems(t, "log: network: Failed to load resource: the server responded with a status of 401")
}

// TestTheUsageListAwaitsAKey follows the link that other pages have to the list.
func TestTheUsageListAwaitsAKey(t *testing.T) {
	t.Parallel()
	s, p := atDesk(t)
	p.open(t, s.url+"/migration?usage#usage")
	p.await(t, "the field for the key has the focus", `document.activeElement.id === 'usage-key'`)
	p.do(t, chromedp.KeyEvent("dk_test_unknown"), chromedp.KeyEvent(kb.Enter))
	p.await(t, "the key is refused", `document.querySelector('#usage [role=status]').textContent.startsWith('The key is not valid.')`)
	if address := eval[string](t, p, `location.href`); strings.Contains(address, "unknown") {
		t.Errorf("the key is in the address: %s", address)
	}
	p.wantNoProblems(t, "log: network: Failed to load resource: the server responded with a status of 401")
}
