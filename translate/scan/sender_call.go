package scan

import (
	"regexp"
	"slices"
	"strings"
)

// This file finds the calls of functions that send requests.

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
			if near > score && s.file.lang == f.lang && !s.file.apart(f) && f.linked(s, c) {
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

// libraries are objects whose functions are none of the program.
var libraries = words("$ jquery axios requests superagent got httparty restclient unirest")

// linked says whether a file may mean a sender by a name: it is its own, or the file names the sender's file or class, or no
// other function has such a name.
func (f *source) linked(s *sender, c *around) bool {
	name := simple(s.fn.name)
	if receiver := c.receiver(); receiver != "" && f.madeOfOther(receiver, s) {
		return false
	}
	if generalSenders[name] && len(c.callee) == 2 && libraries[simple(c.callee[0])] {
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
			inner := evaluator{file: s.file, world: e.world, budget: e.budget}
			if h := inner.written(value, s.fn.first); h.force > 0 {
				return h
			}
			for i := range s.fn.params { // without a method, a body is posted
				arg, ok := argumentFor(s.fn, c.args, i)
				if ok && len(arg) > 0 && i != s.path && isBodyKey(s.fn.params[i].name) && !arg[0].is("None", "null", "nil", "undefined") {
					return hint{method: "POST", force: 2}
				}
			}
		}
		return hint{}
	}
	found := s.hint
	if own := e.inTables(c.args, c.arg, st); own.force == 3 {
		return own
	}
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

// inTables returns the method that a table among the arguments of a call names.
func (e *evaluator) inTables(args [][]node, path, st int) (found hint) {
	for i, arg := range args[:min(len(args), nearby)] {
		if i == path || len(arg) == 0 {
			continue
		}
		last := &arg[len(arg)-1]
		if last.token != nil || len(arg) > 2 {
			continue
		}
		for _, part := range split(last.kids, ",") {
			if len(part) > 2 && part[0].token != nil && part[1].is("=>", ":", "=") && isMethodKey(part[0].text()) && part[0].text() != "type" {
				found = better(found, e.written(part[2:], st))
			}
		}
	}
	return found
}

// hostName is a host alone.
var hostName = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}$`)

// connects says whether an expression makes a connection to a host.
func connects(nodes []node) bool {
	return slices.ContainsFunc(nodes, func(n node) bool {
		return n.isName() && containsAny(simple(n.token.text), "connection", "http", "client")
	})
}

// receiverKind says whose host an object has, as far as the file says what the object is made of.
func (w *world) receiverKind(f *source, name string) baseKind {
	if name == "" || name == "this" || name == "self" {
		return baseNone
	}
	kind := baseNone
	consider := func(owner *source, nodes []node, st int) {
		kind = max(kind, w.clientKind(nodes))
		e := evaluator{file: owner, world: w, budget: f.budget}
		eachLeaf(nodes, func(n []node) {
			for _, v := range e.values(n, st) {
				text, _ := v.flat()
				if hostName.MatchString(text) && !w.scan.matcher.isHost(text) && len(nodes) > 1 && connects(nodes) {
					kind = max(kind, baseForeign)
				}
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

// handles returns the variables that hold an address or what a statement makes of it, and the objects that it is given to.
func (w *world) handles(f *source, st int, c *around) (names, objects []string) {
	s := &f.statements[st]
	f.budget.spend(4 * len(s.nodes))
	if a, ok := f.assignedBy(s); ok {
		if name := a.name; !isResponse(name) || c == nil {
			names = append(names, name)
		}
		if a.holder != "" && a.holder != "this" && a.holder != "self" && (a.name == "url" || a.name == "uri" || a.name == "path" || a.name == "resource" || a.name == "requesturi") {
			objects = append(objects, a.holder)
		}
	}
	for level := 0; c != nil && level < 3; c, level = c.outer, level+1 {
		if len(c.callee) == 0 || level > 0 && len(c.callee) != 2 {
			continue
		}
		callee := simple(c.callee[len(c.callee)-1])
		switch {
		case strings.Contains(callee, "setopt") && len(c.callee) == 1 && len(c.args) > 0 && len(c.args[0]) == 1:
			objects = append(objects, simple(c.args[0][0].text()))
		case callee == "setopt" || callee == "open" || callee == "seturl" || callee == "url" && len(c.callee) == 2 || callee == "uri" && len(c.callee) == 2 || callee == "seturi" || callee == "setrequesturi" || callee == "create" && len(c.callee) > 2:
			objects = append(objects, c.receiver())
		}
	}
	empty := func(name string) bool { return name == "" }
	return slices.DeleteFunc(names, empty), slices.DeleteFunc(objects, empty)
}
