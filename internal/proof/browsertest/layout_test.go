package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"
)

// tooWide says how wide the page is that does not fit, and which elements stick out to the right, unless they are inside of
// something that scrolls by itself.
const tooWide = `(() => {
	const page = document.scrollingElement, width = page.clientWidth; // innerWidth grows with what is too wide on a phone
	if (page.scrollWidth <= width) return [];
	const scrolls = element => {
		for (let e = element.parentElement; e && e !== document.body; e = e.parentElement) {
			if (getComputedStyle(e).overflowX !== 'visible') return true;
		}
		return false;
	};
	const found = [...document.body.querySelectorAll('*')].filter(e => e.getBoundingClientRect().right > width && !scrolls(e));
	return ['the page is ' + page.scrollWidth + ' wide on ' + width,
		...found.filter(e => !found.some(other => other !== e && other.contains(e))).slice(0, 5).map(e => e.outerHTML.slice(0, 200))];
})()`

// outOfSight are the parts of a page that scroll sideways by themselves.
const outOfSight = `[...document.querySelectorAll('main *')].filter(e => e.checkVisibility() &&
	e.scrollWidth > e.clientWidth + 1 && ['auto', 'scroll'].includes(getComputedStyle(e).overflowX)).map(e => e.outerHTML.slice(0, 200))`

// tablet is upright.
var tablet = screen{768, 1024, false}

// TestEveryPageFitsEveryScreen opens every page on a desktop, a tablet and a phone. It expects nothing that is out of sight to the right,
// nothing that moves while the page is loaded, the frame where other pages have it, and the current entry of the menu in view. No code is
// cut on a desktop and on a phone, in whatever language, and pages for sellers are short.
//
// One visit is enough for all of this: loading a page costs more than looking at it.
func TestEveryPageFitsEveryScreen(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	addresses := s.pages(t)
	for name, screen := range map[string]screen{"desktop": desktop, "tablet": tablet, "phone": phone} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.wantPagesFit(t, addresses, screen)
		})
	}
}

// underTheButton are the tabs that lie under the button that copies.
const underTheButton = `[...document.querySelectorAll('.tabs')].flatMap(tabs => [...tabs.querySelectorAll('[role="tab"]')].filter(tab =>
	[...tabs.querySelectorAll('figcaption button')].filter(e => e.checkVisibility()).some(button => {
		const a = tab.getBoundingClientRect(), b = button.getBoundingClientRect();
		return a.right > b.left + 1 && b.right > a.left + 1 && a.bottom > b.top + 1 && b.bottom > a.top + 1;
	})).map(tab => tab.innerText))`

// TestLargeLettersFitANarrowPhone has screens on which as many letters fit as on one of 390 pixels with letters of 32, 24 and 20, and one of 320.
func TestLargeLettersFitANarrowPhone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := newTab(t, s.url)
	for _, width := range []int64{195, 260, 312, 320, 390} {
		p.on(t, screen{width, 844, true})
		for _, path := range []string{"/", "/docs/start", "/docs/webhook-receiver", "/account", "/fr/account", "/migration/usage", "/nl/search?q=images"} {
			p.open(t, s.url+path)
			if wide, under := eval[[]string](t, p, tooWide), eval[[]string](t, p, underTheButton); len(wide)+len(under) > 0 {
				t.Errorf("%s on %d pixels: %v, under the button: %v", path, width, wide, under)
			}
		}
	}
}

// wantPagesFit opens pages on a screen.
func (s *site) wantPagesFit(t *testing.T, addresses []string, on screen) {
	t.Helper()
	p := newTab(t, s.url)
	p.on(t, on)
	p.open(t, s.url+"/docs/limits")
	first := eval[[][]float64](t, p, frame)
	docs, blocks := s.docPaths(), 0
	for _, address := range addresses {
		p.open(t, address)
		if eval[bool](t, p, `document.body.classList.contains('home')`) {
			p.wantNothingMoved(t)
		} else {
			p.wantNoJump(t, first)
		}
		p.wantNothingSideways(t)
		path := strings.TrimPrefix(address, s.url)
		if doc, ok := docs[path]; ok && on == desktop {
			p.wantThreeScreens(t, doc)
			delete(docs, path)
		}
		if on != tablet {
			blocks += p.wantCodeWhole(t)
		}
		p.wantCurrentInView(t)
	}
	if on == desktop && len(docs) > 0 {
		t.Errorf("no link leads to %v", docs)
	}
	if on != tablet && blocks < 100 {
		t.Errorf("there are only %d blocks of code", blocks)
	}
	p.wantNoProblems(t)
}

// currentInView says whether the entry of the menu for the page is where the reader sees it. A page that is in no menu has none, and the menu
// of the home page is closed.
const currentInView = `(() => {
	const menu = document.getElementById('menu'), entry = menu.querySelector('a[aria-current=page]');
	if (!entry || !menu.checkVisibility()) return 'nothing to see';
	const box = entry.getBoundingClientRect(), around = menu.getBoundingClientRect();
	return box.height > 0 && box.top >= around.top && box.bottom <= Math.min(around.bottom, innerHeight) ? 'in view' : 'from ' + box.top + ' to ' + box.bottom;
})()`

// wantCurrentInView expects the current entry of the menu in view. Where the menu is a drawer, it is opened for that.
func (p *tab) wantCurrentInView(t *testing.T) {
	t.Helper()
	if !eval[bool](t, p, `!!document.querySelector('#menu a[aria-current=page]') && !document.body.classList.contains('home')`) {
		return
	}
	if p.screen.width < desktop.width {
		p.do(t, chromedp.Evaluate[chromedp.Void](`document.getElementById('menu').showPopover()`))
	}
	if got := frames[string](t, p, currentInView); got != "in view" {
		t.Errorf("%s, %d pixels wide: the entry of the page in the menu is %s", p.path(t), p.screen.width, got)
	}
}

// TestTablesAreStackedOnAPhone expects tables as stacked rows: the first cell is the heading of its row, and each of several others says what
// it is.
func TestTablesAreStackedOnAPhone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := newTab(t, s.url)
	p.on(t, phone)
	p.open(t, s.url+"/docs/webhook-events")
	const cells = `[...document.querySelectorAll('main tr:nth-child(1) > td')].slice(0, 2).map(e => {
		const look = getComputedStyle(e);
		return [look.display, look.fontWeight, getComputedStyle(e, '::before').content];
	})`
	want := [][]string{{"block", "600", "none"}, {"block", "400", `"When: "`}}
	if diff := cmp.Diff(want, eval[[][]string](t, p, cells)); diff != "" {
		t.Errorf("cells of a table (-want +got):\n%s", diff)
	}
	p.on(t, desktop)
	p.open(t, "data:text/html,<!doctype html><main><pre style=\"overflow-x:auto;width:100px\">"+strings.Repeat("wide ", 60)+"</pre></main>")
	if found := eval[[]string](t, p, outOfSight); len(found) != 1 {
		t.Errorf("of what scrolls sideways it finds %v", found)
	}
}

// wantNothingSideways expects the page that the tab shows to be no wider than the screen, and nothing in it that scrolls sideways.
func (p *tab) wantNothingSideways(t *testing.T) {
	t.Helper()
	if diff := cmp.Diff([]string{}, eval[[]string](t, p, tooWide)); diff != "" {
		t.Errorf("%s scrolls sideways (-want +got):\n%s", p.path(t), diff)
	}
	if diff := cmp.Diff([]string{}, eval[[]string](t, p, outOfSight)); diff != "" {
		t.Errorf("%s, %d pixels wide, hides something to the right (-want +got):\n%s", p.path(t), p.screen.width, diff)
	}
}

// shift is how much of a page moved while it was loaded, as browsers count it.
const shift = `new Promise(done => new PerformanceObserver(list => done(list.getEntries().reduce((sum, e) => sum + e.value, 0)))
	.observe({type: 'layout-shift', buffered: true}) || setTimeout(() => done(0), 100))`

// mostShift is how much may move. Browsers call 0.1 good.
const mostShift = 0.02

// frame is where the parts of the frame are: left, top and width of each. The header and the menu stay where they are when the page is
// scrolled.
const frame = `['body > header', '#menu', '.page'].map(part => {
	const box = document.querySelector(part).getBoundingClientRect(); return [box.left, part === '.page' ? box.top + scrollY : 0, box.width] })`

// wantNoJump expects the page that the tab shows to have its frame where the first page has it, and not to have moved while it was
// loaded.
func (p *tab) wantNoJump(t *testing.T, first [][]float64) {
	t.Helper()
	if diff := cmp.Diff(first, eval[[][]float64](t, p, frame)); diff != "" {
		t.Errorf("%s has its frame elsewhere (-first page +page):\n%s", p.path(t), diff)
	}
	p.wantNothingMoved(t)
}

// wantNothingMoved expects the page that the tab shows not to have moved while it was loaded. A busy machine shows a table before its last
// rows, so a page that moved is opened once more.
func (p *tab) wantNothingMoved(t *testing.T) {
	t.Helper()
	moved := eval[float64](t, p, shift)
	if moved > mostShift {
		p.open(t, eval[string](t, p, "location.href"))
		moved = eval[float64](t, p, shift)
	}
	if moved > mostShift {
		t.Errorf("%s, %d pixels wide, moves by %.3f while it is loaded", p.path(t), p.screen.width, moved)
	}
}

// TestWhatIsTooWideIsFound shows that the test above can fail.
func TestWhatIsTooWideIsFound(t *testing.T) {
	t.Parallel()
	p := newTab(t, "http://127.0.0.1")
	p.on(t, phone)
	p.open(t, `data:text/html,<!doctype html><meta name="viewport" content="width=device-width,initial-scale=1">`+
		`<body style="margin:0"><div style="overflow-x:auto"><p style="width:900px">A</p></div><p style="width:600px">B</p>`)
	want := []string{"the page is 600 wide on 390", `<p style="width:600px">B</p>`}
	if diff := cmp.Diff(want, eval[[]string](t, p, tooWide)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWhatMovesIsFound shows that a page that moves while it is loaded is found.
func TestWhatMovesIsFound(t *testing.T) {
	t.Parallel()
	p := newTab(t, "http://127.0.0.1")
	p.on(t, desktop)
	p.open(t, `data:text/html,<!doctype html><body><p id="late"></p><p style="height:400px;background:red">A</p>`+
		`<script>requestAnimationFrame(() => requestAnimationFrame(() => late.style.height = '300px'))</script>`)
	if moved := eval[float64](t, p, shift); moved <= mostShift {
		t.Errorf("it moves by %.3f only", moved)
	}
}
