package scan

import (
	"strings"
	"unicode"
)

// This file finds what is assigned to names: in assignments, constants, and members of tables.

// assignment gives a name a value.
type assignment struct {
	name      string // simplified
	written   string // as it stands there, "" for a key
	holder    string // simplified name of the object or the table that it is a member of, "" for none
	value     []node
	statement int
	appends   bool
	member    bool // of a table
	constant  bool // outside of functions, or of an object
	at        int
	depth     int
	fn        *function
}

// simple returns a name in the form in which names are compared: letters and digits, in lower case.
func simple(name string) string {
	plain := true
	for i := range len(name) {
		if c := name[i]; c >= 'A' && c <= 'Z' || c == '_' || c == '-' || c == '.' || c >= 0x80 {
			plain = false
			break
		}
	}
	if plain {
		return name
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// assignments returns what the statements of a program assign.
func (p *program) assignments() (found []assignment) {
	for i := range p.statements {
		s := &p.statements[i]
		p.budget.spend(1 + len(s.nodes))
		if a, ok := p.loop(s, found); ok {
			a.statement = i
			found = append(found, a)
		}
		if parts := split(s.nodes, ","); len(parts) > 1 && allAssign(parts) { // const a = 1, b = 2, and the members of an enum
			for _, part := range parts {
				one := *s
				one.nodes = part
				if a, ok := p.assignedBy(&one); ok {
					a.statement = i
					found = append(found, a)
					for at := range a.value {
						if a.value[at].token == nil {
							found = p.members(found, a.value[at].kids, a.name, i, 0)
						}
					}
				}
			}
			continue
		}
		if constants := p.enumConstants(s); constants != nil {
			for _, a := range constants {
				a.statement = i
				found = append(found, a)
			}
			continue
		}
		if a, ok := p.assignedBy(s); ok {
			a.statement = i
			found = append(found, a)
			for at := range a.value {
				if a.value[at].token == nil {
					found = p.members(found, a.value[at].kids, a.name, i, 0)
				}
			}
			continue
		}
		for at := range s.nodes {
			if s.nodes[at].token == nil {
				found = p.members(found, s.nodes[at].kids, "", i, 0)
			}
		}
	}
	return found
}

// assignedBy returns what a statement assigns.
func (p *program) assignedBy(s *statement) (assignment, bool) {
	nodes := s.nodes
	for i := range nodes {
		n := &nodes[i]
		if n.token == nil || n.kind != tokenMark {
			if n.isName() && i+2 < len(nodes) && n.is("append", "Append", "concat") && i >= 2 && nodes[i-1].is(".") && nodes[i+1].isGroup('(') && i == 2 {
				return assignment{name: simple(nodes[0].text()), value: nodes[i+1].kids, appends: true, at: s.at, depth: s.depth, fn: s.fn}, true
			}
			continue
		}
		switch n.token.text {
		case "=", ":=", "+=", ".=", "&=", "||=", "??=", "//=":
		case "<<":
			if p.lang != langRuby {
				continue
			}
		case "?", "=>", "->", ":":
			if n.token.text != ":" || p.lang != langPython && p.lang != langJavaScript && !p.lang.java() {
				if n.token.text == "=>" || n.token.text == "?" {
					return assignment{}, false
				}
			}
			continue
		default:
			continue
		}
		if i == 0 || i+1 >= len(nodes) {
			return assignment{}, false
		}
		a := p.target(nodes[:i])
		if a.name == "" {
			return assignment{}, false
		}
		a.value, a.at, a.depth, a.fn = nodes[i+1:], s.at, s.depth, s.fn
		op := n.token.text
		a.appends = op == "+=" || op == ".=" || op == "&=" || op == "<<"
		a.constant = a.constant || s.fn == nil || a.holder != ""
		return a, true
	}
	if a, ok := p.assignedByCall(s); ok {
		return a, true
	}
	if len(nodes) == 2 && nodes[0].is("define", "Const", "const_set") && nodes[1].isGroup('(') { // define('NAME', value)
		if args := split(nodes[1].kids, ","); len(args) >= 2 && len(args[0]) == 1 && args[0][0].isText() {
			return assignment{name: simple(args[0][0].literal()), value: args[1], at: s.at, constant: true, depth: s.depth}, true
		}
	}
	if p.lang == langPerl && len(nodes) >= 4 && nodes[0].is("use") && nodes[1].is("constant") { // use constant NAME => value
		if nodes[2].isName() && nodes[3].is("=>", ",") {
			return assignment{name: simple(nodes[2].token.text), value: nodes[4:], at: s.at, constant: true}, true
		}
	}
	return assignment{}, false
}

// allAssign says whether each part assigns something.
func allAssign(parts [][]node) bool {
	for _, part := range parts {
		if len(part) < 3 || !part[1].is("=") && !(len(part) > 4 && (part[2].is("=") || part[3].is("="))) {
			return false
		}
	}
	return true
}

// text returns the text of a name or of a literal.
func (n *node) text() string {
	switch {
	case n.token == nil:
		return ""
	case n.kind == tokenText:
		return n.literal()
	}
	return n.token.text
}

// target returns the name on the left of an assignment.
func (p *program) target(nodes []node) assignment {
	for i := range nodes { // x: string, x As String
		if nodes[i].is(":") && i > 0 && (p.lang == langJavaScript || p.lang == langPython || p.lang.java()) {
			nodes = nodes[:i]
			break
		}
		if p.lang == langVB && nodes[i].isName() && strings.EqualFold(nodes[i].token.text, "as") && i > 0 {
			nodes = nodes[:i]
			break
		}
	}
	last := len(nodes) - 1
	a := assignment{}
	switch n := &nodes[last]; {
	case n.isName():
		a.name, a.written = simple(n.token.text), n.token.text
		if p.lang == langGo && last == 2 && nodes[1].is(",") { // x, err := f()
			a.name = simple(nodes[0].text())
		} else if p.lang == langGo && last >= 1 && nodes[last-1].isName() && !nodes[last-1].is("var", "const") { // const x string =
			a.name = simple(nodes[last-1].token.text)
		} else if last >= 2 && nodes[last-1].is(".", "->", "::", "?.") {
			a.holder = simple(nodes[last-2].text())
		} else if p.lang == langGo && last >= 2 && nodes[last-1].is("]", "*") {
			a.name = simple(nodes[0].text())
		}
	case n.token == nil && (n.open == '[' || n.open == '{' || n.open == '(' && p.lang == langVB) && last > 0:
		key := keyOf(n.kids)
		if n.open == '[' && p.lang == langGo && nodes[0].is("var", "const") && len(nodes) > 1 {
			key = nodes[1].text()
		}
		if n.open == '(' && last == 1 && p.lang == langPerl {
			return a
		}
		a.name = simple(key)
		if key == "" && n.open == '[' && len(n.kids) == 0 {
			a.name = simple(nodes[last-1].text()) // String x[] =
		}
		a.holder = simple(nodes[last-1].text())
	case n.token == nil && n.open == '(' && (p.lang == langPerl || p.lang == langPHP): // my ($a) = …
		if len(n.kids) == 1 {
			a.name = simple(n.kids[0].text())
		}
	}
	return a
}

// keyOf returns the literal key in brackets, "" for another expression.
func keyOf(kids []node) string {
	if len(kids) == 1 && kids[0].token != nil && kids[0].kind != tokenMark && kids[0].kind != tokenNumber {
		return kids[0].text()
	}
	return ""
}

// members adds the members of tables in brackets: 'key' => value, key: value, "key": value, key = value.
func (p *program) members(found []assignment, kids []node, holder string, statement, level int) []assignment {
	if level > maxDepth {
		return found
	}
	p.budget.spend(1 + len(kids))
	for _, part := range split(kids, ",") {
		if len(part) == 0 {
			continue
		}
		name, value := "", part
		for i := 1; i < len(part)-0 && i <= 2; i++ {
			if i >= len(part) {
				break
			}
			n := &part[i]
			if n.is("=>", ":", "=") || n.is("->") && p.lang.java() || n.is("to") && p.lang.java() {
				if first := &part[i-1]; p.lang == langPHP && n.is("=>") && first.isName() {
					value = part[i+1:] // a constant is the key
				} else if first.token != nil && (first.kind == tokenName || first.kind == tokenText) && len(part) > i+1 {
					name, value = simple(first.text()), part[i+1:]
				} else if first.isGroup('[') && len(part) > i+1 { // ["key"] = value
					name, value = simple(keyOf(first.kids)), part[i+1:]
				}
				break
			}
		}
		if name == "" && p.lang == langCSharp && len(part) == 1 && part[0].isGroup('{') { // { "key", value }
			if pair := split(part[0].kids, ","); len(pair) == 2 && len(pair[0]) == 1 && pair[0][0].isText() {
				found = append(found, assignment{name: simple(pair[0][0].literal()), holder: holder, value: pair[1], statement: statement, member: true, constant: true, at: part[0].at, fn: p.statements[statement].fn})
				continue
			}
		}
		inner := holder
		if name != "" {
			inner = name
			found = append(found, assignment{name: name, holder: holder, value: value, statement: statement, member: true, constant: true, at: part[0].at, fn: p.statements[statement].fn})
		}
		for i := range value {
			if value[i].token == nil {
				found = p.members(found, value[i].kids, inner, statement, level+1)
			}
		}
	}
	return found
}

// loop returns the variable of a loop over a list of texts.
func (p *program) loop(s *statement, before []assignment) (assignment, bool) {
	nodes := s.nodes
	ruby := p.lang == langRuby && len(nodes) > 4
	if len(nodes) < 2 || !nodes[0].is("for", "foreach", "For", "async") && !ruby {
		return assignment{}, false
	}
	if nodes[1].isGroup('(') && len(nodes) == 2 {
		nodes = nodes[1].kids
	}
	variable, list := "", []node(nil)
	for i := range nodes {
		n := &nodes[i]
		switch {
		case n.is("as") && i > 0 && i+1 < len(nodes): // foreach ($list as $key => $value)
			variable, list = nodes[len(nodes)-1].text(), nodes[:i]
		case n.is("in", "of", "In", "range") || n.is(":") && p.lang.java():
			if i == 0 {
				continue
			}
			for j := i - 1; j >= 0 && variable == ""; j-- {
				if nodes[j].isName() {
					variable = nodes[j].token.text
				}
			}
			list = nodes[i+1:]
		case ruby && n.is("each", "map") && i+1 < len(nodes):
			list = nodes[:i]
			for j := i + 1; j < len(nodes) && variable == ""; j++ {
				if nodes[j].is("|") && j+1 < len(nodes) {
					variable = nodes[j+1].text()
				} else if nodes[j].isGroup('{') && len(nodes[j].kids) > 1 {
					variable = nodes[j].kids[1].text()
				}
			}
		}
		if variable != "" && list != nil {
			break
		}
	}
	if p.lang == langPerl && variable == "" && len(s.nodes) >= 3 && s.nodes[len(s.nodes)-1].isGroup('(') {
		variable, list = s.nodes[len(s.nodes)-2].text(), s.nodes[len(s.nodes)-1:]
	}
	values := p.textsOf(list, before, 0)
	if variable == "" || len(values) == 0 {
		return assignment{}, false
	}
	return assignment{name: simple(variable), value: values, at: s.at, depth: s.depth, fn: s.fn}, true
}

// textsOf returns the texts of a list as alternatives.
func (p *program) textsOf(list []node, before []assignment, level int) (values []node) {
	add := func(n node) {
		if len(values) > 0 {
			values = append(values, markNode("||", n.at))
		}
		values = append(values, n)
	}
	for i := range list {
		n := &list[i]
		if len(values) >= 2*maxValues {
			break // an evaluation looks at no more
		}
		switch {
		case n.isText() && n.token.text == wordList:
			at, text, from := n.parts[0].at, n.literal(), 0
			for word := range strings.FieldsSeq(text) {
				if len(values) >= 2*maxValues {
					break
				}
				from += max(strings.Index(text[from:], word), 0)
				where := at + from
				from += len(word)
				add(node{token: &token{kind: tokenText, at: where, parts: []part{{text: word, at: where}}}, at: where})
			}
		case n.isText() && len(values) < 2*maxValues:
			add(*n)
		case n.token == nil && level < 3:
			for _, part := range split(n.kids, ",") {
				if len(part) > 2 && part[1].is("=>", ":") {
					part = part[2:]
				}
				inner := p.textsOf(part, before, level+1)
				for j := range inner {
					if !inner[j].is("||") && len(values) < 2*maxValues {
						add(inner[j])
					}
				}
			}
		case n.isName() && len(list) <= 3 && level == 0:
			p.budget.spend(len(before))
			for j := range before {
				if len(values) >= 2*maxValues {
					break
				}
				if a := &before[j]; a.name == simple(n.token.text) && len(a.value) > 0 && !a.member {
					inner := p.textsOf(a.value, before, level+1)
					for k := range inner {
						if !inner[k].is("||") && len(values) < 2*maxValues {
							add(inner[k])
						}
					}
				}
			}
		}
	}
	return values
}
