package guide

import (
	"fmt"
	"html"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/translate"
)

// This file looks at the guide page by page.

// sitePages are the index and all other pages of a guide, by their paths.
func sitePages(t *testing.T, guide *Page) map[string]string {
	t.Helper()
	index, err := guide.IndexHTML("", nil)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := guide.HTML()
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{translate.GuidePath: string(index), PrintPath: string(whole)}
	for _, part := range guide.Parts() {
		page, err := guide.PartHTML(part)
		if err != nil {
			t.Fatal(err)
		}
		if pages[part.Path()] != "" {
			t.Errorf("there are two pages at %s", part.Path())
		}
		pages[part.Path()] = string(page)
	}
	return pages
}

func TestEveryCallHasAPage(t *testing.T) {
	guide := newPage(t)
	pages := sitePages(t, guide)
	for _, call := range translate.Calls {
		shown := textOf(t, pages["/migration/"+call.ID])
		section := guide.Call(call.ID)
		wanted := []string{section.Title, section.Example.Legacy, section.Example.V1}
		for _, rows := range [][]Field{section.Fields, section.Elements} {
			for i := range rows {
				if section.Acknowledges && &rows[0] == &section.Elements[0] {
					break // a sentence says what the answer is
				}
				wanted = append(wanted, rows[i].Legacy)
				if call.Target.Kind != translate.Local {
					wanted = append(wanted, strings.Fields(rows[i].Path)...)
					wanted = append(wanted, rows[i].Also...)
				}
			}
		}
		for i := range call.In {
			if c := call.In[i].Convert; c != nil && c.Pairs != nil {
				wanted = append(wanted, "Values: "+c.Name)
			}
		}
		for i := range section.Refusals {
			wanted = append(wanted, string(section.Refusals[i].Code))
		}
		for _, text := range wanted {
			if !strings.Contains(shown, strings.TrimLeft(text, "@")) {
				t.Errorf("the page about %s does not show %q", call.ID, text)
			}
		}
		if want := testBase + "/migration/" + call.ID; section.URL != want {
			t.Errorf("the page about %s is at %s in the JSON, not at %s", call.ID, section.URL, want)
		}
	}
}

// publishedAnchors are the anchors that the guide had when it was one page. Answers of /rest, reports and bookmarks lead there.
func publishedAnchors(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/anchors.txt")
	if err != nil {
		t.Fatal(err)
	}
	anchors := strings.Fields(string(text))
	if len(anchors) < 78 {
		t.Fatalf("only %d anchors were published", len(anchors))
	}
	return anchors
}

// TestEveryPublishedAnchorArrives follows the anchors in the index: those of calls, topics and steps to their pages, those of
// values and notifications to their places in pages.
func TestEveryPublishedAnchorArrives(t *testing.T) {
	pages := sitePages(t, newPage(t))
	for _, anchor := range publishedAnchors(t) {
		if n := strings.Count(pages["/migration"], ` id="`+anchor+`"`); n != 1 {
			t.Errorf("the index has %s %d times", anchor, n)
		}
		if !strings.Contains(pages[PrintPath], ` id="`+anchor+`"`) {
			t.Errorf("the whole guide does not have %s", anchor)
		}
		if slices.Contains([]string{"top", "sunset", "index"}, anchor) {
			continue // the index has it itself
		}
		entry := regexp.MustCompile(`<(?:tr|li|section class="phase") id="` + anchor + `" data-page="([^"]+)"[^>]*>.*?\s*.*?<a href="([^"]+)"`).FindStringSubmatch(pages["/migration"])
		if entry == nil || entry[1] != entry[2] {
			t.Errorf("the entry %s has no link to its page: %q", anchor, entry)
			continue
		}
		page, place, within := strings.Cut(entry[1], "#")
		if pages[page] == "" || within && !strings.Contains(pages[page], ` id="`+place+`"`) {
			t.Errorf("the entry %s leads to %s, which is not there", anchor, entry[1])
		}
		if page != "/migration/"+anchor && place != anchor {
			t.Errorf("the entry %s leads to %s", anchor, entry[1])
		}
	}
}

// TestTheLinksBetweenThePagesOfTheGuide follows all of them, also those in Markdown.
func TestTheLinksBetweenThePagesOfTheGuide(t *testing.T) {
	guide := newPage(t)
	pages := sitePages(t, guide)
	others := []string{"/migration/translate", "/migration/usage", "/migration.md", "/migration.json", "/migration.schema.json", "/migration.ics"}
	followed := 0
	for path, page := range pages {
		for _, found := range regexp.MustCompile(`href="((?:/migration|#)[^"]*)"`).FindAllStringSubmatch(page, -1) {
			to, place, within := strings.Cut(found[1], "#")
			if to == "" {
				to = path
			}
			followed++
			switch {
			case slices.Contains(others, to):
			case pages[to] == "":
				t.Errorf("%s links to %s, which is not there", path, found[1])
			case within && !strings.Contains(pages[to], ` id="`+place+`"`):
				t.Errorf("%s links to %s, and there is no such place", path, found[1])
			}
		}
	}
	for _, part := range guide.Parts() {
		text := string(guide.PartMarkdown(part))
		for _, found := range regexp.MustCompile(`\]\(`+testBase+`(/migration[^)]*)\)`).FindAllStringSubmatch(text, -1) {
			to, place, within := strings.Cut(strings.Replace(found[1], ".md", "", 1), "#")
			followed++
			if pages[to] == "" && !slices.Contains(others, to) || within && !strings.Contains(pages[to], ` id="`+place+`"`) {
				t.Errorf("the Markdown of %s links to %s, which is not there", part.ID, found[1])
			}
		}
		for _, found := range markdownPlace().FindAllStringSubmatch(text, -1) {
			if !strings.Contains(text, `<a id="`+found[1]+`">`) {
				t.Errorf("the Markdown of %s links to #%s, which it does not have", part.ID, found[1])
			}
		}
	}
	if followed < 1000 {
		t.Errorf("only %d links were followed", followed)
	}
}

func TestEveryPageOfTheGuideIsInMarkdown(t *testing.T) {
	guide := newPage(t)
	for _, part := range guide.Parts() {
		text := string(guide.PartMarkdown(part))
		if title := "\n# " + part.Title + "\n"; strings.Count(text, title) != 1 || len(text) < len(title)+40 {
			t.Errorf("the Markdown of %s:\n%.200s", part.ID, text)
		}
		if part.Call != nil && (!strings.Contains(text, part.Call.Example.V1) || !strings.Contains(text, part.Call.Example.Legacy)) {
			t.Errorf("the Markdown of %s does not have both commands", part.ID)
		}
	}
}

// shownCalls are the calls in an index that are not hidden.
func shownCalls(page string) (ids []string) {
	for _, found := range regexp.MustCompile(`<tr id="([^"]+)" data-page="[^"]+" data-search="[^"]+">`).FindAllStringSubmatch(page, -1) {
		ids = append(ids, found[1])
	}
	return ids
}

func TestTheIndexIsSearched(t *testing.T) {
	guide := newPage(t)
	all := make([]string, len(guide.Calls))
	for i, call := range guide.Calls {
		all[i] = call.ID
	}
	for question, want := range map[string]struct {
		calls []string
		says  string
	}{
		"":                                     {all, ""},
		"  ":                                   {all, ""},
		"RESTART  already":                     {[]string{"item-restart"}, "1 call matches."},
		"LostOrBrokenItem":                     {[]string{"item-close"}, "1 call matches."},
		"There is already a bid on this item!": {[]string{"item-update", "item-close"}, "2 calls match."},
		"sale.item.personal_reference":         {[]string{"auction-sold", "fixedprice-sold", "item-buyer"}, "3 calls match."},
		"nowhere at all":                       {nil, "No call has all of these words."},
		`"><script>`:                           {nil, "No call has all of these words."},
	} {
		page, err := guide.IndexHTML(question, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.calls, shownCalls(string(page))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", question, diff)
		}
		if !strings.Contains(string(page), `aria-live="polite">`+want.says+`</output>`) || !strings.Contains(string(page), `value="`+html.EscapeString(question)+`"`) {
			t.Errorf("%q: the page does not show the words, or does not say %q", question, want.says)
		}
		asked := strings.ToLower(`href="/search?q=` + strings.ReplaceAll(url.QueryEscape(question), "+", "%20"))
		if question != "" && !strings.Contains(strings.ToLower(string(page)), asked) {
			t.Errorf("%q: the page does not lead to the search of all pages", question)
		}
		hidden := len(regexp.MustCompile(`<section class="phase"[^>]* hidden>`).FindAllString(string(page), -1))
		if empty := len(want.calls) == 0; empty != (hidden == len(guide.Phases)) {
			t.Errorf("%q: %d steps are hidden", question, hidden)
		}
	}
}

// TestTheGuideSaysWhereValuesStand: paths begin with an object of the call, which the page explains.
func TestTheGuideSaysWhereValuesStand(t *testing.T) {
	guide := newPage(t)
	for _, call := range guide.Calls {
		for i := range call.Elements {
			f := &call.Elements[i]
			if (f.Path == "") != (f.V1 == "") {
				t.Errorf("%s: %s is at %q, in full at %q", call.ID, f.Legacy, f.V1, f.Path)
			}
			for _, path := range append(strings.Fields(f.Path), f.Also...) {
				object, _, _ := strings.Cut(path, ".")
				if !slices.ContainsFunc(call.Objects, func(o Object) bool { return o.Name == object }) {
					t.Errorf("%s does not say what %s in %s is", call.ID, object, path)
				}
			}
		}
	}
	reference := func(id string) (f Field) {
		for _, element := range guide.Call(id).Elements {
			if element.Legacy == "personal_reference" {
				f = element
			}
		}
		return f
	}
	for id, want := range map[string]string{
		"item":            "`item.personal_reference`",
		"fixedprice-sold": "`item.personal_reference`; as it was sold, `sale.item.personal_reference` and `bill.sales[].personal_reference`",
	} {
		f := reference(id)
		if got := f.place(); got != want {
			t.Errorf("the reference of %s is at %s, not at %s", id, got, want)
		}
	}
	if got := guide.Call("item-bulk").Fields[4].Path; got != "items[].title" {
		t.Errorf("the title of an entry of a bulk is at %s", got)
	}
}

// TestEveryPrintedPostOfTheGuideHasAKey reads the further requests, which are not commands.
func TestEveryPrintedPostOfTheGuideHasAKey(t *testing.T) {
	posts := 0
	for _, call := range newPage(t).Calls {
		for _, more := range call.More {
			for i, line := range more.V1 {
				if !strings.HasPrefix(line, "POST /v1/") {
					continue
				}
				posts++
				if i+1 == len(more.V1) || !regexp.MustCompile(`^Idempotency-Key: [A-Za-z0-9._{}-]+-\$ACT$`).MatchString(more.V1[i+1]) {
					t.Errorf("%s, %s: no key follows %s in %q", call.ID, more.Name, line, more.V1)
				}
			}
		}
	}
	if posts < 15 {
		t.Errorf("there are only %d requests that post", posts)
	}
}

// TestTheGuideAsksForTheOldestSaleThatIsNotRated: /rest rates this one, so each printed request that finds it asks for it.
func TestTheGuideAsksForTheOldestSaleThatIsNotRated(t *testing.T) {
	call := newPage(t).Call("item-feedback")
	texts := []string{call.Example.V1}
	for _, more := range call.More {
		if len(more.V1) > 1 && strings.HasPrefix(more.V1[0], "GET ") {
			texts = append(texts, strings.Join(more.V1, "\n"))
		}
	}
	for _, text := range texts {
		if !strings.Contains(text, "rating_status=unrated") || !strings.Contains(text, "limit=1") {
			t.Errorf("it does not ask for it: %s", text)
		}
	}
	if len(texts) < 5 {
		t.Errorf("only %d requests: %v", len(texts), fmt.Sprint(texts))
	}
}

func TestACallIsFoundByAQuestionInWords(t *testing.T) {
	guide := newPage(t)
	for question, want := range map[string]bool{
		"how to take items off sale": true, "take the items off sale": true, "TAKE ITEM": true, "an": true, "close reasons": true, "take items off ships": false,
		"address xyzzy": false, "categories": false,
	} {
		if got := guide.Call("item-close").Matches(question, IgnoredWords); got != want {
			t.Errorf("%q: %t", question, got)
		}
	}
}
