package browsertest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tooWide are the elements that stick out of the screen to the right, innermost ones only, unless they are inside of
// something that scrolls by itself.
const tooWide = `(() => {
	const page = document.scrollingElement;
	if (page.scrollWidth <= innerWidth) return [];
	const scrolls = element => {
		for (let e = element.parentElement; e && e !== document.body; e = e.parentElement) {
			if (getComputedStyle(e).overflowX !== 'visible') return true;
		}
		return false;
	};
	const found = [...document.body.querySelectorAll('*')].filter(e => e.getBoundingClientRect().right > innerWidth && !scrolls(e));
	return ['the page is ' + page.scrollWidth + ' wide on ' + innerWidth,
		...found.filter(e => !found.some(other => other !== e && e.contains(other))).slice(0, 5).map(e => e.outerHTML.slice(0, 200))];
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
	const shown = `[...document.querySelectorAll('nav, main h1')].filter(e => e.checkVisibility()).map(e => e.localName)`
	for _, path := range []string{"/", "/changelog", "/errors", "/docs/webhooks"} {
		p.open(t, s.url+path)
		if diff := cmp.Diff([]string{"h1"}, eval[[]string](t, p, shown)); diff != "" {
			t.Errorf("%s on paper (-want +got):\n%s", path, diff)
		}
	}
}
