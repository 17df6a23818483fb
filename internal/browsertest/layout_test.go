package browsertest

import (
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

func TestNoPageIsWiderThanAPhone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := newTab(t, s.url)
	p.on(t, phone)
	for _, address := range s.pages(t) {
		p.open(t, address)
		if diff := cmp.Diff([]string{}, eval[[]string](t, p, tooWide)); diff != "" {
			t.Errorf("%s scrolls sideways (-want +got):\n%s", address, diff)
		}
	}
}

func TestPaperShowsTheTextAlone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := newTab(t, s.url)
	p.onPaper(t)
	const shown = `[...document.querySelectorAll('body > header, main h1, main form, main button')].filter(e => e.checkVisibility()).map(e => e.localName)`
	for _, path := range []string{"/", "/migration", "/changelog", "/errors", "/known-issues", "/docs/api"} {
		p.open(t, s.url+path)
		if diff := cmp.Diff([]string{"h1"}, eval[[]string](t, p, shown)); diff != "" {
			t.Errorf("%s on paper (-want +got):\n%s", path, diff)
		}
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
