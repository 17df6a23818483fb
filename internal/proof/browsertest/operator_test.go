package browsertest

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	"sellerd/v1"
)

// This file opens the operator's pages, which are on another listener and behind a password. They are held to what the public
// pages are held to.

// newOffice starts a service with accounts in the conditions that operators look for, and returns the operator's side of it. Its
// address has the password, which the browser and the crawl send when they are asked for it.
func newOffice(t *testing.T) *site {
	t.Helper()
	requireBrowser(t)
	w := servertest.New(t, servertest.SQLite(t))
	private := httptest.NewServer(w.Server.Operator)
	t.Cleanup(private.Close)
	address, err := url.Parse(private.URL)
	if err != nil {
		t.Fatal(err)
	}
	address.User = url.UserPassword("operator", servertest.OperatorToken)
	s := &site{w, address.String(), "/operator/"}
	s.fillAccounts(t)
	return s
}

// longName is as long as a nickname may be, and cannot be broken between words.
var longName = strings.Repeat("stamp", 8)

// fillAccounts gives the pages something to show: a webhook that fails, a sale, work that waits, calls of the old interface, and an account
// that is suspended and has names as long as they may be.
func (s *site) fillAccounts(t *testing.T) {
	t.Helper()
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }))
	t.Cleanup(receiver.Close)
	s.Do(t, servertest.Request{Path: "/v1/webhooks", Body: map[string]any{"url": receiver.URL + "/" + strings.Repeat("hook", 100)}})
	item := s.List(t, servertest.FixedPrice())
	s.Do(t, servertest.Request{Method: http.MethodPost, Path: "/v1/test/items/" + item + "/purchase"})
	if _, err := s.Service.DeliverOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice()})
	s.callRest(t)
	made, err := s.Service.CreateAccount(t.Context(), v1.NewAccount{
		Nickname: longName, Email: strings.Repeat("e", 60) + "@example.com", Country: "BE", StoreName: strings.Repeat("Store", 10),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Service.Suspend(t.Context(), int64(made.ID), true); err != nil {
		t.Fatal(err)
	}
}

func TestEveryPageOfTheOperatorLoadsWithoutProblems(t *testing.T) {
	t.Parallel()
	s := newOffice(t)
	c := follow(t, s.url, s.first, "/", "/operator/pages/nothing", "/operator/pages/accounts/99", "/operator/pages/accounts?limit=1", "/operator/pages/accounts?status=gone")
	c.open(t)
	for _, problem := range c.problems {
		t.Error(problem)
	}
	opened := map[string]bool{}
	for _, address := range c.pages() {
		opened[strings.SplitN(c.path(address), "?", 2)[0]] = true
	}
	for _, path := range []string{"/operator/", "/operator/pages/accounts", "/operator/pages/accounts/" + v1.ID(s.Account).String(), "/operator/pages/legacy-usage", "/operator/pages/audit"} {
		if !opened[path] {
			t.Errorf("no link leads to %s", path)
		}
	}
}

// outOfReach are the parts of a page that scroll sideways when they are too wide, and cannot have the focus.
const outOfReach = `[...document.querySelectorAll('main *')].filter(e => ['auto', 'scroll'].includes(getComputedStyle(e).overflowX) &&
	!e.matches('input, textarea, select') && e.tabIndex < 0).map(e => e.outerHTML.slice(0, 200))`

// TestTheOperatorsPagesFitEveryScreen opens every page on a desktop and on a phone, in light and dark colours, and on paper.
func TestTheOperatorsPagesFitEveryScreen(t *testing.T) {
	t.Parallel()
	s := newOffice(t)
	p := newTab(t, s.url)
	p.open(t, s.url+s.first) // with the password, which the browser keeps from then on
	for _, screen := range []screen{desktop, phone} {
		p.on(t, screen)
		p.open(t, s.url+s.first)
		first := eval[[][]float64](t, p, frame)
		for _, address := range s.pages(t) {
			var grounds []string
			for _, colours := range []string{"light", "dark"} {
				p.inColours(t, colours)
				p.open(t, address)
				p.wantNothingSideways(t)
				grounds = append(grounds, eval[string](t, p, `getComputedStyle(document.body).backgroundColor`))
			}
			p.wantNoJump(t, first)
			if diff := cmp.Diff([]string{}, eval[[]string](t, p, outOfReach)); diff != "" {
				t.Errorf("%s has parts that the keyboard cannot scroll (-want +got):\n%s", p.path(t), diff)
			}
			if grounds[0] == grounds[1] {
				t.Errorf("%s is as %s in dark colours as in light ones", address, grounds[0])
			}
		}
	}
	p.on(t, paper)
	p.onPaper(t)
	for _, address := range s.pages(t) {
		p.open(t, address)
		p.wantTextAlone(t)
	}
	p.wantNoProblems(t)
}

func TestTheKeyboardIsEnoughForOperators(t *testing.T) {
	t.Parallel()
	s := newOffice(t)
	p := newTab(t, s.url)
	p.on(t, desktop)
	p.open(t, s.url+s.first)
	p.wantKeyboardIsEnough(t, s.url+"/operator/pages/accounts/"+v1.ID(s.Account).String(), "sellerd operator")
}

// TestAnOperatorFindsOutWhyWebhooksFail looks an account up by its e-mail address, on a desktop and on a phone: the page says why
// its webhook fails, and has a button that suspends the account.
func TestAnOperatorFindsOutWhyWebhooksFail(t *testing.T) {
	t.Parallel()
	s := newOffice(t)
	p := newTab(t, s.url)
	account := v1.ID(s.Account).String()
	for _, screen := range []screen{desktop, phone} {
		p.on(t, screen)
		p.open(t, s.url+s.first)
		p.do(t, chromedp.SendKeys(chromedp.CSS("#email"), "Anna@Example.com"+kb.Enter), chromedp.WaitVisible(chromedp.CSS(`main td[data-label="Nickname"]`)))
		if diff := cmp.Diff([]string{account}, eval[[]string](t, p, `[...document.querySelectorAll('main tbody a')].map(e => e.innerText)`)); diff != "" {
			t.Errorf("the accounts that are found (-want +got):\n%s", diff)
		}
		p.do(t, chromedp.Click(chromedp.CSS("main tbody a")), chromedp.WaitVisible(chromedp.CSS("#webhooks")))
		p.wantTitle(t, "anna")
		if diff := cmp.Diff([]string{"Accounts true"}, eval[[]string](t, p, `[...document.querySelectorAll('#menu [aria-current]')].map(e => e.textContent + ' ' + e.ariaCurrent)`)); diff != "" {
			t.Errorf("where the menu says that the reader is (-want +got):\n%s", diff)
		}
		said := strings.Join(strings.Fields(p.text(t, "main")), " ")
		for _, want := range []string{"active", "Last failure: 21 Nov 2026, 12:00:00, attempt 1 to send item.published: answered 502", "Suspend the account"} {
			if !strings.Contains(said, want) {
				t.Errorf("the page does not say %q:\n%s", want, said)
			}
		}
	}
	p.do(t, chromedp.Click(chromedp.CSS(`main > form[action$="/status"] button`)), chromedp.WaitVisible(chromedp.CSS(`main > p.facts + p.warn`)))
	p.await(t, "the page says that the account is suspended", `document.querySelector('main .warn').innerText.includes('The account is suspended')`)
	p.wantNoProblems(t)
}

// TestTheOperatorsMenuOpensOnAPhone follows a link of the menu.
func TestTheOperatorsMenuOpensOnAPhone(t *testing.T) {
	t.Parallel()
	s := newOffice(t)
	p := newTab(t, s.url)
	p.on(t, phone)
	p.open(t, s.url+s.first)
	p.do(t, chromedp.Click(chromedp.CSS(`button[popovertarget="menu"]`)), chromedp.Click(chromedp.CSS(`#menu a[href="/operator/pages/legacy-usage"]`)),
		chromedp.WaitVisible(chromedp.CSS(`nav[aria-label="States"]`)))
	p.wantTitle(t, "Who still uses the old interface")
	p.wantNoProblems(t)
}
