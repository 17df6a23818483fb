package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// pasted is a request of an old program, with its seller's key and token.
const (
	pastedKey   = "9f86d081884c7d65"
	pastedToken = "2c26b46b68ffc68f"
	pasted      = "curl -X DELETE 'https://rest.delcampe.net/item/4711?token=" + pastedToken + "' -H 'X-Api-Key: " + pastedKey + "' -d reason=TestItem"
)

const (
	pasteField      = chromedp.CSS("main textarea")
	translateButton = chromedp.CSS("main form button")
)

// TestAPasteIsTranslated pastes a request into the page, with its script and without.
func TestAPasteIsTranslated(t *testing.T) {
	for name, scripts := range map[string]bool{"with scripts": true, "without scripts": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			p := newTab(t, s.url)
			if !scripts {
				p.withoutScripts(t)
			}
			p.open(t, s.url+"/migration/translate")
			paste(t, s, p)

			result := p.text(t, "#result")
			for _, want := range []string{"Take an item off sale", "curl '" + s.url + "/v1/items/4711/close'", `{"reason": "test"}`} {
				if !strings.Contains(result, want) {
					t.Errorf("the result lacks %q:\n%s", want, result)
				}
			}
			for where, text := range map[string]string{
				"the result": result, "the address": eval[string](t, p, `location.href`), "what is stored": eval[string](t, p, stored),
				"an address that was asked": strings.Join(p.asked(), "\n"),
			} {
				if strings.Contains(text, pastedKey) || strings.Contains(text, pastedToken) {
					t.Errorf("%s holds a secret: %s", where, text)
				}
			}
			p.wantNoProblems(t)
		})
	}
}

// stored is all that the pages of the site keep in the browser.
const stored = `JSON.stringify([localStorage, sessionStorage, document.cookie])`

func TestARequestThatCannotBeTranslatedIsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := newTab(t, s.url)
	p.open(t, s.url+"/migration/translate")
	p.do(t, chromedp.SendKeys(pasteField, "hello"), chromedp.Click(translateButton), chromedp.WaitVisible(chromedp.CSS("#result .warn")))
	if result := p.text(t, "#result"); !strings.Contains(result, "It cannot be translated") {
		t.Errorf("it says %s", result)
	}
	p.wantNoProblems(t, "log: network: Failed to load resource: the server responded with a status of 422")
}
