package browsertest

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// tab is a tab of the browser with a profile of its own: it shares neither cookies nor storage with another. It keeps
// whatever goes wrong, until problems takes it away.
type tab struct {
	ctx      context.Context
	host     string // the only one that pages may ask
	noScript bool
	screen   screen // that it has the size of
	close    func() // at the end of the test, or before

	mu       sync.Mutex
	found    []string
	requests []string // addresses, in order
	pending  map[network.RequestID]string
}

// newTab opens a tab for the pages of one server. It waits while too many are open, so a test has one at a time.
func newTab(t *testing.T, server string) *tab {
	t.Helper()
	browser := requireBrowser(t)
	freeTabs <- struct{}{}
	address, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	p := &tab{host: address.Host, pending: map[network.RequestID]string{}}
	ctx, closeTab := chromedp.NewContext(browser, chromedp.WithNewBrowserContext(), chromedp.WithListener(p.hear))
	if err := chromedp.Do(ctx); err != nil { // the tab ends with the context that it is opened with, so that has no limit
		t.Fatal(err)
	}
	p.ctx = ctx
	p.close = sync.OnceFunc(func() {
		closeTab()
		<-freeTabs
	})
	t.Cleanup(p.close)
	return p
}

// hear keeps what the browser reports about a page.
func (p *tab) hear(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		if slices.Contains([]runtime.ConsoleAPICalledType{runtime.ConsoleAPICalledTypeError, runtime.ConsoleAPICalledTypeWarning, runtime.ConsoleAPICalledTypeAssert}, e.Type) {
			p.report("console: %s", consoleText(e.Args))
		}
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if exception := e.ExceptionDetails.Exception; exception != nil {
			text += " " + firstLine(exception.Description)
		}
		p.report("uncaught: %s", text)
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			p.report("log: %s: %s", e.Entry.Source, firstLine(e.Entry.Text))
		}
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
		// Of two kinds the browser does not report the end once the page was left: the page's icon, and what needs no network, such as
		// the browser's own picture of a calendar in a field for days.
		if e.Type != network.ResourceTypeOther && !strings.HasPrefix(e.Request.URL, "data:") {
			p.pending[e.RequestID] = e.Request.URL
		}
		if address, err := url.Parse(e.Request.URL); err != nil || address.Host != p.host && !slices.Contains([]string{"data", "blob"}, address.Scheme) {
			p.report("request to another host: %s", e.Request.URL)
		}
	case *network.EventLoadingFinished:
		delete(p.pending, e.RequestID)
	case *network.EventLoadingFailed:
		// A request that the page itself gave up, such as one for a page that was left, is no failure.
		if !e.Canceled {
			p.report("request failed: %s: %s%s", p.pending[e.RequestID], e.ErrorText, e.BlockedReason)
		}
		delete(p.pending, e.RequestID)
	}
}

func (p *tab) report(format string, args ...any) {
	p.found = append(p.found, strings.TrimSpace(fmt.Sprintf(format, args...)))
}

func consoleText(args []*runtime.RemoteObject) string {
	var words []string
	for _, arg := range args {
		if len(arg.Value) > 0 {
			words = append(words, strings.Trim(string(arg.Value), `"`))
		} else {
			words = append(words, firstLine(arg.Description))
		}
	}
	return strings.Join(words, " ")
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// problems returns what went wrong since it was last asked.
func (p *tab) problems() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	found := p.found
	p.found = nil
	return found
}

// asked are the addresses that were asked for anything.
func (p *tab) asked() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// wantNoProblems fails the test for everything that went wrong, but for what begins like one of the exceptions.
func (p *tab) wantNoProblems(t *testing.T, except ...string) {
	t.Helper()
	for _, problem := range p.problems() {
		if !slices.ContainsFunc(except, func(start string) bool { return strings.HasPrefix(problem, start) }) {
			t.Error(problem)
		}
	}
}

// open loads a page and returns when it has come to rest.
func (p *tab) open(t *testing.T, address string) {
	t.Helper()
	p.mu.Lock()
	clear(p.pending) // what the page that is left asked for
	p.mu.Unlock()
	p.do(t, chromedp.Navigate(address))
	p.settle(t)
}

// settle returns when nothing is being loaded any more, and what was loaded had two frames' time to be shown. A page without
// scripts asks for nothing once it is loaded.
func (p *tab) settle(t *testing.T) {
	t.Helper()
	if p.noScript {
		return
	}
	start := time.Now()
	for quiet := 0; quiet < 2; quiet++ {
		frames[bool](t, p, `true`)
		if loading := p.loading(); len(loading) > 0 {
			quiet = -1
			if time.Since(start) > awaitLimit {
				t.Fatalf("the page does not come to rest; it still loads %v", loading)
			}
		}
	}
}

// loading are the addresses that the page waits for.
func (p *tab) loading() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Values(p.pending))
}

// do runs actions, which must succeed.
func (p *tab) do(t *testing.T, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, awaitLimit)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatalf("%v\n%s", err, strings.Join(p.problems(), "\n"))
	}
}

// eval returns the value of an expression in the page.
func eval[T any](t *testing.T, p *tab, expression string) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, awaitLimit)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", firstLine(expression), err)
	}
	return value
}

// text is what a reader sees of the first element that a selector selects.
func (p *tab) text(t *testing.T, selector string) string {
	t.Helper()
	return eval[string](t, p, fmt.Sprintf(`document.querySelector(%q).innerText`, selector))
}

// path is where the tab is, for messages.
func (p *tab) path(t *testing.T) string {
	t.Helper()
	return eval[string](t, p, `location.pathname + location.search`)
}

// frames returns the value of an expression after the page was drawn twice.
func frames[T any](t *testing.T, p *tab, expression string) T {
	t.Helper()
	return eval[T](t, p, `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(`+expression+`))))`)
}

// await returns when an expression in the page is true, and fails the test when it never is.
func (p *tab) await(t *testing.T, what, expression string) {
	t.Helper()
	if _, err := chromedp.Run(p.ctx, chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(awaitLimit))); err != nil {
		t.Fatalf("never so: %s (%s): %v\n%s", what, expression, err, strings.Join(p.problems(), "\n"))
	}
}

// call sends one command of the protocol, which must succeed.
func call[P, R any](t *testing.T, p *tab, command cdp.Command[P, R], params P) {
	t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, awaitLimit)
	defer cancel()
	if _, err := chromedp.Call(ctx, command, params); err != nil {
		t.Fatalf("%s: %v", command.Method, err)
	}
}

// withoutScripts has the pages that are opened from now on do without their scripts.
func (p *tab) withoutScripts(t *testing.T) {
	t.Helper()
	p.noScript = true
	call(t, p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
}

// inColours has the pages think that their reader prefers a colour scheme, light or dark.
func (p *tab) inColours(t *testing.T, scheme string) {
	t.Helper()
	call(t, p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
}

// onPaper has the pages think that they are printed, by a reader who prefers dark colours.
func (p *tab) onPaper(t *testing.T) {
	t.Helper()
	call(t, p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: "print", Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}},
	})
}

// screen is a size in pixels of CSS.
type screen struct {
	width, height int64
	phone         bool
}

var (
	desktop = screen{1280, 800, false}
	phone   = screen{390, 844, true}
	paper   = screen{718, 1000, false} // A4 with margins of a centimetre
)

// on gives the tab the size of a screen.
func (p *tab) on(t *testing.T, s screen) {
	t.Helper()
	p.screen = s
	call(t, p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: s.width, Height: s.height, DeviceScaleFactor: 1, Mobile: s.phone,
	})
}
