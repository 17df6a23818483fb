package server_test

import (
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/languages"
	"sellerd/internal/server"
)

// missing prints the texts without translation, in the form of the files of translations:
// go test ./internal/server -run TestTextsWithoutTranslation -v -missing fr -below /docs
var (
	missingIn  = flag.String("missing", "", "print the texts that have no translation into this language")
	pagesBelow = flag.String("below", "/", "only those of pages below this path")
)

// untranslated is how many texts of the pages have no translation. The numbers may only fall.
var untranslated = map[string]int{"fr": 0, "de": 0, "it": 0, "es": 0, "nl": 0}

func TestTextsWithoutTranslation(t *testing.T) {
	pages := englishPages(t)
	for _, l := range languages.Others {
		texts := map[string]string{}
		for _, path := range slices.Sorted(maps.Keys(pages)) {
			if !strings.HasPrefix(path, *pagesBelow) {
				continue
			}
			page, err := l.Page([]byte(pages[path]), "http://sellerd.test")
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range page.Missing {
				if texts[text] == "" {
					texts[text] = path
					if l.Code == *missingIn {
						fmt.Printf("%s\n%s: \n\n", text, l.Code)
					}
				}
			}
		}
		if diff := cmp.Diff(untranslated[l.Code], len(texts)); diff != "" && *pagesBelow == "/" {
			t.Errorf("texts without translation into %s (-want +got):\n%s", l.Name, diff)
		}
	}
}

// englishPages are the pages that exist in other languages, in English, by path: those of a public server, in all states that they have,
// and those of a demo server, which have more to say.
func englishPages(t *testing.T) map[string]string {
	t.Helper()
	s := publicServer(t)
	_, demo, _ := logged(t)
	pages := map[string]string{}
	for _, found := range regexp.MustCompile(`<loc>http://sellerd\.test([^<]+)</loc>`).FindAllStringSubmatch(get(s.Public, "/sitemap.xml").Body.String(), -1) {
		if languages.Has(found[1]) {
			pages[found[1]] = get(s.Public, found[1]).Body.String()
			if found[1] == "/" || strings.HasPrefix(found[1], "/docs/") {
				pages[found[1]+" of a demo"] = get(demo.Public, found[1]).Body.String()
			}
		}
	}
	for _, path := range []string{
		"/search", "/search?q=webhook", "/search?q=qqqq", "/search?q=webhook+qqqq", "/search?q=invalid_header", "/errors/nothing", "/migration?q=item",
		"/account", "/nothing", "/docs/nothing",
	} {
		pages[path] = askedByBrowser(s, path).Body.String()
	}
	for _, sample := range regexp.MustCompile(`/migration/translate\?sample=[^"]+`).FindAllString(pages["/migration/translate"], -1) {
		pages[sample] = get(s.Public, sample).Body.String()
	}
	for name, request := range map[string]string{
		"nothing to translate": "hello", "an empty request": "", "two requests": "curl https://rest.delcampe.net/category; curl https://rest.delcampe.net/item/1",
		"faulty values":   "curl https://rest.delcampe.net/item -d 'title=Card&id_category=x&personal_reference=P&fixed_price=4,50&currency=EURO&prefered_end_day=sunday&qty=-1&foo=bar'",
		"lost fields":     "curl -X POST https://rest.delcampe.net/item/4711/feedback -d feedback=88",
		"a request of v1": "GET /v1/items", "a file": "curl https://rest.delcampe.net/item -d @item.txt", "no such call": "GET /rest/nothing",
	} {
		page := post(s.Public, "application/x-www-form-urlencoded", url.Values{"request": {request}}.Encode())
		pages["/migration/translate of "+name] = page.Body.String()
	}
	pages["/"] += `<p>Some texts on this page are in English, because nobody has translated them yet.</p><p>The <a href="/docs">English text</a> decides.</p>`
	return pages
}

func askedByBrowser(s *server.Server, path string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("Accept", acceptOfABrowser)
	w := httptest.NewRecorder()
	s.Public.ServeHTTP(w, r)
	return w
}

// TestPagesAreInTheirLanguage asks for one page in French and looks at what tells browsers and search engines of its language.
func TestPagesAreInTheirLanguage(t *testing.T) {
	s := publicServer(t)
	got := askedByBrowser(s, "/fr/docs/webhooks")
	body := got.Body.String()
	if got.Code != http.StatusOK || got.Header().Get("Content-Language") != "fr" {
		t.Errorf("%d, Content-Language %q", got.Code, got.Header().Get("Content-Language"))
	}
	for _, want := range []string{
		`<html lang="fr">`, `<link rel="canonical" href="http://sellerd.test/fr/docs/webhooks"`, `hreflang="x-default" href="http://sellerd.test/docs/webhooks"`,
		`hreflang="de" href="http://sellerd.test/de/docs/webhooks"`, `<h2 id="subscribe">S&#39;abonner</h2>`, `href="/fr/docs/webhook-events"`,
		`href="/docs/buyers" hreflang="en"`, `<a href="/docs/webhooks" hreflang="en">`, `id="catch-up"`, `/assets/menu.js?lang=fr`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if strings.Contains(body, `id="in-english"`) || strings.Contains(get(s.Public, "/docs/webhooks").Body.String(), "English text") {
		t.Error("a page that is whole says that it is not, or the English one that it decides")
	}
	italian, _ := languages.Named("it")
	english := strings.Replace(get(s.Public, "/docs/webhooks").Body.String(), `<h2 id="subscribe">Subscribe</h2>`, `<p class="note" id="in-english">x</p><h2 id="subscribe">Said by nobody</h2>`, 1)
	page, err := italian.Page([]byte(english), "http://sellerd.test")
	if err != nil || !strings.Contains(string(page.HTML), `id="in-english"`) || !strings.Contains(string(page.HTML), `<h2 id="subscribe" lang="en">`) {
		t.Errorf("a page with English texts does not say so: %v", err)
	}
}

// TestTheMapNamesEachPageInAllLanguages wants what the head of a page says of its languages in the list of all pages as well.
func TestTheMapNamesEachPageInAllLanguages(t *testing.T) {
	s := publicServer(t)
	sitemap := get(s.Public, "/sitemap.xml").Body.String()
	inHead := regexp.MustCompile(`<link rel="alternate" (hreflang="[^"]+" href="[^"]+")/?>`)
	inMap := regexp.MustCompile(`<xhtml:link rel="alternate" (hreflang="[^"]+" href="[^"]+")/>`)
	for _, path := range []string{"/", "/fr/", "/docs/start", "/nl/docs/start", "/docs/lists", "/fr/errors/item_not_found", "/fr/migration/item-close"} {
		entry := regexp.MustCompile(`<url><loc>http://sellerd\.test` + path + `</loc>(.*)</url>`).FindStringSubmatch(sitemap)
		if entry == nil {
			t.Errorf("%s is not in it", path)
			continue
		}
		want, got := linked(inHead, askedByBrowser(s, path).Body.String()), linked(inMap, entry[1])
		if diff := cmp.Diff(want, got); diff != "" || len(got) == 0 != (path == "/docs/lists") {
			t.Errorf("%s (-head +map):\n%s", path, diff)
		}
	}
}

// linked are what a pattern finds of links, sorted.
func linked(pattern *regexp.Regexp, text string) (found []string) {
	for _, link := range pattern.FindAllStringSubmatch(text, -1) {
		found = append(found, link[1])
	}
	slices.Sort(found)
	return found
}

func TestWhereAPageInAnotherLanguageLeads(t *testing.T) {
	s := publicServer(t)
	for _, test := range []struct{ path, languages, site, want string }{
		{"/", "fr-BE,fr;q=0.9,en;q=0.5", "none", "302 /fr/"},
		{"/", "pt, de;q=0.3, en;q=0.2", "cross-site", "302 /de/"},
		{"/", "en, fr;q=0.9", "none", "200 "},
		{"/", "", "", "200 "},
		{"/", "fr", "same-origin", "200 "},
		{"/?lang=en", "fr", "none", "200 "},
		{"/docs/start", "fr", "none", "200 "},
		{"/fr/", "de", "none", "200 "},
		{"/fr/docs/lists?x=1", "fr", "none", "302 /docs/lists?x=1"},
		{"/fr/docs/start.md", "fr", "none", "302 /docs/start.md"},
		{"/fr/errors/nothing", "fr", "none", "404 "},
		{"/fr/nothing", "en", "none", "404 "},
		{"/fr/docs/nothing", "en", "none", "404 "},
		{"/fr", "en", "none", "307 /fr/"},
		{"/FR/docs/start?x=1", "en", "none", "308 /fr/docs/start?x=1"},
		{"/FR//example.com", "en", "none", "404 "},
		{"/pt/", "pt", "none", "404 "},
		{"/fr/v1/items", "fr", "none", "302 /v1/items"},
		{"/fr//example.com", "fr", "none", "404 "},
		{"/fr/%2Fexample.com", "fr", "none", "404 "},
	} {
		r := httptest.NewRequest(http.MethodGet, test.path, nil)
		for name, value := range map[string]string{"Accept": acceptOfABrowser, "Accept-Language": test.languages, "Sec-Fetch-Site": test.site} {
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		s.Public.ServeHTTP(w, r)
		if got := fmt.Sprintf("%d %s", w.Code, w.Header().Get("Location")); got != test.want {
			t.Errorf("%s with %q: %s, want %s", test.path, test.languages, got, test.want)
		}
	}
}

// TestTheTextsOfScriptsAreInEveryLanguage looks for what reads as a text in the scripts: a capital letter and more words, or a sentence.
// Selectors, names of keys and headers are none.
func TestTheTextsOfScriptsAreInEveryLanguage(t *testing.T) {
	s := publicServer(t)
	literal := regexp.MustCompile("'([^'\n\\\\]*)'|`([^`\n\\\\]*)`")
	text := regexp.MustCompile(`^(\{\} |\$\{\w+\} )?[A-Z]?[a-z]+ [a-z]+ .*|^[A-Z][a-z]+( [a-z].*|…|:|)$`)
	none := regexp.MustCompile(`^(Content-Type.*|Escape|Enter|Home|End|curl .*|span:.*|tr\[.*|input, .*)$`)
	scripts, err := filepath.Glob("assets/*.js")
	if err != nil || len(scripts) < 12 {
		t.Fatalf("there are only %d scripts: %v", len(scripts), err)
	}
	for _, script := range scripts {
		english := regexp.MustCompile(`(?m)(^|\s)//.*$`).ReplaceAllString(get(s.Public, "/"+script).Body.String(), "")
		for _, l := range languages.Others {
			said := get(s.Public, "/"+script+languages.ScriptQuery+l.Code).Body.String()
			for _, found := range literal.FindAllStringSubmatch(english, -1) {
				quoted := found[1] + found[2]
				if text.MatchString(quoted) && !none.MatchString(quoted) && strings.Contains(said, "'"+quoted+"'") {
					t.Errorf("%s says %q in %s", script, quoted, l.Name)
				}
			}
		}
	}
}
