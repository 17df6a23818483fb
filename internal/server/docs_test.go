package server_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/server"
)

func TestDocs(t *testing.T) {
	_, s, _ := logged(t)
	for _, test := range []struct {
		path     string
		status   int
		contains string
	}{
		{"/docs/webhook-security", 200, `<h2 id="check-the-signature">Check the signature</h2>`},
		{"/docs/webhook-events", 200, `<td data-label="Event"><code>payment.received</code></td>`},
		{"/docs/webhooks", 200, `<li id="catch-up"><a href="/docs/webhook-recovery">`},
		{"/docs/webhook-receiver", 200, `<a href="/docs/sandbox">`},
		{"/docs/webhooks", 200, "curl -s http://sellerd.test/v1/webhooks "},
		{"/docs/conformance", 200, "sellerd conformance --base-url http://sellerd.test "},
		{"/docs/sandbox", 200, "<title>The sandbox – The seller API</title>"},
		{"/docs/states", 200, `<td data-label="Cause">the seller restarts it</td>`},
		{"/docs/examples/first-sale.sh", 200, "#!"},
		{"/docs/examples/requests.arazzo.json", 200, `"url": "http://sellerd.test/openapi.json"`},
		{"/docs/examples/first-requests.arazzo.json", 308, `"/docs/examples/requests.arazzo.json"`},
		{"/docs/examples/first-sale.arazzo.json", 308, `"/docs/examples/requests.arazzo.json"`},
		{"/docs/examples/migration.arazzo.json", 308, `"/docs/examples/requests.arazzo.json"`},
		{"/docs/examples/reprice.py", 200, "/v1/item-changes"},
		{"/docs/examples/nothing.sh", 404, "There is no such file"},
		{"/docs/clients", 200, `<a href="/docs/clients/client.go">`},
		{"/docs/clients.md", 200, "(/docs/clients/client.go)"},
		{"/docs/clients/sellerd.py", 200, `or "http://sellerd.test")`},
		{"/docs/clients/Sellerd.php", 200, `?: 'http://sellerd.test')`},
		{"/docs/clients/sellerd.mjs", 200, `|| 'http://sellerd.test')`},
		{"/docs/clients/client.go", 200, `"http://sellerd.test")`},
		{"/docs/clients/sources.go", 404, "There is no such file"},
		{"/docs/clients/first-sale.sh", 404, "There is no such file"},
		{"/docs/bridge-install", 200, `<a href="/docs/deploy/sellerd-bridge.service">`},
		{"/docs/deploy/sellerd-bridge.service", 200, "ExecStart=/usr/local/bin/seller bridge "},
		{"/docs/deploy/haproxy.cfg", 200, "option httpchk"},
		{"/docs/deploy/.env.example", 200, "SELLERD_BASE_URL=http://localhost:8080"},
		{"/docs/deploy/standby/follow.sh", 200, "#!"},
		{"/docs/deploy/standby", 404, "There is no such file"},
		{"/docs/deploy/standby/", 404, "There is no such file"},
		{"/docs/deploy/compose_test.go", 404, "There is no such file"},
		{"/docs/deploy/.gitignore", 404, "There is no such file"},
		{"/docs/deploy/standby/../../api.md", 404, "route_not_found"},
		{"/docs/deploy/README.md", 404, "There is no such file"},
		{"/docs/examples/..%2fwebhooks.md", 404, "route_not_found"},
		{"/docs/nothing", 404, "There is no such page"},
		{"/docs/webhook-recieve.html", 404, `name="q" placeholder="Search" value="webhook recieve"`}, // the words of the address are there to be corrected
		{"/docs/webhook-recieve.html", 404, `<a href="/docs/webhooks">Webhooks</a>`},
		{"/docs/qqzzy", 404, `<a href="/docs/start">Start</a>`},
		{"/style.css", 200, "color-scheme"},
	} {
		t.Run(test.path+" has "+test.contains, func(t *testing.T) {
			got := get(s.Public, test.path)
			if got.Code != test.status || !strings.Contains(uncoloured(got.Body.String()), test.contains) {
				t.Errorf("want %d with %q, got %d %.300s", test.status, test.contains, got.Code, got.Body)
			}
		})
	}
}

// TestPagesStayAtTheirAddresses asks for every page that internal/site/testdata/pages.txt names, in both forms. A page is there, or its
// address leads to an anchor of the page that has its content. The list only grows.
func TestPagesStayAtTheirAddresses(t *testing.T) {
	list, err := os.ReadFile("../site/testdata/pages.txt")
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(string(list))
	if len(names) < 108 {
		t.Errorf("the list has only %d pages", len(names))
	}
	_, s, _ := logged(t)
	led := 0
	for _, name := range names {
		for _, form := range []string{"", ".md"} {
			got := get(s.Public, "/docs/"+name+form)
			if got.Code == http.StatusMovedPermanently {
				path, anchor, _ := strings.Cut(got.Header().Get("Location"), "#")
				if page, _ := strings.CutSuffix(path, ".md"); path != page+form || !strings.Contains(get(s.Public, page).Body.String(), ` id="`+anchor+`"`) {
					t.Errorf("/docs/%s%s leads to %s#%s, which is not there", name, form, path, anchor)
				}
				got = get(s.Public, path)
				led++
			}
			if got.Code != http.StatusOK {
				t.Errorf("/docs/%s%s ends with %d", name, form, got.Code)
			}
		}
	}
	if led != 2*17 {
		t.Errorf("%d addresses lead to other pages, want 34", led)
	}
	if got := get(publicServer(t).Public, "/docs/reliability-outages"); got.Code != http.StatusNotFound {
		t.Errorf("a public server leads to a page that it does not show: %d", got.Code)
	}
}

func TestDiagramsAreLeftToTheirTables(t *testing.T) {
	_, s, _ := logged(t)
	if body := get(s.Public, "/docs/states").Body.String(); strings.Contains(body, "stateDiagram") {
		t.Error("the page shows a diagram as source")
	}
}

func TestPagesNeedNothingFromElsewhere(t *testing.T) {
	_, s, _ := logged(t)
	for _, path := range []string{
		"/", "/docs/webhooks", "/docs/sandbox", "/docs/states", "/errors", "/errors/item_has_bids", "/changelog", "/changelog/1.0.0",
		"/migration", "/migration/item-create", "/migration/print", "/migration/translate?sample=item-close",
	} {
		t.Run(path, func(t *testing.T) {
			got := get(s.Public, path)
			if policy := got.Header().Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'; style-src 'self'; script-src 'self'; ") {
				t.Errorf("the policy is %q", policy)
			}
			if found := regexp.MustCompile(`<script>|<style|<iframe| style=| on[a-z]+=| src="[^/]`).FindString(got.Body.String()); found != "" {
				t.Errorf("the page has %q, which the policy keeps from working", found)
			}
		})
	}
}

// TestLinksBetweenPages follows every link of every page that the home page leads to, fragments included.
func TestLinksBetweenPages(t *testing.T) {
	_, demo, _ := logged(t)
	for name, s := range map[string]*server.Server{"a demo server": demo, "a public server": publicServer(t)} {
		t.Run(name, func(t *testing.T) { followLinks(t, s) })
	}
}

func followLinks(t *testing.T, s *server.Server) {
	t.Helper()
	link := regexp.MustCompile(`href="([^"]+)"`)
	todo, seen, texts := []string{"/"}, map[string]bool{}, map[string]string{}
	text := func(path string) string {
		if texts[path] == "" {
			texts[path] = get(s.Public, path).Body.String()
		}
		return texts[path]
	}
	for len(todo) > 0 {
		path := todo[0]
		todo = todo[1:]
		if seen[path] {
			continue
		}
		seen[path] = true
		got := get(s.Public, path)
		if got.Code != http.StatusOK {
			t.Errorf("%s is linked to and answers %d", path, got.Code)
		}
		if !strings.HasPrefix(got.Header().Get("Content-Type"), "text/html") {
			continue
		}
		base := &url.URL{Scheme: "http", Host: "sellerd.test", Path: path}
		for _, found := range link.FindAllStringSubmatch(got.Body.String(), -1) {
			to, err := base.Parse(found[1])
			if err != nil {
				t.Errorf("%s links to %s: %v", path, found[1], err)
				continue
			}
			if to.Host != base.Host {
				continue
			}
			if to.Fragment != "" && !strings.Contains(text(to.Path), `id="`+to.Fragment+`"`) {
				t.Errorf("%s links to %s, which has no such heading", path, to)
			}
			todo = append(todo, to.Path)
		}
	}
	if !seen["/docs/webhooks"] || !seen["/changelog/1.0.0"] || !seen["/errors/item_has_bids"] || !seen["/docs/examples/first-sale.sh"] || !seen["/style.css"] ||
		!seen["/docs"] || !seen["/migration/item-create"] || !seen["/migration/print"] {
		t.Errorf("only these are linked to: %v", seen)
	}
}

// TestEveryFileForDeploymentCanBeFetched compares what the page links to with what is in the folder.
func TestEveryFileForDeploymentCanBeFetched(t *testing.T) {
	_, s, _ := logged(t)
	page := get(s.Public, "/docs/deploy").Body.String()
	for _, folder := range []string{"../../docs/deploy", "../../docs/deploy/standby"} {
		files, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			path := strings.TrimPrefix(folder, "../..") + "/" + file.Name()
			if file.IsDir() || slices.Contains([]string{".go", ".md", ".gitignore", ".dockerignore"}, filepath.Ext(path)) {
				continue
			}
			want, err := os.ReadFile("../.." + path)
			if err != nil {
				t.Fatal(err)
			}
			got := get(s.Public, path)
			if diff := cmp.Diff(string(want), got.Body.String()); diff != "" || got.Code != 200 || got.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
				t.Errorf("%s: %d %s (-want +got):\n%s", path, got.Code, got.Header().Get("Content-Type"), diff)
			}
			if !strings.Contains(page, `href="`+path+`"`) {
				t.Errorf("the page does not link to %s", path)
			}
		}
	}
}
