package scan

import "strings"

// This file finds what calls assign: entries of maps, and pieces of texts that are built.

// assignedByCall returns what a statement assigns that is a call: paths.put("sold", "/item/…"), builder.append(a).append(b).
func (p *program) assignedByCall(s *statement) (assignment, bool) {
	nodes := s.nodes
	if len(nodes) > 1 && nodes[0].is("this", "self") && isMemberMark(nodes, 1, p.lang) {
		nodes = nodes[2:]
	}
	if len(nodes) < 4 || !nodes[0].isName() || !isMemberMark(nodes, 1, p.lang) || !nodes[2].isName() || !nodes[3].isGroup('(') {
		return assignment{}, false
	}
	object, args := simple(nodes[0].token.text), split(nodes[3].kids, ",")
	switch simple(nodes[2].token.text) {
	case "put", "set", "setproperty", "add", "setdefault", "store", "setitem":
		if len(args) != 2 || len(args[0]) != 1 || !args[0][0].isText() || len(nodes) != 4 || strings.ContainsAny(args[0][0].literal(), "/ ?") || len(args[0][0].parts) != 1 {
			return assignment{}, false
		}
		key := args[0][0].literal()
		return assignment{name: simple(key), written: "", holder: object, value: args[1], at: s.at, constant: true, member: true}, key != ""
	case "append", "appendformat", "write", "concat":
		return p.appended(s, nodes, object)
	}
	return assignment{}, false
}

// enumConstants returns the constants of an enum whose values are arguments: SOLD("GET", "/item/…"), OPENED("GET", "/item/…").
func (p *program) enumConstants(s *statement) (found []assignment) {
	if !p.lang.java() {
		return nil
	}
	for _, part := range split(s.nodes, ",") {
		if len(part) != 2 || !part[0].isName() || !isUpper(part[0].token.text) || !part[1].isGroup('(') {
			return nil
		}
		for _, arg := range split(part[1].kids, ",") {
			if len(arg) > 0 && arg[0].isText() && methodWord(arg[0].literal()) == "" {
				found = append(found, assignment{
					name: simple(part[0].token.text), written: part[0].token.text, value: arg, at: part[0].at, constant: true, depth: s.depth,
				})
				break
			}
		}
	}
	return found
}

// appended returns what a chain of calls appends to a text.
func (p *program) appended(s *statement, nodes []node, object string) (assignment, bool) {
	if !p.lang.java() && p.lang != langCSharp && p.lang != langVB {
		return assignment{}, false
	}
	a := assignment{name: object, written: nodes[0].token.text, at: s.at, depth: s.depth, fn: s.fn, appends: true}
	for i := 1; i+2 < len(nodes); i += 3 {
		if !isMemberMark(nodes, i, p.lang) || !nodes[i+1].isName() || !nodes[i+2].isGroup('(') {
			return assignment{}, false
		}
		if len(a.value) > 0 {
			a.value = append(a.value, markNode("+", nodes[i].at))
		}
		if simple(nodes[i+1].token.text) == "appendformat" {
			a.value = append(a.value, nameNode("format", nodes[i+1].at), nodes[i+2])
			continue
		}
		inner := nodes[i+2]
		inner.open = '('
		a.value = append(a.value, inner)
	}
	return a, len(a.value) > 0
}
