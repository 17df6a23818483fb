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
	"go.yaml.in/yaml/v3"

	"sellerd/internal/proof/servertest"
	"sellerd/internal/server"
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
		"service-desc": {site + "/openapi.json", site + "/openapi.yaml"}, "service-doc": {site + "/docs/api", site + "/docs", site + "/llms.txt"}, "status": status,
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

func TestTheOtherFormsOfPagesAreThere(t *testing.T) {
	s := publicServer(t)
	for _, test := range []struct{ path, kind, begins, has string }{
		{"/openapi.yaml", "application/yaml", "openapi: \"3.1.0\"\ninfo:\n  title: \"Seller API\"\n", "\n  /v1/items/{id}:\n    get:\n      operationId: \"getItem\"\n"},
		{"/docs.md", "text/markdown; charset=utf-8", "# API reference\n\n", "\n## Items\n\n- [`POST /v1/items`](/docs/reference/items/submitItem.md): "},
		{"/changelog.md", "text/markdown; charset=utf-8", "# Change log\n\n", "\n## 1.0.0: "},
		{"/known-issues.md", "text/markdown; charset=utf-8", "# Known issues\n\n", "\nNo issue is known to affect programs.\n\n## Corrected\n\n### "},
		{"/robots.txt", "text/plain; charset=utf-8", "User-agent: *\nDisallow: /v1/\n", "\nSitemap: http://sellerd.test/sitemap.xml\n"},
		{"/sitemap.xml", "application/xml", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">\n<url><loc>http://sellerd.test/</loc><xhtml:link ", "<url><loc>http://sellerd.test/docs/lists</loc></url>\n"},
	} {
		t.Run(test.path, func(t *testing.T) {
			got := get(s.Public, test.path)
			if kind := got.Header().Get("Content-Type"); got.Code != http.StatusOK || kind != test.kind {
				t.Errorf("%d %s", got.Code, kind)
			}
			if text := got.Body.String(); !strings.HasPrefix(text, test.begins) || !strings.Contains(text, test.has) {
				t.Errorf("it is not as expected: %.2000s", text)
			}
		})
	}
}

func TestTheDocumentInYAMLIsTheDocument(t *testing.T) {
	s := publicServer(t)
	var want, got any
	if err := json.Unmarshal(get(s.Public, "/openapi.json").Body.Bytes(), &want); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(get(s.Public, "/openapi.yaml").Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(again, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-JSON +YAML):\n%s", diff)
	}
}

// Each page is known under one address, which answers.
func TestTheMapHasEveryPageUnderItsOneAddress(t *testing.T) {
	s := publicServer(t)
	addresses := regexp.MustCompile(`<loc>http://sellerd\.test([^<]*)</loc>`).FindAllStringSubmatch(get(s.Public, "/sitemap.xml").Body.String(), -1)
	if len(addresses) < 150 {
		t.Errorf("it has only %d pages", len(addresses))
	}
	for _, address := range addresses {
		if regexp.MustCompile(`^/(de|it|es|nl)/`).MatchString(address[1]) { // made as the French ones are
			continue
		}
		page := get(s.Public, address[1])
		if want := `<link rel="canonical" href="http://sellerd.test` + address[1] + `"`; page.Code != http.StatusOK || !strings.Contains(page.Body.String(), want) {
			t.Errorf("%s: %d, or no %s", address[1], page.Code, want)
		}
	}
	for path, want := range map[string]string{
		"/docs/conformance":  `<link rel="canonical" href="http://sellerd.test/docs/versioning">`, // which is shown in its place
		"/docs?theme=dark":   `<link rel="canonical" href="http://sellerd.test/docs">`,
		"/search?q=item":     "",
		"/migration?q=title": "",
		"/docs/nothing":      "",
	} {
		found := regexp.MustCompile(`<link rel="canonical"[^>]*>`).FindString(get(s.Public, path).Body.String())
		if found != want {
			t.Errorf("%s has %q", path, found)
		}
	}
}

func TestWhomToTellOfAVulnerability(t *testing.T) {
	w, s, _ := logged(t)
	if got := get(s.Public, "/.well-known/security.txt"); got.Code != http.StatusNotFound {
		t.Errorf("without a contact it answers %d", got.Code)
	}
	s, err := server.New(server.Config{Service: w.Service, Logger: w.Config.Logger, BaseURL: "https://sellerd.test", SecurityContact: "mailto:security@sellerd.test"})
	if err != nil {
		t.Fatal(err)
	}
	got := get(s.Public, "/.well-known/security.txt")
	want := "Contact: mailto:security@sellerd.test\nExpires: " + w.Clock.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 180).Format(time.RFC3339) +
		"\nPreferred-Languages: en\nCanonical: https://sellerd.test/.well-known/security.txt\n"
	if diff := cmp.Diff(want, got.Body.String()); diff != "" || got.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("%s (-want +got):\n%s", got.Header().Get("Content-Type"), diff)
	}
}

// Letters, digits and -._~ of a path mean the same when they are percent-encoded, once (RFC 3986, 6.2.2.2).
func TestAPathIsDecodedOnce(t *testing.T) {
	w, s, _ := logged(t)
	item := w.List(t, servertest.FixedPrice())
	for path, status := range map[string]int{
		"/v1/%69tems/" + item:                    200,
		"/%76%31/items/%3" + item[:1] + item[1:]: 200,
		"/v1/items%2F" + item:                    404,
		"/v1/%2569tems/" + item:                  404,
		"/v1/items/%253" + item[:1] + item[1:]:   404,
		"/v1/%2e%2e/healthz":                     404,
		"/v1/%2E/items/" + item:                  404,
		"/%72est/item/%3" + item[:1] + item[1:]:  200,
		"/rest/item/%253" + item[:1] + item[1:]:  404,
		"/rest/%2569tem/" + item:                 404,
		"/%64ocs/%73tart":                        200,
		"/%2564ocs/start":                        404,
		"/docs%2Fstart":                          404,
		"/assets/icon%2Esvg":                     200,
		"/changelog%2eatom":                      200,
		"/.well-known/api%2Dcatalog":             200,
		"/errors/item%5Fnot%5Ffound":             200,
		"/errors/item%255Fnot%255Ffound":         404,
		"/migration/item%2dcreate":               200,
		"/%6fpenapi.yaml":                        200,
	} {
		if got := get(s.Public, path, "X-Api-Key", w.Key); got.Code != status {
			t.Errorf("%s is answered %d, not %d", path, got.Code, status)
		}
	}
}
