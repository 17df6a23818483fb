package scan

import (
	"slices"
	"strings"
)

// This file finds the method of a request in the code around its path.

// hint is what code says about a method.
type hint struct {
	method string
	other  string // another one, of an expression that chooses
	param  int    // of the function around it, from 1, when the method is its parameter
	force  int    // how clearly: 3 for a method that is written, 2 for the name of a function, 1 for what follows from a body
}

// better returns the clearer of two hints.
func better(a, b hint) hint {
	if b.force > a.force {
		return b
	}
	return a
}

// methodWord returns the method that a text or a name is, "" for none.
func methodWord(text string) string {
	if len(text) < 3 || len(text) > 6 {
		return ""
	}
	upper := strings.ToUpper(text)
	if upper == text || strings.ToLower(text) == text || text == upper[:1]+strings.ToLower(text[1:]) {
		if slices.Contains(methods, upper) {
			if upper == "HEAD" {
				return "GET"
			}
			return upper
		}
	}
	return ""
}

// written returns the method that an expression is, such as 'DELETE', HttpMethod.Delete, http.MethodPut, $method.
func (e *evaluator) written(nodes []node, st int) hint {
	for len(nodes) > 0 && nodes[0].is("new") {
		nodes = nodes[1:]
	}
	if alternatives := e.alternatives(nodes); len(alternatives) == 2 && len(nodes) < 40 {
		first, second := e.written(alternatives[0], st), e.written(alternatives[1], st)
		if first.method == "" {
			return second
		}
		if second.method != first.method {
			first.other = second.method
		}
		return first
	}
	if len(nodes) == 0 || len(nodes) > 8 {
		return hint{}
	}
	last := &nodes[len(nodes)-1]
	if len(nodes) > 1 && last.token == nil && last.open == '(' && nodes[len(nodes)-2].is("upper", "toUpperCase", "ToUpper", "upcase", "uc", "strtoupper", "HttpMethod") {
		if nodes[len(nodes)-2].is("strtoupper", "uc", "HttpMethod") {
			return e.written(last.kids, st)
		}
		return e.written(nodes[:max(len(nodes)-3, 0)], st)
	}
	switch {
	case last.isText() && len(nodes) == 1:
		if m := methodWord(strings.TrimSpace(last.literal())); m != "" {
			return hint{method: m, force: 3}
		}
	case last.isName():
		name := last.token.text
		if inner, ok := strings.CutPrefix(name, "Method"); ok && len(nodes) > 1 { // http.MethodPut
			name = inner
		}
		if inner, ok := strings.CutPrefix(name, "METHOD_"); ok {
			name = inner
		} else if inner, ok := strings.CutPrefix(name, "HTTP_METH_"); ok {
			name = inner
		} else if inner, ok := strings.CutPrefix(name, "HTTP_"); ok {
			name = inner
		}
		if m := methodWord(name); m != "" && (len(nodes) > 1 || strings.ToUpper(name) == name) {
			if len(nodes) == 1 || nodes[len(nodes)-2].is(".", "::", "->") {
				return hint{method: m, force: 3}
			}
		}
		if len(nodes) > 4 {
			return hint{}
		}
		chosen := hint{}
		for _, v := range e.values(nodes, st) {
			if len(v) == 1 && v[0].hole && v[0].param > 0 {
				return hint{param: v[0].param, force: 3}
			}
			if len(v) == 1 && !v[0].hole {
				switch m := methodWord(v[0].text); {
				case m == "" || m == chosen.method:
				case chosen.method == "":
					chosen = hint{method: m, force: 3}
				default:
					chosen.other = m
				}
			}
		}
		return chosen
	}
	return hint{}
}

// methodParameter says whether the name of a parameter says that it is a method.
func (e *evaluator) methodParameter(number, st int) bool {
	fn := e.file.statements[st].fn
	if fn == nil || number > len(fn.params) {
		return false
	}
	switch name := simple(fn.params[number-1].name); name {
	case "m", "op", "requesttype", "action":
		return true
	default:
		return strings.Contains(name, "method") || strings.Contains(name, "verb") || name == "type" || strings.Contains(name, "methode")
	}
}

// isMethodKey says whether a key or a property holds a method.
func isMethodKey(name string) bool {
	switch name = simple(name); name {
	case "method", "type", "verb", "httpmethod", "customrequest", "curloptcustomrequest", "requestmethod", "xhttpmethodoverride", "httpverb", "getmethod", "crudmethod", "optcustomrequest":
		return true
	}
	return false
}

// nearby is how far away in a long list of arguments a method may stand.
const nearby = 16

// inArguments returns what the arguments of a call say. skip is the one with the path, -1 for none.
func (e *evaluator) inArguments(args [][]node, skip, st int) (found hint) {
	if len(args) > 2*nearby { // a long table: what stands near counts
		from := max(skip-nearby, 0)
		args, skip = args[min(from, len(args)):min(from+2*nearby, len(args))], skip-from
	}
	for i, arg := range args {
		if i == skip && len(arg) > 2 && arg[1].is("=>") && arg[0].token != nil && methodWord(arg[0].text()) != "" { // DELETE => $url
			found = better(found, hint{method: methodWord(arg[0].text()), force: 3})
		}
		if i == skip || len(arg) == 0 {
			continue
		}
		if len(arg) > 2 && arg[1].is("=", ":", "=>", "->") && arg[0].token != nil {
			key := arg[0].text()
			switch h := e.written(arg[2:], st); {
			case isMethodKey(key) && h.force > 0:
				found = better(found, h)
			case methodWord(key) != "" && key == strings.ToUpper(key) && arg[1].is("=>"): // DELETE => $url
				found = better(found, hint{method: methodWord(key), force: 3})
			case arg[1].is("=>") && len(arg) == 3 && methodWord(key) != "":
				found = better(found, hint{method: methodWord(key), force: 3})
			case isBodyKey(key):
				found = better(found, hint{method: "POST", force: 1})
			}
			for j := 2; j < len(arg); j++ {
				if arg[j].token == nil {
					found = better(found, e.inArguments(split(arg[j].kids, ","), -1, st))
				}
			}
			continue
		}
		if h := e.written(arg, st); h.param == 0 || e.methodParameter(h.param, st) {
			found = better(found, h)
		}
		for j := range arg {
			switch {
			case arg[j].token == nil:
				found = better(found, e.inArguments(split(arg[j].kids, ","), -1, st))
			case arg[j].isName() && len(arg) == 1: // options that were made before
				found = better(found, e.inVariable(arg[j].token.text, st))
			}
		}
	}
	return found
}

func isBodyKey(key string) bool {
	switch simple(key) {
	case "curloptpostfields", "postfields", "body", "data", "content", "formparams", "form", "json", "files", "payload", "multipart", "curloptpost", "postdata", "postvars", "formdata":
		return true
	}
	return false
}

// inVariable returns what the value of a variable says, such as options of a request.
func (e *evaluator) inVariable(name string, st int) (found hint) {
	key := simple(name)
	if e.work++; st >= len(e.file.statements) || e.steps > 6 || e.work > maxWork {
		return found
	}
	e.steps++
	defer func() { e.steps-- }()
	fn := e.file.statements[st].fn
	indices := e.file.byName[key]
	seen := false
	for k := len(indices) - 1; k >= 0 && k >= len(indices)-maxFew; k-- {
		a := &e.file.assign[indices[k]]
		if a.fn != fn || a.statement >= st || a.member {
			continue
		}
		found = better(found, e.inTable(a.value, st))
		seen = true
		break
	}
	for _, k := range few(indices) { // of the whole file
		if a := &e.file.assign[k]; !seen && a.fn == nil && !a.member && a.statement != st {
			found = better(found, e.inTable(a.value, st))
		}
	}
	for _, i := range few(e.file.byHold[key]) { // $options['http']['method'] = 'PUT'
		a := &e.file.assign[i]
		if a.fn == fn && a.statement < st && isMethodKey(a.name) && !a.member {
			found = better(found, e.written(a.value, st))
		}
	}
	return found
}

// inTable returns what the members of a table say.
func (e *evaluator) inTable(value []node, st int) (found hint) {
	for i := range value {
		if value[i].token == nil {
			found = better(found, e.inArguments(split(value[i].kids, ","), -1, st))
		}
	}
	return found
}

// inChain returns what the other calls of a chain say: .url(u).delete(), .method("PUT", body).
func (e *evaluator) inChain(list []node, at, st int) (found hint) {
	if at < 0 { // a call without brackets
		return hint{}
	}
	first, last := max(at-maxChain, 0), min(at+maxChain, len(list))
	e.budget.spend(8 * (last - first))
	for i := first; i < last; i++ {
		n := &list[i]
		if n.token != nil || n.open != '(' || i == at || i == 0 || !list[i-1].isName() {
			continue
		}
		if !inSameChain(list, i, at, e.file.lang) {
			continue
		}
		name := list[i-1].token.text
		args := split(n.kids, ",")
		switch low := simple(name); {
		case low == "method" || low == "setmethod" || low == "setrequestmethod" || low == "requestmethod" || low == "addmethod" || low == "withmethod" || low == "httpmethod" || low == "verb" || low == "open":
			if len(args) > 0 {
				found = better(found, e.written(args[0], st))
			}
		case verbOf(name) != "" && (i < 2 || list[i-2].is(".", "->", "::", "?.", "&.")):
			if verbOf(name) != "GET" || low == "get" {
				found = better(found, hint{method: verbOf(name), force: 2})
			}
		case low == "setbody":
			found = better(found, hint{method: "POST", force: 1})
		}
	}
	for i := first; i < last; i++ { // Method::Delete without a call, as in Net::HTTP::Put.new
		if i+1 < len(list) && list[i].isName() && list[i+1].is("::", ".") && i > 0 && list[i-1].is("::", ".") {
			if m := methodWord(list[i].token.text); m != "" && i < at && at-i < 6 {
				found = better(found, hint{method: m, force: 3})
			}
		}
	}
	return found
}

// inSameChain says whether the groups at two places of a list belong to one chain of calls.
func inSameChain(list []node, a, b int, lang *language) bool {
	if a > b {
		a, b = b, a
	}
	for i := a + 1; i < b; i++ {
		n := &list[i]
		if !(n.isName() || n.token == nil || isMemberMark(list, i, lang)) {
			return false
		}
		if n.isName() && !isMemberMark(list, i-1, lang) {
			return false
		}
	}
	return a != b
}

// methodAround returns what the code around an expression says, from the inside to the outside.
func (e *evaluator) methodAround(c *around, st int) (found hint) {
	for level := 0; c != nil && level < 5; level++ {
		if len(c.callee) == 1 && (c.callee[0] == "curl" || c.callee[0] == "wget") && e.file.lang == langShell {
			return e.curlMethod(c.args, st)
		}
		found = better(found, e.inArguments(c.args, c.arg, st))
		if len(c.callee) > 0 {
			last := c.callee[len(c.callee)-1]
			low := simple(last)
			if isMethodKey(low) && len(c.callee) > 1 { // $client->$method($url)
				found = better(found, e.written([]node{nameNode(last, c.at)}, st))
			}
			if m := verbOf(last); m != "" {
				force := 2
				if low == "get" && len(c.callee) == 1 || low == "urlopen" || low == "filegetcontents" || low == "url" {
					force = 1
				}
				if (low == "urlopen" || low == "urlrequest") && len(c.args) > 1 && !(len(c.args[1]) > 1 && c.args[1][1].is("=") && !c.args[1][0].is("data")) && !(len(c.args[1]) == 1 && c.args[1][0].is("None")) {
					m, force = "POST", 2
				}
				found = better(found, hint{method: m, force: force})
			}
			if len(c.callee) > 1 && (low == "new" || low == "start" || low == "run" || low == "perform" || low == "create" || low == "build") {
				if m := methodWord(c.callee[len(c.callee)-2]); m != "" {
					found = better(found, hint{method: m, force: 3})
				}
			}
			if low == "request" && len(c.callee) == 1 && e.file.lang == langPython && len(c.args) > 1 && c.arg == 0 && found.force == 0 {
				if arg := c.args[1]; !(len(arg) > 1 && arg[1].is("=") && !arg[0].is("data")) && !(len(arg) == 1 && arg[0].is("None")) {
					found = better(found, hint{method: "POST", force: 1})
				}
			}
		}
		if c.list != nil {
			found = better(found, e.inChain(c.list, c.at, st))
		}
		c = c.outer
	}
	return found
}
