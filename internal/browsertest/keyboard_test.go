package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
)

// focus is where the keyboard is.
type focus struct {
	Text    string `json:"text"`
	Within  string `json:"within"`  // the part of the page
	Visible bool   `json:"visible"` // it is on the screen, and something shows that it has the focus
}

const focused = `(() => {
	const on = document.activeElement, box = on.getBoundingClientRect(), style = getComputedStyle(on);
	return {
		text: on.id || on.textContent.trim(),
		within: on.closest('nav, main, body').localName,
		visible: box.width > 1 && box.height > 1 && box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth &&
			(style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0),
	};
})()`

func TestTheKeyboardIsEnough(t *testing.T) {
	t.Parallel()
	s, p := atDesk(t)
	p.open(t, s.url+"/changelog")

	press := func(key string) focus {
		p.do(t, chromedp.KeyEvent(key))
		return frames[focus](t, p, focused)
	}
	got := []focus{press(kb.Tab), press(kb.Tab)}
	want := []focus{{"Skip to the content", "body", true}, {"The seller API", "nav", true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the first stops (-want +got):\n%s", diff)
	}

	p.open(t, "about:blank")
	p.open(t, s.url+"/changelog")
	press(kb.Tab)
	press(kb.Enter)
	next := press(kb.Tab)
	next.Text = ""
	if diff := cmp.Diff(focus{"", "main", true}, next); diff != "" {
		t.Errorf("the first stop after the skip link was used (-want +got):\n%s", diff)
	}
	p.wantNoProblems(t)
}
