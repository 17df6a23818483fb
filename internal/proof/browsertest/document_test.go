package browsertest

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

// document is what matters of a page in HTML to those that lead to it, and what it leads to.
type document struct {
	ids     []string // in order, also when one is there twice
	links   []string // absolute addresses, in order: of other pages and of all that it loads
	scripts bool     // it has some
}

// readDocument reads a page that is at an address.
func readDocument(text, address string) (d document, err error) {
	at, err := url.Parse(address)
	if err != nil {
		return d, err
	}
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return d, err
	}
	for node := range root.Descendants() {
		if node.Type != html.ElementNode {
			continue
		}
		attributes := map[string]string{}
		for _, a := range node.Attr {
			attributes[a.Key] = a.Val
		}
		if id, ok := attributes["id"]; ok {
			d.ids = append(d.ids, id)
		}
		d.scripts = d.scripts || node.Data == "script"
		for _, name := range []string{"href", "src", "action"} {
			link, ok := attributes[name]
			if !ok || name == "action" && strings.EqualFold(attributes["method"], "post") {
				continue
			}
			to, err := at.Parse(link)
			if err != nil {
				return d, err
			}
			d.links = append(d.links, to.String())
		}
	}
	return d, nil
}

// has says whether the page has a place.
func (d document) has(place string) bool { return slices.Contains(d.ids, place) }

// twice are the ids that are there more than once, in their order.
func (d document) twice() (found []string) {
	seen := map[string]int{}
	for _, id := range d.ids {
		if seen[id]++; seen[id] == 2 {
			found = append(found, id)
		}
	}
	return found
}

// cutFragment splits an address into a page's and the place in it, unescaped.
func cutFragment(address string) (page, fragment string) {
	page, fragment, _ = strings.Cut(address, "#")
	if plain, err := url.PathUnescape(fragment); err == nil {
		fragment = plain
	}
	return page, fragment
}

// scriptPolicy says what is wrong with a Content-Security-Policy, as far as scripts go: nothing, when only files of our own
// run.
func scriptPolicy(policy string) string {
	directives := map[string]string{}
	for directive := range strings.SplitSeq(policy, ";") {
		name, sources, _ := strings.Cut(strings.TrimSpace(directive), " ")
		directives[strings.ToLower(name)] = sources
	}
	if policy == "" {
		return "no Content-Security-Policy"
	}
	sources, ok := directives["script-src"]
	if !ok {
		sources = directives["default-src"]
	}
	for source := range strings.FieldsSeq(sources) {
		if !slices.Contains([]string{"'self'", "'none'"}, source) {
			return "the Content-Security-Policy lets scripts run that are not ours: " + source
		}
	}
	if sources == "" {
		return "the Content-Security-Policy says nothing of scripts"
	}
	return ""
}

func TestDocuments(t *testing.T) {
	got, err := readDocument(`<!doctype html><link rel="stylesheet" href="/style.css"><script src="a.js"></script>
		<h1 id="top">A</h1><p id="top"><a href="#top">B</a> <a href="../c?d=e#f">C</a> <a href="https://other.test/">D</a>
		<form action="/search"></form><form method="POST" action="/send"></form>`, "http://a.test/b/")
	if err != nil {
		t.Fatal(err)
	}
	want := document{
		ids:     []string{"top", "top"},
		links:   []string{"http://a.test/style.css", "http://a.test/b/a.js", "http://a.test/b/#top", "http://a.test/c?d=e#f", "https://other.test/", "http://a.test/search"},
		scripts: true,
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(document{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"top"}, got.twice()); diff != "" {
		t.Errorf("twice (-want +got):\n%s", diff)
	}
}

func TestScriptPolicies(t *testing.T) {
	for name, c := range map[string]struct{ policy, want string }{
		"only files of our own":             {"default-src 'none'; script-src 'self'", ""},
		"what goes for everything":          {"default-src 'self'; img-src *", ""},
		"no policy":                         {"", "no Content-Security-Policy"},
		"a policy about something else":     {"img-src 'self'", "the Content-Security-Policy says nothing of scripts"},
		"scripts that are part of the page": {"Script-Src 'self' 'unsafe-inline'", "the Content-Security-Policy lets scripts run that are not ours: 'unsafe-inline'"},
		"scripts that are put together":     {"script-src 'self' 'unsafe-eval'", "the Content-Security-Policy lets scripts run that are not ours: 'unsafe-eval'"},
		"scripts of another host": {
			"default-src 'none'; script-src https://cdn.test",
			"the Content-Security-Policy lets scripts run that are not ours: https://cdn.test",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, scriptPolicy(c.policy)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
