package browsertest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// This file looks at pages as they are printed.

func TestPaperShowsTheTextAlone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := newTab(t, s.url)
	p.on(t, paper)
	p.onPaper(t)
	for _, path := range []string{"/", "/migration", "/migration/item-create", "/migration/print", "/changelog", "/errors", "/known-issues", "/docs/api", "/docs/limits"} {
		p.open(t, s.url+path)
		p.wantTextAlone(t)
	}
	if ink := eval[string](t, p, `getComputedStyle(document.body).color`); ink != "rgb(30, 36, 33)" {
		t.Errorf("for a reader who prefers dark colours, letters on paper are %s", ink)
	}
}

// wantTextAlone expects the page that the tab shows on paper to fit there, without what works only on a screen.
func (p *tab) wantTextAlone(t *testing.T) {
	t.Helper()
	const shown = `[...document.querySelectorAll('body > header, #menu, .around, main h1, main form, main button')].filter(e => e.checkVisibility()).map(e => e.localName)`
	if diff := cmp.Diff([]string{"h1"}, eval[[]string](t, p, shown)); diff != "" {
		t.Errorf("%s on paper (-want +got):\n%s", p.path(t), diff)
	}
	if diff := cmp.Diff([]string{}, eval[[]string](t, p, tooWide)); diff != "" {
		t.Errorf("%s is too wide for paper (-want +got):\n%s", p.path(t), diff)
	}
}

// sheets is how a page is spread over sheets of paper.
type sheets struct {
	Torn  []string `json:"torn"`  // what ends a sheet and belongs to what begins the next one
	Share float64  `json:"share"` // of the paper that is used
}

// printed lays a page out in columns as high as a sheet. Browsers break columns as they break pages, and say where each element is.
const printed = `(() => {
	const main = document.querySelector('main'), width = main.clientWidth, height = 1000, gap = 50, whole = main.clientHeight;
	Object.assign(main.style, {width: width + 'px', height: height + 'px', columnWidth: width + 'px', columnGap: gap + 'px', columnFill: 'auto'});
	const left = main.getBoundingClientRect().left;
	const on = element => [...element.getClientRects()].filter(box => box.height > 0).map(box => Math.floor((box.left - left + gap / 2) / (width + gap)));
	const torn = [];
	const together = (what, above, below) => {
		if (above && below && on(above).length && on(below).length && on(above).at(-1) !== on(below)[0]) torn.push(what + ': ' + above.textContent.trim().slice(0, 60));
	};
	for (const e of main.querySelectorAll('h1, h2, h3, h4, summary, p:has(+ pre), p:has(+ .scroll)')) together(e.localName, e, e.nextElementSibling);
	for (const e of main.querySelectorAll('table')) together('head', e.querySelector('thead'), e.querySelector('tbody > tr'));
	for (const e of main.querySelectorAll('tbody > tr')) together('row', e.cells[0], e.cells[e.cells.length - 1]);
	return {torn, share: whole / height / (1 + Math.max(...[...main.querySelectorAll('*')].flatMap(on)))};
})()`

// TestTheGuideIsPrintedWell prints the whole migration guide: headings and the lines before code and tables are on the same sheet as what
// follows, and little paper stays empty.
func TestTheGuideIsPrintedWell(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := newTab(t, s.url)
	p.on(t, paper)
	p.onPaper(t)
	p.open(t, s.url+"/migration/print")
	got := eval[sheets](t, p, printed)
	if diff := cmp.Diff([]string{}, got.Torn); diff != "" {
		t.Errorf("what is torn (-want +got):\n%s", diff)
	}
	t.Logf("%.0f %% of the paper is used", 100*got.Share)
	if got.Share < .9 {
		t.Errorf("only %.0f %% of the paper is used", 100*got.Share)
	}
}

// TestWhatIsTornIsFound shows that the test above can fail.
func TestWhatIsTornIsFound(t *testing.T) {
	t.Parallel()
	p := newTab(t, "http://127.0.0.1")
	p.on(t, paper)
	p.open(t, `data:text/html,<!doctype html><body style="margin:0"><main><h2 style="break-after:column">A</h2><p>B</p>`+
		`<table><thead><tr><th>C</th></tr></thead><tbody><tr style="break-before:column"><td>D</td></tr></tbody></table>`)
	got := eval[sheets](t, p, printed)
	if diff := cmp.Diff([]string{"h2: A", "head: C"}, got.Torn); diff != "" || got.Share > .5 {
		t.Errorf("%.2f used, torn (-want +got):\n%s", got.Share, diff)
	}
}
