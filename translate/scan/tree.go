package scan

import (
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// This file turns tokens into statements: brackets become groups, blocks become statements of their own, and functions get
// their names and parameters.

// node is a token, or a group in brackets.
type node struct {
	*token      // nil for a group
	open   byte // ( [ { of a group
	kids   []node
	at     int
}

func (n *node) isGroup(open byte) bool { return n.token == nil && n.open == open }

// is says whether the node is a mark or a name with one of some texts.
func (n *node) is(texts ...string) bool {
	return n.token != nil && (n.kind == tokenMark || n.kind == tokenName) && slices.Contains(texts, n.token.text)
}

func (n *node) isName() bool { return n.token != nil && n.kind == tokenName }
func (n *node) isText() bool { return n.token != nil && n.kind == tokenText }
func (n *node) isLine() bool { return n.token != nil && n.kind == tokenLine }

// maxDepth is how deep brackets and blocks are read. Those inside are read as if they had none.
const maxDepth = 100

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
}

// program is a file of source.
type program struct {
	lang       *language
	src        string
	statements []statement
	functions  []*function
	lines      []int    // offsets of the beginnings of lines
	classes    []string // names of its classes
}

// parse reads source.
func parse(lang *language, src string) *program {
	p := &program{lang: lang, src: src, lines: lineStarts(src)}
	for _, match := range className.FindAllStringSubmatch(src, -1) {
		p.classes = append(p.classes, match[1])
	}
	var tokens []token
	if lang == langShell {
		tokens = nil
	} else {
		tokens = lex(lang, src, 0, 0)
	}
	b := builder{program: p}
	nodes := group(tokens, lang)
	b.block(nodes, 0, nil)
	if lang.indented || lang.ends {
		b.functionsByLines()
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

// group builds groups of tokens.
func group(tokens []token, lang *language) []node {
	type level struct {
		open byte
		at   int
		kids []node
	}
	levels := []level{{}}
	closeLevel := func() {
		top := levels[len(levels)-1]
		levels = levels[:len(levels)-1]
		outer := &levels[len(levels)-1]
		outer.kids = append(outer.kids, node{open: top.open, kids: top.kids, at: top.at})
	}
	for i := range tokens {
		t := &tokens[i]
		top := &levels[len(levels)-1]
		switch {
		case t.kind == tokenMark && len(t.text) == 1 && strings.Contains("([{", t.text):
			if len(levels) < maxDepth {
				levels = append(levels, level{open: t.text[0], at: t.at})
			}
		case t.kind == tokenMark && len(t.text) == 1 && strings.Contains(")]}", t.text):
			open := "([{"[strings.Index(")]}", t.text)]
			found := false
			for j := len(levels) - 1; j > 0 && !found; j-- {
				found = levels[j].open == open
				if !found && levels[j].open == '{' && open != '{' {
					break // a bracket that is missing does not end a block
				}
			}
			for found {
				done := levels[len(levels)-1].open == open
				closeLevel()
				if done {
					break
				}
			}
		case t.kind == tokenLine && (!lang.newlines || top.open == '(' || top.open == '[' || top.open == '{' && lang.indented):
		default:
			top.kids = append(top.kids, node{token: t, at: t.at})
		}
	}
	for len(levels) > 1 {
		closeLevel()
	}
	return levels[0].kids
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
		case n.is(";"), n.isLine() && !b.continues(nodes, i):
			b.statement(nodes[from:i], depth, fn)
			from = i + 1
		case n.isGroup('{') && !b.lang.indented && b.isBlock(nodes[from:i], nodes[i], nodes[i+1:]):
			header := withoutLines(nodes[from:i])
			if isAccessors(n.kids) && (i+1 >= len(nodes) || !nodes[i+1].is("=")) {
				b.statement(header, depth, fn)
				from = i + 1
				continue
			}
			if isAccessors(n.kids) {
				rest := append(slices.Clone(nodes[from:i]), nodes[i+1:]...)
				b.block(rest, depth, fn)
				return
			}
			inner := b.functionOf(header, depth)
			b.statement(header, depth, cmpFunction(inner, fn))
			b.inside(n.kids, depth+1, inner, fn)
			from = i + 1
		}
	}
	b.statement(nodes[from:], depth, fn)
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

// withoutLines returns nodes without line breaks.
func withoutLines(nodes []node) []node {
	if !slices.ContainsFunc(nodes, func(n node) bool { return n.isLine() }) {
		return nodes
	}
	return slices.DeleteFunc(slices.Clone(nodes), func(n node) bool { return n.isLine() })
}

// statement adds a statement, and after it the blocks of the functions inside it.
func (b *builder) statement(nodes []node, depth int, fn *function) {
	nodes = withoutLines(nodes)
	if len(nodes) == 0 {
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
		if n.token != nil || len(n.kids) == 0 || level > maxDepth {
			continue
		}
		if n.open == '{' && b.isBody(nodes[:i], n) {
			if !changed {
				nodes, changed = slices.Clone(nodes), true
			}
			kids := n.kids
			nodes[i].kids = nil
			inner := b.functionOf(entry(nodes[:i]), depth)
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

func withoutLinesIn(n *node) []node { return withoutLines(n.kids) }

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
	if before.token != nil && before.kind == tokenMark && !before.is(";", "}", ")", "]", "++", "--", "!", "?", ">") {
		return true
	}
	if after.is("?") && b.lang == langRuby {
		return false
	}
	return after.is(".", "?.", "&", "&&", "||", "+", "?", ":", "=", "=>", "->", "??", "else") ||
		after.isGroup('{') && b.lang != langRuby && b.lang != langGo
}

// blockWords come before blocks, or begin the headers of blocks.
var blockWords = []string{
	"else", "do", "try", "finally", "loop", "begin", "class", "interface", "namespace", "enum", "struct", "trait", "module", "record", "package", "sub",
	"function", "func", "fun", "def", "throws", "BEGIN", "END", "object", "companion", "unsafe", "checked", "static",
}

// controls begin headers that are no functions.
var controls = []string{
	"if", "for", "foreach", "while", "switch", "catch", "elseif", "elsif", "else", "using", "lock", "with", "match", "synchronized", "unless", "until", "try",
	"do", "return", "select", "declare", "when", "await", "throw", "fixed", "print", "echo",
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
		return slices.ContainsFunc(before, func(n node) bool { return n.is("function") })
	case b.lang == langGo:
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
	for i := 1; i < len(nodes)-1; i++ {
		if nodes[i].is("(") {
			return nil
		}
		kotlin := nodes[i].is("=") && slices.ContainsFunc(nodes[:i], func(n node) bool { return n.is("fun") })
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
		if part[i].isName() && !part[i].is("public", "private", "protected", "readonly", "final", "val", "var", "ByVal", "ByRef", "Optional", "this", "params", "out", "ref", "const", "override") {
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

// split splits nodes at a mark.
func split(nodes []node, mark string) (parts [][]node) {
	from := 0
	for i := range nodes {
		if nodes[i].is(mark) {
			parts = append(parts, nodes[from:i])
			from = i + 1
		}
	}
	if from < len(nodes) {
		parts = append(parts, nodes[from:])
	}
	return parts
}
