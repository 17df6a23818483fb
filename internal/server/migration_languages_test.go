package server_test

import (
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"sellerd/internal/languages"
)

// This file looks at the migration guide in other languages than English.

// shownTexts are the texts of the content of a page that are neither code nor names, without blanks around them.
func shownTexts(t *testing.T, page string) map[string]bool {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]bool{}
	var walk func(node *html.Node, inMain bool)
	walk = func(node *html.Node, inMain bool) {
		inMain = inMain || node.DataAtom == atom.Main
		for _, attribute := range node.Attr {
			switch attribute.Key {
			case "aria-label", "title", "alt", "placeholder", "data-label":
				texts[attribute.Val] = inMain
			case "translate":
				return
			}
		}
		if node.Type == html.TextNode && inMain {
			texts[strings.TrimSpace(node.Data)] = true
		}
		if node.DataAtom == atom.Pre || node.DataAtom == atom.Code || node.DataAtom == atom.Script {
			return
		}
		for child := range node.ChildNodes() {
			walk(child, inMain)
		}
	}
	walk(root, false)
	return texts
}

// sameInFrench are the texts in small letters that are written alike in English and French, and those of blocks of code and of the frame, which
// TestTextsWithoutTranslation looks for.
var sameInFrench = regexp.MustCompile(`^(notifications|codes|code|dates|section|webhooks|errormsg|curl_\w+|shell|text|on this page|some texts on this page are in english.*|/[\w./-]+|[^a-z]*)$`)

// TestTheGuideIsWholeInFrench holds each page in French against the English one: no text is the same.
func TestTheGuideIsWholeInFrench(t *testing.T) {
	s := publicServer(t)
	english := guidePaths(get(s.Public, "/sitemap.xml").Body.String())
	if len(english) < 35 {
		t.Fatalf("the guide has only %d pages", len(english))
	}
	for _, path := range append(english, "/migration/print") {
		if path == "/migration/translate" || path == "/migration/usage" { // tools beside the guide
			continue
		}
		page := get(s.Public, "/fr"+path).Body.String()
		before := shownTexts(t, get(s.Public, path).Body.String())
		for text := range shownTexts(t, page) {
			if before[text] && !sameInFrench.MatchString(strings.ToLower(text)) {
				t.Errorf("/fr%s says %q, as in English", path, text)
			}
		}
	}
}

// guidePaths are the addresses of the pages of the guide in a list of all pages.
func guidePaths(sitemap string) (paths []string) {
	for _, found := range regexp.MustCompile(`<loc>http://sellerd\.test(/migration[^<]*)</loc>`).FindAllStringSubmatch(sitemap, -1) {
		paths = append(paths, found[1])
	}
	return paths
}

// TestOldAnchorsOfTheGuideArriveInEveryLanguage follows the anchors of the index that older releases printed.
func TestOldAnchorsOfTheGuideArriveInEveryLanguage(t *testing.T) {
	s := publicServer(t)
	published, err := os.ReadFile("../../translate/guide/testdata/anchors.txt")
	if err != nil {
		t.Fatal(err)
	}
	anchors := strings.Fields(string(published))
	if len(anchors) < 78 {
		t.Fatalf("only %d anchors were published", len(anchors))
	}
	for _, l := range languages.Others {
		index := get(s.Public, l.Path("/migration")).Body.String()
		pages := map[string]string{}
		for _, anchor := range anchors {
			if !strings.Contains(index, ` id="`+anchor+`"`) {
				t.Errorf("the index in %s does not have %s", l.Name, anchor)
			}
			entry := regexp.MustCompile(` id="` + anchor + `" data-page="[^"]+"[^>]*>.*?\s*.*?<a href="([^"]+)"`).FindStringSubmatch(index)
			if entry == nil {
				continue // the index has it itself
			}
			page, place, within := strings.Cut(entry[1], "#")
			if pages[page] == "" {
				pages[page] = get(s.Public, page).Body.String()
			}
			if !strings.HasPrefix(page, l.Path("/migration/")) || within && !strings.Contains(pages[page], ` id="`+place+`"`) {
				t.Errorf("%s in %s leads to %s", anchor, l.Name, entry[1])
			}
		}
	}
}

// TestTheGuideIsSearchedInTheLanguageOfThePage asks in words of the language, with and without accents, and in names of /rest.
func TestTheGuideIsSearchedInTheLanguageOfThePage(t *testing.T) {
	s := publicServer(t)
	for path, want := range map[string]struct {
		calls []string
		says  string
	}{
		"/fr/migration?q=" + url.QueryEscape("retirer les objets de la vente"): {[]string{"item-close"}, "1 appel correspond."},
		"/fr/migration?q=" + url.QueryEscape("Évaluer un acheteur"):            {[]string{"item-feedback"}, "1 appel correspond."},
		"/fr/migration?q=evaluer+acheteur":                                     {[]string{"item-feedback"}, "1 appel correspond."},
		"/fr/migration?q=LostOrBrokenItem":                                     {[]string{"item-close"}, "1 appel correspond."},
		"/fr/migration?q=xyzzy":                                                {nil, "Aucun appel ne contient tous ces mots."},
		"/de/migration?q=" + url.QueryEscape("wie bewerte ich den Käufer"):     {[]string{"item-feedback"}, "1 Aufruf passt."},
	} {
		page := get(s.Public, path).Body.String()
		var calls []string
		for _, found := range regexp.MustCompile(`<tr id="([^"]+)" data-page="[^"]+" data-search="[^"]+">`).FindAllStringSubmatch(page, -1) {
			calls = append(calls, found[1])
		}
		if diff := cmp.Diff(want.calls, calls); diff != "" || !strings.Contains(page, ">"+want.says+"</output>") {
			t.Errorf("%s does not say %q, or finds others (-want +got):\n%s", path, want.says, diff)
		}
	}
}
