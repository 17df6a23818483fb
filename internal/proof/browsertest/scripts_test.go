package browsertest

import (
	"strings"
	"testing"
)

// TestEveryPageIsReadableWithoutScripts compares what a page says with and without its scripts.
func TestEveryPageIsReadableWithoutScripts(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := newTab(t, s.url)
	p.withoutScripts(t)
	for _, address := range s.pages(t) {
		p.open(t, address)
		if heading := eval[string](t, p, `document.querySelector('main h1').innerText`); strings.TrimSpace(heading) == "" {
			t.Errorf("%s has no heading", address)
		}
		if text := eval[string](t, p, `document.querySelector('main').innerText`); len(text) < 100 {
			t.Errorf("%s says only %q", address, text)
		}
	}
	p.wantNoProblems(t)
}
