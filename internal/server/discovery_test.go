package server_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/translate"
)

// catalogued are the links of the catalogue, "type title" by anchor and relation and path.
func catalogued(t *testing.T, answer *httptest.ResponseRecorder) map[string]map[string][]string {
	t.Helper()
	var catalog struct {
		Linkset []map[string]json.RawMessage `json:"linkset"`
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &catalog); err != nil {
		t.Fatalf("%v in %s", err, answer.Body)
	}
	found := map[string]map[string][]string{}
	for _, links := range catalog.Linkset {
		var anchor string
		if err := json.Unmarshal(links["anchor"], &anchor); err != nil {
			t.Fatal(err)
		}
		delete(links, "anchor")
		found[anchor] = map[string][]string{}
		for relation, list := range links {
			var targets []struct{ Href, Type, Title string }
			if err := json.Unmarshal(list, &targets); err != nil {
				t.Fatal(err)
			}
			for _, target := range targets {
				found[anchor][relation] = append(found[anchor][relation], target.Href)
			}
		}
	}
	return found
}

func TestTheCatalogListsTheInterfaces(t *testing.T) {
	const site = "http://sellerd.test"
	status := []string{site + "/known-issues", site + "/readyz"}
	v1 := map[string][]string{
		"service-desc": {site + "/openapi.json"}, "service-doc": {site + "/docs/api", site + "/docs"}, "status": status,
	}
	for _, test := range []struct {
		name string
		at   time.Time
		want map[string]map[string][]string
	}{
		{"before the sunset", translate.Sunset.Add(-time.Second), map[string]map[string][]string{
			site + "/.well-known/api-catalog": {"item": {site + "/v1", site + "/rest"}},
			site + "/v1":                      v1,
			site + "/rest": {
				"service-desc": {site + "/openapi-rest.json"}, "service-doc": {site + "/docs/legacy"}, "status": status,
				"deprecation": {site + "/migration"}, "sunset": {site + "/migration#sunset", site + "/migration.ics"}, "successor-version": {site + "/v1"},
			},
		}},
		{"after the sunset", translate.Sunset, map[string]map[string][]string{
			site + "/.well-known/api-catalog": {"item": {site + "/v1"}},
			site + "/v1":                      v1,
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, s, _ := logged(t)
			w.Clock.Advance(test.at.Sub(w.Clock.Now()))
			got := catalogued(t, get(s.Public, "/.well-known/api-catalog"))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, links := range got {
				for _, targets := range links {
					for _, target := range targets {
						wantThere(t, s.Public, target)
					}
				}
			}
		})
	}
}

// wantThere asks for what a link leads to. The interfaces themselves are no pages.
func wantThere(t *testing.T, public http.Handler, target string) {
	t.Helper()
	to, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	if to.Path == "/v1" || to.Path == "/rest" {
		return
	}
	answer := get(public, to.Path)
	if answer.Code != http.StatusOK || to.Fragment != "" && !strings.Contains(answer.Body.String(), `id="`+to.Fragment+`"`) {
		t.Errorf("%s is linked to and answers %d, or has no such place", target, answer.Code)
	}
}

func TestTheCatalogIsFoundByItsHeaders(t *testing.T) {
	_, s, _ := logged(t)
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		answer := httptest.NewRecorder()
		s.Public.ServeHTTP(answer, httptest.NewRequest(method, "/.well-known/api-catalog", nil))
		got := map[string]string{"Content-Type": answer.Header().Get("Content-Type"), "Link": answer.Header().Get("Link")}
		want := map[string]string{
			"Content-Type": `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`,
			"Link":         `<http://sellerd.test/.well-known/api-catalog>; rel="api-catalog"`,
		}
		if diff := cmp.Diff(want, got); diff != "" || answer.Code != http.StatusOK {
			t.Errorf("%s: %d (-want +got):\n%s", method, answer.Code, diff)
		}
	}
	if want, got := `</openapi.json>; rel="service-desc", </docs>; rel="service-doc", </.well-known/api-catalog>; rel="api-catalog"`,
		get(s.Public, "/").Header().Get("Link"); got != want {
		t.Errorf("the first page has the Link %s", got)
	}
}

func TestLanguageModelsFindEveryPage(t *testing.T) {
	for _, test := range []struct {
		name, want string
		at         time.Time
	}{
		{"before the sunset", "is deprecated and ends on 5 October 2027", translate.Sunset.Add(-time.Second)},
		{"after the sunset", "was switched off on 5 October 2027", translate.Sunset},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, s, _ := logged(t)
			w.Clock.Advance(test.at.Sub(w.Clock.Now()))
			answer := get(s.Public, "/llms.txt")
			text := answer.Body.String()
			if kind := answer.Header().Get("Content-Type"); kind != "text/plain; charset=utf-8" {
				t.Errorf("it is %s", kind)
			}
			form := regexp.MustCompile(`\A# [^\n]+\n\n> [^\n]+\n\n[^#]+(\n## [^\n]+\n\n(- \[[^\]]+\]\([^)]+\): [^\n]+\n)+)+\z`)
			if !form.MatchString(text) || !strings.Contains(text, test.want) {
				t.Errorf("it does not say %q, or has not the form of llms.txt:\n%s", test.want, text)
			}
			links := regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(text, -1)
			if len(links) < 10 {
				t.Errorf("it has only %d links", len(links))
			}
			for _, link := range links {
				wantThere(t, s.Public, link[1])
			}
		})
	}
}

func TestEveryPageIsThereInMarkdown(t *testing.T) {
	_, s, _ := logged(t)
	listed := get(s.Public, "/llms.txt").Body.String()
	hidden := []string{"/docs/conformance"} // from language models
	for _, page := range []string{"/docs/start", "/docs/api", "/docs/limits", "/docs/webhooks", "/docs/sandbox", "/docs/states", "/docs/legacy", "/docs/conformance", "/migration"} {
		t.Run(page, func(t *testing.T) {
			html, markdown := get(s.Public, page), get(s.Public, page+".md")
			if want := "<" + page + `.md>; rel="alternate"; type="text/markdown"`; html.Header().Get("Link") != want {
				t.Errorf("the page has the Link %q", html.Header().Get("Link"))
			}
			if want := `<link rel="alternate" type="text/markdown" title="This page in Markdown" href="` + page + `.md">`; !strings.Contains(html.Body.String(), want) {
				t.Errorf("the page has no %s", want)
			}
			text := markdown.Body.String()
			if kind := markdown.Header().Get("Content-Type"); kind != "text/markdown; charset=utf-8" || markdown.Code != http.StatusOK {
				t.Errorf("%d, %s", markdown.Code, kind)
			}
			if !regexp.MustCompile(`\A(<a [^>]*></a>\s+)?# `).MatchString(text) || strings.Contains(text, "localhost:8080") {
				t.Errorf("it has no title, or the address of another service: %.200s", text)
			}
			if !slices.Contains(hidden, page) && !strings.Contains(listed, "http://sellerd.test"+page+".md") {
				t.Error("language models are not led to it")
			}
			base := &url.URL{Scheme: "http", Host: "sellerd.test", Path: page + ".md"}
			seen := map[string]bool{}
			for _, link := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(text, -1) {
				to, err := base.Parse(link[1])
				if err != nil {
					t.Fatal(err)
				}
				if to.Host != base.Host || seen[to.Path] {
					continue
				}
				seen[to.Path] = true
				if answer := get(s.Public, to.RequestURI()); answer.Code != http.StatusOK {
					t.Errorf("it links to %s, which answers %d", link[1], answer.Code)
				}
			}
		})
	}
	if answer := get(publicServer(t).Public, "/docs/operating.md"); answer.Code != http.StatusNotFound {
		t.Errorf("a page that is not served answers %d in Markdown", answer.Code)
	}
}
