package scan

import "strings"

// This file finds the functions of languages whose blocks are lines: by indentation, or by lines that begin with end.

// functionsByLines gives statements their functions.
func (b *builder) functionsByLines() {
	type open struct {
		fn     *function
		indent int
	}
	var stack []open
	for i := range b.statements {
		s := &b.statements[i]
		for len(stack) > 0 {
			top := stack[len(stack)-1]
			if b.lang.indented && s.indent > top.indent || !b.lang.indented && !b.endsFunction(s, top.indent) {
				break
			}
			top.fn.last = i
			stack = stack[:len(stack)-1]
			if !b.lang.indented {
				break
			}
		}
		s.depth = s.indent / 2
		if fn := b.declared(s); fn != nil {
			fn.first, fn.depth = i+1, s.depth+1
			b.functions = append(b.functions, fn)
			stack = append(stack, open{fn, s.indent})
			if rest := b.afterHeader(s); rest != nil {
				fn.body = rest
			}
			s.fn = fn
			continue
		}
		if len(stack) > 0 && s.fn == nil {
			s.fn = stack[len(stack)-1].fn
		}
	}
	for _, left := range stack {
		left.fn.last = len(b.statements)
	}
}

// endsFunction says whether a line ends the function whose header has an indentation.
func (b *builder) endsFunction(s *statement, indent int) bool {
	if b.lang == langVB {
		return len(s.nodes) >= 2 && s.nodes[0].isName() && strings.EqualFold(s.nodes[0].token.text, "end") && s.nodes[1].isName() &&
			strings.Contains(" sub function property ", " "+strings.ToLower(s.nodes[1].token.text)+" ")
	}
	return s.indent <= indent && s.nodes[0].is("end") || s.indent <= indent && b.declared(s) != nil
}

// declared returns the function that a line declares, nil for none.
func (b *builder) declared(s *statement) *function {
	for i := range s.nodes {
		n := &s.nodes[i]
		if !n.isName() {
			return nil
		}
		word := n.token.text
		if b.lang == langVB {
			word = strings.ToLower(word)
			if word == "end" || word == "exit" || word == "declare" {
				return nil
			}
			if word != "sub" && word != "function" {
				continue
			}
		} else if word != "def" {
			if word == "async" || word == "private" || word == "public" || word == "protected" {
				continue
			}
			return nil
		}
		rest := s.nodes[i+1:]
		for len(rest) > 2 && rest[1].is(".") { // def self.name
			rest = rest[2:]
		}
		if len(rest) == 0 || !rest[0].isName() {
			return nil
		}
		fn := &function{name: rest[0].token.text, lines: b.lang == langRuby}
		if len(rest) > 1 && rest[1].isGroup('(') {
			fn.params = b.params(rest[1].kids)
		} else if b.lang == langRuby {
			fn.params = b.params(rest[1:])
		}
		return fn
	}
	return nil
}

// afterHeader returns what follows the header of a function on its line.
func (b *builder) afterHeader(s *statement) []node {
	if !b.lang.indented {
		return nil
	}
	depth := 0
	for i := range s.nodes {
		if s.nodes[i].is(":") && depth == 0 && i > 1 && i+1 < len(s.nodes) {
			rest := s.nodes[i+1:]
			if rest[0].is("return") {
				return rest[1:]
			}
			return rest
		}
		if s.nodes[i].is("->") {
			continue
		}
	}
	return nil
}
