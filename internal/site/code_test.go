package site

import (
	"html"
	"html/template"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"mvdan.cc/sh/v3/syntax"

	"sellerd/docs"
)

// markup finds tags, which a button that copies leaves out.
var markup = regexp.MustCompile(`<[^>]*>`)

// copied is what the button of the first block in a page copies.
func copied(page string) string {
	_, code, _ := strings.Cut(page, "<code")
	code, _, _ = strings.Cut(code[strings.Index(code, ">")+1:], "</code>")
	return html.UnescapeString(markup.ReplaceAllString(code, ""))
}

func TestCodeIsCopiedAsItIs(t *testing.T) {
	for language := range languages {
		for _, source := range []string{
			"a", "", "a & <b>\n\n  'c\n\td' // e\n", `{"a": "b\"c", "d": [1.5, true, null]} # f`, "  /* x\n\n*/ \"y\n z\"", "$x = 'it\\'s'; f(1)",
		} {
			got := copied(string(Code(language, source)))
			if diff := cmp.Diff(strings.TrimRight(source, "\n"), got); diff != "" {
				t.Errorf("%s (-source +copied):\n%s", language, diff)
			}
		}
	}
}

// TestTheCodeOfTemplatesIsOneBlock gives Labelled what the guide and the change log have.
func TestTheCodeOfTemplatesIsOneBlock(t *testing.T) {
	for body, want := range map[string]string{
		`<pre data-copy tabindex="0"><code>curl &#34;a&#34; &amp;&amp; b</code></pre>`: "Shell copied: curl \"a\" && b",
		`<pre tabindex="0"><code>{"a": 1}</code></pre>`:                                "JSON copied: {\"a\": 1}",
		"<p>a</p>\n<pre><code class=\"language-output\">a\n</code></pre>":              "Output: a",
		"<pre><code class=\"language-nginx\">a;\n</code></pre>":                        "nginx copied: a;",
	} {
		page := string(Labelled(template.HTML(body)))
		_, label, _ := strings.Cut(page, "<figcaption>")
		label, _, _ = strings.Cut(label, "</figcaption>")
		if strings.Contains(page, "<pre data-copy>") {
			label += " copied"
		}
		if got := label + ": " + copied(page); got != want {
			t.Errorf("%s becomes %q, want %q", body, got, want)
		}
	}
}

func TestCodeHasColours(t *testing.T) {
	for _, test := range []struct{ language, source, want string }{
		{"sh", "# a\ncurl -s \"$B/x\" # b#c", "comment:# a option:-s text:\"$B/x\" comment:# b#c"},
		{"sh", "K=$(x) && echo ${a#b} it#is", "variable:K= variable:${a#b}"},
		{"php", "$a = \"b\"; // c\nif (f(1)) {}", "variable:$a text:\"b\" comment:// c keyword:if call:f number:1"},
		{"js", "const a = `b'`; /* c\nd */", "keyword:const text:`b'` comment:/* c\nd */"},
		{"python", "def f(a):\n  \"\"\"b\"c\"\"\"\n  return f\"d\"", "keyword:def call:f text:\"\"\"b\"c\"\"\" keyword:return text:f\"d\""},
		{"go", "x := \"a//b\" // c", "text:\"a//b\" comment:// c"},
		{"json", `{"a": "b", "c": -1.5}`, `variable:"a" text:"b" variable:"c" number:1.5`},
		{"xml", `<a b="c">d</a>`, `keyword:<a variable:b text:"c" keyword:> keyword:</a keyword:>`},
		{"text", `"a" // b`, ""},
	} {
		var got []string
		for _, token := range colours(test.language, test.source) {
			if token.class != "" {
				got = append(got, token.class+":"+token.text)
			}
		}
		if diff := cmp.Diff(test.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", test.language, test.source, diff)
		}
	}
}

func TestLongCommandsAreBrokenAtOptions(t *testing.T) {
	const url, key = "http://localhost:8080/v1/items", `-H "X-Api-Key: $KEY"`
	for _, test := range []struct{ source, want string }{
		{"curl -s " + url + " " + key, "curl -s " + url + " " + key},
		{
			"curl -s " + url + " " + key + " -H 'Content-Type: application/json' -d '{\n  \"a\": \"a text with -d 1\"\n}' | tee a.json",
			"curl -s " + url + " " + key + " \\\n  -H 'Content-Type: application/json' -d '{\n  \"a\": \"a text with -d 1\"\n}' | tee a.json",
		},
		{
			"if a; then\n  BILL=$(curl -s -X POST \"" + url + "/$ITEM/purchase\" " + key + " | grep -o '\"bill_id\":\"[0-9]*\"')\nfi",
			"if a; then\n  BILL=$(curl -s -X POST \"" + url + "/$ITEM/purchase\" \\\n    " + key + " | grep -o '\"bill_id\":\"[0-9]*\"')\nfi",
		},
		{ // a hyphen alone is the value of the option before it
			"curl -s --compressed -o /dev/null -D - " + url + "/100012345678/sales " + key,
			"curl -s --compressed -o /dev/null \\\n  -D - " + url + "/100012345678/sales " + key,
		},
		{"cat <<A | grep -q " + strings.Repeat("x", 90) + "\nA\n", "cat <<A | grep -q " + strings.Repeat("x", 90) + "\nA\n"},
		{"curl 'that is not closed " + strings.Repeat("-x ", 40), "curl 'that is not closed " + strings.Repeat("-x ", 40)},
	} {
		if diff := cmp.Diff(test.want, brokenAtOptions(test.source)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// TestBrokenCommandsDoTheSame compares all commands of all pages with what pages show of them.
func TestBrokenCommandsDoTheSame(t *testing.T) {
	broken := 0
	for name, file := range files() {
		text, err := docs.Files.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range regexp.MustCompile("(?ms)^```sh[^\n]*\n(.*?)^```").FindAllStringSubmatch(string(text), -1) {
			source, shown := block[1], brokenAtOptions(block[1])
			if diff := cmp.Diff(printed(t, source), printed(t, shown)); diff != "" {
				t.Errorf("%s (-source +shown):\n%s", name, diff)
			}
			if source != shown {
				broken++
			}
		}
	}
	if broken < 10 {
		t.Errorf("only %d blocks were broken", broken)
	}
}

// printed are commands in one form, whatever lines they have.
func printed(t *testing.T, source string) string {
	t.Helper()
	file, err := syntax.NewParser().Parse(strings.NewReader(source), "")
	if err != nil {
		return source
	}
	var out strings.Builder
	if err := syntax.NewPrinter(syntax.SingleLine(true)).Print(&out, file); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestTabs(t *testing.T) {
	var page strings.Builder
	source := "```sh tab\ncurl a\n```\n\n```php tab\nb();\n```\n\ntext\n\n```go tab\nc\n```\n\n```json\n{}\n```\n"
	if err := markdown.Convert([]byte(source), &page); err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"curl", "PHP"}, {"Go"}}
	var got [][]string
	for _, group := range strings.Split(page.String(), `<div class="tabs">`)[1:] {
		list, _, _ := strings.Cut(group, "</div>")
		got = append(got, strings.Split(strings.Trim(markup.ReplaceAllString(list, " "), " "), "  "))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, page.String())
	}
	if blocks := strings.Count(page.String(), "<figure "); blocks != 4 {
		t.Errorf("it has %d blocks", blocks)
	}
}

// TestPartsOfStartAreItsPrograms joins the blocks of each language, and compares them with the program without its comments about parts.
func TestPartsOfStartAreItsPrograms(t *testing.T) {
	page, _ := New(Options{BaseURL: documentedAt}).Doc("start")
	for _, in := range inLanguages {
		program, err := docs.Files.ReadFile("examples/start" + in.ending)
		if err != nil {
			t.Fatal(err)
		}
		begins := partBegins().FindIndex(program)
		want := in.begins + strings.TrimSpace(partBegins().ReplaceAllString(string(program[begins[1]:]), ""))
		var got []string
		for _, block := range regexp.MustCompile("(?s)```"+in.language+" tab\n(.*?)\n```").FindAllStringSubmatch(page.Markdown, -1) {
			got = append(got, block[1])
		}
		if diff := cmp.Diff(want, strings.Join(got, "\n\n")); diff != "" {
			t.Errorf("%s (-program +page):\n%s", in.language, diff)
		}
	}
}
