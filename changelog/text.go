package changelog

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// markdown gives headings no ids: a page shows several texts, and their headings repeat.
var markdown = goldmark.New()

// HTML is the release's text. Links to this service's own pages (/docs/legacy) begin with baseURL: feeds are read elsewhere.
func (r Release) HTML(baseURL string) string { return toHTML(r.Text, baseURL) }

// toHTML renders a text of the tables.
func toHTML(markup, baseURL string) string {
	source := []byte(markup)
	document := markdown.Parser().Parse(text.NewReader(source))
	_ = ast.Walk(document, func(node ast.Node, entering bool) (ast.WalkStatus, error) { // our function never fails
		if link, ok := node.(*ast.Link); ok && entering && bytes.HasPrefix(link.Destination, []byte("/")) {
			link.Destination = append([]byte(baseURL), link.Destination...)
		}
		return ast.WalkContinue, nil
	})
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, source, document); err != nil {
		panic(fmt.Sprintf("render %q: %v", markup, err)) // writing to memory cannot fail
	}
	return out.String()
}

// Summary is the first paragraph of the release's text, without markup.
func (r Release) Summary() string { return summary(r.Text) }

// summary is the first paragraph of a text of the tables, without markup.
func summary(markup string) string {
	source := []byte(markup)
	var out strings.Builder
	_ = ast.Walk(markdown.Parser().Parse(text.NewReader(source)).FirstChild(), func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if words, ok := node.(*ast.Text); ok && entering {
			out.Write(words.Segment.Value(source))
			if words.SoftLineBreak() {
				out.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}
