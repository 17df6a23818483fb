package scan

import (
	"strings"
)

// This file evaluates calls of functions that the program itself declares.

// ownFunction evaluates a function of the program that returns a text, nil when there is none.
func (e *evaluator) ownFunction(nodes []node, at int, args [][]node, st int) []value {
	name := nodes[at].text()
	if at > 0 && nodes[at-1].is("new", "New") || nodes[at].is("toString", "ToString", "to_s") {
		return nil
	}
	holder := ""
	if at > 1 && nodes[at-2].isName() && e.isMember(nodes, at-1) {
		holder = nodes[at-2].token.text
	}
	file, fn := e.world.function(e.file, holder, name, len(args))
	if fn == nil || e.args[fn] != nil || e.steps > 8 {
		return nil
	}
	results := file.results(fn)
	if len(results) == 0 {
		return nil
	}
	given := make([][]value, len(fn.params))
	for i := range fn.params {
		switch arg, ok := argumentFor(fn, args, i); {
		case ok && fn.params[i].rest && len(args) > i+1: // parts of a path
			given[i] = e.values(arg, st)
			for _, more := range args[i+1:] {
				given[i] = e.joinPaths(given[i], e.values(more, st))
			}
		case ok:
			given[i] = e.values(arg, st)
		case fn.params[i].value != nil:
			inner := evaluator{file: file, world: e.world, budget: e.budget, steps: e.steps, work: e.work}
			given[i] = inner.values(fn.params[i].value, fn.first)
			e.work = max(e.work, inner.work)
		default:
			given[i] = hole(simple(fn.params[i].name))
		}
	}
	inner := evaluator{file: file, world: e.world, budget: e.budget, steps: e.steps + 1, work: e.work, args: map[*function][][]value{fn: given}, within: fn}
	for fn, args := range e.args {
		if inner.args[fn] == nil {
			inner.args[fn] = args
		}
	}
	type place struct {
		file *source
		at   int
	}
	known := map[place]bool{} // literals of the arguments stay where they are
	for _, values := range given {
		for _, v := range values {
			for _, p := range v {
				known[place{p.file, p.at}] = true
			}
		}
	}
	var all []value
	for _, result := range results {
		for _, v := range inner.values(result.nodes, result.statement) {
			made := farther(v, nodes[at].at)
			for i := range v {
				if !v[i].far && known[place{v[i].file, v[i].at}] {
					made[i] = v[i]
				}
			}
			all = append(all, made)
		}
		if len(all) > maxValues {
			break
		}
	}
	e.work = max(e.work, inner.work)
	useful := false
	for _, v := range all {
		for _, p := range v {
			useful = useful || !p.hole && strings.ContainsAny(p.text, "/.")
		}
	}
	if !useful {
		return nil
	}
	return all
}

// argumentFor returns the argument of a parameter, by its name or its position.
func argumentFor(fn *function, args [][]node, index int) ([]node, bool) {
	name := simple(fn.params[index].name)
	for _, arg := range args {
		if len(arg) > 2 && arg[1].is("=", ":", ":=") && arg[0].isName() && simple(arg[0].token.text) == name {
			return arg[2:], true
		}
	}
	if index < len(args) {
		arg := args[index]
		if len(arg) > 2 && arg[1].is("=", ":", ":=") && arg[0].isName() && arg[1].token.text != ":" {
			for i := range fn.params {
				if simple(fn.params[i].name) == simple(arg[0].token.text) {
					return nil, false // the argument of another parameter
				}
			}
		}
		return arg, true
	}
	return nil, false
}
