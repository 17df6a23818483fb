package scan

import (
	"strings"
)

// This file evaluates calls: functions of the languages that make texts, and functions of the program that return one.

// The functions whose results are known, by their simplified names.
var (
	formats   = words("sprintf format printf vsprintf formatted sprintff strformat")
	keepers   = words("target trim ltrim rtrim strip lstrip rstrip trimend trimstart chomp tostring tos str string strval uri url create parse freeze encodeuri aslist asstring utf8decode valueof tostr httpurl htmlentitydecode addslashes touri tourl lower tolower lowercase normalize get fromhttpurl fromuristring fromuri newbuilder endpoint buildandexpand expand build dup clone decode encode b literal raw resolveuri uricomponentsbuilder uribuilder objecturi yarl u furl sanitize stripslashes getpath geturl geturi getendpoint pathof absint")
	settings  = words("getenv env get fetch getproperty getstring getvalue config setting settings option getoption param getparam appsettings getsetting getrequired optional must mustgetenv lookupenv getorthrow variable getconfig getconnectionstring value read environ item val required geturl getapp")
	queries   = words("httpbuildquery urlencode stringify toquery encodewwwform buildquery urlsearchparams rawurlencode encodeuricomponent quote escape quoteplus intval parseint int urlencodeutf8 uriescape uriescapeutf8 escapedatastring htmlspecialchars escapeuristring md5 time")
	joiners   = words("join urljoin implode combine pathjoin urlcombine joinpath joinurl pathcombine")
	addsPath  = words("pathsegment appendpathsegment appendpathsegments addpathsegment addpathsegments path appendpath segment addpath appendingpathcomponent resolve addencodedpathsegments encodedpath slash")
	addsQuery = words("setqueryparams queryparam addqueryparameter setqueryparam query setquery appendqueryparam withquery params withqueryparams")
)

func words(text string) map[string]bool {
	known := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		known[word] = true
	}
	return known
}

// call evaluates the call whose name is at a node, and whose arguments follow it. subject is the value of the object.
func (e *evaluator) call(nodes []node, start, at, st int, subject []value) []value {
	if e.steps > maxSteps || e.work > maxWork || nodes[at].token == nil {
		return hole("")
	}
	e.steps++
	defer func() { e.steps-- }()
	name := simple(nodes[at].text())
	args := split(nodes[at+1].kids, ",")
	first := func() []value {
		if len(args) == 0 {
			return hole("")
		}
		return e.values(args[0], st)
	}
	if own := e.ownFunction(nodes, at, args, st); own != nil {
		return own
	}
	if e.isOwn(nodes, start, at, len(args)) {
		return hole(name)
	}
	switch {
	case formats[name]:
		return e.format(args, subject, st)
	case joiners[name]:
		return e.join(nodes, start, at, name, args, subject, st)
	case name == "concat" && subject != nil && at > start:
		result := subject
		if len(nodes[start].text()) > 0 && strings.EqualFold(nodes[start].text(), "string") {
			result = []value{{}}
		}
		for _, arg := range args {
			result = concat(result, e.values(arg, st))
		}
		return result
	case name == "append" && subject == nil && e.appendedParts(args, st) != nil:
		return e.appendedParts(args, st)
	case name == "append", name == "stringbuilder" && len(args) == 1, name == "plus":
		if subject == nil {
			return first()
		}
		return concat(subject, first())
	case name == "stringbuilder":
		return []value{{}}
	case name == "url" && len(args) == 2 && e.file.lang == langJavaScript:
		return e.joinPaths(e.values(args[1], st), first())
	case (name == "uri" || name == "url") && len(args) == 2:
		return e.joinPaths(first(), e.values(args[1], st))
	case addsPath[name] && subject != nil && len(args) > 0:
		result := subject
		for _, arg := range args {
			result = e.joinPaths(result, e.values(arg, st))
		}
		return result
	case addsQuery[name] && subject != nil:
		return concat(subject, []value{{{text: "?", file: e.file, at: nodes[at].at}, {hole: true}}})
	case name == "addqueryarg" && len(args) > 0:
		return concat(e.values(args[len(args)-1], st), []value{{{text: "?", file: e.file, at: nodes[at].at}, {hole: true}}})
	case name == "host" && len(args) == 1:
		return concat([]value{{{text: "https://", file: e.file, at: nodes[at].at}}}, first())
	case name == "target" && len(args) > 0:
		return first()
	case name == "request" && len(args) == 0 && subject != nil:
		return subject
	case name == "scheme" || name == "port":
		if subject == nil {
			return []value{{}}
		}
		return subject
	case strings.HasPrefix(name, "iif") || name == "if":
		if len(args) == 3 {
			return append(e.values(args[1], st), e.values(args[2], st)...)
		}
	case strings.HasSuffix(name, "replace") || name == "gsub" || name == "sub" || name == "strtr" || name == "replaceall":
		if name == "strreplace" || name == "pregreplace" {
			if len(args) >= 3 {
				return e.values(args[2], st)
			}
		} else if name == "strtr" {
			return first()
		} else if name == "replace" && subject == nil && len(args) >= 3 { // VB
			return first()
		}
		if subject != nil {
			return subject
		}
	case queries[name]:
		return hole("")
	case settings[name] && len(args) > 0:
		if found := e.setting(args, objectOf(nodes, start, at), st); found != nil {
			return found
		}
	}
	if keepers[name] || name == "" {
		switch {
		case len(args) > 0 && (subject == nil || e.file.lang.arrow || strings.HasPrefix(name, "trim") && literalOf(subject) == "" || isModule(nodes, start, at)):
			return e.trimmed(name, first())
		case subject != nil && !isModule(nodes, start, at):
			return e.trimmed(name, subject)
		case len(args) > 0:
			return first()
		}
	}
	return hole(name)
}

// isOwn says whether a call calls a function of the same object, or of the file.
func (e *evaluator) isOwn(nodes []node, start, at, args int) bool {
	if len(e.file.funcs[simple(nodes[at].text())]) == 0 {
		return false
	}
	return at == start && !nodes[max(at-1, 0)].is("new", "New") || at == start+2 && nodes[start].is("this", "self", "static", "parent", "cls", "super", "Me")
}

// isModule says whether the object of a call is a class or a module and no value: strings.Trim, URI.create.
func isModule(nodes []node, start, at int) bool {
	if at != start+2 || !nodes[start].isName() {
		return at > start+2 && nodes[at-2].isName() && startsUpper(nodes[at-2].token.text)
	}
	switch name := nodes[start].token.text; name {
	case "strings", "url", "urllib", "parse", "yarl", "querystring", "path":
		return true
	default:
		return startsUpper(name)
	}
}

func startsUpper(name string) bool { return name != "" && name[0] >= 'A' && name[0] <= 'Z' }

// literalOf returns the literals of the first value.
func literalOf(values []value) string {
	if len(values) == 0 {
		return ""
	}
	var b strings.Builder
	for _, p := range values[0] {
		b.WriteString(p.text)
	}
	return b.String()
}

// trimmed removes slashes from the ends of values as the named function does.
func (e *evaluator) trimmed(name string, values []value) []value {
	if !strings.Contains(name, "trim") && !strings.Contains(name, "strip") && name != "chomp" {
		return values
	}
	out := make([]value, 0, len(values))
	for _, v := range values {
		if len(v) > 0 {
			v = append(value(nil), v...)
			if last := &v[len(v)-1]; !last.hole && !strings.HasPrefix(name, "l") && name != "trimstart" {
				last.text = strings.TrimRight(last.text, "/ ")
			}
			if first := &v[0]; !first.hole && (strings.HasPrefix(name, "l") || name == "trim" || name == "trimstart" || name == "strip") {
				trimmed := strings.TrimLeft(first.text, "/ ")
				first.at += len(first.text) - len(trimmed)
				first.text = trimmed
			}
		}
		out = append(out, v)
	}
	return out
}

// format evaluates sprintf and its like.
func (e *evaluator) format(args [][]node, subject []value, st int) []value {
	for i := range subject {
		if text := literalOf(subject[i : i+1]); strings.ContainsAny(text, "%{") {
			return e.formatted(subject, args, st)
		}
	}
	for i, arg := range args {
		values := e.values(arg, st)
		if text := literalOf(values); text != "" {
			rest := args[i+1:]
			if len(rest) == 1 && len(rest[0]) == 1 && rest[0][0].isGroup('[') {
				rest = split(rest[0][0].kids, ",")
			}
			return e.formatted(values, rest, st)
		}
		if i == 1 {
			break
		}
	}
	return hole("")
}

// join evaluates the functions that join lists or parts of addresses.
func (e *evaluator) join(nodes []node, start, at int, name string, args [][]node, subject []value, st int) []value {
	paths := name != "join" && name != "implode"
	if at >= start+2 && nodes[start].isName() && (nodes[start].is("path", "posixpath", "os", "urllib", "URI", "Path", "Url", "url", "parse", "File", "urlparse") || startsUpper(nodes[start].token.text) && name == "combine") {
		paths = true
	}
	if paths {
		var result []value
		for i, arg := range args {
			if i == 0 {
				result = e.values(arg, st)
			} else {
				result = e.joinPaths(result, e.values(arg, st))
			}
		}
		if result == nil {
			return hole("")
		}
		return result
	}
	separator, list := args, []node(nil)
	for i, arg := range args { // the list, wherever it is
		for j := range arg {
			if j > 0 && (arg[j-1].isName() || arg[j-1].is("->")) && (e.file.lang == langPerl || e.file.lang == langPHP) && !arg[j-1].is("array") {
				continue // a key
			}
			if arg[j].token == nil && (arg[j].open == '[' || arg[j].open == '{' || arg[j].open == '(' && j > 0 && arg[j-1].is("array")) {
				list, separator = arg[j].kids, append(args[:i:i], args[i+1:]...)
			}
		}
	}
	between := hole("")
	if list == nil && !nodes[start].isGroup('[') {
		if parts := e.joinedParameter(nodes[start:at], args, st); parts != nil {
			return parts
		}
	}
	switch {
	case list == nil && at > start && nodes[start].isGroup('['):
		list = nodes[start].kids
		if len(args) > 0 {
			between = e.values(args[0], st)
		}
	case list == nil && len(args) > 1: // String.Join(separator, a, b), join separator, a, b
		between = e.values(args[0], st)
		return e.joined(between, args[1:], st)
	case len(separator) > 0:
		between = e.values(separator[0], st)
	case subject != nil && at > start:
		between = subject
	}
	if list == nil {
		return hole("")
	}
	return e.joined(between, split(list, ","), st)
}

func (e *evaluator) joined(between []value, parts [][]node, st int) []value {
	result := []value{{}}
	for i, part := range parts {
		if i > 0 {
			result = concat(result, between[:min(1, len(between))])
		}
		result = concat(result, e.values(part, st))
	}
	return result
}

// joinPaths joins two parts of an address with one slash.
func (e *evaluator) joinPaths(before, after []value) []value {
	var all []value
	for _, a := range before {
		for _, b := range after {
			if len(all) == maxValues {
				return all
			}
			switch {
			case len(b) > 0 && !b[0].hole && strings.Contains(b[0].text, "://"):
				all = append(all, b)
				continue
			case len(a) == 0:
				all = append(all, b)
				continue
			}
			last := a[len(a)-1]
			ends, begins := !last.hole && strings.HasSuffix(last.text, "/"), len(b) > 0 && !b[0].hole && strings.HasPrefix(b[0].text, "/")
			joined := append(value(nil), a...)
			if !ends && !begins {
				joined = append(joined, piece{text: "/", file: e.file})
			}
			all = append(all, append(joined, b...))
		}
	}
	return all
}

// setting evaluates a call that reads a setting by its name, nil when there is none of the name.
func (e *evaluator) setting(args [][]node, object string, st int) []value {
	key := ""
	holder := ""
	if len(args) == 1 && len(args[0]) == 1 && args[0][0].isText() && len(e.file.byHold[object]) > 0 {
		if found := e.lookup(simple(args[0][0].literal()), object, args[0][0].literal(), args[0][0].at, st, true); !isHole(found) {
			return found
		}
	}
	for i := len(args) - 1; i >= 0; i-- { // config.get('section', 'key')
		if len(args[i]) == 1 && args[i][0].isText() && len(args[i][0].parts) == 1 {
			if text := args[i][0].literal(); !strings.Contains(text, "/") && text != "" {
				if key != "" {
					holder = simple(text)
					break
				}
				key = text
			}
		}
	}
	if key == "" || strings.ContainsAny(key, " ?=&") || methodWord(key) != "" {
		return nil
	}
	if len(args[0]) == 0 { // VB may leave an argument out
		return nil
	}
	if len(args) > 1 && len(args[0]) == 1 && args[0][0].isText() { // a default: getenv('BASE', 'https://…')
		if found := e.lookupKey(args[0][0].literal(), "", args[0][0].at, st); found != nil {
			return found
		}
		if values := e.values(args[1], st); literalOf(values) != "" && strings.ContainsAny(literalOf(values), "/.") {
			return values
		}
	}
	return e.lookupKey(key, holder, args[0][0].at, st)
}

// objectOf returns the simplified name of the object of a call, "" for none.
func objectOf(nodes []node, start, at int) string {
	if at < start+2 || !nodes[at-2].isName() {
		return ""
	}
	return simple(nodes[at-2].token.text)
}

// lookupKey returns the values of a setting, nil when there is none.
func (e *evaluator) lookupKey(key, holder string, at, st int) []value {
	if i := strings.LastIndexAny(key, ".:"); i >= 0 && i+1 < len(key) {
		if holder == "" {
			before := key[:i]
			holder = simple(before[strings.LastIndexAny(before, ".:")+1:])
		}
		if found := e.lookup(simple(key), "", key, at, st, true); !isHole(found) {
			return found
		}
		key = key[i+1:]
	}
	if found := e.lookup(simple(key), holder, key, at, st, true); !isHole(found) {
		return found
	}
	return nil
}

func isHole(values []value) bool { return len(values) == 1 && len(values[0]) == 1 && values[0][0].hole }

// ownFunction evaluates a function of the program that returns a text, nil when there is none.
func (e *evaluator) ownFunction(nodes []node, at int, args [][]node, st int) []value {
	name := nodes[at].text()
	if at > 0 && nodes[at-1].is("new", "New") || nodes[at].is("toString", "ToString", "to_s") {
		return nil
	}
	holder := ""
	if at > 1 && nodes[at-2].isName() && e.isMember(nodes, at-1) {
		holder = nodes[at-2].token.text
	}
	file, fn := e.world.function(e.file, holder, name, len(args))
	if fn == nil || e.args[fn] != nil || e.steps > 8 {
		return nil
	}
	results := file.results(fn)
	if len(results) == 0 {
		return nil
	}
	given := make([][]value, len(fn.params))
	for i := range fn.params {
		switch arg, ok := argumentFor(fn, args, i); {
		case ok && fn.params[i].rest && len(args) > i+1: // parts of a path
			given[i] = e.values(arg, st)
			for _, more := range args[i+1:] {
				given[i] = e.joinPaths(given[i], e.values(more, st))
			}
		case ok:
			given[i] = e.values(arg, st)
		case fn.params[i].value != nil:
			inner := evaluator{file: file, world: e.world, budget: e.budget, steps: e.steps, work: e.work}
			given[i] = inner.values(fn.params[i].value, fn.first)
			e.work = max(e.work, inner.work)
		default:
			given[i] = hole(simple(fn.params[i].name))
		}
	}
	inner := evaluator{file: file, world: e.world, budget: e.budget, steps: e.steps + 1, work: e.work, args: map[*function][][]value{fn: given}, within: fn}
	for fn, args := range e.args {
		if inner.args[fn] == nil {
			inner.args[fn] = args
		}
	}
	type place struct {
		file *source
		at   int
	}
	known := map[place]bool{} // literals of the arguments stay where they are
	for _, values := range given {
		for _, v := range values {
			for _, p := range v {
				known[place{p.file, p.at}] = true
			}
		}
	}
	var all []value
	for _, result := range results {
		for _, v := range inner.values(result.nodes, result.statement) {
			made := farther(v, nodes[at].at)
			for i := range v {
				if !v[i].far && known[place{v[i].file, v[i].at}] {
					made[i] = v[i]
				}
			}
			all = append(all, made)
		}
		if len(all) > maxValues {
			break
		}
	}
	e.work = max(e.work, inner.work)
	useful := false
	for _, v := range all {
		for _, p := range v {
			useful = useful || !p.hole && strings.ContainsAny(p.text, "/.")
		}
	}
	if !useful {
		return nil
	}
	return all
}

// argumentFor returns the argument of a parameter, by its name or its position.
func argumentFor(fn *function, args [][]node, index int) ([]node, bool) {
	name := simple(fn.params[index].name)
	for _, arg := range args {
		if len(arg) > 2 && arg[1].is("=", ":", ":=") && arg[0].isName() && simple(arg[0].token.text) == name {
			return arg[2:], true
		}
	}
	if index < len(args) {
		arg := args[index]
		if len(arg) > 2 && arg[1].is("=", ":", ":=") && arg[0].isName() && arg[1].token.text != ":" {
			for i := range fn.params {
				if simple(fn.params[i].name) == simple(arg[0].token.text) {
					return nil, false // the argument of another parameter
				}
			}
		}
		return arg, true
	}
	return nil, false
}
