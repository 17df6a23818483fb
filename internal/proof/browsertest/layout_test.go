package browsertest

import (
	"strings"
	"testing"

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

// TestNothingScrollsSidewaysOnAPhone expects no page that is wider than a phone, tables as stacked rows, in which each cell says
// what it is, and wrapped code.
func TestNothingScrollsSidewaysOnAPhone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := newTab(t, s.url)
	p.on(t, phone)
	for _, address := range s.pages(t) {
		p.open(t, address)
		p.wantNothingSideways(t)
	}
	p.open(t, s.url+"/docs/limits")
	const cells = `[...document.querySelectorAll('main tr:nth-child(1) > td')].slice(0, 2).map(e => [getComputedStyle(e).display, getComputedStyle(e, '::before').content])`
	want := [][]string{{"block", `"Header"`}, {"block", `"Meaning"`}}
	if diff := cmp.Diff(want, eval[[][]string](t, p, cells)); diff != "" {
		t.Errorf("cells of a table (-want +got):\n%s", diff)
	}
	p.on(t, desktop)
	p.open(t, "data:text/html,<!doctype html><main><pre style=\"overflow-x:auto;width:100px\">"+strings.Repeat("wide ", 60)+"</pre></main>")
	if found := eval[[]string](t, p, outOfSight); len(found) != 1 {
		t.Errorf("of what scrolls sideways it finds %v", found)
	}
}

// wantNothingSideways expects the page that the tab shows to be no wider than the screen. On a phone, nothing in it scrolls
// sideways either.
func (p *tab) wantNothingSideways(t *testing.T) {
	t.Helper()
	if diff := cmp.Diff([]string{}, eval[[]string](t, p, tooWide)); diff != "" {
		t.Errorf("%s scrolls sideways (-want +got):\n%s", p.path(t), diff)
	}
	if !p.screen.phone {
		return
	}
	if diff := cmp.Diff([]string{}, eval[[]string](t, p, outOfSight)); diff != "" {
		t.Errorf("%s hides something to the right (-want +got):\n%s", p.path(t), diff)
	}
}

// shift is how much of a page moved while it was loaded, as browsers count it. Up to 0.1 is good.
const shift = `new Promise(done => new PerformanceObserver(list => done(list.getEntries().reduce((sum, e) => sum + e.value, 0)))
	.observe({type: 'layout-shift', buffered: true}) || setTimeout(() => done(0), 100))`

// TestPagesDoNotJump loads every page, and expects the frame where it is on the first one, and nothing that moves while a page is loaded.
func TestPagesDoNotJump(t *testing.T) {
	t.Parallel()
	s, p := atDesk(t)
	p.open(t, s.url+s.first)
	want := eval[[][]float64](t, p, frame)
	for _, address := range s.pages(t) {
		p.open(t, address)
		p.wantNoJump(t, want)
	}
}

// frame is where the parts of the frame are: left, top and width of each. The menu stays where it is when the page is scrolled.
const frame = `['body > header', '#menu', '.page'].map(part => {
	const box = document.querySelector(part).getBoundingClientRect(); return [box.left, part === '#menu' ? 0 : box.top + scrollY, box.width] })`

// wantNoJump expects the page that the tab shows to have its frame where the first page has it, and not to have moved while it was
// loaded.
func (p *tab) wantNoJump(t *testing.T, first [][]float64) {
	t.Helper()
	if diff := cmp.Diff(first, eval[[][]float64](t, p, frame)); diff != "" {
		t.Errorf("%s has its frame elsewhere (-first page +page):\n%s", p.path(t), diff)
	}
	if moved := eval[float64](t, p, shift); moved > 0.1 {
		t.Errorf("%s moves by %.3f while it is loaded", p.path(t), moved)
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
	if moved := eval[float64](t, p, shift); moved <= 0.1 {
		t.Errorf("it moves by %.3f only", moved)
	}
}
