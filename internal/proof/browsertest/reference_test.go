package browsertest

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"sellerd/v1"
)

// referenced is an operation in the list of the reference.
type referenced struct {
	Place   string `json:"place"`   // tag/items/getItem
	Address string `json:"address"` // its method and path
	Page    string `json:"page"`
}

// listed reads the list of operations, in a browser without scripts.
func (s *site) listed(t *testing.T) []referenced {
	t.Helper()
	p := newTab(t, s.url)
	defer p.close()
	p.withoutScripts(t)
	p.open(t, s.url+"/docs")
	return eval[[]referenced](t, p, `[...document.querySelectorAll('.operations li')].map(e => ({
		place: e.id, address: e.querySelector('code').innerText.trim().replace(/\s+/, ' '), page: e.querySelector('a').getAttribute('href')}))`)
}

func TestTheReferenceListsAllOperationsWithoutScripts(t *testing.T) {
	t.Parallel()
	var got, want []string
	for _, operation := range newSite(t).listed(t) {
		if operation.Place != "" { // it is no event
			got = append(got, operation.Address)
		}
	}
	for _, operation := range v1.Operations {
		want = append(want, operation.Method+" "+operation.Pattern)
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPlacesOfThePageOfOldLeadToOperations follows links to the one page that the reference was: those of the operations, and of their members.
func TestPlacesOfThePageOfOldLeadToOperations(t *testing.T) {
	t.Parallel()
	s, p := atDesk(t)
	operations := s.listed(t)
	for i := 0; i < len(v1.Operations); i += 9 {
		for _, member := range []string{"", ".responses.200"} {
			p.open(t, "about:blank") // so that the page is loaded anew, and not only scrolled
			p.open(t, s.url+"/docs#"+operations[i].Place+member)
			p.await(t, "the page of "+operations[i].Address, `location.pathname === '`+operations[i].Page+`' && document.querySelector('main h1') !== null`)
		}
	}
	p.wantNoProblems(t)
}

// TestALanguageIsRemembered chooses the language of samples on the page of an operation, and expects it on the page of another.
func TestALanguageIsRemembered(t *testing.T) {
	t.Parallel()
	s, p := atDesk(t)
	const shown = `[...document.querySelectorAll('[role=tabpanel]')].filter(e => e.checkVisibility()).map(e => e.innerText).join()`
	p.open(t, s.url+"/docs/reference/items/closeItem")
	if text := eval[string](t, p, shown); !strings.Contains(text, "curl '"+s.url+"/v1/items/") {
		t.Errorf("the first language shows %s", text)
	}
	p.do(t, chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll('[role=tab]')].find(e => e.innerText === 'Python').click()`))
	p.await(t, "the sample is in Python", shown+`.includes('from urllib.request')`)
	p.open(t, s.url+"/docs/reference/bills/getBill")
	p.await(t, "the next page is in Python, too", shown+`.includes('from urllib.request')`)
	p.wantNoProblems(t)
}
