package scan

import (
	"slices"
	"strings"
)

// This file follows a request from its address to the statement that gives its method.

// flow returns what later and earlier statements do with an address: those that name the variable that holds it, or the request
// that was made with it.
//
// address are the variables that hold it, and objects are the requests.
func (e *evaluator) flow(st int, address, objects []string) (found hint, used []int) {
	f := e.file
	if len(address)+len(objects) == 0 || st >= len(f.statements) {
		return hint{}, nil
	}
	fn := f.statements[st].fn
	names := slices.Concat(address, objects)
	first := slices.Clone(names)
	limit := 60
	for i := st + 1; i < len(f.statements) && limit > 0; i++ {
		s := &f.statements[i]
		e.budget.spend(1)
		if s.fn != fn {
			continue
		}
		limit--
		e.budget.spend(f.weight(i))
		if !mentions(s.nodes, names) {
			continue
		}
		a, assigns := f.assignedBy(s)
		if assigns && slices.Contains(names, a.name) && !a.appends && a.holder == "" && !mentions(a.value, names) {
			names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == a.name })
			if len(names) == 0 {
				break
			}
			continue
		}
		if h := e.inStatement(s.nodes, names, i); h.force > 0 {
			found = better(found, h)
		}
		used = append(used, i)
		if assigns && mentions(a.value, names) && len(names) < 5 && !isResponse(a.name) {
			if a.holder != "" && a.holder != "this" && a.holder != "self" {
				names = append(names, a.holder)
			} else {
				names = append(names, a.name)
			}
		} else if handle := handleOf(s.nodes, first); handle != "" && len(names) < 5 {
			names = append(names, handle)
		}
	}
	limit = 25
	for i := st - 1; i >= 0 && limit > 0; i-- { // what was set before
		s := &f.statements[i]
		e.budget.spend(1)
		if s.fn != fn {
			continue
		}
		limit--
		e.budget.spend(f.weight(i))
		others := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(address, name) })
		if !mentions(s.nodes, others) {
			continue
		}
		if h := e.inStatement(s.nodes, others, i); h.force > 0 {
			found = better(found, h)
		}
		if a, ok := f.assignedBy(s); ok && slices.Contains(others, a.name) && a.holder == "" {
			break
		}
	}
	return found, used
}

// isResponse says whether the name of a variable says that it is an answer and no request.
func isResponse(name string) bool {
	for _, word := range []string{"resp", "result", "answer", "body", "xml", "json", "data", "content", "html", "reply", "output", "out", "doc", "ret", "text"} {
		if strings.HasPrefix(name, word) || strings.HasSuffix(name, word) {
			return true
		}
	}
	return false
}

// handleOf returns the object to which a statement gives an address: curl_setopt($handle, CURLOPT_URL, $url).
func handleOf(nodes []node, names []string) string {
	for i := range nodes {
		n := &nodes[i]
		if n.token != nil || n.open != '(' || i == 0 || !mentions(n.kids, names) {
			continue
		}
		args := split(n.kids, ",")
		callee := simple(nodes[i-1].text())
		switch {
		case strings.Contains(callee, "setopt") && len(args) > 1 && len(args[0]) == 1 && callee != "setopt":
			return simple(args[0][0].text())
		case (callee == "setopt" || callee == "open" || callee == "seturl" || callee == "url" || callee == "uri" || callee == "seturi" || callee == "create") && i >= 3 && nodes[i-3].isName():
			return simple(nodes[i-3].token.text)
		}
	}
	return ""
}

// inStatement returns what a statement says that names an address or its request.
func (e *evaluator) inStatement(nodes []node, names []string, st int) (found hint) {
	for i := range nodes {
		n := &nodes[i]
		if n.is("do") && e.file.lang == langRuby && i > 0 && i+2 < len(nodes) && nodes[i+1].is("|") && slices.Contains(names, simple(nodes[i+2].text())) {
			last := i - 1 // conn.put(…) do |request|
			if nodes[last].isGroup('(') && last > 0 {
				last--
			}
			if verb := verbOf(nodes[last].text()); verb != "" {
				found = better(found, hint{method: verb, force: 2})
			}
		}
		if n.isName() && isMethodKey(n.token.text) && i+2 < len(nodes)+0 && i+1 < len(nodes) && nodes[i+1].is("=", ":", "=>") && i+2 < len(nodes) { // request.Method = "PUT"
			found = better(found, e.written(nodes[i+2:], st))
			if nodes[i+2].is("lambda") && len(nodes) > i+4 {
				found = better(found, e.written(nodes[len(nodes)-1:], st))
			}
		}
		if n.token != nil || n.open == '{' && e.file.lang == langPerl {
			continue
		}
		callee, _ := calleeOf(nodes, i, e.file.lang)
		inside := mentions(n.kids, names)
		object := len(callee) > 1 && slices.Contains(names, simple(callee[0]))
		for _, name := range callee[:max(len(callee)-1, 0)] {
			object = object || slices.Contains(names, simple(name))
		}
		if !inside && !object {
			continue
		}
		args := split(n.kids, ",")
		if len(callee) > 0 {
			last := simple(callee[len(callee)-1])
			switch {
			case strings.Contains(last, "setopt"):
				found = better(found, e.inSetopt(args, st))
				continue
			case inside:
				c := &around{callee: callee, list: nodes, at: i, args: args, arg: argWith(args, names)}
				if c.isQuiet() {
					continue
				}
				found = better(found, e.methodAround(c, st))
			case object && (verbOf(last) == "DELETE" || verbOf(last) == "PUT" || verbOf(last) == "POST"):
				found = better(found, hint{method: verbOf(last), force: 2})
			case last == "request" || last == "execute" || last == "send" || last == "dorequest" || last == "sendrequest":
				if h := e.inArguments(args, -1, st); h.force == 3 {
					found = better(found, h)
				}
			case last == "method" || last == "setmethod" || last == "setrequestmethod" || last == "open" || last == "requestmethod" || last == "setopt":
				found = better(found, e.inArguments(args, -1, st))
			case last == "setdooutput" || last == "setbody" || last == "getoutputstream" || last == "getrequeststream":
				found = better(found, hint{method: "POST", force: 1})
			}
		}
		found = better(found, e.inStatement(n.kids, names, st))
	}
	return found
}

// argWith returns the argument that mentions one of some names.
func argWith(args [][]node, names []string) int {
	return slices.IndexFunc(args, func(arg []node) bool { return mentions(arg, names) })
}

// inSetopt returns what an option of curl says.
func (e *evaluator) inSetopt(args [][]node, st int) (found hint) {
	for i, arg := range args {
		for j := range arg {
			if arg[j].token == nil && (arg[j].open == '[' || arg[j].open == '(') { // curl_setopt_array
				for _, pair := range split(arg[j].kids, ",") {
					if len(pair) > 2 {
						found = better(found, e.curlOption(pair[0].text(), pair[2:], st))
					}
				}
			}
			if arg[j].isName() && i+1 < len(args) {
				found = better(found, e.curlOption(arg[j].token.text, args[i+1], st))
			} else if arg[j].isName() && len(arg) == 1 && i > 0 && i+1 == len(args) {
				found = better(found, e.inOptions(arg[j].token.text, st))
			}
		}
	}
	return found
}

// inOptions returns what a table of curl's options says.
func (e *evaluator) inOptions(name string, st int) (found hint) {
	key := simple(name)
	fn := e.file.statements[st].fn
	for _, i := range few(e.file.byHold[key]) {
		if a := &e.file.assign[i]; a.fn == fn && a.statement <= st {
			found = better(found, e.curlOption(a.name, a.value, st))
		}
	}
	return found
}

func (e *evaluator) curlOption(name string, value []node, st int) hint {
	off := len(value) == 1 && (value[0].is("false", "FALSE", "0", "null") || value[0].token != nil && value[0].token.text == "0")
	switch option := simple(name); {
	case strings.HasSuffix(option, "customrequest"):
		return e.written(value, st)
	case off:
	case strings.HasSuffix(option, "postfields"):
		return hint{method: "POST", force: 1}
	case strings.HasSuffix(option, "httpget"):
		return hint{method: "GET", force: 2}
	case strings.HasSuffix(option, "optpost") || option == "post" || option == "httppost" || strings.HasSuffix(option, "opthttppost"):
		return hint{method: "POST", force: 2}
	case strings.HasSuffix(option, "optput"), strings.HasSuffix(option, "upload") && strings.Contains(option, "opt"):
		return hint{method: "PUT", force: 2}
	}
	return hint{}
}

// curlMethod returns the method of a command of curl or wget.
func (e *evaluator) curlMethod(args [][]node, st int) (found hint) {
	for i, arg := range args {
		if len(arg) != 1 || !arg[0].isText() {
			continue
		}
		word := arg[0].literal()
		name, value, joined := strings.Cut(word, "=")
		short, _, _ := strings.Cut(word, " ")
		switch {
		case word == "-X" || word == "--request" || word == "--method" || len(word) > 2 && len(word) < 8 && word[0] == '-' && word[1] != '-' && word[len(word)-1] == 'X':
			if i+1 < len(args) {
				found = better(found, e.written(args[i+1], st))
				if found.force < 3 && len(args[i+1]) == 1 {
					for _, v := range e.values(args[i+1], st) {
						if len(v) == 1 && v[0].hole && v[0].param > 0 {
							found = hint{param: v[0].param, force: 3}
						} else if len(v) == 1 && methodWord(v[0].text) != "" {
							found = better(found, hint{method: methodWord(v[0].text), force: 3})
						}
					}
				}
			}
		case joined && (name == "--request" || name == "--method"):
			if m := methodWord(value); m != "" {
				found = better(found, hint{method: m, force: 3})
			}
		case strings.HasPrefix(word, "-X") && methodWord(word[2:]) != "":
			found = better(found, hint{method: methodWord(word[2:]), force: 3})
		case word == "-G" || word == "--get" || word == "-I" || word == "--head":
			found = better(found, hint{method: "GET", force: 3})
		case word == "-T" || word == "--upload-file":
			found = better(found, hint{method: "PUT", force: 2})
		case strings.HasPrefix(name, "--data"), strings.HasPrefix(name, "--post-"), strings.HasPrefix(name, "--form"), strings.HasPrefix(name, "--json"),
			strings.HasPrefix(short, "-d"), strings.HasPrefix(short, "-F"), len(short) > 2 && short[0] == '-' && short[1] != '-' && strings.HasSuffix(short, "d"):
			found = better(found, hint{method: "POST", force: 2})
		}
	}
	if found.force == 0 {
		return hint{method: "GET", force: 2}
	}
	return found
}
