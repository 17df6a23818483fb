package server_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/v1"
	v1openapi "sellerd/v1/openapi"
)

// node is a part of the OpenAPI document.
type node = map[string]any

// below follows names into a part of the document, through references.
func below(document node, part any, names ...string) node {
	at, _ := part.(node)
	for _, name := range append([]string{""}, names...) {
		if name != "" {
			at, _ = at[name].(node)
		}
		if ref, _ := at["$ref"].(string); ref != "" {
			at = below(document, document, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
		}
	}
	return at
}

// membersOf are the names of all members of a schema, of their members too, and so on. Events and error codes have pages of their own.
func membersOf(document node, schema any, names map[string]bool) {
	at := below(document, schema)
	properties, _ := at["properties"].(node)
	for name, member := range properties {
		names[name] = true
		membersOf(document, member, names)
	}
	membersIn := func(list any) {
		parts, _ := list.([]any)
		for _, part := range parts {
			membersOf(document, part, names)
		}
	}
	membersIn(at["oneOf"])
	membersIn(at["allOf"])
	if at["items"] != nil {
		membersOf(document, at["items"], names)
	}
}

// codesIn are the error codes that a response may have.
func codesIn(part any) (codes []string) {
	switch part := part.(type) {
	case node:
		code, _ := part["code"].(node)
		if only, _ := code["const"].(string); only != "" {
			codes = append(codes, only)
		}
		allowed, _ := code["enum"].([]any)
		for _, one := range allowed {
			codes = append(codes, one.(string))
		}
		for _, inner := range part {
			codes = append(codes, codesIn(inner)...)
		}
	case []any:
		for _, inner := range part {
			codes = append(codes, codesIn(inner)...)
		}
	}
	return codes
}

// mustShow is everything that the page of an operation must show: names in code, statuses, and links to error codes.
func mustShow(document, operation node) (shown map[string]bool) {
	names := map[string]bool{}
	parameters, _ := operation["parameters"].([]any)
	for _, parameter := range parameters {
		names[below(document, parameter)["name"].(string)] = true
	}
	content, _ := below(document, operation["requestBody"], "content")["application/json"].(node)
	membersOf(document, content["schema"], names)
	shown = map[string]bool{}
	responses, _ := operation["responses"].(node)
	for status, response := range responses {
		shown[`<section id="status-`+status+`">`] = true
		at := below(document, response)
		headers, _ := at["headers"].(node)
		for header := range headers {
			names[header] = true
		}
		answer, _ := below(document, at, "content")["application/json"].(node)
		membersOf(document, below(document, answer, "schema", "properties")["data"], names)
		if !strings.HasPrefix(status, "2") {
			for _, code := range codesIn(at["content"]) {
				shown[`<a href="/errors/`+code+`"><code>`+code+`</code></a>`] = true
			}
		}
	}
	for name := range names {
		shown[`<code>`+html.EscapeString(name)+`</code>`] = true
	}
	return shown
}

// TestPagesOfTheReferenceShowTheWholeDocument walks the OpenAPI document, and looks for each operation, event, parameter, member, header,
// status and error code on the page that describes it. No page is heavy.
func TestPagesOfTheReferenceShowTheWholeDocument(t *testing.T) {
	_, s, _ := logged(t)
	var document node
	if err := json.Unmarshal(v1openapi.Document("http://sellerd.test"), &document); err != nil {
		t.Fatal(err)
	}
	list := get(s.Public, "/docs").Body.String()
	look := func(path string, operation node) {
		begun := time.Now()
		page := get(s.Public, path)
		if page.Code != http.StatusOK || page.Body.Len() > 300_000 || time.Since(begun) > 3*time.Second {
			t.Errorf("%s: %d, %d bytes in %s", path, page.Code, page.Body.Len(), time.Since(begun))
		}
		if strings.Count(list, `<a href="`+path+`">`) < 1 {
			t.Errorf("the list does not lead to %s", path)
		}
		for part := range mustShow(document, operation) {
			if !strings.Contains(page.Body.String(), part) {
				t.Errorf("%s has no %s", path, part)
			}
		}
	}
	for _, o := range v1.Operations {
		operation, _ := document["paths"].(node)[o.Pattern].(node)[strings.ToLower(o.Method)].(node)
		look(pageOf(o), operation)
		if got := get(s.Public, pageOf(o)+".md").Body.String(); !strings.Contains(got, "`"+o.Method+" "+o.Pattern+"`") || strings.Contains(got, "<no value>") {
			t.Errorf("%s.md does not say what it is about:\n%s", pageOf(o), got)
		}
	}
	for name, event := range document["webhooks"].(node) {
		look("/docs/reference/events/"+name, event.(node)["post"].(node))
	}
}

// pageOf is the page of an operation.
func pageOf(o *v1.Operation) string {
	return "/docs/reference/" + strings.ReplaceAll(strings.ToLower(v1openapi.Tag(o)), " ", "-") + "/" + v1openapi.OperationID(o)
}

// TestTheListOfOperationsHasThePlacesOfThePageOfOld keeps links alive that were published when all operations stood on one page.
func TestTheListOfOperationsHasThePlacesOfThePageOfOld(t *testing.T) {
	_, s, _ := logged(t)
	page := get(s.Public, "/docs").Body.String()
	for _, o := range v1.Operations {
		if place := ` id="` + strings.Replace(pageOf(o), "/docs/reference", "tag", 1) + `"`; strings.Count(page, place) != 1 {
			t.Errorf("the list has %d times%s", strings.Count(page, place), place)
		}
	}
	for _, place := range []string{"tag/items", "tag/reference-data", "description/introduction", "description/authentication", "description/samples"} {
		if !strings.Contains(page, ` id="`+place+`"`) {
			t.Errorf("the list has no place %s", place)
		}
	}
	for _, path := range []string{"/docs/start", "/docs/webhooks", "/docs/states", "/errors", "/changelog", "/openapi.json", "/openapi.yaml", "/openapi-rest.json"} {
		if !strings.Contains(page, `<a href="`+path+`">`) || get(s.Public, path).Code != http.StatusOK {
			t.Errorf("the list does not lead to %s", path)
		}
	}
}

func TestAddressesOfTheReferenceLeadToWhereItIs(t *testing.T) {
	_, s, _ := logged(t)
	for path, want := range map[string]string{
		"/docs/": "/docs", "/docs/reference": "/docs", "/docs/reference/": "/docs", "/docs/reference/items": "/docs#tag/items", "/docs/openapi.json": "/openapi.json",
	} {
		got := get(s.Public, path)
		if diff := cmp.Diff(want, got.Header().Get("Location")); got.Code != http.StatusPermanentRedirect || diff != "" {
			t.Errorf("%s: %d to (-want +got):\n%s", path, got.Code, diff)
		}
	}
	if got := get(s.Public, "/docs/reference/items/noSuchOperation"); got.Code != http.StatusNotFound {
		t.Errorf("an operation that does not exist: %d", got.Code)
	}
}

func TestPagesLeadToTheOperationsTheyName(t *testing.T) {
	_, s, _ := logged(t)
	for path, want := range map[string]string{
		"/errors/item_has_bids": `<a href="/docs/reference/items/updateItem"><code>PATCH /v1/items/{id}</code></a>`,
		"/changelog/1.0.0":      `<a href="/docs/reference/reference-data/browseCategories"><code>GET /v1/categories</code></a>`,
		"/sitemap.xml":          `<loc>http://sellerd.test/docs/reference/items/updateItem</loc>`,
		"/docs.md":              "- [`PATCH /v1/items/{id}`](/docs/reference/items/updateItem.md): ",
	} {
		if page := get(s.Public, path).Body.String(); !strings.Contains(page, want) {
			t.Errorf("%s has no %s", path, want)
		}
	}
}

// TestSamplesAreInTabs expects the samples of an operation in one group of tabs, in the languages of all other pages.
func TestSamplesAreInTabs(t *testing.T) {
	_, s, _ := logged(t)
	page := get(s.Public, "/docs/reference/items/closeItem").Body.String()
	var got []string
	for _, tab := range regexp.MustCompile(`role="tab"[^>]*>([^<]+)<`).FindAllStringSubmatch(page, -1) {
		got = append(got, tab[1])
	}
	if diff := cmp.Diff([]string{"curl", "PHP", "JavaScript", "Python", "Go"}, got); diff != "" {
		t.Errorf("the languages (-want +got):\n%s", diff)
	}
	if policy := get(s.Public, "/docs/reference/items/closeItem").Header().Get("Content-Security-Policy"); strings.Contains(policy, "unsafe") || strings.Contains(policy, "sha256") {
		t.Errorf("the policy is %s", policy)
	}
}

func TestThePagesOfTheReferenceFollowEachOther(t *testing.T) {
	_, s, _ := logged(t)
	seen := []string{}
	for path := "/docs/reference/items/submitItem"; path != "" && !slices.Contains(seen, path); {
		seen = append(seen, path)
		next := regexp.MustCompile(`<a rel="next" href="([^"]+)"`).FindStringSubmatch(get(s.Public, path).Body.String())
		path = ""
		if next != nil {
			path = next[1]
		}
	}
	if want := len(v1.Operations) + 11; len(seen) != want || seen[len(seen)-1] != "/docs/reference/events/payment.received" {
		t.Errorf("%d pages follow each other, want %d: %v", len(seen), want, seen)
	}
}

func unpacked(t *testing.T, text []byte) []byte {
	t.Helper()
	reader, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return unpacked
}

func TestFilesAreReadAgainOnlyWhenTheyChanged(t *testing.T) {
	_, s, _ := logged(t)
	for _, path := range []string{"/assets/translator.js", "/assets/icon.svg", "/openapi.json"} {
		t.Run(path, func(t *testing.T) {
			tag := get(s.Public, path, "Accept-Encoding", "gzip").Header().Get("ETag")
			got := get(s.Public, path, "Accept-Encoding", "gzip", "If-None-Match", tag)
			if tag == "" || got.Code != http.StatusNotModified || got.Body.Len() > 0 {
				t.Errorf("with the tag %s: %d and %d bytes", tag, got.Code, got.Body.Len())
			}
			if diff := cmp.Diff("public, max-age=300", got.Header().Get("Cache-Control")); diff != "" {
				t.Errorf("it is kept (-want +got):\n%s", diff)
			}
		})
	}
}
