package server_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/server"
	"sellerd/internal/site"
)

// publicServer is a server without --demo.
func publicServer(t *testing.T) *server.Server {
	t.Helper()
	w, _, _ := logged(t)
	s, err := server.New(server.Config{Service: w.Service, Logger: w.Config.Logger, BaseURL: "http://sellerd.test"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// acceptOfABrowser is the header Accept with which a browser opens a page.
const acceptOfABrowser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

func TestEveryPageOfTheMenuIsThere(t *testing.T) {
	_, demo, _ := logged(t)
	for _, test := range []struct {
		name    string
		s       *server.Server
		options site.Options
	}{
		{"a demo server", demo, site.Options{Demo: true}},
		{"a public server", publicServer(t), site.Options{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			shown := site.New(test.options)
			for _, page := range shown.Pages() {
				got := get(test.s.Public, page.Path)
				body := got.Body.String()
				if got.Code != http.StatusOK || strings.Count(body, `<a href="`+page.Path+`" aria-current="page">`) != 1 {
					t.Errorf("%s: %d, or its menu does not mark it", page.Path, got.Code)
				}
				for _, group := range shown.Menu(page.Path, "").Groups {
					for _, line := range group.Links {
						for _, other := range append([]site.MenuLink{line}, line.Parts...) {
							if !strings.Contains(body, `<a href="`+other.Path+`"`) {
								t.Errorf("the menu of %s has no %s", page.Path, other.Path)
							}
						}
					}
				}
				previous, next := shown.Around(page.Path)
				for rel, to := range map[string]*site.Link{"prev": previous, "next": next} {
					if to != nil && !strings.Contains(body, `<a rel="`+rel+`" href="`+to.Path+`">`) {
						t.Errorf("%s does not lead to the page %s, %s", page.Path, rel, to.Path)
					}
				}
			}
		})
	}
}

// TestAPublicServerHasNothingForItsMakers reads every page of the menu of a server without --demo.
func TestAPublicServerHasNothingForItsMakers(t *testing.T) {
	s := publicServer(t)
	for _, page := range site.New(site.Options{}).Pages() {
		for _, path := range []string{page.Path, page.Path + ".md"} {
			if found := regexp.MustCompile(`make (run|test|build|check)\b|demo-keys|demo server|go test|localhost:8080`).FindString(get(s.Public, path).Body.String()); found != "" {
				t.Errorf("%s says %q", path, found)
			}
		}
	}
	if home := get(s.Public, "/").Body.String(); strings.Contains(home, "I run it") || !strings.Contains(home, "I write a new program") {
		t.Error("its first page has a door for those who run it, or none for sellers")
	}
}

// TestTheHomePageHasADoorForEachReader expects the doors of sellers, and on a demo server those of the people who run or change the program.
func TestTheHomePageHasADoorForEachReader(t *testing.T) {
	_, s, _ := logged(t)
	var doors []string
	for _, door := range regexp.MustCompile(`<h[23]><a href="([^"]+)">(I [^<]+)</a></h[23]>`).FindAllStringSubmatch(get(s.Public, "/").Body.String(), -1) {
		doors = append(doors, door[2]+" "+door[1])
	}
	want := []string{
		"I have a program that must move by October 2027 /migration", "I write a new program /docs/start", "I sell from a spreadsheet /docs/import",
		"I run it /docs/operating", "I change it /docs/architecture",
	}
	if diff := cmp.Diff(want, doors); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestEveryPageSaysWhatItIsAbout reads all pages that search engines do, and expects of each a title and a description that no other page has.
func TestEveryPageSaysWhatItIsAbout(t *testing.T) {
	_, s, _ := logged(t)
	said := map[string]string{}
	for _, address := range regexp.MustCompile(`<loc>https?://[^/]+([^<]*)`).FindAllStringSubmatch(get(s.Public, "/sitemap.xml").Body.String(), -1) {
		if regexp.MustCompile(`^/(de|it|es|nl)/`).MatchString(address[1]) { // they still share English texts
			continue
		}
		page := get(s.Public, address[1]).Body.String()
		for name, pattern := range map[string]string{"title": `<title>([^<]*)</title>`, "description": `<meta name="description" content="([^"]*)"/?>`} {
			found := regexp.MustCompile(pattern).FindStringSubmatch(page)
			if found == nil || name == "description" && len(found[1]) < 12 {
				t.Errorf("%s has no %s, or a short one: %q", address[1], name, found)
				continue
			}
			if other := said[name+found[1]]; other != "" {
				t.Errorf("%s and %s have the same %s: %s", address[1], other, name, found[1])
			}
			said[name+found[1]] = address[1]
		}
	}
	if len(said) < 300 {
		t.Errorf("only %d titles and descriptions were read", len(said))
	}
}

func TestABrowserOnAnUnknownPathGetsAPage(t *testing.T) {
	s := publicServer(t)
	for _, test := range []struct {
		method, path, accept string
		page                 bool
	}{
		{"GET", "/nothing", acceptOfABrowser, true},
		{"HEAD", "/nothing", acceptOfABrowser, true},
		{"GET", "//docs/start", acceptOfABrowser, true},
		{"GET", "/nothing", "*/*", false},
		{"GET", "/nothing", "", false},
		{"POST", "/nothing", acceptOfABrowser, false},
		{"GET", "/v1/nothing", acceptOfABrowser, false},
		{"GET", "/v1/", acceptOfABrowser, false},
	} {
		t.Run(test.method+" "+test.path+" for "+test.accept, func(t *testing.T) {
			request := httptest.NewRequest(test.method, "http://sellerd.test"+test.path, nil)
			request.Header.Set("Accept", test.accept)
			got := httptest.NewRecorder()
			s.Public.ServeHTTP(got, request)
			kind := map[bool]string{true: "text/html; charset=utf-8", false: "application/json"}[test.page]
			if got.Code != http.StatusNotFound || got.Header().Get("Content-Type") != kind {
				t.Errorf("%d %s, want 404 %s", got.Code, got.Header().Get("Content-Type"), kind)
			}
			if test.page && test.method == "GET" && !strings.Contains(got.Body.String(), `<nav id="menu"`) {
				t.Error("the page has no menu")
			}
			if !test.page && !strings.Contains(got.Body.String(), "route_not_found") {
				t.Errorf("it is answered %s", got.Body)
			}
		})
	}
}

func TestPagesAreCompressedAndReadAgainOnlyWhenTheyChanged(t *testing.T) {
	s := publicServer(t)
	for _, path := range []string{"/", "/docs", "/docs/start", "/errors", "/errors/item_not_found", "/changelog", "/changelog/1.0.0", "/known-issues", "/migration", "/migration/item-create", "/migration/print", "/migration/translate"} {
		t.Run(path, func(t *testing.T) {
			plain := get(s.Public, path)
			small := get(s.Public, path, "Accept-Encoding", "gzip, br")
			if small.Header().Get("Content-Encoding") != "gzip" || !strings.HasSuffix(small.Header().Get("Vary"), "Accept-Encoding") || small.Body.Len() > plain.Body.Len()/2 {
				t.Errorf("%d of %d bytes, %v", small.Body.Len(), plain.Body.Len(), small.Header())
			}
			if diff := cmp.Diff(plain.Body.String(), string(unpacked(t, small.Body.Bytes()))); diff != "" {
				t.Errorf("compressed, it is another page:\n%s", diff)
			}
			for _, first := range []*httptest.ResponseRecorder{plain, small} {
				tag := first.Header().Get("ETag")
				again := get(s.Public, path, "Accept-Encoding", first.Header().Get("Content-Encoding"), "If-None-Match", tag)
				if tag == "" || again.Code != http.StatusNotModified || again.Body.Len() > 0 {
					t.Errorf("with the tag %q: %d and %d bytes", tag, again.Code, again.Body.Len())
				}
				if got := first.Header().Get("Cache-Control"); got != "no-cache" {
					t.Errorf("a browser may keep it without asking: %s", got)
				}
			}
		})
	}
}

func TestAllPagesAreSearched(t *testing.T) {
	s := publicServer(t)
	for question, want := range map[string]string{
		"item_has_bids":         `<a href="/errors/item_has_bids">`,
		"429":                   `<a href="/docs/limits`,
		"closeItem":             `<a href="/docs/reference/items/closeItem">`,
		"LostOrBrokenItem":      `<a href="/migration/item-close`,
		"Take an item off sale": `<a href="/migration/item-close">`,
		"bill.sales[]":          `<a href="/migration/fixedprice-sold#answer">`,
		"windows-1252":          `<a href="/migration/latin-1">`,
		"Drills need no header": `<a href="/changelog#1.4.0">`,
		"translator":            `<a href="/migration/translate">`,
		"xyzzy":                 "No page has any of the words",
		"xyzzy item_has_bids":   "No page has all of the words <q>xyzzy item_has_bids</q>. These ",
		"":                      "Type the words to look for",
		"<xyzzy>":               "the words <q>&lt;xyzzy&gt;</q>",
	} {
		got := get(s.Public, "/search?q="+url.QueryEscape(question))
		if got.Code != http.StatusOK || !strings.Contains(got.Body.String(), want) {
			t.Errorf("%q: %d without %s:\n%s", question, got.Code, want, got.Body)
		}
		if got.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("a question is kept: %s", got.Header().Get("Cache-Control"))
		}
	}
	if got := get(s.Public, "/search?q=architecture").Body.String(); strings.Contains(got, `<a href="/docs/architecture`) {
		t.Error("a public server finds pages that it does not show")
	}
}
