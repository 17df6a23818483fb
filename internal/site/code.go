package site

import (
	"cmp"
	"html"
	"html/template"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"sellerd/internal/base/pattern"
)

// Every page shows code in the same block: a button that copies it (copy.js), and its lines, in colour. Nothing of it is out of
// sight: commands are broken at their options, and what is still too long is wrapped. Inside the block stands what the button copies.

// Output is the language of what a program prints. Its blocks look different and are not copied.
const Output = "output"

// languages are what readers call the languages of code.
var languages = map[string]string{
	"sh": "Shell", "powershell": "PowerShell", "bat": "Command prompt", "php": "PHP", "js": "JavaScript", "python": "Python", "go": "Go",
	"json": "JSON", "xml": "XML", "sql": "SQL", "yaml": "YAML", "http": "HTTP", Output: "Output", "": "Text", "text": "Text",
}

// Code is a block of code as a page shows it. The language is one that a fenced block of Markdown names.
func Code(language, source string) template.HTML { return block(language, "", source) }

// Sample is the same thing to do in one of several languages.
type Sample struct {
	Language string // as a fenced block of Markdown names it
	Label    string // what readers call it, one that style.css names: "curl", "PHP"; without it, the name of the language
	Source   string
	Anchor   string // where a link to this language leads, empty for none
}

// Tabs are blocks of which a reader sees the one in the language of their choice. All groups of all pages change with the choice (tabs.js).
// Without a script all of them are shown, one below the other.
func Tabs(samples []Sample) template.HTML {
	var list, panels strings.Builder
	for i, s := range samples {
		label := template.HTMLEscapeString(cmp.Or(s.Label, name(s.Language)))
		selected, focus := "true", "0"
		if i > 0 {
			selected, focus = "false", "-1"
		}
		list.WriteString(`<button type="button" role="tab" aria-selected="` + selected + `" tabindex="` + focus + `">` + label + "</button>")
		anchor := ""
		if s.Anchor != "" {
			anchor = ` id="` + template.HTMLEscapeString(s.Anchor) + `"`
		}
		panels.WriteString("<div" + anchor + ` role="tabpanel" aria-label="` + label + `">` + string(block(s.Language, label, s.Source)) + "</div>\n")
	}
	return template.HTML(`<div class="tabs"><div role="tablist" aria-label="Language">` + list.String() + "</div>\n" + panels.String() + "</div>\n")
}

// name is what readers call a language.
func name(language string) string { return cmp.Or(languages[language], language) }

func block(language, label, source string) template.HTML {
	var out strings.Builder
	class, copied := "code", " data-copy"
	switch language {
	case Output:
		class, copied = "code output", ""
	case "powershell", "bat": // on pages that have the commands of other systems, too
		class = "code named"
	}
	label = cmp.Or(label, template.HTMLEscapeString(name(language)))
	out.WriteString(`<figure class="` + class + `"><figcaption>` + label + "</figcaption>")
	out.WriteString("<pre" + copied + `><code class="language-` + template.HTMLEscapeString(cmp.Or(language, "text")) + `">`)
	if language == "sh" {
		source = brokenAtOptions(source)
	}
	writeLines(&out, colours(language, strings.TrimRight(source, "\n")))
	out.WriteString("</code></pre></figure>")
	return template.HTML(out.String())
}

// toBeContinued is at the end of a line that goes on. It hangs beyond the line, because it must not stand on a line of its own.
const toBeContinued = ` \`

// mostIndent is the deepest indent, in columns, that wrapped lines keep. style.css has a rule for each.
const mostIndent = 12

// writeLines writes each line as a box of its own, whose class says how far it is indented: there its wrapped rest begins. The ends of lines stand
// between the boxes, so that what a reader selects has each of them once.
func writeLines(out *strings.Builder, tokens []token) {
	open := false
	for _, t := range tokens {
		for line := range strings.Lines(t.text) {
			if !open {
				out.WriteString(`<span class="line` + indentClass(line) + `">`)
			}
			text, ends := strings.CutSuffix(line, "\n")
			text, goesOn := strings.CutSuffix(text, toBeContinued)
			text = strings.ReplaceAll(template.HTMLEscapeString(text), "/$", "/<wbr>$") // a phone tears no variable
			if t.class != "" && strings.TrimSpace(text) != "" {
				text = `<span class="` + t.class + `">` + text + "</span>"
			}
			out.WriteString(text)
			if goesOn {
				out.WriteString(`<span class="on">` + toBeContinued + "</span>")
			}
			if open = !ends; ends {
				out.WriteString("</span>\n")
			}
		}
	}
	if open {
		out.WriteString("</span>")
	}
}

// indentClass is the class for the indent at the beginning of a line, in steps of two columns. A tab is as wide as four, and what is wrapped of
// such a line is four columns deeper: a box that began between two stops would have its first tab shorter.
func indentClass(line string) string {
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	if tabs := strings.Count(indent, "\t"); tabs > 0 {
		return " tab" + strconv.Itoa(min(tabs, mostIndent/4))
	}
	columns := min(len(indent), mostIndent) / 2 * 2
	if columns == 0 {
		return ""
	}
	return " in" + strconv.Itoa(columns)
}

// plainCode finds blocks of code as templates and Markdown write them.
var plainCode = pattern.Late(`<pre( data-copy)?(?: tabindex="0")?><code(?: class="language-(\w+)")?>([^<]*)</code></pre>`)

// coded is HTML whose blocks of code are as Code makes them. Without a language, a block that can be copied is a command.
func coded(body template.HTML) template.HTML {
	return template.HTML(plainCode().ReplaceAllStringFunc(string(body), func(found string) string {
		parts := plainCode().FindStringSubmatch(found)
		language, source := parts[2], html.UnescapeString(parts[3])
		switch {
		case language != "":
		case parts[1] != "":
			language = "sh"
		case strings.HasPrefix(source, "{"):
			language = "json"
		}
		return string(Code(language, source))
	}))
}

// codeRenderer renders the code of Markdown: names in sentences, and fenced blocks. Blocks that follow each other and say "tab" after their
// language are one group of tabs. The anchor of a tab stands behind it: "go tab #go".
type codeRenderer struct{}

// longestWhole is how many characters of a name stand on one line.
const longestWhole = 24

// renderName renders code in a sentence. A browser ends lines after hyphens: a short name that has some stays in one piece.
func renderName(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	var text strings.Builder
	for child := node.FirstChild(); child != nil; child = child.NextSibling() {
		text.Write(child.(*ast.Text).Segment.Value(source))
	}
	name, class := strings.ReplaceAll(text.String(), "\n", " "), ""
	if len(name) <= longestWhole && strings.Contains(name, "-") {
		class = ` class="whole"`
	}
	_, err := w.WriteString("<code" + class + ">" + template.HTMLEscapeString(name) + "</code>")
	return ast.WalkSkipChildren, err
}

// RegisterFuncs says what is rendered.
func (codeRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindCodeSpan, renderName)
	r.Register(ast.KindFencedCodeBlock, func(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		sample, isTab := fenced(node, source)
		if sample.Language == "mermaid" {
			_, err := w.WriteString(string(statesPicture(headingOf(node, source), sample.Source)) + "\n")
			return ast.WalkContinue, err
		}
		if _, before := fenced(node.PreviousSibling(), source); isTab && before {
			return ast.WalkContinue, nil // it is in the group of the one before
		}
		shown := Code(sample.Language, sample.Source)
		if isTab {
			var samples []Sample
			for ; isTab; sample, isTab = fenced(node, source) {
				samples = append(samples, sample)
				node = node.NextSibling()
			}
			shown = Tabs(samples)
		}
		_, err := w.WriteString(string(shown) + "\n")
		return ast.WalkContinue, err
	})
}

// headingOf is the text of the heading above a block.
func headingOf(node ast.Node, source []byte) string {
	for node = node.PreviousSibling(); node != nil; node = node.PreviousSibling() {
		if heading, ok := node.(*ast.Heading); ok {
			return string(heading.Lines().Value(source))
		}
	}
	return ""
}

// fenced is what a fenced block has, and whether it is a tab. The tab of the shell is called curl.
func fenced(node ast.Node, source []byte) (s Sample, isTab bool) {
	block, ok := node.(*ast.FencedCodeBlock)
	if !ok {
		return s, false
	}
	s.Language = string(block.Language(source))
	if block.Info != nil {
		var info string
		info, s.Anchor, _ = strings.Cut(string(block.Info.Value(source)), " #")
		isTab = strings.HasSuffix(info, " tab")
	}
	if isTab && s.Language == "sh" {
		s.Label = "curl"
	}
	s.Source = string(block.Lines().Value(source))
	return s, isTab
}
