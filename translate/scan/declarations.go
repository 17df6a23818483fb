package scan

// This file reads declarations in brackets: const ( … ) and var ( … ) of Go.

// declarations adds a statement for each line of a declaration, and says whether the nodes are one.
func (b *builder) declarations(nodes []node, depth int, fn *function) bool {
	if b.lang != langGo || len(nodes) != 2 || !nodes[0].is("const", "var") || !nodes[1].isGroup('(') {
		return false
	}
	kids, from := nodes[1].kids, 0
	for i := 0; i <= len(kids); i++ {
		if i < len(kids) && (!kids[i].isLine() && !kids[i].is(";") || kids[i].isLine() && b.continues(kids, i)) {
			continue
		}
		if line := withoutLines(kids[from:i]); len(line) > 0 {
			b.statement(append([]node{nodes[0]}, line...), depth, fn)
		}
		from = i + 1
	}
	return true
}
