package site

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"net/url"
	"path"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"sellerd/docs"
	"sellerd/internal/base/pattern"
)

// The pages of docs are Markdown files, which people also read as files. This file makes of each what a server shows: the
// same page in Markdown and in HTML.

// Doc is a page of docs.
type Doc struct {
	Name     string
	Title    string // its first heading
	Markdown string
	HTML     template.HTML
}

// Path is the address of the page.
func (d *Doc) Path() string { return docPath(d.Name) }

func newDoc(name string, o Options, shows func(string) bool) *Doc {
	file, source := readDoc(name)
	source = forReader(withDownloads(withTabs(source), o.Downloads), o.Demo)
	if o.DemoFile != nil {
		source = strings.ReplaceAll(source, "data/demo-keys.json", o.DemoFile("demo-keys.json"))
		source = strings.ReplaceAll(source, "cat data/operator-token", "cat "+o.DemoFile("operator-token"))
	}
	if o.OperatorURL != "" {
		source = strings.ReplaceAll(source, operatedAt, o.OperatorURL)
	}
	source = relinked(source, file, shows)
	source = strings.ReplaceAll(source, documentedAt, o.BaseURL)
	heading, _, _ := strings.Cut(source, "\n")
	title, isTitle := strings.CutPrefix(heading, "# ")
	if !isTitle {
		panic(fmt.Sprintf("the page %s does not begin with its title", name))
	}
	var body bytes.Buffer
	context := parser.NewContext()
	context.Set(pageName, name)
	if err := markdown.Convert([]byte(source), &body, parser.WithContext(context)); err != nil {
		panic(fmt.Sprintf("render the page %s: %v", name, err))
	}
	return &Doc{name, title, source, Reachable(body.String())}
}

// documentedAt and operatedAt are the addresses of `make run`, which the files have in their commands. The pages have the server's, so that
// commands can be copied as they are.
const (
	documentedAt = "http://localhost:8080"
	operatedAt   = "http://127.0.0.1:8081"
)

// files are the files of all pages, seen from docs, by the names of the pages. The names do not have the folders, so that a page can move
// to another folder and keeps its address.
var files = sync.OnceValue(func() map[string]string {
	found, _ := fs.Glob(docs.Files, "*/*.md") // fails only if the pattern is malformed
	files := map[string]string{}
	for _, file := range found {
		name := nameOf(file)
		if files[name] != "" {
			panic(fmt.Sprintf("%s and %s are both the page %s", files[name], file, name))
		}
		files[name] = file
	}
	return files
})

// nameOf is the name of the page of a file: that of the file without its ending, or that of its folder for a README.
func nameOf(file string) string {
	return strings.TrimSuffix(path.Base(strings.TrimSuffix(file, "/README.md")), ".md")
}

// readDoc returns a page's file, seen from docs, and its text.
func readDoc(name string) (file, source string) {
	file = files()[name]
	text, err := docs.Files.ReadFile(file)
	if err != nil {
		panic(fmt.Sprintf("there is no file for the page %s", name))
	}
	return file, string(text)
}

// Lines of a file that only a server with --demo shows stand between these. Other comments are for the people who write the files.
const (
	demoBegins = "<!-- demo -->"
	demoEnds   = "<!-- /demo -->"
)

// What a file says of where the programs for sellers come from stands between these. A server that has them says there how to get them.
const (
	downloadsBegin = "<!-- downloads -->\n"
	downloadsEnd   = "<!-- /downloads -->\n"
)

func withDownloads(source, how string) string {
	before, rest, found := strings.Cut(source, downloadsBegin)
	_, after, ends := strings.Cut(rest, downloadsEnd)
	if !found || !ends || how == "" {
		return source
	}
	return before + how + after
}

// sellersWords are what a seller writes in place of what only a demo server, or a checkout of this repository, has.
var sellersWords = strings.NewReplacer(
	"export SELLERD_KEY=$(grep -o 'dk_test_[A-Za-z0-9_]*' data/demo-keys.json)", "read -r SELLERD_KEY && export SELLERD_KEY  # paste your key, and press Enter",
	"KEY=$(grep -o 'dk_test_[A-Za-z0-9_]*' data/demo-keys.json)", "KEY=dk_test_…",
	"LIVE=$(grep -o 'dk_live_[A-Za-z0-9_]*' data/demo-keys.json)", "LIVE=dk_live_…",
	"bin/sellerd ", "sellerd ",
)

// forReader leaves comments out of a file, and, without demo, what only a demo server has.
func forReader(source string, demo bool) string {
	var kept []string
	hidden := false
	for line := range strings.SplitSeq(source, "\n") {
		switch comment := strings.TrimSpace(line); {
		case comment == demoBegins:
			hidden = !demo
		case comment == demoEnds:
			hidden = false
		case hidden, strings.HasPrefix(comment, "<!--") && strings.HasSuffix(comment, "-->"):
		default:
			kept = append(kept, line)
		}
	}
	text := blankLines().ReplaceAllString(strings.Join(kept, "\n"), "\n\n")
	text = strings.ReplaceAll(text, " || true\n", "\n") // where the test of the commands expects a refusal
	if !demo {
		text = sellersWords.Replace(text)
	}
	return text
}

// blankLines are what left-out lines leave.
var blankLines = pattern.Late(`\n{3,}`)

// goClient is the folder of the Go client, seen from docs.
const goClient = "../v1/client/"

// linkText finds links. Pictures begin like them.
var linkText = pattern.Late(`(!?)\[([^\]]*)\]\(([^)\s]+)\)`)

// fence finds the lines that begin and end blocks of code.
var fence = pattern.Late("(?m)^[ \t]*```.*$")

// relinked has links between files as links between pages in Markdown, which are at the addresses of the pages with an ending. Of a link
// to a file that the site does not show, the text stays. Code stays as it is.
func relinked(source, file string, shows func(string) bool) string {
	var out strings.Builder
	from, code := 0, false
	for _, at := range append(fence().FindAllStringIndex(source, -1), []int{len(source), len(source)}) {
		if part := source[from:at[1]]; code {
			out.WriteString(part)
		} else {
			out.WriteString(linkText().ReplaceAllStringFunc(part, func(link string) string { return relink(link, file, shows) }))
		}
		from, code = at[1], !code
	}
	return out.String()
}

// relink is one link, relinked.
func relink(link, file string, shows func(string) bool) string {
	parts := linkText().FindStringSubmatch(link)
	picture, words := parts[1] != "", parts[2]
	u, err := url.Parse(parts[3])
	if err != nil || picture || u.Host != "" || u.Path == "" || path.IsAbs(u.Path) {
		return link
	}
	to := path.Join(path.Dir(file), u.Path)
	name := nameOf(to)
	switch {
	case path.Ext(to) != ".md" && isFile(to):
		u.Path = "/docs/" + to
	case strings.HasPrefix(to, goClient): // served beside the other clients
		u.Path = "/docs/clients/" + strings.TrimPrefix(to, goClient)
	case path.Ext(to) == ".md" && files()[name] == to && shows(name):
		u.Path = docPath(name) + ".md"
	default:
		return words
	}
	return "[" + words + "](" + u.String() + ")"
}

// isFile says whether the program has a file of docs.
func isFile(name string) bool {
	_, err := docs.Files.ReadFile(name)
	return err == nil
}

var markdown = goldmark.New(
	goldmark.WithExtensions(extension.Table),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(codeRenderer{}, 0))),
	goldmark.WithParserOptions(parser.WithAutoHeadingID(), parser.WithASTTransformers(
		util.Prioritized(asPage{}, 0), util.Prioritized(numberColumns{}, 1),
	)),
)

// asPage makes a page of a Markdown file: links lead to pages in HTML, and links to sections that moved have
// their old anchors.
type asPage struct{}

// Transform changes a document.
func (asPage) Transform(document *ast.Document, source text.Reader, context parser.Context) {
	page, _ := context.Get(pageName).(string)
	marked := map[string]bool{}
	_ = ast.Walk(document, func(node ast.Node, entering bool) (ast.WalkStatus, error) { // our function never fails
		switch node := node.(type) {
		case *ast.Link:
			if entering {
				node.Destination = htmlLink(node.Destination)
				keepAnchor(page, node, marked)
			}
		case *ast.List:
			if entering {
				asCards(node, source.Source())
			}
		}
		return ast.WalkContinue, nil
	})
}

// asCards makes cards of a list in which each entry begins with a link in bold letters and a colon. The colon is for readers of the file.
func asCards(list *ast.List, source []byte) {
	var colons []*ast.Text
	for entry := list.FirstChild(); entry != nil; entry = entry.NextSibling() {
		if !entry.HasChildren() {
			return
		}
		bold, isBold := entry.FirstChild().FirstChild().(*ast.Emphasis)
		if !isBold || bold.FirstChild().Kind() != ast.KindLink {
			return
		}
		colon, isText := bold.NextSibling().(*ast.Text)
		if !isText || !bytes.HasPrefix(colon.Value(source), []byte(": ")) {
			return
		}
		colons = append(colons, colon)
	}
	for _, colon := range colons {
		colon.Segment = colon.Segment.WithStart(colon.Segment.Start + 1)
	}
	list.SetAttributeString("class", []byte("cards"))
}

func htmlLink(destination []byte) []byte {
	u, err := url.Parse(string(destination))
	if err != nil || u.Host != "" || path.Ext(u.Path) != ".md" {
		return destination
	}
	u.Path = strings.TrimSuffix(u.Path, ".md")
	return []byte(u.String())
}

// A page can show parts of programs in tabs. The programs are in a folder of docs, and run as they are. The tab before them is the block of
// commands above, which the page shows alone as a file.

// tabbed finds the comment that names programs and their part, and the block of commands above it, if there is one.
var tabbed = pattern.Late("(?s)(?:```sh\n((?:[^`]|`[^`])*?)```\n)?<!-- tabs: ([\\w/.-]+), part ([0-9]+) -->\n")

// inLanguages are the languages of the tabs after the first, with the endings of their programs and what a program begins with.
var inLanguages = []struct{ language, ending, begins string }{{"php", ".php", "<?php\n\n"}, {"js", ".mjs", ""}, {"python", ".py", ""}, {"go", ".go", ""}}

// withTabs is the text of a page with the blocks that its comments name.
func withTabs(source string) string {
	return tabbed().ReplaceAllStringFunc(source, func(found string) string {
		match := tabbed().FindStringSubmatch(found)
		var out strings.Builder
		if match[1] != "" {
			fmt.Fprintf(&out, "```sh tab\n%s```\n\n", match[1])
		}
		for _, in := range inLanguages {
			if program, err := docs.Files.ReadFile(match[2] + in.ending); err == nil {
				begins := ""
				if match[3] == "1" {
					begins = in.begins
				}
				fmt.Fprintf(&out, "```%s tab\n%s%s\n```\n\n", in.language, begins, part(program, match[3]))
			}
		}
		return out.String()
	})
}

// partBegins finds the comment above a part: its number and its heading.
var partBegins = pattern.Late(`(?m)^[ \t]*(?://|#) ([0-9]+)\. .*\n`)

// part is a part of a program without the comment above it.
func part(program []byte, number string) []byte {
	begins := append(partBegins().FindAllSubmatchIndex(program, -1), []int{len(program)})
	for i, at := range begins[:len(begins)-1] {
		if string(program[at[2]:at[3]]) == number {
			return bytes.TrimRight(program[at[1]:begins[i+1][0]], "\n")
		}
	}
	panic(fmt.Sprintf("the program has no part %s", number))
}
