package translate

import (
	"slices"
	"strings"

	"sellerd/v1"
)

// This file builds the JSON body of a /v1 request. Its members are added one by one, in any order.

// node is a value of the body.
type node struct {
	name    string
	literal []byte
	parts   []*node
	list    bool
}

// at returns the node at a path, and adds it when it is missing.
func (n *node) at(path []string) *node {
	for _, name := range path {
		next := n.find([]string{name})
		if next == nil {
			next = &node{name: name}
			n.parts = append(n.parts, next)
		}
		n = next
	}
	return n
}

// find returns the node at a path, nil when there is none.
func (n *node) find(path []string) *node {
	for _, name := range path {
		i := slices.IndexFunc(n.parts, func(part *node) bool { return part.name == name })
		if i < 0 {
			return nil
		}
		n = n.parts[i]
	}
	return n
}

// append writes the value as JSON.
func (n *node) append(b []byte) []byte {
	if n.literal != nil {
		return append(b, n.literal...)
	}
	brackets := "{}"
	if n.list {
		brackets = "[]"
	}
	b = append(b, brackets[0])
	for i, part := range n.parts {
		if i > 0 {
			b = append(b, ',')
		}
		if !n.list {
			b = append(append(append(b, '"'), part.name...), '"', ':')
		}
		b = part.append(b)
	}
	return append(b, brackets[1])
}

// isBare says whether a text is a number or a boolean, as converters write them. A plan that takes every text gets others.
func isBare(text string) bool {
	return text == "true" || text == "false" || text != "" && strings.Trim(text, "-.0123456789") == "" && text[len(text)-1] >= '0'
}

// literal returns a text as JSON. Bytes that are not UTF-8 become U+FFFD; Latin-1 was converted before.
func literal(text string, bare bool) []byte {
	if bare && isBare(text) {
		return []byte(text)
	}
	return v1.AppendString(nil, text)
}
