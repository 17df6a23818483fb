package site

import (
	"html/template"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const testURL = "https://sellers.example.com"

func TestAPublicServerSpeaksToSellers(t *testing.T) {
	public := New(Options{BaseURL: testURL})
	for _, page := range public.Pages() {
		doc, ok := public.Doc(page.Doc)
		if !ok {
			continue
		}
		for _, word := range []string{"make run", "make test", "make dist", "demo-keys", "demo server", "go test", "bin/sellerd ", "localhost:8080", "<!--"} {
			if strings.Contains(doc.Markdown, word) {
				t.Errorf("%s says %q", page.Path, word)
			}
		}
	}
	for _, name := range []string{"operating", "deploy", "architecture"} {
		if _, ok := public.Doc(name); ok {
			t.Errorf("it shows %s", name)
		}
	}
	promises, ok := public.Doc("conformance")
	if !ok || promises.Name != "versioning" {
		t.Errorf("at the address of the page about the proofs it shows %v", promises)
	}
}

func TestADemoServerShowsAllPages(t *testing.T) {
	demo := New(Options{Demo: true, BaseURL: "http://localhost:8080"})
	for name, want := range map[string]string{
		"start": "data/demo-keys.json", "operating": "make run", "deploy": "Dockerfile", "architecture-folders": "internal/site", "conformance": "sealed",
	} {
		doc, ok := demo.Doc(name)
		if !ok || !strings.Contains(doc.Markdown, want) || doc.Name != name {
			t.Errorf("%s does not have %q", name, want)
		}
	}
}

// TestEveryFileIsAPage compares the files with the pages of the menu. The guide's file is for readers of the repository; a server makes its
// own.
func TestEveryFileIsAPage(t *testing.T) {
	want := slices.DeleteFunc(slices.Sorted(maps.Keys(files())), func(name string) bool { return name == "migration" })
	got := slices.Sorted(maps.Keys(New(Options{Demo: true, BaseURL: testURL}).docs))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-files +menu):\n%s", diff)
	}
}

func TestTheCommandsOfADemoServerNameItsFilesAndAddress(t *testing.T) {
	demo := New(Options{Demo: true, BaseURL: testURL, OperatorURL: "http://127.0.0.1:9452", DemoFile: func(name string) string {
		return "'/her folder/" + name + "'"
	}})
	named := map[string]int{}
	for _, page := range demo.pages {
		doc, ok := demo.Doc(page.Doc)
		if !ok {
			continue
		}
		for _, word := range []string{"data/demo-keys.json", "cat data/operator-token", operatedAt} {
			if strings.Contains(doc.Markdown, word) {
				t.Errorf("%s has %q, which is another server's", doc.Name, word)
			}
		}
		for _, word := range []string{"'/her folder/demo-keys.json'", "cat '/her folder/operator-token'", "http://127.0.0.1:9452"} {
			named[word] += strings.Count(doc.Markdown, word)
		}
	}
	for word, count := range named {
		if count == 0 {
			t.Errorf("no page has %q", word)
		}
	}
}

func TestPartsForTheDemo(t *testing.T) {
	const source = "# A\n\n<!-- demo -->\nWith `make run`.\n<!-- /demo -->\n\n<!-- for writers -->\n\nB\n"
	for demo, want := range map[bool]string{true: "# A\n\nWith `make run`.\n\nB\n", false: "# A\n\nB\n"} {
		if diff := cmp.Diff(want, forReader(source, demo)); diff != "" {
			t.Errorf("demo %t (-want +got):\n%s", demo, diff)
		}
	}
}

func TestLinksBetweenFilesBecomeLinksBetweenPages(t *testing.T) {
	const source = "[a\nlong](../seller/sandbox.md#x) [b](README.md) [c](../rest/scan.md) [d](https://a.test/b.md) [e](#f) ![g](h.png) [i](/docs)\n```\n[j](k.md)\n```\n[l](../examples/first-sale.sh) [m](standby/roles.sql) [n](nothing.cfg) [o](compose_test.go)"
	const want = "[a\nlong](/docs/sandbox.md#x) [b](/docs/deploy.md) c [d](https://a.test/b.md) [e](#f) ![g](h.png) [i](/docs)\n```\n[j](k.md)\n```\n[l](/docs/examples/first-sale.sh) [m](/docs/deploy/standby/roles.sql) n o"
	got := relinked(source, "deploy/README.md", func(name string) bool { return name == "sandbox" || name == "deploy" })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestThePagesFollowOneAnother walks from the door of each house to its end, and expects to have seen all pages then.
// TestAListOfBoldLinksIsShownAsCards expects cards of the entries of one list, and an ordinary list of each other one.
func TestAListOfBoldLinksIsShownAsCards(t *testing.T) {
	for source, want := range map[string]string{
		"- **[A](a.md)**: One.\n- **[B](https://b.test)**: `two`.\n": "<ul class=\"cards\">\n<li><strong><a href=\"a\">A</a></strong> One.</li>\n<li><strong><a href=\"https://b.test\">B</a></strong> <code>two</code>.</li>\n</ul>\n",
		"- **[A](a.md)**: One.\n- Two.\n":                            "<ul>\n<li><strong><a href=\"a\">A</a></strong>: One.</li>\n<li>Two.</li>\n</ul>\n",
		"- **A**: One.\n":                                            "<ul>\n<li><strong>A</strong>: One.</li>\n</ul>\n",
		"- [A](a.md): One.\n":                                        "<ul>\n<li><a href=\"a\">A</a>: One.</li>\n</ul>\n",
	} {
		var got strings.Builder
		if err := markdown.Convert([]byte(source), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", source, diff)
		}
	}
}

func TestThePagesFollowOneAnother(t *testing.T) {
	for demo, doors := range map[bool][]string{false: {"/"}, true: {"/", "/docs/operating", "/docs/architecture"}} {
		s := New(Options{Demo: demo, BaseURL: testURL})
		var walked []string
		for _, door := range doors {
			for path := door; ; {
				walked = append(walked, path)
				previous, next := s.Around(path)
				if (previous == nil) != (path == door) {
					t.Errorf("before %s is %v", path, previous)
				}
				if next == nil {
					break
				}
				path = next.Path
			}
		}
		var listed []string
		for _, page := range s.Pages() {
			listed = append(listed, page.Path)
		}
		if diff := cmp.Diff(listed, walked); diff != "" {
			t.Errorf("demo %t (-menu +walk):\n%s", demo, diff)
		}
	}
	if previous, next := New(Options{BaseURL: testURL}).Around("/errors/item_not_found"); previous != nil || next != nil {
		t.Errorf("a page that is not in the menu is between %v and %v", previous, next)
	}
}

// TestTheMenuShowsTheHouseOfThePage expects the houses, the groups of one of them, and the group of the page unfolded.
func TestTheMenuShowsTheHouseOfThePage(t *testing.T) {
	for _, test := range []struct {
		demo               bool
		path, houses, open string
	}{
		{true, "/docs/limits", "Sell true, Run , Change ", "How /v1 works"},
		{true, "/docs/backup", "Sell , Run true, Change ", "Day by day"},
		{true, "/docs/recipes-v1", "Sell , Run , Change true", "How to change it"},
		{true, "/search", "Sell true, Run , Change ", "Begin"},
		{false, "/docs/webhook-retries", "", "How /v1 works"},
	} {
		var houses, open []string
		menu := New(Options{Demo: test.demo, BaseURL: testURL}).Menu(test.path, "")
		for _, house := range menu.Houses {
			houses = append(houses, house.Title+" "+house.Current)
		}
		for _, group := range menu.Groups {
			if group.Open {
				open = append(open, group.Title)
			}
		}
		if diff := cmp.Diff([]string{test.houses, test.open}, []string{strings.Join(houses, ", "), strings.Join(open, ", ")}); diff != "" {
			t.Errorf("on %s (-want +got):\n%s", test.path, diff)
		}
	}
}

func TestContentsAreTheHeadingsOfAPage(t *testing.T) {
	const body = `<h1>A</h1><h2 id="b">B &amp; <code>c</code></h2><h3 id="d"><a href="#d">D</a></h3><h2>without a place</h2><h4 id="x">small</h4>
<section id="e" class="y">
<h2>E</h2></section><h2 id="f" class="noprint">no section of the text</h2>`
	want := []Heading{{"b", "B &amp; c", 2}, {"d", "D", 3}, {"e", "E", 2}}
	if diff := cmp.Diff(want, Contents(body)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := Contents(`<h2 id="a">A</h2><h3 id="b">B</h3>`); got != nil {
		t.Errorf("of one section: %v", got)
	}
	many := strings.Repeat(`<h2 id="a">A</h2><h3 id="b">B</h3>`, mostHeadings)
	if got := Contents(template.HTML(many)); len(got) != mostHeadings {
		t.Errorf("of %d sections it has %d lines", mostHeadings, len(got))
	}
}

func TestTheMenuMarksWhereTheReaderIs(t *testing.T) {
	s := New(Options{BaseURL: testURL})
	for _, test := range []struct{ path, section, want string }{
		{"/docs/limits", "", "/docs/limits page"},
		{"/errors/item_not_found", "/errors", "/errors true"},
		{"/docs/webhook-retries", "", "/docs/webhook-retries page"},
		{"/search", "", ""},
	} {
		var got []string
		for _, group := range s.Menu(test.path, test.section).Groups {
			for _, link := range group.Links {
				for _, line := range append([]MenuLink{link}, link.Parts...) {
					if line.Current != "" {
						got = append(got, line.Path+" "+line.Current)
					}
				}
			}
		}
		if strings.Join(got, ", ") != test.want {
			t.Errorf("on %s the menu marks %v, want %s", test.path, got, test.want)
		}
	}
}

// TestTheMenuUnfoldsThePartsOfAPage expects the pages about parts of a subject in the menu where one of them is read, and nowhere else.
func TestTheMenuUnfoldsThePartsOfAPage(t *testing.T) {
	s := New(Options{BaseURL: testURL})
	for path, want := range map[string]bool{"/docs/webhooks": true, "/docs/webhook-retries": true, "/docs/limits": false} {
		var unfolded []string
		for _, group := range s.Menu(path, "").Groups {
			for _, line := range group.Links {
				if len(line.Parts) > 0 {
					unfolded = append(unfolded, line.Path)
				}
			}
		}
		if got := cmp.Equal(unfolded, []string{"/docs/webhooks"}); got != want {
			t.Errorf("on %s the menu unfolds %v", path, unfolded)
		}
	}
}

func TestCellsHaveTheHeadingsOfTheirColumns(t *testing.T) {
	const body = `<p>a &quot;b&quot;</p><table><thead><tr><th>Status</th><th><code>code</code> &amp; more</th><th></th></tr></thead>` +
		`<tr><th scope="row">404</th><td class=x>b</td><td>c</td><td>d</td></tr></table><table><tr><td>e</td></tr></table>`
	const want = `<p>a &quot;b&quot;</p><table><thead><tr><th>Status</th><th><code>code</code> &amp; more</th><th></th></tr></thead>` +
		`<tr><th data-label="Status" scope="row">404</th><td data-label="code &amp; more" class=x>b</td><td>c</td><td>d</td></tr></table><table><tr><td>e</td></tr></table>`
	if diff := cmp.Diff(template.HTML(want), Labelled(body)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestALeadIsTheFirstParagraph(t *testing.T) {
	long := strings.Repeat("word ", 60)
	for body, want := range map[template.HTML]string{
		`<h1>A</h1><p class="crumbs">Where</p><p>One &amp; <code>two</code>` + "\n" + `three:</p><p>four</p>`: "One & two three",
		template.HTML("<p>" + long[:100] + "end. " + long + "</p>"):                                           long[:100] + "end.",
		template.HTML("<p>" + long + "</p>"):                                                                  long[:199] + " …",
		"<h1>A</h1>":                                                                                          "",
	} {
		if diff := cmp.Diff(want, Lead(body)); diff != "" {
			t.Errorf("of %s (-want +got):\n%s", body, diff)
		}
	}
}

func TestWhereProgramsComeFrom(t *testing.T) {
	const source = "# A\n\n<!-- downloads -->\nAsk.\n<!-- /downloads -->\n\nB\n"
	for how, want := range map[string]string{"": source, "Get it.\n": "# A\n\nGet it.\n\nB\n"} {
		if diff := cmp.Diff(want, withDownloads(source, how)); diff != "" {
			t.Errorf("with %q (-want +got):\n%s", how, diff)
		}
	}
}
