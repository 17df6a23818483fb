package scan

import (
	"slices"
)

// This file finds functions in statements: their names, their parameters, and which braces are their bodies.

// controls begin headers that are no functions.
var controls = []string{
	"if", "for", "foreach", "while", "switch", "catch", "elseif", "elsif", "else", "using", "lock", "with", "match", "synchronized", "unless", "until", "try",
	"do", "return", "select", "declare", "when", "await", "throw", "fixed", "print", "echo",
}

// isBody says whether a group in braces is the body of a function or of a statement such as if.
func (b *builder) isBody(before []node, n *node) bool {
	if len(before) == 0 {
		return false
	}
	last := &before[len(before)-1]
	switch {
	case last.is("=>", "->") && b.lang != langPHP && b.lang != langPerl:
		return true
	case last.isGroup('('):
		for i := len(before) - 2; i >= 0 && i >= len(before)-6; i-- {
			if before[i].is("new") {
				return slices.ContainsFunc(n.kids, func(kid node) bool { return kid.is(";") || kid.isGroup('{') })
			}
			if !before[i].isName() && !before[i].is(".", "<", ">") {
				break
			}
		}
		return true
	case b.lang == langPHP && len(before) >= 2 && before[len(before)-2].is(":") && last.isName():
		b.budget.spend(len(before))
		return slices.ContainsFunc(before, func(n node) bool { return n.is("function") })
	case b.lang == langGo:
		b.budget.spend(len(before))
		return slices.ContainsFunc(before, func(n node) bool { return n.is("func") }) && (last.isName() || last.isGroup('('))
	case b.lang == langPerl && last.is("sub"):
		return true
	case b.lang == langRuby:
		return len(n.kids) > 0 && n.kids[0].is("|")
	}
	return false
}

// functionOf returns the function that a header declares, nil for none.
func (b *builder) functionOf(header []node, depth int) *function {
	var first *node
	for i := range header {
		if header[i].isName() {
			first = &header[i]
			break
		}
	}
	if first != nil && first.is(controls...) {
		return nil
	}
	for i := range header {
		if header[i].is("class", "interface", "namespace", "enum", "struct", "module", "trait") && b.lang != langPython {
			return nil
		}
	}
	for i := range header {
		if !header[i].isGroup('(') {
			if b.lang == langPerl && header[i].is("sub") && i+1 < len(header) && header[i+1].isName() {
				return &function{name: header[i+1].token.text, depth: depth + 1, lines: true}
			}
			continue
		}
		name := ""
		switch {
		case i > 0 && header[i-1].is("function", "func", "fn", "async", "sub", "*") && !(i+1 < len(header) && header[i+1].isName() && b.lang == langGo):
			name = assigned(header[:i-1])
		case i > 0 && header[i-1].is("func"):
			continue // the receiver
		case i+1 < len(header) && header[i+1].is("=>", "->") && !(b.lang == langCSharp && i > 0 && header[i-1].isName()):
			name = assigned(header[:i])
		case i > 0 && header[i-1].isName():
			if i > 1 && header[i-2].is("new", ".", "->", "@") && !header[i-2].is("self") && b.lang != langJavaScript && b.lang != langRuby {
				continue
			}
			name = header[i-1].token.text
		case i > 1 && b.lang == langGo && header[i-1].isGroup('[') && header[i-2].isName(): // func call[T any](…)
			name = header[i-2].token.text
		case i > 0 && header[i-1].is(">"): // a generic method
			for j := i - 1; j > 0; j-- {
				if header[j].is("<") && header[j-1].isName() {
					name = header[j-1].token.text
					break
				}
			}
		default:
			name = assigned(header[:i])
		}
		return &function{name: name, params: b.params(header[i].kids), depth: depth + 1}
	}
	if n := len(header); n >= 2 && header[n-1].is("=>") && header[n-2].isName() {
		return &function{name: assigned(header[:n-2]), params: []param{{name: header[n-2].token.text}}, depth: depth + 1}
	}
	return nil
}

// assigned returns the name to which something is assigned, or of which it is a member.
func assigned(nodes []node) string {
	for i := len(nodes) - 1; i > 0; i-- {
		if !nodes[i].is("=", ":", ":=") {
			continue
		}
		switch before := &nodes[i-1]; {
		case before.isName():
			return before.token.text
		case before.isText():
			return before.literal()
		}
	}
	return ""
}

// expressionFunction returns the function of a statement such as get = (path) => request(BASE + path), nil for none.
func (b *builder) expressionFunction(nodes []node) *function {
	if b.lang == langPHP || b.lang == langPerl || b.lang == langRuby || b.lang == langVB || b.lang == langGo {
		return nil
	}
	if b.lang == langPython {
		if len(nodes) > 4 && nodes[0].isName() && nodes[1].is("=") && nodes[2].is("lambda") {
			for i := range nodes {
				if nodes[i].is(":") {
					return &function{name: nodes[0].token.text, params: b.params(nodes[3:i]), body: nodes[i+1:]}
				}
			}
		}
		return nil
	}
	fun := slices.IndexFunc(nodes, func(n node) bool { return n.is("fun") })
	for i := 1; i < len(nodes)-1; i++ {
		if nodes[i].is("(") {
			return nil
		}
		kotlin := nodes[i].is("=") && fun >= 0 && fun < i
		if !nodes[i].is("=>") && !kotlin || nodes[i+1].isGroup('{') {
			continue
		}
		header := nodes[:i+1]
		fn := b.functionOf(header, 0)
		if fn != nil && fn.name != "" {
			fn.body = nodes[i+1:]
			return fn
		}
		return nil
	}
	return nil
}

// memberFunction returns the function of a member such as item: (id) => "/item/" + id, and where it ends among nodes. i is that of
// its arrow.
func (b *builder) memberFunction(nodes []node, i int) (fn *function, end int) {
	if i+1 >= len(nodes) || nodes[i+1].isGroup('{') || b.lang != langJavaScript && b.lang != langCSharp {
		return nil, 0
	}
	end = i + 1
	for end < len(nodes) && !nodes[end].is(",") {
		end++
	}
	if fn = b.functionOf(entry(nodes[:i+1]), 0); fn == nil || fn.name == "" {
		return nil, 0
	}
	fn.body = nodes[i+1 : end]
	return fn, end
}

// params returns the parameters in brackets.
func (b *builder) params(kids []node) (params []param) {
	for _, part := range split(withoutLines(kids), ",") {
		var p param
		for i := range part {
			if part[i].is("=", ":=") {
				p.value = part[i+1:]
				part = part[:i]
				break
			}
		}
		p.name = b.paramName(part)
		p.rest = slices.ContainsFunc(part[:min(len(part), 2)], func(n node) bool {
			return n.is("...", "params") || n.is("ParamArray") && b.lang == langVB || n.is("*") && (b.lang == langPython || b.lang == langRuby)
		})
		if p.name == "self" || p.name == "cls" {
			if len(params) == 0 && b.lang == langPython {
				continue
			}
		}
		params = append(params, p)
	}
	return params
}

// paramName returns the name in a parameter with its type.
func (b *builder) paramName(part []node) string {
	first, last := "", ""
	for i := range part {
		if part[i].is("As") || part[i].is("as") && b.lang == langVB {
			return last
		}
		if part[i].is(":") && first != "" {
			break
		}
		if part[i].isName() && !part[i].is("public", "private", "protected", "readonly", "final", "val", "var", "ByVal", "ByRef", "Optional", "ParamArray", "this", "params", "out", "ref", "const", "override") {
			last = part[i].token.text
			if first == "" {
				first = last
			}
		}
	}
	switch b.lang {
	case langJavaScript, langPython, langGo, langRuby:
		return first
	case langJava, langKotlin:
		if slices.ContainsFunc(part, func(n node) bool { return n.is(":") }) {
			return first
		}
	}
	return last
}
