package scan

import (
	"strings"
)

// This file evaluates calls. It knows functions of the languages that make texts; those of the program are in eval_own.go.

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
