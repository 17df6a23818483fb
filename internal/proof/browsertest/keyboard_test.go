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
		within: (on.closest('main') || on.closest('nav, body')).localName,
		visible: box.width > 1 && box.height > 1 && box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth &&
			(style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0),
	};
})()`

func TestTheKeyboardIsEnough(t *testing.T) {
	t.Parallel()
	s, p := atDesk(t)
	p.wantKeyboardIsEnough(t, s.url+"/changelog", "The seller API")
}

// wantKeyboardIsEnough opens a page and expects the keyboard to lead past the frame, which begins with a link, to the content.
func (p *tab) wantKeyboardIsEnough(t *testing.T, address, begins string) {
	t.Helper()
	p.open(t, address)
	got := []focus{p.press(t, kb.Tab), p.press(t, kb.Tab)}
	want := []focus{{"Skip to the content", "body", true}, {begins, "body", true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the first stops (-want +got):\n%s", diff)
	}

	p.open(t, "about:blank")
	p.open(t, address)
	p.press(t, kb.Tab)
	p.press(t, kb.Enter)
	next := p.press(t, kb.Tab)
	next.Text = ""
	if diff := cmp.Diff(focus{"", "main", true}, next); diff != "" {
		t.Errorf("the first stop after the skip link was used (-want +got):\n%s", diff)
	}
	p.wantNoProblems(t)
}

// press presses a key, and returns where the keyboard is then.
func (p *tab) press(t *testing.T, key string) focus {
	t.Helper()
	p.do(t, chromedp.KeyEvent(key))
	return frames[focus](t, p, focused)
}

// TestTheMenuOpensOnAPhone opens the menu with its button, closes it with Esc, with its button and with a tap beside it.
func TestTheMenuOpensOnAPhone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := newTab(t, s.url)
	p.on(t, phone)
	p.open(t, s.url+"/docs/limits")
	const shown = `document.getElementById('menu').checkVisibility()`
	if eval[bool](t, p, shown) {
		t.Error("the menu is open at once")
	}
	open := chromedp.Click(chromedp.CSS(`button[popovertarget="menu"]`))
	p.do(t, open)
	p.await(t, "the menu is open", shown)
	p.do(t, chromedp.KeyEvent(kb.Escape))
	p.await(t, "the menu is closed", "!"+shown)
	p.do(t, open, chromedp.Click(chromedp.CSS(`#menu button`)))
	p.await(t, "its button closes the menu", "!"+shown)
	p.do(t, open, chromedp.MouseClickXY(20, 600))
	p.await(t, "a tap beside it closes the menu", "!"+shown)
	p.do(t, open, chromedp.Click(chromedp.CSS(`#menu a[href="/docs/errors"]`)), chromedp.WaitVisible(chromedp.CSS("#the-form-of-an-error")))
	p.wantNoProblems(t)
}
