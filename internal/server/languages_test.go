package server_test

import (
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
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
	missingIn = flag.String("missing", "", "print the texts that have no translation into this language")
	below     = flag.String("below", "/", "only those of pages below this path")
)

// untranslated is how many texts of the pages have no translation. The numbers may only fall.
var untranslated = map[string]int{"fr": 0, "de": 420, "it": 1110, "es": 1110, "nl": 1110}

func TestTextsWithoutTranslation(t *testing.T) {
	pages := englishPages(t)
	for _, l := range languages.Others {
		texts := map[string]string{}
		for _, path := range slices.Sorted(maps.Keys(pages)) {
			if !strings.HasPrefix(path, *below) {
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
		if diff := cmp.Diff(untranslated[l.Code], len(texts)); diff != "" && *below == "/" {
			t.Errorf("texts without translation into %s (-want +got):\n%s", l.Name, diff)
		}
	}
}

// englishPages are the pages that exist in other languages, in English, by path: those of a public server, in all states that they have.
func englishPages(t *testing.T) map[string]string {
	t.Helper()
	s := publicServer(t)
	pages := map[string]string{}
	for _, found := range regexp.MustCompile(`<loc>http://sellerd\.test([^<]+)</loc>`).FindAllStringSubmatch(get(s.Public, "/sitemap.xml").Body.String(), -1) {
		if languages.Has(found[1]) {
			pages[found[1]] = get(s.Public, found[1]).Body.String()
		}
	}
	for _, path := range []string{"/search", "/search?q=webhook", "/search?q=qqqq", "/search?q=webhook+qqqq", "/search?q=invalid_header", "/errors/nothing", "/migration?q=item"} {
		pages[path] = askedByBrowser(s, path).Body.String()
	}
	return pages
}

func askedByBrowser(s *server.Server, path string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("Accept", acceptOfABrowser)
	w := httptest.NewRecorder()
	s.Public.ServeHTTP(w, r)
	return w
}
