package browsertest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"sellerd/v1"
)

// referenced is an operation in the reference.
type referenced struct {
	Place   string `json:"place"`   // what links lead to, tag/items/getItem
	Address string `json:"address"` // its method and path
}

// listed reads the plain list of operations, which the page shows where no scripts run.
func (s *site) listed(t *testing.T) []referenced {
	t.Helper()
	p := newTab(t, s.url)
	defer p.close()
	p.withoutScripts(t)
	p.open(t, s.url+"/docs")
	return eval[[]referenced](t, p, `[...document.querySelectorAll('main dt')].map(e => ({place: e.id, address: e.innerText}))`)
}

func TestTheReferenceListsAllOperationsWithoutScripts(t *testing.T) {
	t.Parallel()
	var got, want []string
	for _, operation := range newSite(t).listed(t) {
		got = append(got, operation.Address)
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

// TestLinksLeadToOperations follows links to the last operation of each part of the reference, the first from another page
// and the others within the page, of which only a part is drawn at a time.
func TestLinksLeadToOperations(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	last := map[string]referenced{} // by part
	for _, operation := range s.listed(t) {
		last[operation.Place[:strings.LastIndexByte(operation.Place, '/')]] = operation
	}
	p := newTab(t, s.url)
	p.on(t, desktop)
	for i, part := range slices.Sorted(maps.Keys(last)) {
		operation := last[part]
		if i == 0 {
			p.open(t, s.url+"/docs#"+operation.Place)
		} else {
			p.do(t, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`location.hash = %q`, operation.Place)))
		}
		section := fmt.Sprintf(`[id$="/%s"]`, operation.Place)
		p.await(t, "the top of the operation is on the screen", fmt.Sprintf(
			`(top => top >= 0 && top < innerHeight / 2)(document.querySelector('%s h3').getBoundingClientRect().top)`, section))
		if text := strings.ReplaceAll(p.text(t, section), "\u200b", ""); !strings.Contains(text, strings.Replace(operation.Address, " ", "", 1)) {
			t.Errorf("%s does not show %s:\n%s", operation.Place, operation.Address, text)
		}
	}
	p.wantNoProblems(t)
}

func TestSamplesComeInFiveLanguages(t *testing.T) {
	t.Parallel()
	s, p := atDesk(t)
	p.open(t, s.url+"/docs#tag/items/closeItem")
	const section = `[id$="/tag/items/closeItem"]`
	for language, want := range map[string]string{
		"curl": "curl '" + s.url + "/v1/items/", "Go": "package main", "Python": "from urllib.request", "JavaScript": "await fetch(", "PHP": "<?php",
	} {
		p.do(t, chromedp.Click(chromedp.CSS(section+" [data-testid=client-picker]")), chromedp.WaitVisible(chromedp.CSS("[role=option]")))
		offered := eval[[]string](t, p, `[...document.querySelectorAll('[role=option]')].map(e => e.innerText.trim())`)
		if diff := cmp.Diff([]string{"curl", "Go", "Python", "JavaScript", "PHP"}, offered); diff != "" {
			t.Errorf("the languages (-want +got):\n%s", diff)
		}
		i := slices.Index(offered, language)
		p.do(t, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelectorAll('[role=option]')[%d].click()`, i)))
		p.await(t, "the sample is in "+language, fmt.Sprintf(`document.querySelector('%s').innerText.includes(%q)`, section, want))
	}
	p.wantNoProblems(t)
}
