package site

import (
	"github.com/yuin/goldmark/ast"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
)

// Addresses of sections stay alive. When a section moves to another page of docs, its anchor stays on the old page: it marks the entry of
// a list, or the row of a table, with the link to the new place.

// moved are the sections that moved. For each page, it has their anchors with the new place: a page, and an anchor if it is needed.
var moved = map[string]map[string]string{
	"webhooks": {
		"events":                              "webhook-events",
		"check-the-signature":                 "webhook-security#check-the-signature",
		"answer":                              "webhook-receiver",
		"when-you-do-not-answer":              "webhook-retries",
		"see-what-was-sent-and-send-it-again": "webhook-deliveries",
		"catch-up":                            "webhook-recovery",
		"change-the-secret":                   "webhook-security#change-the-secret",
		"on-your-own-machine":                 "webhook-receiver#on-your-own-machine",
	},
	"sandbox": {
		"what-buyers-and-the-marketplace-do": "sandbox-calls",
		"who-buys":                           "sandbox-buyers",
		"how-publication-ends":               "sandbox-images",
		"a-clean-sandbox":                    "sandbox-reset",
	},
	"clients": {
		"python":     "clients-python",
		"php":        "clients-php",
		"javascript": "clients-javascript",
		"go":         "clients-go",
	},
}

// pageName is the key under which the parser's context has the name of the page.
var pageName = parser.NewContextKey()

// keepAnchor marks the place of a link if a section of the page moved to the link's destination. The first such link is marked.
func keepAnchor(page string, link *ast.Link, marked map[string]bool) {
	for anchor, target := range moved[page] {
		if docPath(target) == string(link.Destination) && !marked[anchor] {
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
