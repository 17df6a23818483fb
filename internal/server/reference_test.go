package server_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/v1"
	v1openapi "sellerd/v1/openapi"
)

const rendererPath = "/assets/reference/scalar-1.72.1.js"

func TestTheReferenceListsEveryOperation(t *testing.T) {
	_, s, _ := logged(t)
	page := get(s.Public, "/docs").Body.String()
	for _, o := range v1.Operations {
		t.Run(o.Name, func(t *testing.T) {
			if want := `/` + v1openapi.OperationID(o) + `"><code>` + o.Method + ` ` + o.Pattern + `</code>`; strings.Count(page, want) != 1 {
				t.Errorf("the page has %d times %s", strings.Count(page, want), want)
			}
		})
	}
	for _, path := range []string{"/docs/webhooks", "/docs/sandbox", "/docs/states", "/errors", "/changelog", "/openapi.json"} {
		if !strings.Contains(page, `<a href="`+path+`">`) {
			t.Errorf("the page does not lead to %s", path)
		}
	}
}

func TestTheReferenceLetsInNoScriptButItsFiles(t *testing.T) {
	_, s, _ := logged(t)
	got := get(s.Public, "/docs")
	directives := map[string]string{}
	for directive := range strings.SplitSeq(got.Header().Get("Content-Security-Policy"), "; ") {
		name, sources, _ := strings.Cut(directive, " ")
		directives[name] = sources
	}
	styles := directives["style-src-elem"]
	delete(directives, "style-src-elem")
	if diff := cmp.Diff(map[string]string{
		"default-src": "'none'", "script-src": "'self'", "connect-src": "'self'", "img-src": "'self'", "style-src": "'self'", "style-src-attr": "'unsafe-inline'",
		"form-action": "'self'", "base-uri": "'none'", "frame-ancestors": "'none'",
	}, directives); diff != "" {
		t.Errorf("the policy (-want +got):\n%s", diff)
	}
	if !regexp.MustCompile(`^'self'( 'sha256-[A-Za-z0-9+/]{43}=')+$`).MatchString(styles) {
		t.Errorf("stylesheets may come from %s", styles)
	}
	if found := regexp.MustCompile(`<script>|<style|<iframe| style=| on[a-z]+=| (src|href)="(https?:)?//`).FindString(strings.Replace(got.Body.String(),
		`<link rel="canonical" href="http://`, "", 1)); found != "" { // which nothing loads
		t.Errorf("the page has %q", found)
	}
}

func TestTheReferenceLoadsWhatIsThere(t *testing.T) {
	_, s, _ := logged(t)
	page := get(s.Public, "/docs").Body.String()
	loaded := map[string]string{}
	for _, found := range regexp.MustCompile(`(?:src|data-renderer|data-document)="([^"]+)"|rel="stylesheet" href="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		path := found[1] + found[2]
		got := get(s.Public, path)
		if got.Code != http.StatusOK {
			t.Errorf("%s: %d", path, got.Code)
		}
		loaded[path] = got.Header().Get("Content-Type")
	}
	if diff := cmp.Diff(map[string]string{
		"/assets/reference.js": "text/javascript; charset=utf-8", "/assets/reference.css": "text/css; charset=utf-8", rendererPath: "text/javascript; charset=utf-8",
		"/docs/openapi.json": "application/json",
	}, loaded); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTheReferenceHasOneAddress(t *testing.T) {
	_, s, _ := logged(t)
	got := get(s.Public, "/docs/")
	if got.Code != http.StatusPermanentRedirect || got.Header().Get("Location") != "/docs" {
		t.Errorf("/docs/: %d to %s", got.Code, got.Header().Get("Location"))
	}
}

func TestPagesLeadToTheOperationsTheyName(t *testing.T) {
	_, s, _ := logged(t)
	for path, want := range map[string]string{
		"/errors/item_has_bids": `<a href="/docs#tag/items/updateItem"><code>PATCH /v1/items/{id}</code></a>`,
		"/changelog/1.0.0":      `<a href="/docs#tag/reference-data/browseCategories"><code>GET /v1/categories</code></a>`,
	} {
		if page := get(s.Public, path).Body.String(); !strings.Contains(page, want) {
			t.Errorf("%s has no %s", path, want)
		}
	}
}

func TestTheDocumentOfTheReferenceLeadsToThePagesBesideIt(t *testing.T) {
	_, s, _ := logged(t)
	var document struct {
		Info    struct{ Description string }
		Servers []struct{ URL string }
	}
	if err := json.Unmarshal(get(s.Public, "/docs/openapi.json").Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("http://sellerd.test", document.Servers[0].URL); diff != "" {
		t.Errorf("the server (-want +got):\n%s", diff)
	}
	links := regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(document.Info.Description, -1)
	if len(links) < 8 {
		t.Errorf("only these are linked to: %v", links)
	}
	for _, link := range links {
		path, fragment, _ := strings.Cut(link[1], "#")
		got := get(s.Public, path)
		if got.Code != http.StatusOK || fragment != "" && !strings.Contains(got.Body.String(), `id="`+fragment+`"`) {
			t.Errorf("%s: %d", link[1], got.Code)
		}
	}
}

// TestTheRendererIsWhatItsNoticeSays compares the files that others wrote with the hashes of those that were published.
func TestTheRendererIsWhatItsNoticeSays(t *testing.T) {
	const folder = "assets/reference"
	notice, err := os.ReadFile(filepath.Join(folder, "NOTICE.txt"))
	if err != nil {
		t.Fatal(err)
	}
	want, got := map[string]string{}, map[string]string{}
	for _, line := range regexp.MustCompile(`(?m)^  ([0-9a-f]{64})  (\S+)$`).FindAllStringSubmatch(string(notice), -1) {
		want[line[2]] = line[1]
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if file.Name() == "NOTICE.txt" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		name, compressed := strings.CutSuffix(file.Name(), ".gz")
		if compressed {
			text = unpacked(t, text)
		}
		got[name] = fmt.Sprintf("%x", sha256.Sum256(text))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-notice +files):\n%s", diff)
	}
}

func TestFilesAreCompressedForCallersThatTakeGzip(t *testing.T) {
	_, s, _ := logged(t)
	plain := get(s.Public, rendererPath)
	if plain.Header().Get("Content-Encoding") != "" || plain.Header().Get("Vary") != "Accept-Encoding" {
		t.Errorf("without a wish: %v", plain.Header())
	}
	for _, test := range []struct {
		name, accepts string
		compressed    bool
	}{
		{"a browser", "gzip, deflate, br, zstd", true},
		{"a weight", "br;q=1.0, GZIP; q=0.8", true},
		{"a refusal", "br, gzip;q=0", false},
		{"a refusal with decimals", "gzip;q=0.000", false},
		{"something else", "br", false},
		{"anything", "*", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := get(s.Public, rendererPath, "Accept-Encoding", test.accepts)
			text := got.Body.Bytes()
			if compressed := got.Header().Get("Content-Encoding") == "gzip"; compressed != test.compressed {
				t.Fatalf("compressed: %t", compressed)
			}
			if test.compressed {
				if len(text) > plain.Body.Len()/3 || got.Header().Get("ETag") == plain.Header().Get("ETag") {
					t.Errorf("%d of %d bytes, tag %s", len(text), plain.Body.Len(), got.Header().Get("ETag"))
				}
				text = unpacked(t, text)
			}
			if !bytes.Equal(plain.Body.Bytes(), text) {
				t.Error("it is another text")
			}
		})
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
	for _, test := range []struct{ path, accepts, cache string }{
		{rendererPath, "gzip", "public, max-age=31536000, immutable"},
		{rendererPath, "", "public, max-age=31536000, immutable"},
		{"/assets/reference.js", "gzip", "public, max-age=300"},
		{"/assets/icon.svg", "gzip", "public, max-age=300"},
		{"/docs/openapi.json", "gzip", "public, max-age=300"},
	} {
		t.Run(test.path+" with "+test.accepts, func(t *testing.T) {
			tag := get(s.Public, test.path, "Accept-Encoding", test.accepts).Header().Get("ETag")
			got := get(s.Public, test.path, "Accept-Encoding", test.accepts, "If-None-Match", tag)
			if tag == "" || got.Code != http.StatusNotModified || got.Body.Len() > 0 {
				t.Errorf("with the tag %s: %d and %d bytes", tag, got.Code, got.Body.Len())
			}
			if diff := cmp.Diff(test.cache, got.Header().Get("Cache-Control")); diff != "" {
				t.Errorf("it is kept (-want +got):\n%s", diff)
			}
		})
	}
}
