package browsertest

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
)

// TestCodeIsCopied presses the button of a block. Where the clipboard is out of reach, the code is selected.
func TestCodeIsCopied(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := newTab(t, s.url)
	p.on(t, phone)
	p.open(t, s.url+"/docs/start")
	p.chooseTab(t, "Python")
	const button = `[aria-label="Python"] figcaption button`
	program, err := os.ReadFile("../../../docs/examples/start.py")
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile(`(?s)# 1\. [^\n]*\n(.*?)\n\n# 2\. `).FindStringSubmatch(string(program))[1]
	p.do(t, chromedp.Evaluate[chromedp.Void](`{
		const write = navigator.clipboard.writeText.bind(navigator.clipboard);
		navigator.clipboard.writeText = text => { window.copied = text; return write(text) };
	}`), chromedp.Click(chromedp.CSS(button)))
	p.await(t, "the button says that it has copied", `document.querySelector('`+button+`').innerText === 'Copied'`)
	if diff := cmp.Diff(code, eval[string](t, p, `copied`)); diff != "" {
		t.Errorf("what is copied (-program +got):\n%s", diff)
	}
	p.do(t, chromedp.Evaluate[chromedp.Void](`navigator.clipboard.writeText = () => Promise.reject(new Error('no clipboard'))`), chromedp.Click(chromedp.CSS(button)))
	p.await(t, "the button says that the code is selected", `document.querySelector('`+button+`').innerText === 'Selected'`)
	if diff := cmp.Diff(code, strings.TrimSpace(eval[string](t, p, `getSelection().toString()`))); diff != "" {
		t.Errorf("what is selected (-program +got):\n%s", diff)
	}
	p.wantNoProblems(t)
}

// chooseTab presses the tab of a language in the first group of the page.
func (p *tab) chooseTab(t *testing.T, language string) {
	t.Helper()
	p.do(t, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`[...document.querySelector('.tabs').querySelectorAll('[role="tab"]')].find(e => e.textContent === %q).click()`, language)))
}

// shownLanguages are the languages of the panels that are shown, and those of the tabs that say so, once each.
const shownLanguages = `[
	[...new Set([...document.querySelectorAll('.tabs > [role="tabpanel"]')].filter(e => e.checkVisibility()).map(e => e.ariaLabel))].join(' '),
	[...new Set([...document.querySelectorAll('.tabs [aria-selected="true"]')].filter(e => e.checkVisibility()).map(e => e.textContent))].join(' ')]`

// TestTheLanguageOfTabsIsRemembered chooses languages with the mouse and the keyboard, and looks at other groups and other pages.
func TestTheLanguageOfTabsIsRemembered(t *testing.T) {
	t.Parallel()
	s, p := atDesk(t)
	want := func(when, language string) {
		t.Helper()
		if diff := cmp.Diff([]string{language, language}, eval[[]string](t, p, shownLanguages)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	p.open(t, s.url+"/docs/start")
	want("at first", "curl")
	p.chooseTab(t, "PHP")
	want("after a click", "PHP")
	p.open(t, s.url+"/docs/webhook-receiver")
	want("on another page", "PHP")
	p.open(t, s.url+"/docs/start")
	p.do(t, chromedp.Focus(chromedp.CSS(`.tabs [aria-selected="true"]`)), chromedp.KeyEvent(kb.ArrowRight))
	want("after the right arrow", "JavaScript")
	p.do(t, chromedp.KeyEvent(kb.End))
	want("after End", "Go")
	p.open(t, s.url+"/docs/start")
	want("after a reload", "Go")
	if moved := eval[float64](t, p, shift); moved > 0.02 {
		t.Errorf("the page moves by %.3f while it is loaded", moved)
	}
	p.open(t, s.url+"/docs/webhook-receiver")
	want("on a page without this language", "PHP")
	p.open(t, s.url+"/docs/signatures#python")
	want("after a link to a tab", "Python")
	eval[bool](t, p, `new Promise(done => { addEventListener('hashchange', () => setTimeout(done, 0, true)); location.hash = '#javascript' })`)
	want("after a link to another tab of the page", "JavaScript")
	p.open(t, s.url+"/docs/start")
	want("a link is no choice, so it", "Go")
	p.wantNoProblems(t)
}

// TestAllLanguagesAreShownWithoutScripts counts what is shown of the first group of tabs.
func TestAllLanguagesAreShownWithoutScripts(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := newTab(t, s.url)
	p.withoutScripts(t)
	p.open(t, s.url+"/docs/start")
	const shown = `[...document.querySelector('.tabs').querySelectorAll('figcaption, [role="tab"]')].filter(e => e.checkVisibility() && parseFloat(getComputedStyle(e).fontSize) > 0)
		.map(e => e.innerText)`
	if diff := cmp.Diff([]string{"curl", "PHP", "JavaScript", "Python", "Go"}, eval[[]string](t, p, shown)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// faint are the classes of code whose letters have less than 4.5 times the luminance of the ground, or the ground of theirs (WCAG 2.2, 1.4.3).
const faint = `(() => {
	const luminance = colour => {
		const [r, g, b] = colour.match(/[\d.]+/g).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const code = document.querySelector('.code:not(.output)'), line = code.querySelector('.line');
	const ground = luminance(getComputedStyle(code).backgroundColor);
	return ['plain', 'comment', 'text', 'keyword', 'number', 'variable', 'option', 'call'].map(name => {
		const piece = document.createElement('span');
		piece.className = name;
		line.append(piece);
		const letters = luminance(getComputedStyle(piece).color);
		return [name, (Math.max(letters, ground) + 0.05) / (Math.min(letters, ground) + 0.05)];
	}).filter(([, contrast]) => contrast < 4.5).map(([name, contrast]) => name + ' ' + contrast.toFixed(2));
})()`

func TestTheColoursOfCodeHaveContrast(t *testing.T) {
	t.Parallel()
	s, p := atDesk(t)
	for _, scheme := range []string{"light", "dark"} {
		p.inColours(t, scheme)
		p.open(t, s.url+"/docs/start")
		if diff := cmp.Diff([]string{}, eval[[]string](t, p, faint)); diff != "" {
			t.Errorf("faint in %s colours (-want +got):\n%s", scheme, diff)
		}
	}
}

// cut are the blocks of code that are wider than their place, and the buttons that lie on letters.
const cut = `[...document.querySelectorAll('main .code')].filter(e => e.checkVisibility()).flatMap(e => {
	const wide = [e, e.querySelector('pre')].filter(part => part.scrollWidth > part.clientWidth + 1);
	const button = e.querySelector('figcaption button')?.getBoundingClientRect(), range = document.createRange();
	const meets = box => box.right > button.left && box.left < button.right && box.bottom > button.top + 4 && box.top < button.bottom - 4;
	const texts = document.createTreeWalker(e.querySelector('code'), NodeFilter.SHOW_TEXT);
	let covers = false;
	while (button && !covers && texts.nextNode()) {
		range.selectNodeContents(texts.currentNode);
		covers = texts.currentNode.data.trim() !== '' && [...range.getClientRects()].some(meets);
	}
	return covers ? [...wide, e] : wide;
}).map(e => e.outerHTML.slice(0, 200))`

// TestCodeThatIsCutIsFound shows that the tests of every page find a block that is cut.
func TestCodeThatIsCutIsFound(t *testing.T) {
	t.Parallel()
	p := newTab(t, "http://127.0.0.1")
	p.on(t, desktop)
	p.open(t, "data:text/html,<!doctype html><main><figure class=code><pre style=width:50px><code>"+strings.Repeat("x", 60)+"</code></pre></figure></main>")
	if found := eval[[]string](t, p, cut); len(found) != 1 {
		t.Errorf("of a block that is cut it finds %v", found)
	}
}

// wantCodeWhole expects the blocks of the page that the tab shows to be whole, in every language, and of one kind. It returns how many there
// are, and leaves the page as a reader finds it who has chosen no language yet.
func (p *tab) wantCodeWhole(t *testing.T) (blocks int) {
	t.Helper()
	for _, language := range eval[[]string](t, p, `[...document.querySelectorAll('.tabs:first-of-type [role="tab"]')].map(e => e.textContent)`) {
		p.chooseTab(t, language)
		p.wantNoCodeCut(t)
	}
	p.wantNoCodeCut(t)
	if plain := eval[int](t, p, `[...document.querySelectorAll('main pre')].filter(e => !e.closest('.code, #reference')).length`); plain > 0 {
		t.Errorf("%s has %d blocks of another kind", p.path(t), plain)
	}
	return eval[int](t, p, `(localStorage.clear(), document.querySelectorAll('main .code').length)`)
}

func (p *tab) wantNoCodeCut(t *testing.T) {
	t.Helper()
	if diff := cmp.Diff([]string{}, eval[[]string](t, p, cut)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", p.path(t), diff)
	}
}
