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

// findSenders adds the functions of a file that send requests, as far as the functions that they call are known.
func (w *world) findSenders(f *source, found *[]*sender) {
	if f.lang == langSettings {
		return
	}
	for st := range f.statements {
		s := &f.statements[st]
		if s.fn == nil || len(s.fn.params) == 0 || s.fn.name == "" || st == s.fn.first-1 && s.fn.body == nil { // or its header
			continue
		}
		a := analysis{world: w, file: f}
		a.each(s.nodes, st, nil, func(expr []node, c *around) {
			*found = append(*found, w.sendsParameter(f, s.fn, expr, st, c)...)
		})
	}
}

// sendsParameter returns the function around an expression when the expression is an address that ends with a parameter.
func (w *world) sendsParameter(f *source, fn *function, expr []node, st int, c *around) (senders []*sender) {
	if len(expr) > 60 || !mentionsParameter(f, fn, expr) {
		return nil
	}
	e := &evaluator{file: f, world: w, budget: f.budget}
	for _, v := range e.values(expr, st) {
		f.budget.spend(v.size())
		at := pathParameter(v)
		if at < 0 {
			continue
		}
		if e.methodParameter(v[at].param, st) && v[at].name != "type" || notPaths[v[at].name] {
			continue
		}
		sent := sender{file: f, fn: fn, path: v[at].param - 1, before: v[:at:at], after: v[at+1:]}
		m := matched{}
		text, _ := v[:at].flat()
		_, sent.base = w.scan.matcher.host(text, &m)
		if c != nil && c.isQuiet() {
			continue
		}
		inner, arg := w.senderCall(f, c)
		if inner != nil && inner.rest() && c.arg > arg {
			continue // a part of the path of another function
		}
		if inner != nil && arg == c.arg { // a function that calls another one
			sent.before = append(slices.Clone(inner.before), sent.before...)
			sent.base = max(inner.base, sent.base)
			sent.hint = e.senderMethod(inner, c, st)
			senders = append(senders, &sent)
			continue
		}
		if c != nil && (isBodyKey(c.key) || besideKeys[simple(c.key)]) {
			continue
		}
		if sent.base == baseNone && at == 1 && c != nil && c.receiver() != "" && c.sends() { // "/" + path
			sent.base = w.receiverKind(f, c.receiver())
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

// besideKeys are keys of options that hold no path.
var besideKeys = words("params query querystring headers header auth timeout searchparams fields token cookies proxies verify")

// notPaths are names of parameters that hold no path.
var notPaths = words("ctx context ct cancellationtoken cancel body form data payload headers header timeout callback cb next options opts params query fields xml json")

// makesRequest says whether a call without an object makes a request: new HttpRequestMessage(method, path).
func makesRequest(c *around) bool {
	last := simple(c.callee[len(c.callee)-1])
	return containsAny(last, "request", "http", "curl")
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
	f.budget.spend(8 * len(fn.params) * (1 + len(expr)))
	for i := range fn.params {
		if fn.params[i].name != "" {
			names = append(names, simple(fn.params[i].name))
		}
	}
	if mentions(expr, names) {
		return true
	}
	holds := func(name string) bool { // of a variable that may hold one
		for _, k := range few(f.byName[simple(name)]) {
			if a := &f.assign[k]; a.fn == fn && !a.member && mentions(a.value, names) {
				return true
			}
		}
		return false
	}
	for i := range expr {
		if expr[i].isName() && holds(expr[i].token.text) {
			return true
		}
		if !expr[i].isText() {
			continue
		}
		for j := range expr[i].parts {
			for k := range expr[i].parts[j].code {
				if t := &expr[i].parts[j].code[k]; t.kind == tokenName && holds(t.text) {
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
			if j == len(nodes) || !nodes[j].isGroup('(') && !nodes[j].is(":", "=", "=>") {
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
