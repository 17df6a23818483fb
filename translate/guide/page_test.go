package guide

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"sellerd/translate"
)

// This file looks at the guide as readers do: at its page and its Markdown.

func TestTheFormsOfTheGuideShowTheSame(t *testing.T) {
	guide := newPage(t)
	page, err := guide.HTML()
	if err != nil {
		t.Fatal(err)
	}
	markdown := string(guide.Markdown())
	var want []string
	for _, call := range guide.Calls {
		want = append(want, call.ID)
	}
	for form, pattern := range map[string]string{
		string(page): `<section class="call" id="([^"]+)"`,
		markdown:     `<a id="([^"]+)"></a>\n\n### `,
	} {
		var got []string
		for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(form, -1) {
			got = append(got, found[1])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("calls (-guide +%.20s):\n%s", form, diff)
		}
	}
	shown := textOf(t, string(page))
	for _, call := range guide.Calls {
		for _, text := range []string{call.Title, call.Example.Legacy, call.Example.V1} {
			if !strings.Contains(shown, text) || !strings.Contains(markdown, text) {
				t.Errorf("not both the page and the Markdown show %q", text)
			}
		}
		for i := range call.Fields {
			if call.FieldsAs == "" && !strings.Contains(markdown, strings.ReplaceAll(call.Fields[i].Words, "](/", "]("+testBase+"/")) {
				t.Errorf("the Markdown does not show %q", call.Fields[i].Words)
			}
		}
	}
}

// textOf is what a page shows.
func textOf(t *testing.T, page string) string {
	t.Helper()
	var b strings.Builder
	for node := range parse(t, page).Descendants() {
		if node.Type == html.TextNode {
			b.WriteString(node.Data)
		}
	}
	return b.String()
}

func parse(t *testing.T, page string) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// TestEveryAnchorOfTheGuideIsThere holds links inside the guide against its anchors, each of which must be there once.
func TestEveryAnchorOfTheGuideIsThere(t *testing.T) {
	guide := newPage(t)
	page, err := guide.HTML()
	if err != nil {
		t.Fatal(err)
	}
	for form, patterns := range map[string][2]string{
		string(page):             {` id="([^"]+)"`, `href="#([^"]+)"`},
		string(guide.Markdown()): {`<a id="([^"]+)">`, `\]\(#([^)]+)\)`},
	} {
		ids := map[string]int{}
		for _, found := range regexp.MustCompile(patterns[0]).FindAllStringSubmatch(form, -1) {
			if ids[found[1]]++; ids[found[1]] > 1 {
				t.Errorf("%s is there twice", found[1])
			}
		}
		links := regexp.MustCompile(patterns[1]).FindAllStringSubmatch(form, -1)
		if len(links) < len(translate.Calls) {
			t.Errorf("there are only %d links", len(links))
		}
		for _, found := range links {
			if ids[found[1]] == 0 {
				t.Errorf("a link leads to #%s, which is not there", found[1])
			}
		}
		for _, id := range []string{"sunset", "new"} { // to which headers of /rest and other pages lead
			if ids[id] == 0 {
				t.Errorf("there is no anchor %s", id)
			}
		}
		for _, call := range translate.Calls {
			if ids[call.ID] == 0 {
				t.Errorf("there is no anchor %s", call.ID)
			}
		}
	}
}

// TestTheGuideCanBeReadByAll checks what readers need that do not see the pages.
func TestTheGuideCanBeReadByAll(t *testing.T) {
	for path, page := range sitePages(t, newPage(t)) {
		t.Run(path, func(t *testing.T) { testReadByAll(t, page) })
	}
}

func testReadByAll(t *testing.T, page string) {
	level := 0
	for node := range parse(t, page).Descendants() {
		if node.Type != html.ElementNode {
			continue
		}
		attributes := map[string]string{}
		for _, a := range node.Attr {
			attributes[a.Key] = a.Val
		}
		switch node.Data {
		case "h1", "h2", "h3", "h4":
			next := int(node.Data[1] - '0')
			if next > level+1 {
				t.Errorf("an h%d follows an h%d", next, level)
			}
			level = next
		case "table":
			first := node.FirstChild
			for first != nil && first.Type != html.ElementNode {
				first = first.NextSibling
			}
			if first == nil || first.Data != "caption" {
				t.Errorf("a table has no caption: %v", attributes)
			}
		case "th":
			if attributes["scope"] == "" {
				t.Error("a th has no scope")
			}
		case "pre":
			if attributes["tabindex"] != "0" {
				t.Error("a pre cannot be scrolled with the keyboard")
			}
		case "div":
			if strings.Contains(attributes["class"], "scroll") && (attributes["aria-label"] == "" || attributes["role"] != "group" || attributes["tabindex"] != "0") {
				t.Errorf("a scrolling box is not named: %v", attributes)
			}
		}
		if attributes["style"] != "" {
			t.Errorf("a %s has a style of its own, which the page's policy forbids", node.Data)
		}
	}
}

// TestTheGuideTakesItsDatesFromTheTables looks for dates that the guide writes itself.
func TestTheGuideTakesItsDatesFromTheTables(t *testing.T) {
	for _, name := range []string{
		"texts.go", "texts.md", "words.go", "parts.go", "page.html.tmpl", "parts.html.tmpl", "tables.html.tmpl", "topics.html.tmpl",
	} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"October", "2027", "2026-10"} {
			if bytes.Contains(text, []byte(word)) {
				t.Errorf("%s types %s", name, word)
			}
		}
	}
	if want := "until " + translate.Sunset.Format("2 January 2006"); !strings.Contains(string(newPage(t).Markdown()), want) {
		t.Errorf("the guide does not say %q", want)
	}
}

// TestTablesHaveNoEmptyColumns looks at all tables of fields: each column has something in some row, and each row has a cell for each heading.
func TestTablesHaveNoEmptyColumns(t *testing.T) {
	guide := newPage(t)
	var tables []fieldTable
	for _, call := range guide.Calls {
		tables = append(tables, call.RequestTable(), call.AnswerTable())
	}
	for i := range guide.Notifications {
		tables = append(tables, guide.Notifications[i].Table())
	}
	short := 0
	for _, table := range tables {
		if len(table.Head) < 4 {
			short++
		}
		for column, heading := range table.Head {
			filled := len(table.Rows) == 0
			for _, row := range table.Rows {
				filled = filled || row[column] != ""
				if len(row) != len(table.Head) {
					t.Errorf("%v has no cell for each of %v", row, table.Head)
				}
			}
			if !filled {
				t.Errorf("%s is empty in %v", heading, table.Rows)
			}
		}
	}
	if short == 0 {
		t.Error("no table has fewer columns, so this test shows nothing")
	}
}
