package scan

// This file reads functions that take the parts of a path as arguments: call("PUT", "item", id), def call(verb, *parts).

// listParameter returns the value of the parameter with the parts of a path that an expression names, nil for none: parts,
// (str(p) for p in parts), parts.map(encode).
func (e *evaluator) listParameter(nodes []node, st int) []value {
	if st >= len(e.file.statements) || len(nodes) > 30 {
		return nil
	}
	fn := e.file.statements[st].fn
	if e.within != nil && e.within.first == st {
		fn = e.within
	}
	if fn == nil {
		return nil
	}
	for i := range fn.params {
		if p := &fn.params[i]; p.name != "" && (p.rest || isListName(p.name)) && mentions(nodes, []string{simple(p.name)}) {
			if given := e.args[fn]; given != nil && given[i] != nil {
				return given[i]
			}
			return []value{{{hole: true, name: simple(p.name), param: i + 1}}}
		}
	}
	return nil
}

// joinedParameter evaluates a join of the parameter with the parts of a path, behind what else is joined: join('/', $base, @parts).
// nil when no such parameter is joined.
func (e *evaluator) joinedParameter(subject []node, args [][]node, st int) []value {
	if len(args) > 0 {
		last := args[len(args)-1]
		if parts := e.listParameter(last, st); parts != nil {
			var result []value
			for _, arg := range args[min(1, len(args)-1) : len(args)-1] {
				if result = e.values(arg, st); len(args) > 3 {
					return nil
				}
			}
			if result == nil {
				return parts
			}
			return e.joinPaths(result, parts)
		}
	}
	return e.listParameter(subject, st)
}

// isListName says whether the name of a parameter says that it holds the parts of a path.
func isListName(name string) bool {
	name = simple(name)
	return containsAny(name, "parts", "segments", "pieces", "chunks", "elems", "elements", "components") || name == "path" || name == "args" || name == "bits"
}

// appendedParts evaluates append([]string{base}, parts...) of Go as the parts of a path, nil for another call.
func (e *evaluator) appendedParts(args [][]node, st int) []value {
	if e.file.lang != langGo || len(args) < 2 || len(args[0]) < 2 || !args[0][len(args[0])-1].isGroup('{') {
		return nil
	}
	var result []value
	for _, part := range append(split(args[0][len(args[0])-1].kids, ","), args[1:]...) {
		if values := e.values(part, st); result == nil {
			result = values
		} else {
			result = e.joinPaths(result, values)
		}
	}
	return result
}

// restOf returns the values of the arguments that a sender takes as the parts of a path.
func (e *evaluator) restOf(s *sender, c *around, first []value, st int) []value {
	if !s.rest() {
		return first
	}
	for _, arg := range c.args[min(s.path+1, len(c.args)):] {
		if len(arg) == 0 || len(arg) > 2 && arg[0].isName() && arg[1].is("=", ":", "=>") || arg[0].token == nil && arg[0].open == '{' || arg[0].is("*") {
			break // an argument by its name, or a table
		}
		first = e.joinPaths(first, e.values(arg, st))
	}
	return first
}

// rest says whether a sender takes all arguments from its path on as parts of the path.
func (s *sender) rest() bool { return s.fn.params[s.path].rest }

// partsOf returns the values of the argument with the path, which may be a list of its parts: call("GET", ["item", id]).
func (e *evaluator) partsOf(s *sender, expr []node, st int) []value {
	last := len(expr) - 1
	if !s.rest() && !isListName(s.fn.params[s.path].name) || !expr[last].isGroup('[') && !expr[last].isGroup('{') && !(expr[last].isGroup('(') && last == 1 && expr[0].is("array")) || last > 3 {
		return e.values(expr, st)
	}
	var result []value
	for _, part := range split(expr[last].kids, ",") {
		if len(part) > 1 && part[1].is("=", ":", "=>") {
			return e.values(expr, st)
		}
		if values := e.values(part, st); result == nil {
			result = values
		} else {
			result = e.joinPaths(result, values)
		}
	}
	if result == nil {
		return e.values(expr, st)
	}
	return result
}
