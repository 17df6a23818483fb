package scan

import (
	"slices"
	"strings"
)

// This file puts tokens into groups, by their brackets.

// node is a token, or a group in brackets.
type node struct {
	*token      // nil for a group
	open   byte // ( [ { of a group
	kids   []node
	at     int
}

func (n *node) isGroup(open byte) bool { return n.token == nil && n.open == open }

// is says whether the node is a mark or a name with one of some texts.
func (n *node) is(texts ...string) bool {
	return n.token != nil && (n.kind == tokenMark || n.kind == tokenName) && slices.Contains(texts, n.token.text)
}

func (n *node) isName() bool { return n.token != nil && n.kind == tokenName }
func (n *node) isText() bool { return n.token != nil && n.kind == tokenText }
func (n *node) isLine() bool { return n.token != nil && n.kind == tokenLine }

// maxDepth is how deep brackets and blocks are read. Those inside are read as if they had none.
const maxDepth = 100

// group builds groups of tokens.
func group(tokens []token, lang *language) []node {
	type level struct {
		open  byte
		at    int
		kids  []node
		lines bool // its lines are declarations: const ( … ) of Go
	}
	levels := []level{{}}
	closeLevel := func() {
		top := levels[len(levels)-1]
		levels = levels[:len(levels)-1]
		outer := &levels[len(levels)-1]
		outer.kids = append(outer.kids, node{open: top.open, kids: top.kids, at: top.at})
	}
	for i := range tokens {
		t := &tokens[i]
		top := &levels[len(levels)-1]
		switch {
		case t.kind == tokenMark && len(t.text) == 1 && strings.Contains("([{", t.text):
			if len(levels) < maxDepth {
				levels = append(levels, level{open: t.text[0], at: t.at, lines: lang == langGo && i > 0 && tokens[i-1].kind == tokenName && (tokens[i-1].text == "const" || tokens[i-1].text == "var")})
			}
		case t.kind == tokenMark && len(t.text) == 1 && strings.Contains(")]}", t.text):
			open := "([{"[strings.Index(")]}", t.text)]
			found := false
			for j := len(levels) - 1; j > 0 && !found; j-- {
				found = levels[j].open == open
				if !found && levels[j].open == '{' && open != '{' {
					break // a bracket that is missing does not end a block
				}
			}
			for found {
				done := levels[len(levels)-1].open == open
				closeLevel()
				if done {
					break
				}
			}
		case t.kind == tokenLine && !top.lines && (!lang.newlines || top.open == '(' || top.open == '[' || top.open == '{' && lang.indented):
		default:
			top.kids = append(top.kids, node{token: t, at: t.at})
		}
	}
	for len(levels) > 1 {
		closeLevel()
	}
	return levels[0].kids
}

// withoutLines returns nodes without line breaks.
func withoutLines(nodes []node) []node {
	if !slices.ContainsFunc(nodes, func(n node) bool { return n.isLine() }) {
		return nodes
	}
	return slices.DeleteFunc(slices.Clone(nodes), func(n node) bool { return n.isLine() })
}

func withoutLinesIn(n *node) []node { return withoutLines(n.kids) }

// split splits nodes at a mark.
func split(nodes []node, mark string) (parts [][]node) {
	from := 0
	for i := range nodes {
		if nodes[i].is(mark) {
			parts = append(parts, nodes[from:i])
			from = i + 1
		}
	}
	if from < len(nodes) {
		parts = append(parts, nodes[from:])
	}
	return parts
}
