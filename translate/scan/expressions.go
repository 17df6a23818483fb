package scan

import (
	"slices"
	"strings"
)

// This file visits the expressions of a file of source, with what stands around each.

// each calls a function with each expression among nodes: arguments, values of tables, and what is assigned.
func (a *analysis) each(nodes []node, st int, c *around, visit func(expr []node, c *around)) {
	a.file.budget.spend(4 * len(nodes))
	parts := split(nodes, ",")
	for index, part := range parts {
		if len(part) == 0 {
			continue
		}
		expr, here := part, c
		if c != nil {
			inner := *c
			inner.arg, inner.key = index, ""
			here = &inner
		}
		for i := 0; i < len(part); i++ {
			if part[i].token == nil || part[i].kind != tokenMark {
				continue
			}
			if part[i].is("=", "=>", ":", ":=", "+=", ".=", "&=", "||=", "??=", "<<") && i > 0 && i+1 < len(part) {
				a.file.budget.spend(i)
				if part[i].is(":") && i > 1 && a.file.lang != langVB && hasQuestion(part[:i]) {
					break
				}
				if part[i].is("=>") && i+1 < len(part) && part[i-1].token == nil {
					if a.file.lang == langPerl { // post($self->url('item') => …)
						visit(part[:i], here)
					}
					expr = part[i+1:]
					break
				}
				if i > 0 && part[i-1].token != nil {
					if here != nil {
						here.key = part[i-1].text()
					}
					if i == 1 && part[0].isText() || i > 1 && a.file.lang == langPerl && part[i].is("=>") {
						visit(part[:i], here)
					}
				}
				expr = part[i+1:]
				if !part[i].is(":") || c != nil {
					break
				}
			}
		}
		if command, rest := a.command(expr); command != nil && c == nil {
			tail := nodes[len(nodes)-len(rest)-after(parts, index):]
			here = &around{callee: command, list: part, at: -1, args: split(tail, ",")}
			for i, arg := range here.args {
				inner := *here
				inner.arg = i
				visit(arg, &inner)
				a.groups(arg, st, &inner, visit)
			}
			return
		}
		if len(expr) > 1 && c != nil && expr[0].isName() && expr[1].isText() && strings.ToUpper(expr[0].token.text) == expr[0].token.text && methodWord(expr[0].token.text) != "" {
			here = &around{callee: []string{expr[0].token.text}, list: part, at: -1, args: parts[index:], outer: c} // request(POST "https://…", …)
			expr = expr[1:]
		}
		visit(expr, here)
		a.groups(part, st, here, visit)
	}
}

func after(parts [][]node, index int) int {
	n := 0
	for _, part := range parts[index+1:] {
		n += len(part) + 1
	}
	return n
}

func hasQuestion(nodes []node) bool {
	return slices.ContainsFunc(nodes, func(n node) bool { return n.is("?") })
}

// groups goes into the groups of an expression.
func (a *analysis) groups(part []node, st int, c *around, visit func(expr []node, c *around)) {
	for i := range part {
		n := &part[i]
		if n.token != nil || len(n.kids) == 0 && (n.open != '(' || i < 3 || !part[i-1].isName() || verbOf(part[i-1].token.text) == "") {
			continue
		}
		inner := &around{list: part, at: i, args: split(n.kids, ","), outer: c}
		if n.open == '(' {
			var start int
			inner.callee, start = calleeOf(part, i, a.file.lang)
			a.file.budget.spend(4 * (i - start))
			if len(inner.callee) == 0 && i > 1 && part[i-1].token == nil { // getattr(requests, verb)(url), axios[verb](url)
				names, _ := calleeOf(part, i-1, a.file.lang)
				if part[i-1].open == '[' && len(names) > 0 || len(names) == 1 && names[0] == "getattr" {
					inner.callee, inner.args = append(names, "request"), append(inner.args, split(part[i-1].kids, ",")...)
				}
			}
			inner.marked = start > 0 && part[start-1].is("@") && a.file.lang != langPHP || c != nil && c.list != nil && c.at >= 0 && c.at < len(c.list) && c.list[c.at].isGroup('[') && a.file.lang == langCSharp && c.at == 0
		} else if n.open == '[' && i > 0 && (part[i-1].isName() && !part[i-1].is("return", "yield", "await", "in", "else", "new", "of") || part[i-1].token == nil) && a.file.lang != langGo && a.file.lang != langCSharp {
			if i+2 < len(part) && len(n.kids) > 0 && n.kids[0].isText() && isMemberMark(part, i+1, a.file.lang) && part[i+2].isName() && verbOf(part[i+2].token.text) != "" {
				resource := *inner // resource['path'].get
				resource.callee = []string{part[i-1].text(), part[i+2].token.text}
				visit(n.kids, &resource)
			}
			continue // a key
		}
		if n.open == '(' && i > 2 && len(inner.callee) > 0 && verbOf(inner.callee[len(inner.callee)-1]) != "" && isMemberMark(part, i-2, a.file.lang) &&
			(part[i-3].token == nil || part[i-3].isText()) { // target(HOST).path("item").delete()
			_, from := calleeOf(part, i, a.file.lang)
			a.file.budget.spend(4 * (i - from))
			for from = min(from, i-3); from >= 2 && isMemberMark(part, from-1, a.file.lang) && (part[from-2].token == nil || part[from-2].isText()); {
				from -= 2
			}
			a.file.budget.spend(i - from)
			subject := *inner
			subject.arg = -1
			visit(part[from:i-2], &subject)
		}
		a.each(n.kids, st, inner, visit)
	}
}

// command returns the name and the arguments of a call without brackets: puts "…", http.Open "POST", url, echo "…".
func (a *analysis) command(expr []node) (names []string, rest []node) {
	i := 0
	for i < len(expr) && expr[i].isName() {
		names = append(names, expr[i].token.text)
		i++
		if i < len(expr) && isMemberMark(expr, i, a.file.lang) {
			i++
			continue
		}
		break
	}
	if i == 0 || i >= len(expr) || len(names) == 0 || expr[i-1].token != nil && !expr[i-1].isName() {
		return nil, nil
	}
	first := names[0]
	if len(names) == 1 {
		switch first {
		case "return", "new", "await", "const", "let", "var", "my", "our", "static", "final", "public", "private", "protected", "yield", "case", "export", "Return", "Dim", "Set", "Let", "Const", "local", "if", "elif", "else", "default", "val", "Private", "Public", "in", "not", "and", "or", "f", "async", "when", "unless", "elsif", "use", "String", "string", "auto", "Call", "type", "def":
			return nil, nil
		}
	}
	n := &expr[i]
	switch {
	case n.isText():
		return names, expr[i:]
	case n.isName() && (a.file.lang == langRuby || a.file.lang == langVB || a.file.lang == langPerl) && len(names) > 0 && !n.is("if", "unless", "As", "as", "and", "or", "do"):
		return names, expr[i:]
	case n.isName() && first == "throw", first == "echo", first == "print":
		return names, expr[i:]
	}
	return nil, nil
}
