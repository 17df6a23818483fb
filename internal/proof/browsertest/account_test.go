package browsertest

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/installed"
	"sellerd/internal/proof/servertest"
	"sellerd/v1"
)

// This file uses the page of a seller's account as a seller does, against a service that works by itself.

var accountKey = chromedp.CSS("#account-key")

// hostile is what a seller, or a receiver, may write.
const hostile = `<img src=x onerror="document.title='taken over'">`

// desk is a service whose seller has a webhook, and the receiver of the events.
type desk struct {
	*site
	log    servertest.Log
	mended atomic.Bool   // the receiver accepts events
	asked  chan struct{} // the receiver was asked once
}

// newDesk starts a service that limits requests, as in production: by these limits the page knows the service's time. Private targets
// are let through, because the receiver is on loopback and without TLS. What is tested here is the page, and not where deliveries may go.
func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{asked: make(chan struct{})}
	once := sync.OnceFunc(func() { close(d.asked) })
	d.site = newDemo(t, func(c *v1.Config) {
		c.RateLimit, c.Logger = v1.DefaultRateLimit, slog.New(slog.NewTextHandler(&d.log, nil))
	})
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		once()
		if !d.mended.Load() {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = w.Write([]byte("the disk is full " + hostile))
		}
	}))
	t.Cleanup(receiver.Close)
	d.Do(t, servertest.Request{Path: "/v1/webhooks", Body: map[string]any{"url": receiver.URL + "/hooks", "events": []string{"*"}}})
	return d
}

// reject submits an item that the service rejects, with a reference.
func (d *desk) reject(t *testing.T, reference string) {
	t.Helper()
	submitted := d.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice(map[string]any{
		"personal_reference": reference, "images": []string{"https://outcome.test/category_not_selectable.jpg"},
	})})
	if submitted.Status != http.StatusAccepted {
		t.Fatalf("submit: %s", submitted.Body)
	}
}

// failing waits until the receiver was asked and its answer is noted down. It asks the database, because requests are limited.
func (d *desk) failing(t *testing.T) {
	t.Helper()
	select {
	case <-d.asked:
	case <-time.After(awaitLimit):
		t.Fatal("nothing is delivered")
	}
	for deadline := time.Now().Add(awaitLimit); d.Count(t, "deliveries", "status = 'failed'") == 0; {
		if time.Now().After(deadline) {
			t.Fatal("no delivery fails")
		}
	}
}

// connect opens the page and pastes a key.
func (p *tab) connect(t *testing.T, s *site, key string) {
	t.Helper()
	p.open(t, s.url+"/account")
	p.do(t, chromedp.SendKeys(accountKey, key+kb.Enter))
	p.await(t, "the account is shown", `document.querySelector('#account-bar:not([hidden])') && !document.querySelector('[aria-busy]')`)
	p.settle(t)
}

// pressButton presses the first button in a part of the page that says words and is not dead.
func (p *tab) pressButton(t *testing.T, part, words string) {
	t.Helper()
	const find = `[...document.querySelectorAll(%q)].find(e => e.checkVisibility() && !e.disabled && e.innerText === %q)`
	button := fmt.Sprintf(find, part+" button", words)
	p.await(t, "there is the button "+words, button+` !== undefined`)
	p.do(t, chromedp.Evaluate[chromedp.Void](button+`.click()`))
}

// shows waits until a part of the page has words.
func (p *tab) shows(t *testing.T, part, words string) {
	t.Helper()
	p.await(t, part+" shows "+words, fmt.Sprintf(`document.querySelector(%q)?.innerText.includes(%q)`, part, words))
}

// showAll shows the parts that are not shown at once, and unfolds everything.
func (d *desk) showAll(t *testing.T, p *tab) {
	t.Helper()
	for _, part := range []string{"events", "keys", "drills"} {
		p.pressButton(t, "#"+part, "Show "+part)
	}
	p.await(t, "all is there", `document.querySelectorAll('section > .content:empty').length === 0`)
	p.do(t, chromedp.Evaluate[chromedp.Void](`document.querySelectorAll('main details').forEach(e => { e.open = true; })`))
	p.settle(t)
}

// keptNothing expects the key nowhere but in the variable of the page's script.
func (d *desk) keptNothing(t *testing.T, p *tab, key string) {
	t.Helper()
	for where, text := range map[string]string{
		"the address":               eval[string](t, p, `location.href + document.referrer + JSON.stringify(history.state)`),
		"what is stored":            eval[string](t, p, stored),
		"a database":                eval[string](t, p, `indexedDB.databases().then(all => JSON.stringify(all))`),
		"a cache":                   eval[string](t, p, `caches.keys().then(all => all.join())`),
		"the page":                  eval[string](t, p, `document.documentElement.outerHTML`),
		"a field":                   eval[string](t, p, `[...document.querySelectorAll('input')].map(e => e.value).join()`),
		"an address that was asked": strings.Join(p.asked(), "\n"), "the log": d.log.String(),
	} {
		if strings.Contains(text, key) {
			t.Errorf("%s holds the key: %s", where, text)
		}
	}
	if got := eval[string](t, p, stored); got != `[{},{},""]` {
		t.Errorf("the browser keeps %s", got)
	}
}

// inTime is how long a seller may take to find a webhook that fails and to send the event again.
const inTime = 60 * time.Second

// TestAFailingWebhookIsFoundAndSentAgainInAMinute goes from the first page to an event that has arrived, without a command.
func TestAFailingWebhookIsFoundAndSentAgainInAMinute(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.reject(t, "B-1")
	d.failing(t)
	p := newTab(t, d.url)
	p.on(t, desktop)
	began := time.Now()
	p.open(t, d.url)
	p.do(t, chromedp.Click(chromedp.CSS(`a[href="/account"]`)), chromedp.WaitVisible(accountKey))
	p.do(t, chromedp.SendKeys(accountKey, d.Key+kb.Enter))
	p.shows(t, "#webhooks", "Your server answered 500, which is not a success.")
	p.shows(t, "#webhooks .failure .code", "the disk is full "+hostile)
	p.shows(t, "#webhooks .failure", "next attempt")
	d.mended.Store(true)
	p.pressButton(t, "#webhooks .failure", "Send again")
	p.shows(t, "#webhooks .failure .note", "Your server accepted it: it answered 200.")
	took := time.Since(began)
	t.Logf("it took %v", took)
	if took > inTime {
		t.Errorf("it took %v, more than %v", took, inTime)
	}
	p.do(t, chromedp.Evaluate[chromedp.Void](`document.querySelector('#webhooks .attempts > summary').click()`))
	p.shows(t, "#webhooks .attempts", "not accepted")
	p.shows(t, "#webhooks .attempts", "accepted")
	p.open(t, d.url+"/account")
	p.do(t, chromedp.WaitVisible(accountKey), chromedp.SendKeys(accountKey, d.Key+kb.Enter))
	p.shows(t, "#webhooks .failure", "A later attempt was accepted.")
	if said := eval[string](t, p, `document.querySelector('#webhooks .failure').innerText`); strings.Contains(said, "next attempt") || strings.Contains(said, "Send again") {
		t.Errorf("what was accepted is still offered to be sent: %s", said)
	}
	d.keptNothing(t, p, d.Key)
	p.pressButton(t, "#account-bar", "Forget the key")
	d.keptNothing(t, p, d.Key)
	if left := eval[string](t, p, `document.querySelector('#webhooks').innerText`); strings.Contains(left, "disk") {
		t.Errorf("without the key it still shows %s", left)
	}
	p.wantNoProblems(t)
}

// TestWhatSellersWriteStaysText shows a rejected item whose reference, and a receiver whose answer, are HTML.
func TestWhatSellersWriteStaysText(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.reject(t, hostile)
	d.failing(t)
	p := newTab(t, d.url)
	for _, screen := range []screen{desktop, phone} {
		p.on(t, screen)
		p.connect(t, d.site, d.Key)
		p.shows(t, "#rejected", "Your reference "+hostile+" was rejected on")
		p.shows(t, "#rejected", "category_not_selectable")
		p.shows(t, "#webhooks", hostile)
		d.showAll(t, p)
		p.shows(t, "#events", "An item was rejected")
		p.shows(t, "#events", `"personal_reference": `)
		p.settle(t)
		got := eval[[]string](t, p, `[document.title, ...document.querySelectorAll('main img')].map(String)`)
		if diff := cmp.Diff([]string{"Your account – The seller API"}, got); diff != "" {
			t.Errorf("a text became a part of the page (-want +got):\n%s", diff)
		}
		p.wantNothingSideways(t)
	}
	if link := eval[string](t, p, `document.querySelector('#rejected li a').getAttribute('href')`); link != "/errors/category_not_selectable" {
		t.Errorf("the code of an error leads to %s", link)
	}
	p.wantNoProblems(t)
}

// TestTheAccountIsAskedForLittle counts the requests of a page that is opened.
func TestTheAccountIsAskedForLittle(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := newTab(t, d.url)
	p.connect(t, d.site, d.Key)
	var got []string
	for _, address := range p.asked() {
		if _, path, found := strings.Cut(address, "/v1/"); found {
			got = append(got, path)
		}
	}
	if len(got) == 0 || len(got) > 6 {
		t.Errorf("it asks %d times: %v", len(got), got)
	}
	p.shows(t, "#you", "anna")
	p.shows(t, "#you", "of 180 left")
	p.wantNoProblems(t)
}

func TestAWrongKeyShowsNoAccount(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := newTab(t, d.url)
	p.open(t, d.url+"/account")
	p.do(t, chromedp.SendKeys(accountKey, "dk_live_nobodys"+kb.Enter))
	p.shows(t, "#account-said", "The key is not valid.")
	p.shows(t, "#account-said", "invalid_api_key · request ")
	if got := eval[[]string](t, p, `[...document.querySelectorAll('.content, #account-bar button')].map(e => e.outerHTML)`); len(got) > 0 {
		t.Errorf("it shows %v", got)
	}
	p.do(t, chromedp.SendKeys(accountKey, "two words"+kb.Enter))
	p.shows(t, "#account-said", "This is not a key")
	p.wantNoProblems(t, "log: network: Failed to load resource: the server responded with a status of 401")
}

// permissions are those with names.
func permissions(t *testing.T, names string) (found v1.Permissions) {
	t.Helper()
	if err := found.Scan(names); err != nil {
		t.Fatal(err)
	}
	return found
}

// TestAKeyThatOnlyReadsLooksAround gives the page a key that may change nothing, and one that may do very little.
func TestAKeyThatOnlyReadsLooksAround(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.reject(t, "B-1")
	d.failing(t)
	p := newTab(t, d.url)
	p.connect(t, d.site, d.LesserKey(t, permissions(t, "items:read sales:read bills:read webhooks:read account:read")))
	p.pressButton(t, "#keys", "Show keys")
	p.pressButton(t, "#drills", "Show drills")
	p.shows(t, "#keys", "this one")
	p.shows(t, "#drills", "Plan a drill")
	const dead = `[...document.querySelectorAll('main .needs')].map(e =>
		e.innerText.replace(/\s+/g, ' ') + (e.querySelector('button').disabled ? '' : ' is alive'))`
	want := []string{
		"Send again needs webhooks:write", "Send all that failed needs webhooks:write", "Send a test event needs webhooks:write",
		"Replace this key… needs account:write", "End this key… needs account:write", "Plan a drill needs account:write",
	}
	if diff := cmp.Diff(want, eval[[]string](t, p, dead)); diff != "" {
		t.Errorf("dead buttons (-want +got):\n%s", diff)
	}

	p.connect(t, d.site, d.LesserKey(t, permissions(t, "items:read account:read")))
	p.shows(t, "#webhooks", "This key may not read this. It lacks webhooks:read.")
	p.shows(t, "#you", "account:read")
	p.connect(t, d.site, d.LesserKey(t, permissions(t, "items:read")))
	p.shows(t, "#you", "This key may not do that. It lacks account:read.")
	p.wantNoProblems(t, "log: network: Failed to load resource: the server responded with a status of 403")
}

// TestTheAccountIsInTheLanguageOfThePage finds the failing webhook of a French seller and sends its event again, by the French words.
func TestTheAccountIsInTheLanguageOfThePage(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.reject(t, "B-1")
	d.failing(t)
	p := newTab(t, d.url)
	french := *d.site
	french.url += "/fr"
	p.connect(t, &french, d.Key)
	p.shows(t, "#account-bar", "Mode test")
	p.shows(t, "#rejected", "Votre référence B-1")
	p.shows(t, "#rejected", "La catégorie ne fait qu'en regrouper d'autres.")
	p.shows(t, "#rejected", "1 objet")
	p.shows(t, "#webhooks", "Dernier échec")
	if link := eval[string](t, p, `document.querySelector('#rejected li a').getAttribute('href')`); link != "/fr/errors/category_not_selectable" {
		t.Errorf("the code of the error leads to %s", link)
	}
	p.pressButton(t, "#webhooks .failure", "Renvoyer")
	p.shows(t, "#webhooks .failure", "Votre serveur")
}

// TestALiveKeyIsMarked looks at the colour and the words of both modes, one after the other in one page.
func TestALiveKeyIsMarked(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.reject(t, "B-1")
	d.failing(t)
	p := newTab(t, d.url)
	for _, colours := range []string{"light", "dark"} {
		p.inColours(t, colours)
		var grounds []string
		for _, mode := range []struct{ key, says, webhooks string }{
			{d.Key, "Test: nothing here is for sale · anna", "/hooks"},
			{d.LiveKey, "Live: changes are real · anna", "You have no webhook in this mode."},
		} {
			p.connect(t, d.site, mode.key)
			p.shows(t, "#account-bar", mode.says)
			p.shows(t, "#webhooks .content", mode.webhooks)
			grounds = append(grounds, eval[string](t, p, `getComputedStyle(document.getElementById('account-bar')).backgroundColor`))
		}
		if grounds[0] == grounds[1] {
			t.Errorf("in %s colours both modes are %s", colours, grounds[0])
		}
	}
	p.wantNoProblems(t)
}

// TestAKeyIsForgottenWhenNothingHappens lets the timer of the page run out, and reloads a page with a key.
func TestAKeyIsForgottenWhenNothingHappens(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := newTab(t, d.url)
	const timers = `window.idle = []; const after = window.setTimeout;
		window.setTimeout = (act, wait, ...rest) => wait === 15 * 60 * 1000 ? idle.push(act) : after(act, wait, ...rest);`
	call(t, p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: timers})
	p.connect(t, d.site, d.LiveKey)
	p.do(t, chromedp.Evaluate[chromedp.Void](`idle.at(-1)()`))
	p.shows(t, "#account-said", "The key was forgotten, because nothing happened for 15 minutes.")
	const rest = `[...document.querySelectorAll('.content, #account-bar button')].map(e => e.outerHTML)`
	if got := eval[[]string](t, p, rest); len(got) > 0 {
		t.Errorf("it still shows %v", got)
	}
	p.connect(t, d.site, d.LiveKey)
	p.do(t, chromedp.Reload())
	p.settle(t)
	if got := eval[[]string](t, p, rest); len(got) > 0 {
		t.Errorf("after it was loaded anew, it shows %v", got)
	}
	d.keptNothing(t, p, d.LiveKey)
	p.wantNoProblems(t)
}

// TestTheCommandsOfTheAccountRun runs the commands that the page shows, in a shell with the key.
func TestTheCommandsOfTheAccountRun(t *testing.T) {
	t.Parallel()
	installed.Require(t, "THE COMMANDS OF THE ACCOUNT WERE NOT RUN", "sh", "curl")
	d := newDesk(t)
	d.reject(t, "B-1")
	d.failing(t)
	p := newTab(t, d.url)
	p.connect(t, d.site, d.Key)
	p.pressButton(t, "#webhooks", "Send all that failed")
	p.pressButton(t, "#webhooks", "Send all again")
	p.shows(t, "#webhooks", "or it already waits to be sent.")
	d.showAll(t, p)
	commands := eval[[]string](t, p, `[...document.querySelectorAll('section > .foot > details pre')].map(e => e.textContent)`)
	if len(commands) < 9 {
		t.Errorf("it shows the commands %v", commands)
	}
	for _, line := range commands {
		if strings.Contains(line, d.Key) {
			t.Errorf("a command has the key: %s", line)
		}
		shell := exec.CommandContext(t.Context(), "sh", "-c", line)
		shell.Env = append(os.Environ(), "KEY="+d.Key)
		if out, err := shell.Output(); err != nil || !strings.Contains(string(out), `"data":`) {
			t.Errorf("%s\nanswers %s %v", line, out, err)
		}
	}
	p.wantNoProblems(t)
}

// TestAKeyIsReplaced makes a successor, which is shown once and does what the old key did.
func TestAKeyIsReplaced(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := newTab(t, d.url)
	p.connect(t, d.site, d.Key)
	p.pressButton(t, "#keys", "Show keys")
	p.pressButton(t, "#keys", "Replace this key…")
	p.pressButton(t, "#keys", "Replace the key")
	p.pressButton(t, "#keys", "Yes, replace it")
	p.shows(t, "#keys", "it is shown only here, and only once")
	made := eval[string](t, p, `document.querySelector('#keys .code pre').textContent`)
	if answer := d.Do(t, servertest.Request{Path: "/v1/account", Key: made}); answer.Status != http.StatusOK {
		t.Errorf("the new key %s gets %s", made, answer.Body)
	}
	p.pressButton(t, "#keys", "Go on with the new key")
	p.await(t, "the account is shown anew", `document.querySelector('#keys .code, #account-bar[hidden]') === null`)
	d.keptNothing(t, p, made)
	p.wantNoProblems(t)
}

// TestAKeyIsEnded asks once more before it revokes the key that was pasted, and forgets it.
func TestAKeyIsEnded(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := newTab(t, d.url)
	key := d.LesserKey(t, permissions(t, "account:write"))
	p.connect(t, d.site, key)
	p.pressButton(t, "#keys", "Show keys")
	p.pressButton(t, "#keys", "End this key…")
	p.pressButton(t, "#keys", "No")
	if answer := d.Do(t, servertest.Request{Path: "/v1/account", Key: key}); answer.Status != http.StatusOK {
		t.Errorf("a key that was not ended gets %d", answer.Status)
	}
	p.pressButton(t, "#keys", "End this key…")
	p.pressButton(t, "#keys", "Yes, end it")
	p.shows(t, "#account-said", "The key has ended, and is forgotten.")
	if answer := d.Do(t, servertest.Request{Path: "/v1/account", Key: key}); answer.Status != http.StatusUnauthorized {
		t.Errorf("the key that was ended gets %d", answer.Status)
	}
	if answer := d.Do(t, servertest.Request{Path: "/v1/account", Key: d.Key}); answer.Status != http.StatusOK {
		t.Errorf("another key of the account gets %d", answer.Status)
	}
	d.keptNothing(t, p, key)
	p.wantNoProblems(t)
}

// TestADrillIsPlannedAndCalledOff asks once more before each.
func TestADrillIsPlannedAndCalledOff(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := newTab(t, d.url)
	p.connect(t, d.site, d.LiveKey)
	p.pressButton(t, "#drills", "Show drills")
	p.pressButton(t, "#drills", "Plan a drill")
	p.pressButton(t, "#drills", "Yes, plan it")
	p.shows(t, "#drills", "for all keys of this mode")
	p.pressButton(t, "#drills", "Call it off")
	p.pressButton(t, "#drills", "Yes, call it off")
	p.shows(t, "#drills", "No drill is planned.")
	p.wantNoProblems(t)
}

// TestTooManyRequestsAreCountedDown uses the requests of the minute up.
func TestTooManyRequestsAreCountedDown(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for range v1.DefaultRateLimit {
		d.Do(t, servertest.Request{Path: "/v1/account"})
	}
	p := newTab(t, d.url)
	p.open(t, d.url+"/account")
	p.do(t, chromedp.SendKeys(accountKey, d.Key+kb.Enter))
	p.shows(t, "#account-said", "These were too many requests.")
	p.shows(t, "#account-said", "You can try again")
	p.wantNoProblems(t, "log: network: Failed to load resource: the server responded with a status of 429")
}
