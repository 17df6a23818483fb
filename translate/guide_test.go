package translate

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/net/html"

	"sellerd/v1"
)

// guideBase is where the committed guide says that the service is.
const guideBase = "http://localhost:8080"

var writeGuide = flag.Bool("write-guide", false, "write docs/migration.md and translate/guide.schema.json anew from the tables")

func newGuide(t *testing.T) *Guide {
	t.Helper()
	return NewGuide(newTable(t), guideBase)
}

func TestTheGuideFilesAreWhatTheTablesSay(t *testing.T) {
	for path, want := range map[string][]byte{
		filepath.Join("..", "docs", "migration.md"): newGuide(t).Markdown(),
		"guide.schema.json":                         GuideSchema(guideBase),
	} {
		if *writeGuide {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
			t.Errorf("%s is not what the tables say; write it anew with go test ./translate -run Guide -args -write-guide (-tables +file):\n%s", path, diff)
		}
	}
}

func TestTheGuideIsAsItsSchemaSays(t *testing.T) {
	text, err := newGuide(t).JSON()
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(GuideSchema(guideBase)))
	if err != nil {
		t.Fatal(err)
	}
	closeAll(schema)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(GuideSchemaPath, schema); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile(GuideSchemaPath)
	if err != nil {
		t.Fatal(err)
	}
	guide, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled.Validate(guide); err != nil {
		t.Error(err)
	}
	guide.(map[string]any)["surprise"] = true
	if compiled.Validate(guide) == nil {
		t.Error("a member that the schema does not name is accepted, so the test shows nothing")
	}
}

// closeAll lets no object have members that the schema does not name. Readers are told that there may be some one day.
func closeAll(value any) {
	switch v := value.(type) {
	case map[string]any:
		if v["type"] == "object" {
			v["additionalProperties"] = false
		}
		for _, member := range v {
			closeAll(member)
		}
	case []any:
		for _, member := range v {
			closeAll(member)
		}
	}
}

func TestTheGuideHasEveryCallInOnePhase(t *testing.T) {
	want := map[string]int{}
	for _, call := range Calls {
		want[call.ID] = 1
	}
	got := map[string]int{}
	for _, phase := range newGuide(t).Phases {
		for _, id := range phase.Calls {
			got[id]++
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-calls +phases):\n%s", diff)
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(guideRequests))); diff != "" {
		t.Errorf("(-calls +commands):\n%s", diff)
	}
}

func TestTheGuideHasEveryRow(t *testing.T) {
	guide := newGuide(t)
	for _, call := range Calls {
		section := guide.Call(call.ID)
		for _, rows := range []struct {
			what string
			rows []Row
			said []GuideField
			as   string

			member func(path string) string
		}{
			{"field", call.In, section.Fields, section.FieldsAs, func(path string) string { return path }},
			{"element", call.Out, section.Elements, section.ElementsAs, func(path string) string { member, _ := memberOf(call, path); return member }},
		} {
			for i := range rows.rows {
				row := &rows.rows[i]
				name := row.Legacy
				if name == "images" {
					name = imagesField
				}
				said := slices.ContainsFunc(rows.said, func(f GuideField) bool {
					return f.Legacy == name && f.V1 == rows.member(row.V1) && (f.Value+f.Words != "" || call.Target.Kind == Local) && saysAll(f.Words, row.Const, row.Loss.Why, row.Doc)
				})
				if !said {
					t.Errorf("%s does not tell all of the %s %s, %s", call.ID, rows.what, row.Legacy, row.V1)
				}
			}
			if rows.as != "" && guide.Call(rows.as) == nil {
				t.Errorf("%s refers to the call %s, which is not there", call.ID, rows.as)
			}
		}
	}
}

// saysAll says whether a text holds others, whatever is marked as code in it.
func saysAll(text string, others ...string) bool {
	plain := strings.ReplaceAll(text, "`", "")
	return !slices.ContainsFunc(others, func(other string) bool { return !strings.Contains(plain, strings.ReplaceAll(other, "`", "")) })
}

func TestTheGuideHasEveryConverterAndEveryValue(t *testing.T) {
	guide := newGuide(t)
	tables := map[string]int{}
	for _, call := range guide.Calls {
		for _, table := range call.Values {
			tables[table.ID] += len(table.Pairs)
		}
	}
	for _, c := range Converters {
		if c.Pairs != nil && tables[anchorOf(c)] != len(c.Pairs) {
			t.Errorf("the values of %s are there %d times", c.Name, tables[anchorOf(c)]/len(c.Pairs))
		}
		if words := conversionWords[c]; c.Pairs == nil && (words[0] == "" || words[1] == "") {
			t.Errorf("no row can say what becomes of a %s", c.Name)
		}
	}
}

func TestTheGuideHasEveryNotificationAndEveryNewOperation(t *testing.T) {
	guide := newGuide(t)
	var want, got []string
	for _, n := range NotificationTypes {
		want = append(want, n.Type+" "+n.Event)
	}
	for _, e := range guide.Notifications {
		got = append(got, e.Type+" "+e.Event)
	}
	if diff := cmp.Diff(append(want, TypeDefault+" "+everyEvent), got); diff != "" {
		t.Error(diff)
	}
	told := map[string]int{}
	for _, call := range guide.Calls {
		for _, step := range call.V1 {
			told[step.Method+" "+step.Path] = 1
		}
	}
	for _, group := range guide.New {
		for _, o := range group.Operations {
			told[o.Method+" "+o.Path]++
		}
	}
	for _, o := range v1.Operations {
		if told[o.Method+" "+o.Pattern] != 1 {
			t.Errorf("%s %s is told of %d times", o.Method, o.Pattern, told[o.Method+" "+o.Pattern])
		}
	}
}

func TestTheFormsOfTheGuideShowTheSame(t *testing.T) {
	guide := newGuide(t)
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
			if found[1] != "values" {
				got = append(got, found[1])
			}
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
			if call.FieldsAs == "" && !strings.Contains(markdown, strings.ReplaceAll(call.Fields[i].Words, "](/", "]("+guideBase+"/")) {
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
	guide := newGuide(t)
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
		if len(links) < len(Calls) {
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
		for _, call := range Calls {
			if ids[call.ID] == 0 {
				t.Errorf("there is no anchor %s", call.ID)
			}
		}
	}
}

// TestTheGuideCanBeReadByAll checks what readers need who do not see the page.
func TestTheGuideCanBeReadByAll(t *testing.T) {
	page, err := newGuide(t).HTML()
	if err != nil {
		t.Fatal(err)
	}
	level := 0
	for node := range parse(t, string(page)).Descendants() {
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

// TestTheGuideTakesItsDatesFromTheTables looks for dates that are nobody's.
func TestTheGuideTakesItsDatesFromTheTables(t *testing.T) {
	for _, name := range []string{"guide_text.go", "guide_differences.go", "guide_words.go", "guide.html.tmpl"} {
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
	if want := fmt.Sprintf("until %s", Sunset.Format("2 January 2006")); !strings.Contains(string(newGuide(t).Markdown()), want) {
		t.Errorf("the guide does not say %q", want)
	}
}
