package scan

import (
	"slices"
	"strings"
)

// This file finds the calls in a file of source.

// analysis is the search in a file.
type analysis struct {
	world *world
	file  *source
	found []candidate
}

// candidate is a place that may call.
type candidate struct {
	matched
	file   *source
	at     int
	use    int // the statement that uses the address
	st     int
	hint   hint
	label  string // the name or the key to which it is given, simplified
	sends  bool
	sender bool
	ours   bool // the object or the function that sends is ours
	table  bool // it is a value of a table or a constant
	plain  bool // it is a text alone
	joined bool // something stands before the path
	far    bool
	origin int // of a far literal: its own place
	source *source
	args   [][]node
}

// run finds the candidates of a file.
func (a *analysis) run() {
	for st := range a.file.statements {
		s := &a.file.statements[st]
		if a.isDocumentation(s) {
			continue
		}
		if entry, ok := a.file.assignedByCall(s); ok && entry.member {
			a.expression(entry.value, st, &around{at: -1, key: entry.name})
			continue
		}
		a.each(s.nodes, st, nil, func(expr []node, c *around) { a.expression(expr, st, c) })
	}
}

// isDocumentation says whether a statement is a text alone, as documentation in Python is.
func (a *analysis) isDocumentation(s *statement) bool {
	return len(s.nodes) == 1 && s.nodes[0].isText() && a.file.lang != langRuby
}

// maxExpression is how many nodes of one level an expression has at most. A longer one, which no person writes, is not evaluated.
const maxExpression = 400

// expression adds the candidates of an expression.
func (a *analysis) expression(expr []node, st int, c *around) {
	if len(expr) == 0 || !a.file.hints.worth(a.file, a.world, expr) {
		return
	}
	if len(expr) > maxExpression {
		a.file.budget.usedUp = true // the report names the file
		return
	}
	if sent, arg := a.world.senderCall(a.file, c); sent != nil && arg == c.arg {
		a.sent(expr, st, c, sent)
		return
	} else if sent != nil && sent.rest() && c.arg > arg {
		return // it is a part of the path
	}
	e := &evaluator{file: a.file, world: a.world, budget: a.file.budget}
	seen := map[string]bool{}
	for _, v := range e.values(expr, st) {
		a.file.budget.spend(v.size())
		text, _ := v.flat()
		if seen[text] {
			continue
		}
		seen[text] = true
		if command := strings.Index(text, "curl "); command >= 0 && strings.ContainsAny(text, "/") {
			a.shell(v, st)
			continue
		}
		if m, ok := a.world.scan.matcher.match(v); ok {
			a.add(e, m, v, expr, st, c)
		}
	}
}

// sent adds the candidates of a call of a function that sends requests.
func (a *analysis) sent(expr []node, st int, c *around, s *sender) {
	e := &evaluator{file: a.file, world: a.world, budget: a.file.budget}
	values := e.restOf(s, c, e.partsOf(s, expr, st), st)
	for _, v := range values {
		a.file.budget.spend(v.size())
		if text, _ := v.flat(); a.isRoute(c, text) {
			return
		}
		whole := append(slices.Clone(s.before), v...)
		whole = append(whole, s.after...)
		m, ok := a.world.scan.matcher.match(whole)
		if !ok {
			text, _ := v.flat()
			if strings.Contains(text, "://") {
				m, ok = a.world.scan.matcher.match(v)
			}
		}
		if !ok || s.base == baseForeign {
			continue
		}
		if m.base == baseNone {
			m.base = baseHole
		}
		m.bare = false
		if m.base != baseOurs && a.besideOther(st, c) {
			continue
		}
		cand := a.place(m, st, c)
		cand.hint = e.senderMethod(s, c, st)
		if m.method != "" {
			cand.hint = hint{method: m.method, force: 3}
		}
		if cand.hint.param > 0 {
			cand.hint = hint{}
		}
		cand.sends, cand.sender, cand.ours = true, true, s.base == baseOurs || s.file.hints.evidence
		switch a.world.receiverKind(a.file, c.receiver()) {
		case baseOurs:
			cand.ours = true
		case baseForeign:
			if m.base != baseOurs || v.isPlain() {
				continue
			}
		}
		cand.args = c.args
		a.found = append(a.found, cand)
	}
}

// place makes a candidate at the place of its literal, or where the expression names its constant.
func (a *analysis) place(m matched, st int, c *around) candidate {
	cand := candidate{matched: m, file: a.file, at: m.literal.at, st: st, use: st, source: m.literal.file, origin: m.literal.at}
	if m.literal.far || m.literal.file != a.file && m.literal.file != nil {
		cand.at, cand.far = m.literal.seen, true
	}
	if cand.at <= 0 && m.literal.file == nil {
		cand.at = a.file.statements[st].at
	}
	if c != nil {
		cand.args = c.args
	}
	return cand
}

// add adds a candidate of an expression that no known function sends.
func (a *analysis) add(e *evaluator, m matched, v value, expr []node, st int, c *around) {
	cand := a.place(m, st, c)
	for outer := c; outer != nil; outer = outer.outer {
		a.file.budget.spend(2*len(outer.list) + len(outer.args))
	}
	text, _ := v.flat()
	for outer := c; outer != nil; outer = outer.outer {
		if m.base != baseOurs && len(outer.callee) > 0 && testNames[simple(outer.callee[0])] {
			return
		}
	}
	for outer := c; outer != nil && m.base != baseOurs; outer = outer.outer {
		if len(outer.callee) > 0 && (isBodyKey(outer.key) || besideKeys[simple(outer.key)]) {
			return // what is sent is no path
		}
	}
	for level, outer := 0, c; outer != nil && level < 4; level, outer = level+1, outer.outer {
		if outer.isQuiet() && m.method == "" || outer.isQuiet() && !strings.Contains(text, "HTTP/") || a.isRoute(outer, text) && !(outer.marked && strings.Contains(a.file.src, "FeignClient")) {
			return
		}
		if outer.sends() {
			break
		}
	}
	if m.base != baseOurs && a.besideOther(st, c) {
		return
	}
	cand.joined, cand.plain = m.base == baseHole, len(expr) == 1 && expr[0].isText()
	cand.hint = e.methodAround(c, st)
	names, objects := a.world.handles(a.file, st, c)
	flowing, used := e.flow(st, names, objects)
	if cand.hint.force < 3 {
		cand.hint = better(cand.hint, flowing)
	}
	if m.method != "" {
		cand.hint = hint{method: m.method, force: 3}
	}
	if cand.hint.param > 0 {
		cand.hint = hint{}
	}
	if c != nil && len(c.callee) == 1 && c.callee[0] == "resource" && a.file.lang == langJavaScript { // of AngularJS, which reads and does more
		cand.hint.other, cand.hint.method, cand.hint.force = cand.hint.method, "GET", 2
	}
	receiver := ""
	for outer := c; outer != nil; outer = outer.outer {
		cand.sends = cand.sends || outer.sends()
		if receiver == "" && outer.sends() {
			receiver = outer.receiver()
		}
		if outer.at > 0 && outer.list != nil && m.base == baseNone {
			switch a.world.clientKind(outer.list[:outer.at]) {
			case baseForeign:
				return
			case baseOurs:
				cand.ours = true
			}
		}
		cand.table = cand.table || len(outer.callee) == 0 || outer.key != ""
	}
	for _, i := range used {
		cand.sends = cand.sends || sendsAnything(a.file, a.file.statements[i].nodes)
	}
	for outer := c; outer != nil && cand.label == ""; outer = outer.outer {
		cand.label = simple(outer.key)
	}
	if cand.label == "" && len(names) == 1 {
		cand.label = names[0]
	}
	if m.base != baseOurs && !cand.sends && (quietLabels[cand.label] || m.base == baseNone && linkLabels[cand.label]) {
		return
	}
	if c == nil {
		cand.table = true
		for _, name := range names {
			cand.sends = cand.sends || named(name) && m.base == baseHole
		}
	}
	if m.base == baseNone && a.sameOrigin(c, text) {
		return
	}
	if m.base == baseNone {
		switch a.besides(c) {
		case baseOurs:
			cand.ours = true
		case baseForeign:
			return
		}
	}
	if entry, ok := a.file.assignedBy(&a.file.statements[st]); ok && receiver == "" && entry.holder != "" && named(entry.name) {
		receiver = entry.holder // builder.Path = …
	}
	if m.base != baseOurs {
		switch a.world.receiverKind(a.file, receiver) {
		case baseOurs:
			cand.ours = true
		case baseForeign:
			if m.base == baseNone {
				return
			}
		}
	}
	a.found = append(a.found, cand)
}

// shell adds the candidates of a command that a text contains.
func (a *analysis) shell(v value, st int) {
	if slices.ContainsFunc(v, func(p piece) bool { return p.far && strings.Contains(p.text, "curl ") }) {
		return // it is found where it is written
	}
	var text strings.Builder
	var from []int // the offset in the file of each byte
	for _, p := range v {
		if p.hole {
			p.text, p.at = "$HOLE", 0
		}
		text.WriteString(p.text)
		for i := range len(p.text) {
			switch {
			case p.hole && len(from) > 0:
				from = append(from, from[len(from)-1])
			case p.hole:
				from = append(from, a.file.statements[st].at)
			case p.far:
				from = append(from, p.seen)
			default:
				from = append(from, p.at+i)
			}
		}
	}
	a.file.budget.spend(8 * text.Len())
	p := &program{lang: langShell, src: text.String(), lines: []int{0}, budget: a.file.budget}
	p.readShell(p.src, 0, nil, 0)
	inner := &source{program: p, path: a.file.path, folder: a.file.folder, hints: a.file.hints}
	inner.index()
	search := analysis{world: a.world, file: inner}
	search.run()
	for _, cand := range search.found {
		cand.file, cand.st, cand.use = a.file, st, st
		cand.at = from[min(cand.at, len(from)-1)]
		cand.source, cand.origin, cand.far = a.file, cand.at, false
		a.found = append(a.found, cand)
	}
}
