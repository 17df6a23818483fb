package scan

import (
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// This file turns tokens into statements: blocks become statements of their own (brackets: groups.go, functions: functions.go).

// statement is a piece of a program that ends with a semicolon, a line, or a block.
type statement struct {
	nodes  []node
	fn     *function
	depth  int // how many blocks are around it
	indent int
	at     int
}

// function is a function with a name. The whole file is one without a name.
type function struct {
	name   string
	params []param
	first  int // its first statement
	last   int // the statement after its last one
	depth  int
	body   []node // of a function that is one expression
	lines  bool   // its last statement is its result
}

type param struct {
	name  string
	value []node // its default, nil without one
	rest  bool   // it takes all arguments that are left
}

// program is a file of source.
type program struct {
	lang       *language
	src        string
	statements []statement
	functions  []*function
	lines      []int    // offsets of the beginnings of lines
	classes    []string // names of its classes
	budget     *budget  // of the file, nil for none
}

// parse reads source.
func parse(lang *language, src string, steps *budget) *program {
	p := &program{lang: lang, src: src, lines: lineStarts(src), budget: steps}
	for _, match := range className.FindAllStringSubmatch(src, -1) {
		p.classes = append(p.classes, match[1])
	}
	if lang == langShell {
		steps.within(func() { p.readShell(src, 0, nil, 0) })
		return p
	}
	b := builder{program: p}
	if lang == langPowerShell {
		steps.within(func() { b.block(readPowerShell(src), 0, nil) })
		for _, fn := range p.functions {
			fn.lines = true
		}
		return p
	}
	l := &lexer{lang: lang, src: src, budget: steps}
	steps.within(l.all)
	nodes := group(l.tokens, lang)
	steps.within(func() { b.block(nodes, 0, nil) })
	if lang.indented || lang.ends {
		steps.within(b.functionsByLines)
	}
	return p
}

var className = regexp.MustCompile(`(?m)^[ \t]*(?:[\w<>]+[ \t]+)*?(?:class|Class|package|module|struct|type|enum|interface|object)[ \t]+([A-Z]\w+)`)

// lineStarts returns the offsets at which lines begin.
func lineStarts(src string) []int {
	starts := []int{0}
	for at := 0; ; {
		i := strings.IndexByte(src[at:], '\n')
		if i < 0 {
			return starts
		}
		at += i + 1
		starts = append(starts, at)
	}
}

// place returns the line and the column of an offset, both from 1. A column counts characters. Of a long line only what follows
// the last offset is counted.
func (f *source) place(at int) (line, column int) {
	at = max(min(at, len(f.src)), 0)
	line = sort.Search(len(f.lines), func(i int) bool { return f.lines[i] > at })
	from, before := f.lines[line-1], 0
	if f.placed.line == line && f.placed.at <= at {
		from, before = f.placed.at, f.placed.count
	}
	count := before + utf8.RuneCountInString(f.src[from:at])
	f.placed.line, f.placed.at, f.placed.count = line, at, count
	return line, count + 1
}

// builder collects statements.
type builder struct {
	*program
}

// block reads the statements of a block.
func (b *builder) block(nodes []node, depth int, fn *function) {
	from := 0
	for i := 0; i < len(nodes); i++ {
		n := &nodes[i]
		switch {
		case n.is(";"), n.isLine() && (i == from || !b.continues(nodes, i)): // a line that is empty goes on from nothing
			b.statement(nodes[from:i], depth, fn)
			from = i + 1
		case n.isGroup('{') && !b.lang.indented && b.spent(8*(i-from)) && b.isBlock(nodes[from:i], nodes[i], nodes[i+1:]):
			b.budget.spend(i - from)
			header := withoutLines(nodes[from:i])
			if isAccessors(n.kids) && (i+1 >= len(nodes) || !nodes[i+1].is("=")) {
				b.statement(header, depth, fn)
				from = i + 1
				continue
			}
			if isAccessors(n.kids) {
				end := i + 1 // int Count { get; } = 1;
				for end < len(nodes) && !nodes[end].is(";") {
					end++
				}
				b.statement(append(slices.Clone(nodes[from:i]), nodes[i+1:end]...), depth, fn)
				from, i = end+1, end
				if end == len(nodes) {
					return
				}
				continue
			}
			inner := b.functionOf(header, depth)
			b.statement(header, depth, cmpFunction(inner, fn))
			b.inside(n.kids, depth+1, inner, fn)
			from = i + 1
		}
	}
	b.statement(nodes[from:], depth, fn)
}

// spent spends steps, and returns true.
func (b *builder) spent(steps int) bool {
	b.budget.spend(steps)
	return true
}

// inside reads the statements of a group, which belong to a function of its own if it has one.
func (b *builder) inside(kids []node, depth int, inner, outer *function) {
	if depth >= maxDepth {
		return
	}
	if inner != nil {
		inner.first = len(b.statements)
		b.functions = append(b.functions, inner)
	}
	b.block(kids, depth, cmpFunction(inner, outer))
	if inner != nil {
		inner.last = len(b.statements)
	}
}

func cmpFunction(inner, outer *function) *function {
	if inner != nil {
		return inner
	}
	return outer
}

// isAccessors says whether a block holds the accessors of a property of C#.
func isAccessors(kids []node) bool {
	for i := range kids {
		if kids[i].is("get", "set", "init") {
			return i <= 1 && len(kids) <= 8
		}
	}
	return false
}

// statement adds a statement, and after it the blocks of the functions inside it.
func (b *builder) statement(nodes []node, depth int, fn *function) {
	b.budget.spend(1 + len(nodes))
	nodes = withoutLines(nodes)
	if len(nodes) == 0 {
		return
	}
	if b.declarations(nodes, depth, fn) {
		return
	}
	if single := b.expressionFunction(nodes); single != nil {
		single.first, single.last = len(b.statements), len(b.statements)+1
		b.functions = append(b.functions, single)
		fn = single
	}
	at := nodes[0].at
	line := sort.Search(len(b.lines), func(i int) bool { return b.lines[i] > at })
	b.statements = append(b.statements, statement{nodes: nodes, fn: fn, depth: depth, indent: at - b.lines[line-1], at: at})
	index := len(b.statements) - 1
	if !b.lang.indented {
		b.statements[index].nodes = b.detach(nodes, depth, fn, 0)
	}
}

// detach replaces the bodies of functions inside an expression by empty groups, and reads them as blocks.
func (b *builder) detach(nodes []node, depth int, fn *function, level int) []node {
	changed := false
	for i := range nodes {
		n := &nodes[i]
		if level > 0 && n.is("=>") {
			if single, end := b.memberFunction(nodes, i); single != nil {
				b.budget.spend(end - i)
				single.first, single.last = len(b.statements)-1, len(b.statements)
				b.functions = append(b.functions, single)
			}
		}
		if n.token != nil || len(n.kids) == 0 || level > maxDepth {
			continue
		}
		if n.open == '{' && b.isBody(nodes[:i], n) {
			if !changed {
				nodes, changed = slices.Clone(nodes), true
			}
			kids := n.kids
			nodes[i].kids = nil
			header := entry(nodes[:i])
			b.budget.spend(len(header))
			inner := b.functionOf(header, depth)
			b.inside(kids, depth+1, inner, fn)
			continue
		}
		kids := b.detach(withoutLinesIn(n), depth, fn, level+1)
		if len(kids) != len(n.kids) || len(kids) > 0 && &kids[0] != &n.kids[0] {
			if !changed {
				nodes, changed = slices.Clone(nodes), true
			}
			nodes[i].kids = kids
		}
	}
	return nodes
}

// entry returns the nodes after the last comma: one argument, or one member of an object.
func entry(nodes []node) []node {
	for i := len(nodes) - 1; i >= 0; i-- {
		if nodes[i].is(",") {
			return nodes[i+1:]
		}
	}
	return nodes
}

// continues says whether a statement goes on after a line break.
func (b *builder) continues(nodes []node, i int) bool {
	var before, after *node
	if i > 0 {
		before = &nodes[i-1]
	}
	j := i + 1
	for j < len(nodes) && nodes[j].isLine() {
		j++
	}
	b.budget.spend(4 * (j - i))
	if j < len(nodes) {
		after = &nodes[j]
	}
	if before == nil || after == nil {
		return false
	}
	switch b.lang {
	case langVB:
		return before.is("_", "&", ",", "+", "=", "(") || after.is(".")
	case langPython:
		return before.is("\\")
	}
	if b.lang == langRuby && (after.is("?") || before.is("|") && afterParameters(nodes[:i])) {
		return false
	}
	if before.token != nil && before.kind == tokenMark && !before.is(";", "}", ")", "]", "++", "--", "!", "?", ">") {
		return true
	}
	return after.is(".", "?.", "&", "&&", "||", "+", "?", ":", "=", "=>", "->", "??", "else") ||
		after.isGroup('{') && b.lang != langRuby && b.lang != langGo
}

// afterParameters says whether nodes end with the parameters of a block of Ruby: do |request|.
func afterParameters(nodes []node) bool {
	for i := len(nodes) - 2; i >= max(len(nodes)-12, 0); i-- {
		if nodes[i].is("|") {
			return i == 0 || nodes[i-1].is("do")
		}
	}
	return false
}

// blockWords come before blocks, or begin the headers of blocks.
var blockWords = []string{
	"else", "do", "try", "finally", "loop", "begin", "class", "interface", "namespace", "enum", "struct", "trait", "module", "record", "package", "sub",
	"function", "func", "fun", "def", "throws", "BEGIN", "END", "object", "companion", "unsafe", "checked", "static",
}

// isBlock says whether a group in braces is a block of statements.
func (b *builder) isBlock(header []node, n node, after []node) bool {
	header = withoutLines(header)
	if len(header) == 0 {
		return true
	}
	last := &header[len(header)-1]
	if b.lang == langGo {
		first := header[0]
		follows := len(after) == 0 || after[0].isLine() || after[0].is("else", ";", ")")
		return follows && (first.is("if", "for", "switch", "select", "func", "type", "else", "go", "defer", "case", "default") || last.isGroup('(')) &&
			!(first.is("type", "case", "default") && !last.is("struct", "interface", ":"))
	}
	if b.lang == langRuby {
		return len(n.kids) > 0 && n.kids[0].is("|")
	}
	if b.isBody(header, &n) {
		return true
	}
	for i := range header {
		if header[i].is("=", "return", ":=") {
			return false
		}
	}
	if last.is(":", ",", "?", "(", "default", "export") {
		return false
	}
	for i := range header {
		if header[i].is(blockWords...) {
			return true
		}
		if header[i].isGroup('(') && i+1 < len(header) && header[i+1].is(":") && i > 0 {
			return true // a result type
		}
	}
	return b.lang == langCSharp && last.isName() && isAccessors(n.kids) || b.lang == langPHP && last.is(":", "static")
}
