package scan

import (
	"slices"
	"strings"
)

// This file evaluates expressions to texts. What only a running program knows is a hole.

// piece is a literal text, or a hole.
type piece struct {
	text  string
	hole  bool
	name  string  // of a hole: the simplified name that has no value
	param int     // of a hole: the number of the function's parameter, from 1
	file  *source // where the literal stands
	at    int
	any   bool // the literal is one of a table, and only a running program knows which
	far   bool // the literal is a constant or a setting, which the expression names
	seen  int  // of a far literal: where the expression names it
}

// value is a text with holes.
type value []piece

// Limits of an evaluation.
const (
	maxValues = 16 // of an expression
	maxSteps  = 24 // from name to name
	maxPieces = 40 // of a value
	maxWork   = 4000
)

// evaluator evaluates expressions of a file.
type evaluator struct {
	file  *source
	world *world
	steps int
	work  int
	args  map[*function][][]value // of functions that are being evaluated

	budget *budget // of the file that is searched

	within *function // the function of an expression inside a statement, nil for that of the statement
}

// size returns the size of a value in bytes.
func (v value) size() int {
	n := len(v)
	for i := range v {
		n += len(v[i].text)
	}
	return n
}

func hole(name string) []value { return []value{{{hole: true, name: name}}} }

// values returns the texts that an expression may have, at a statement.
func (e *evaluator) values(nodes []node, st int) []value {
	e.work += 1 + len(nodes)/64
	e.budget.spend(15 + len(nodes)/4)
	if len(nodes) == 0 || e.steps > maxSteps || e.work > maxWork {
		return hole("")
	}
	if alternatives := e.alternatives(nodes); alternatives != nil {
		var all []value
		for _, part := range alternatives {
			all = append(all, e.values(part, st)...)
			if len(all) > maxValues {
				return all[:maxValues]
			}
		}
		return all
	}
	var result []value
	i := 0
	for i < len(nodes) {
		join, slash := e.isJoin(nodes, i)
		if join {
			i++
			continue
		}
		if nodes[i].is("%") && len(result) > 0 && (e.file.lang == langPython || e.file.lang == langRuby) {
			args := nodes[i+1:]
			if len(args) > 0 && args[0].token == nil {
				args = args[0].kids
			}
			return e.formatted(result, split(args, ","), st)
		}
		var term []value
		var next int
		term, next = e.term(nodes, i, st)
		if next <= i {
			next = i + 1
		}
		switch {
		case result == nil || term == nil:
			if term != nil {
				result = term
			}
		case nodes[i].isText() && nodes[i-1].isText() || e.joinedBefore(nodes, i):
			if slash = slash || e.file.lang == langPython && nodes[i-1].is("/"); slash {
				result = concat(result, []value{{{text: "/", file: e.file, at: nodes[i].at}}})
			}
			result = concat(result, term)
		case nodes[i].isText() && nodes[i-1].isName(): // return "…"
			result = term
		}
		i = next
	}
	if result == nil {
		return hole("")
	}
	return result
}

func (e *evaluator) joinedBefore(nodes []node, i int) bool {
	if i == 0 {
		return false
	}
	joined, _ := e.isJoin(nodes, i-1)
	return joined
}

// isJoin says whether a node is an operator that joins texts.
func (e *evaluator) isJoin(nodes []node, i int) (join, slash bool) {
	n := &nodes[i]
	if n.token == nil || n.kind != tokenMark {
		return false, false
	}
	if n.is("/") && e.file.lang == langPython {
		return i > 0 && i+1 < len(nodes), true
	}
	return n.is(e.file.lang.joins...), false
}

// alternatives splits an expression at operators that choose, nil when there are none.
func (e *evaluator) alternatives(nodes []node) [][]node {
	for i := range nodes {
		n := &nodes[i]
		if n.token == nil {
			continue
		}
		switch {
		case n.is("?") && n.kind == tokenMark && i > 0:
			rest := nodes[i+1:]
			depth := 0
			e.work++
			e.budget.spend(len(rest))
			if e.work > maxWork {
				return nil
			}
			for j := range rest {
				switch {
				case rest[j].is("?"):
					depth++
				case rest[j].is(":"):
					if depth == 0 {
						return [][]node{rest[:j], rest[j+1:]}
					}
					depth--
				}
			}
		case n.is("??", "||", "?:") && i > 0 && i+1 < len(nodes), n.is("//") && e.file.lang == langPerl && i > 0 && i+1 < len(nodes), n.is("or") && e.file.lang == langPython && i > 0 && i+1 < len(nodes):
			return [][]node{nodes[:i], nodes[i+1:]}
		case n.is("if") && e.file.lang == langPython && i > 0:
			for j := i; j < len(nodes)-1; j++ {
				if nodes[j].is("else") {
					return [][]node{nodes[:i], nodes[j+1:]}
				}
			}
		}
	}
	return nil
}

// concat joins each value of one list with each of another.
func concat(before, after []value) []value {
	all := make([]value, 0, min(len(before)*len(after), maxValues))
	for _, a := range before {
		for _, b := range after {
			if len(all) == maxValues || len(a)+len(b) > maxPieces {
				return all
			}
			all = append(all, append(slices.Clip(slices.Clone(a)), b...))
		}
	}
	return all
}

// textValues returns the texts of a text with its expressions.
func (e *evaluator) textValues(t *token, st int) []value {
	result := []value{{}}
	for i := range t.parts {
		p := &t.parts[i]
		if e.budget.spend(16 + len(p.code)); e.work > maxWork {
			break
		}
		if p.code == nil {
			if p.text == "" && len(t.parts) > 1 {
				continue
			}
			result = concat(result, []value{{{text: p.text, file: e.file, at: p.at}}})
			continue
		}
		if len(p.code) == 1 && p.code[0].kind == tokenName && p.code[0].text == "" {
			result = concat(result, hole(""))
			continue
		}
		result = concat(result, e.values(group(p.code, e.file.lang), st))
	}
	return result
}

// term evaluates the value at a node, with its members and calls, and returns where the next one begins.
func (e *evaluator) term(nodes []node, i, st int) ([]value, int) {
	for i < len(nodes) && nodes[i].is("new", "await", "return", "yield", "typeof", "ref", "out", "my", "our", "local", "echo", "&", "*", "!", "@", "New", "Return", "Call", "::", "\\") {
		i++
	}
	if i >= len(nodes) {
		return nil, i
	}
	n := &nodes[i]
	start := i
	if n.isGroup('(') && i+1 < len(nodes) && len(n.kids) <= 2 && len(n.kids) > 0 && n.kids[0].isName() && (nodes[i+1].isName() || nodes[i+1].isText() || nodes[i+1].isGroup('(')) {
		return e.term(nodes, i+1, st) // a cast
	}
	if e.file.lang == langPerl && n.is("join", "sprintf") && i+1 < len(nodes) && !nodes[i+1].isGroup('(') { // join '/', $base, @parts
		return e.call([]node{*n, {open: '(', kids: nodes[i+1:], at: n.at}}, 0, 0, st, nil), len(nodes)
	}
	var result []value
	switch {
	case n.isText():
		result = e.textValues(n.token, st)
	case n.token != nil && n.kind == tokenNumber:
		result = []value{{{text: n.token.text, file: e.file, at: n.at}}}
	case n.isGroup('('):
		result = e.values(n.kids, st)
	case n.token == nil:
		result = hole("")
	case n.isName():
		result = nil // see below
	default:
		return nil, i + 1
	}
	i++
	known := n.isName()
	for i < len(nodes) {
		next := &nodes[i]
		switch {
		case e.isMember(nodes, i):
			if i+1 < len(nodes) && nodes[i+1].isGroup('{') && e.file.lang == langPerl || i+1 < len(nodes) && nodes[i+1].isGroup('[') {
				i++
				continue
			}
			if i+1 >= len(nodes) || !nodes[i+1].isName() {
				return e.finish(nodes, start, i, st, known, result), i + 1
			}
			if i+2 < len(nodes) && nodes[i+2].isGroup('(') {
				result, known = e.call(nodes, start, i+1, st, e.finish(nodes, start, i, st, known, result)), false
				i += 3
				continue
			}
			if !known && nodes[i+1].is("length", "Length", "size") {
				result = hole("")
			}
			known = true
			i += 2
		case next.isGroup('('):
			if i == start+1 && !n.isName() {
				return e.finish(nodes, start, i, st, known, result), i
			}
			result, known = e.call(nodes, start, i-1, st, nil), false
			i++
		case next.isGroup('['), next.isGroup('{') && e.file.lang == langPerl:
			known = true
			i++
		case next.is("<") && i+2 < len(nodes) && e.genericEnd(nodes, i) > 0:
			i = e.genericEnd(nodes, i)
		default:
			return e.finish(nodes, start, i, st, known, result), i
		}
	}
	return e.finish(nodes, start, i, st, known, result), i
}

// genericEnd returns the node after the arguments of a generic type that a call follows, 0 when there are none.
func (e *evaluator) genericEnd(nodes []node, i int) int {
	if e.file.lang != langCSharp && !e.file.lang.java() && e.file.lang != langJavaScript {
		return 0
	}
	for j := i + 1; j < len(nodes) && j < i+12; j++ {
		switch {
		case nodes[j].is(">", ">>"):
			if j+1 < len(nodes) && nodes[j+1].isGroup('(') {
				return j + 1
			}
			return 0
		case nodes[j].isName(), nodes[j].is(",", ".", "<", "?"), nodes[j].isGroup('['):
		default:
			return 0
		}
	}
	return 0
}

// isMember says whether a node leads to a member.
func (e *evaluator) isMember(nodes []node, i int) bool {
	n := &nodes[i]
	if n.is("->", "::", "?.", "?->") {
		return true
	}
	return n.is(".") && !e.file.lang.arrow || n.is("!") && e.file.lang == langVB
}

// finish returns the value of a chain of names, or the value that was found.
func (e *evaluator) finish(nodes []node, from, to, st int, named bool, result []value) []value {
	if !named {
		return result
	}
	return e.chain(nodes[from:to], st)
}

// chain evaluates a chain of names: $this->base, Config::BASE, config['api']['base'].
func (e *evaluator) chain(nodes []node, st int) []value {
	var names []string
	dynamic := false
	for i := range nodes {
		n := &nodes[i]
		switch {
		case n.isName():
			names, dynamic = append(names, n.token.text), false
		case n.token == nil && (n.open == '[' || n.open == '{'):
			if key := keyOf(n.kids); key != "" && len(n.kids) == 1 && n.kids[0].isText() || key != "" && n.open == '{' {
				names, dynamic = append(names, key), false
			} else if key != "" && (strings.ToUpper(key) == key && e.file.lang != langPHP) {
				names, dynamic = append(names, key), false
			} else {
				dynamic = true
			}
		case n.token == nil && n.open == '(':
			names = append(names, "")
		}
	}
	if len(names) == 0 {
		return hole("")
	}
	holder := ""
	if len(names) > 1 {
		holder = simple(names[len(names)-2])
	}
	name := simple(names[len(names)-1])
	if dynamic {
		return e.anyMember(name, st)
	}
	at := nodes[0].at
	found := e.lookup(name, holder, names[len(names)-1], at, st, len(names) > 1)
	if len(names) > 1 && isHole(found) && (name == "value" || name == "path" || name == "url" || name == "uri" || name == "endpoint") {
		outer := "" // the member of an enum, and its value
		if len(names) > 2 {
			outer = simple(names[len(names)-3])
		}
		if of := e.lookup(holder, outer, names[len(names)-2], at, st, len(names) > 2); !isHole(of) {
			return of
		}
	}
	return found
}
