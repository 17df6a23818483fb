package scan

import (
	"slices"
	"strings"

	"sellerd/translate"
)

// This file finds the functions of a program that send a request to a path that they are given.

// sender is such a function.
type sender struct {
	file   *source
	fn     *function
	path   int   // its parameter with the path, from 0
	before value // of the address, before the path
	after  value
	hint   hint
	base   baseKind
}

// findSenders returns the functions of a file that send requests, as far as the functions that they call are known.
func (w *world) findSenders(f *source) (found []*sender) {
	if f.lang == langSettings {
		return nil
	}
	for st := range f.statements {
		s := &f.statements[st]
		if s.fn == nil || len(s.fn.params) == 0 || s.fn.name == "" {
			continue
		}
		a := analysis{world: w, file: f}
		a.each(s.nodes, st, nil, func(expr []node, c *around) {
			found = append(found, w.sendsParameter(f, s.fn, expr, st, c)...)
		})
	}
	return found
}

// sendsParameter returns the function around an expression when the expression is an address that ends with a parameter.
func (w *world) sendsParameter(f *source, fn *function, expr []node, st int, c *around) (senders []*sender) {
	if len(expr) > 60 || !mentionsParameter(f, fn, expr) {
		return nil
	}
	e := &evaluator{file: f, world: w}
	for _, v := range e.values(expr, st) {
		at := pathParameter(v)
		if at < 0 {
			continue
		}
		if e.methodParameter(v[at].param, st) && v[at].name != "type" {
			continue
		}
		sent := sender{file: f, fn: fn, path: v[at].param - 1, before: v[:at:at], after: v[at+1:]}
		m := matched{}
		text, _ := v[:at].flat()
		_, sent.base = w.scan.matcher.host(text, &m)
		if c != nil && c.isQuiet() {
			continue
		}
		if inner, arg := w.senderCall(f, c); inner != nil && arg == c.arg { // a function that calls another one
			sent.before = append(slices.Clone(inner.before), sent.before...)
			sent.base = max(inner.base, sent.base)
			sent.hint = e.senderMethod(inner, c, st)
			senders = append(senders, &sent)
			continue
		}
		if sent.base == baseNone && at == 0 {
			if c == nil || !c.sends() || c.receiver() == "" && !makesRequest(c) {
				continue
			}
			switch kind := w.receiverKind(f, c.receiver()); kind {
			case baseForeign:
				sent.base = baseForeign
			case baseOurs:
				sent.base = baseOurs
			default:
				sent.base = baseHole
			}
			if sent.base == baseHole && c.receiver() != "" && plainGet(c) {
				continue
			}
		}
		sent.hint = e.methodAround(c, st)
		names, objects := w.handles(f, st, c)
		flowing, used := e.flow(st, names, objects)
		sent.hint = better(sent.hint, flowing)
		sends := c != nil && c.sends()
		for _, i := range used {
			sends = sends || sendsAnything(f, f.statements[i].nodes)
		}
		if sends {
			senders = append(senders, &sent)
		}
	}
	return senders
}

// makesRequest says whether a call without an object makes a request: new HttpRequestMessage(method, path).
func makesRequest(c *around) bool {
	last := simple(c.callee[len(c.callee)-1])
	return strings.Contains(last, "request") || strings.HasPrefix(last, "http")
}

// plainGet says whether a call may as well read a table: params.get(name).
func plainGet(c *around) bool {
	last := simple(c.callee[len(c.callee)-1])
	if verbOf(last) == "" {
		return false
	}
	for _, name := range c.callee[:len(c.callee)-1] {
		low := simple(name)
		for _, word := range []string{"http", "client", "api", "rest", "request", "curl", "session", "axios", "ua", "conn", "agent", "web", "guzzle", "fetch", "browser", "unirest", "ajax"} {
			if strings.Contains(low, word) {
				return false
			}
		}
		if low == "$" || low == "jquery" {
			return false
		}
	}
	return true
}

// sendsAnything says whether nodes contain a call that sends requests.
func sendsAnything(f *source, nodes []node) bool {
	for i := range nodes {
		if nodes[i].token != nil {
			continue
		}
		if nodes[i].open == '(' {
			names, _ := calleeOf(nodes, i, f.lang)
			c := around{callee: names}
			if len(names) > 0 && c.sends() && !c.isQuiet() {
				return true
			}
		}
		if sendsAnything(f, nodes[i].kids) {
			return true
		}
	}
	return f.lang == langVB && len(nodes) > 2 && nodes[0].isName() && nodes[1].is(".") && nodes[2].is("Open", "open") || f.lang == langShell && len(nodes) > 0 && nodes[0].is("curl", "wget")
}

func mentionsParameter(f *source, fn *function, expr []node) bool {
	names := make([]string, 0, len(fn.params))
	for i := range fn.params {
		if fn.params[i].name != "" {
			names = append(names, simple(fn.params[i].name))
		}
	}
	if mentions(expr, names) {
		return true
	}
	for i := range expr { // a variable that may hold one
		if expr[i].isName() {
			for _, k := range few(f.byName[simple(expr[i].token.text)]) {
				if a := &f.assign[k]; a.fn == fn && !a.member && mentions(a.value, names) {
					return true
				}
			}
		}
	}
	return false
}

// pathParameter returns the piece that is a parameter and begins the path, -1 for none.
func pathParameter(v value) int {
	before := ""
	for i := range v {
		switch {
		case v[i].hole && v[i].param > 0 && (i > 0 || len(v) <= 3):
			rest := before
			if _, after, ok := strings.Cut(rest, "://"); ok {
				if j := strings.IndexByte(after, '/'); j >= 0 {
					rest = after[j:]
				} else {
					rest = ""
				}
			}
			rest = strings.ReplaceAll(strings.ReplaceAll(rest, string(mark), ""), "//", "/")
			if rest = strings.TrimSuffix(rest, "/"); rest == "" || rest == "/"+translate.Root || rest == translate.Root {
				if next := nextParameter(v, i); next > 0 && rest == "" && i == 0 && !strings.Contains(before, "://") {
					return next // the base is a parameter, too
				}
				return i
			}
			return -1
		case v[i].hole:
			before += string(mark)
		default:
			before += v[i].text
			if strings.ContainsAny(v[i].text, " ?=") {
				return -1
			}
		}
	}
	return -1
}

// nextParameter returns the parameter that follows a parameter, 0 for none.
func nextParameter(v value, i int) int {
	for j := i + 1; j < len(v) && j <= i+2; j++ {
		if v[j].hole && v[j].param > 0 {
			return j
		}
		if !v[j].hole && strings.Trim(v[j].text, "/") != "" && v[j].text != "/"+translate.Root+"/" && v[j].text != "/"+translate.Root {
			return 0
		}
	}
	return 0
}

// addSender adds a sender, unless it is known.
func (w *world) addSender(s *sender) bool {
	key := simple(s.fn.name)
	if key == "construct" || key == "init" || key == "initialize" || s.path >= len(s.fn.params) {
		return false
	}
	for _, known := range w.senders[spot{key, s.file.folder}] {
		if known.fn == s.fn {
			if s.base > known.base {
				known.base, known.path, known.before, known.after = s.base, s.path, s.before, s.after
			}
			known.hint = better(known.hint, s.hint)
			return false
		}
	}
	folders(s.file.folder, func(folder string) bool {
		if at := (spot{key, folder}); len(w.senders[at]) < maxSpot || folder == s.file.folder {
			w.senders[at] = append(w.senders[at], s)
		}
		return true
	})
	return true
}

// senderCall returns the sender that a call calls, and its argument with the path; nil when it calls none.
func (w *world) senderCall(f *source, c *around) (*sender, int) {
	if c == nil || len(c.callee) == 0 {
		return nil, -1
	}
	last := c.callee[len(c.callee)-1]
	key := simple(last)
	var best *sender
	score := -1
	folders(f.folder, func(folder string) bool {
		for _, s := range w.senders[spot{key, folder}] {
			near := nearness(f.folder, s.file.folder)
			if s.file == f {
				near = 100
			}
			if near > score && s.file.lang == f.lang && f.linked(s, c) {
				best, score = s, near
			}
		}
		return best == nil
	})
	if best == nil || score < 27 {
		return nil, -1
	}
	for i, arg := range c.args { // arguments by name
		if len(arg) > 2 && arg[1].is("=", ":", ":=") && arg[0].isName() && simple(arg[0].token.text) == simple(best.fn.params[best.path].name) {
			return best, i
		}
	}
	return best, best.path
}

// generalSenders are names of functions that many objects have.
var generalSenders = words("get post put delete patch call request send fetch query execute exec run do load read open invoke")

// linked says whether a file may mean a sender by a name: it is its own, or the file names the sender's file or class, or no
// other function has such a name.
func (f *source) linked(s *sender, c *around) bool {
	name := simple(s.fn.name)
	if receiver := c.receiver(); receiver != "" && f.madeOfOther(receiver, s) {
		return false
	}
	if s.file == f || !generalSenders[name] {
		return true
	}
	return f.knows(s.file)
}

// madeOfOther says whether an object is made of another class than those of the sender's file.
func (f *source) madeOfOther(name string, s *sender) bool {
	if len(s.file.classes) == 0 {
		return false
	}
	other := false
	for _, i := range few(f.byName[name]) {
		a := &f.assign[i]
		if a.member || len(a.value) < 2 {
			continue
		}
		class := ""
		switch {
		case a.value[0].is("new", "New") && a.value[1].isName():
			class = a.value[len(a.value)-1].text()
			for j := 1; j < len(a.value) && a.value[j].token != nil; j++ {
				if a.value[j].isName() {
					class = a.value[j].token.text
				}
			}
		case a.value[0].isName() && startsUpper(a.value[0].token.text) && (a.value[1].isGroup('(') || a.value[1].is(".") && len(a.value) > 2 && a.value[2].is("new")):
			class = a.value[0].token.text
		}
		if class == "" {
			continue
		}
		if slices.Contains(s.file.classes, class) {
			return false
		}
		other = true
	}
	return other
}

// senderMethod returns the method of a call of a sender.
func (e *evaluator) senderMethod(s *sender, c *around, st int) hint {
	if s.hint.param > 0 && s.hint.param <= len(s.fn.params) {
		if arg, ok := argumentFor(s.fn, c.args, s.hint.param-1); ok {
			if h := e.written(arg, st); h.force > 0 {
				return h
			}
			return e.inArguments(c.args, c.arg, st)
		}
		if value := s.fn.params[s.hint.param-1].value; value != nil {
			inner := evaluator{file: s.file, world: e.world}
			return inner.written(value, s.fn.first)
		}
		return hint{}
	}
	found := s.hint
	if found.force < 2 {
		if own := e.inArguments(c.args, c.arg, st); own.force >= found.force && own.force > 1 {
			return own
		}
		if verb := verbOf(c.callee[len(c.callee)-1]); verb != "" && verb != found.method {
			return hint{method: verb, force: 2}
		}
		if found.method == "POST" && found.force == 1 && len(c.args) <= s.path+1 {
			return hint{} // without the argument for a body
		}
	}
	return found
}

// receiverKind says whose host an object has, as far as the file says what the object is made of.
func (w *world) receiverKind(f *source, name string) baseKind {
	if name == "" || name == "this" || name == "self" {
		return baseNone
	}
	kind := baseNone
	consider := func(owner *source, nodes []node, st int) {
		e := evaluator{file: owner, world: w}
		eachLeaf(nodes, func(n []node) {
			for _, v := range e.values(n, st) {
				text, _ := v.flat()
				if m := (matched{}); strings.Contains(text, "://") || w.scan.matcher.isHost(text) {
					_, k := w.scan.matcher.host(text, &m)
					if w.scan.matcher.isHost(text) {
						k = baseOurs
					}
					kind = max(kind, k)
				}
			}
		})
	}
	for _, i := range few(f.byName[name]) {
		if a := &f.assign[i]; !a.member && len(a.value) < 200 {
			consider(f, a.value, a.statement)
		}
	}
	for _, i := range few(f.byHold[name]) { // client.BaseAddress = …
		if a := &f.assign[i]; !a.member && strings.Contains(a.name, "base") {
			consider(f, a.value, a.statement)
		}
	}
	return kind
}

// eachLeaf calls a function with each text and each chain of names.
func eachLeaf(nodes []node, visit func([]node)) {
	for i := 0; i < len(nodes); i++ {
		n := &nodes[i]
		switch {
		case n.token == nil:
			eachLeaf(n.kids, visit)
		case n.isText():
			visit(nodes[i : i+1])
		case n.isName():
			j := i + 1
			for j+1 < len(nodes) && nodes[j].is("->", "::", ".", "?.") && nodes[j+1].isName() {
				j += 2
			}
			if j == len(nodes) || !nodes[j].isGroup('(') {
				visit(nodes[i:j])
			}
			i = j - 1
		}
	}
}

// isHost says whether a text is our host, with nothing after it but a port.
func (m *matcher) isHost(text string) bool {
	return text != "" && len(text) < 200 && slices.Contains(m.hosts, hostOf(strings.TrimSpace(text)))
}

// handles returns the variables that hold an address or what a statement makes of it, and the objects that it is given to.
func (w *world) handles(f *source, st int, c *around) (names, objects []string) {
	s := &f.statements[st]
	if a, ok := f.assignedBy(s); ok {
		if name := a.name; !isResponse(name) || c == nil {
			names = append(names, name)
		}
		if a.holder != "" && a.holder != "this" && a.holder != "self" && (a.name == "url" || a.name == "uri" || a.name == "path" || a.name == "resource" || a.name == "requesturi") {
			objects = append(objects, a.holder)
		}
	}
	if c != nil && len(c.callee) > 0 {
		callee := simple(c.callee[len(c.callee)-1])
		switch {
		case strings.Contains(callee, "setopt") && len(c.callee) == 1 && len(c.args) > 0 && len(c.args[0]) == 1:
			objects = append(objects, simple(c.args[0][0].text()))
		case callee == "setopt" || callee == "open" || callee == "seturl" || callee == "uri" && len(c.callee) == 2 || callee == "seturi" || callee == "setrequesturi" || callee == "create" && len(c.callee) > 2:
			objects = append(objects, c.receiver())
		}
	}
	empty := func(name string) bool { return name == "" }
	return slices.DeleteFunc(names, empty), slices.DeleteFunc(objects, empty)
}
