package site

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
)

// Addresses of sections stay alive. When a section moves to another page of docs, its anchor stays on the old page: it marks the entry of
// a list, or the row of a table, with the link to the new place. The address of a removed page leads to the page that has its content.

//go:embed moved.txt
var movedFile string

// moved has the new place of each section that moved, such as api#keys, and of each removed page whose content another page has now. A place
// is a page, and an anchor if it is needed.
var moved = sync.OnceValue(func() map[string]string {
	places := map[string]string{}
	for pair := range slices.Chunk(strings.Fields(movedFile), 2) {
		places[pair[0]] = pair[1]
	}
	return places
})

// Successor is the page that has the content of a removed one, and the anchor of its place. ok is false if the site does not show it.
func (s *Site) Successor(name string) (page *Doc, anchor string, ok bool) {
	successor, anchor, _ := strings.Cut(moved()[name], "#")
	page, ok = s.Doc(successor)
	return page, anchor, ok
}

// pageName is the key under which the parser's context has the name of the page.
var pageName = parser.NewContextKey()

// keepAnchor marks the place of a link if a section of the page moved to the link's destination. The first such link is marked.
func keepAnchor(page string, link *ast.Link, marked map[string]bool) {
	for old, target := range moved() {
		anchor, ofPage := strings.CutPrefix(old, page+"#")
		if ofPage && docPath(target) == string(link.Destination) && !marked[anchor] {
			marked[anchor] = true
			entry(link).SetAttributeString("id", []byte(anchor))
		}
	}
}

// entry is the entry of a list, or the row of a table, that a link is in. Elsewhere it is the link itself.
func entry(link ast.Node) ast.Node {
	for node := link.Parent(); node != nil; node = node.Parent() {
		if kind := node.Kind(); kind == ast.KindListItem || kind == tables.KindTableRow {
			if _, taken := node.AttributeString("id"); !taken {
				return node
			}
		}
	}
	return link
}
