package scan

import (
	"slices"
	"strings"
)

// This file knows the code around an expression: the calls whose argument it is, and what they do with it.

// around is the code around an expression, innermost first.
type around struct {
	callee []string // the names of the called function: http, client, get
	list   []node   // the nodes among which the call or the table stands
	at     int      // the group in list
	args   [][]node
	arg    int    // the argument with the expression
	key    string // the key of the expression in its table
	marked bool   // the call is an annotation or an attribute
	outer  *around
}

// maxChain is how many nodes before a call are looked at.
const maxChain = 256

// calleeOf returns the names before a group in brackets, and where they begin.
func calleeOf(list []node, at int, lang *language) (names []string, start int) {
	i, start := at-1, at
	if i >= 0 && list[i].is(">") { // a generic call
		for j := i; j > 0 && i-j < 12; j-- {
			if list[j].is("<") {
				i = j - 1
				break
			}
		}
	}
	if lang == langGo && i > 0 && list[i].isGroup('[') && list[i-1].isName() { // call[T](…)
		i--
	}
	wanted := true
	defer func() { slices.Reverse(names) }()
	for i >= max(at-maxChain, 0) {
		n := &list[i]
		switch {
		case !wanted && isMemberMark(list, i, lang):
			wanted = true
		case !wanted:
			return names, start
		case n.isName():
			names, start, wanted = append(names, n.token.text), i, false
		case n.token == nil && len(names) > 0: // a call or an index in the chain
			start = i
			if i == 0 || !list[i-1].isName() && list[i-1].token != nil {
				return names, start
			}
		default:
			return names, start
		}
		i--
	}
	return names, start
}

// isMemberMark says whether a node leads to a member.
func isMemberMark(list []node, i int, lang *language) bool {
	n := &list[i]
	return n.is("->", "::", "?.", "?->") || n.is(".") && !lang.arrow || n.is("&") && lang == langRuby && i+1 < len(list) && list[i+1].is(".")
}

// verbOf returns the method that the name of a function says, "" for none.
func verbOf(name string) string {
	low := simple(name)
	for _, suffix := range []string{
		"asjsonasync", "asstringasync", "fromjsonasync", "async", "forobject", "forentity", "forlocation", "json", "sync", "method", "mapping", "request", "object", "xml", "string",
		"streamasync", "stream", "bytearray", "as", "with", "req", "data", "url", "raw", "taskasync", "form", "multipart", "body", "page", "response",
	} {
		if inner, ok := strings.CutSuffix(low, suffix); ok && inner != "" {
			if v := plainVerb(inner); v != "" {
				return v
			}
		}
	}
	for _, prefix := range []string{"http", "do", "send", "curl", "method", "rest", "api", "request", "execute", "call", "make", "web", "simplehttp", "xhr", "async", "build", "prepare"} {
		if inner, ok := strings.CutPrefix(low, prefix); ok && inner != "" {
			if v := plainVerb(strings.TrimSuffix(inner, "request")); v != "" {
				return v
			}
		}
	}
	switch low {
	case "downloadstring", "downloadfile", "downloaddata", "filegetcontents", "getstringasync", "urlopen", "getjson", "openstream", "getstream", "downloadstringasync", "downloadstringtaskasync", "getstring", "lwpget", "getprint", "getstore", "readfile", "simplexmlloadfile", "fileopen", "geturlcontents":
		return "GET"
	case "uploadstring", "uploadvalues", "uploaddata", "postform", "postforobject", "uploadstringtaskasync", "uploadvaluestaskasync", "uploadvaluesasync", "uploadstringasync":
		return "POST"
	}
	return plainVerb(low)
}

func plainVerb(low string) string {
	switch low {
	case "get", "fetchget":
		return "GET"
	case "post", "dopost":
		return "POST"
	case "put":
		return "PUT"
	case "delete", "del", "remove", "destroy":
		if low == "del" || low == "delete" {
			return "DELETE"
		}
		return ""
	case "head":
		return "GET"
	case "patch":
		return "PATCH"
	}
	return ""
}

// What the names of functions say about their arguments.
var (
	quietCalls = words(`mail log logger print println printf echo warn warning error info debug trace fatal notice exception raise die croak carp confess throw assert assertequals
 assertthat expect describe it test message msgbox puts say output alert write writeline printline syslog errorlog fprintf fprintln errorf sprintln panic logf fatalf infof debugf warnf
 logerror loginfo logdebug logwarning logwarn addlog writelog tolog status notify comment title label text setlabel settext header redirect redirectto sendredirect href location
 require requireonce include includeonce import from fileexists isfile mkdir isdir unlink touch rename dirname basename render view template partial loadview
 regexp regex pregmatch match matches test contains indexof startswith endswith strpos includes equals stristr strstr str_contains strcmp compare explode split
 routeto urlfor linkto navigate pushstate goto addeventlistener on emit subscribe listen todo skip given when then scenario context feature adderror seterror
 resturl homeurl siteurl adminurl getresturl networksiteurl`)
	quietLabels = words(`title text label message msg help description summary comment note tooltip placeholder alt caption heading usage`)
	linkLabels  = words(`href location action src link windowlocation`)
	testNames   = words(`mockmvc webtestclient supertest nock wiremock mockserver stubfor responses requestsmock httpretty webmock stubrequest mockadapter fetchmock verify`)
	quietNames  = words(`log logger logging console trace debug syslog assert expect test stderr errors`)
	routeCalls  = words(`route handlefunc handle addroute mapget mappost mapput mapdelete map repath addurlrule resources resource namespace scope getmapping postmapping putmapping deletemapping
 requestmapping patchmapping controller blueprint mount alloworigin location rewrite rule security antmatchers requestmatchers mvcmatchers registerrestroute`)
	routeNames = words(`app router route routes r mux server blueprint bp api fastify express group engine e g`)
	sendCalls  = words(`request fetch curl curlinit curlsetopt filegetcontents fopen urlopen urlretrieve open openconnection create createhttp newrequest newrequestwithcontext send sendrequest call callapi apicall
 execute exec exchange ajax axios got superagent needle http https https_request simplerequest invoke submit query load loadxml load_file simplexmlloadfile url uri setopt addurl requesturi
 restrequest httprequestmessage httprequest restsharp newcall builder seturl baseurl urlconnection httpurl httpclient webrequest webclient invokerestmethod invokewebrequest wget lwp do perform run
 download upload process dorequest makerequest apirequest httprequestasync method verb publicsend sendasync executeasync getresponse postform command action go xmlhttp retrieve target api rest endpoint path`)
)

// isQuiet says whether a call only shows its arguments, or does something else than to send a request.
func (c *around) isQuiet() bool {
	if len(c.callee) == 0 {
		return false
	}
	last := simple(c.callee[len(c.callee)-1])
	if quietCalls[last] || strings.HasSuffix(last, "exception") || strings.HasSuffix(last, "error") || strings.HasPrefix(last, "assert") || strings.HasPrefix(last, "log") && last != "login" {
		return true
	}
	if len(c.callee) > 1 {
		if quietNames[simple(c.callee[len(c.callee)-2])] || quietNames[simple(c.callee[0])] {
			return true
		}
	}
	return false
}

// isRoute says whether a call declares a route of a server.
func (c *around) isRoute(text string) bool {
	if len(c.callee) == 0 {
		return false
	}
	last := simple(c.callee[len(c.callee)-1])
	if last == "requestline" {
		return false // of Feign
	}
	if c.marked { // annotations of clients are in capitals, as those of Retrofit are
		return methodWord(c.callee[len(c.callee)-1]) == "" && c.callee[len(c.callee)-1] != "HTTP" || strings.ToUpper(c.callee[len(c.callee)-1]) != c.callee[len(c.callee)-1]
	}
	for _, arg := range c.args[:min(len(c.args), nearby)] { // get '/item/:id', to: 'items#show'
		if len(arg) > 2 && arg[0].is("to", "controller", "as") && arg[1].is(":", "=>") && len(c.callee) == 1 {
			return true
		}
	}
	if routeCalls[last] {
		return true
	}
	if last == "path" && len(c.args) >= 2 && len(c.callee) == 1 && strings.Contains(text, "<") {
		return true
	}
	receiver := ""
	if len(c.callee) > 1 {
		receiver = simple(c.callee[len(c.callee)-2])
	}
	if receiver != "" && (routeNames[receiver] || strings.HasSuffix(receiver, "router")) && verbOf(last) != "" {
		if len(c.args) > 1 {
			for _, arg := range c.args[1:min(len(c.args), nearby)] { // a handler
				for i := range arg {
					if arg[i].is("=>", "function", "func", "async", "->") || arg[i].isGroup('[') && len(arg) == 1 {
						return true
					}
				}
			}
			if receiver == "app" || receiver == "router" || receiver == "r" || receiver == "mux" || receiver == "route" {
				for _, arg := range c.args[1:min(len(c.args), nearby)] {
					if len(arg) >= 1 && arg[len(arg)-1].isName() {
						return strings.Contains(text, ":") || strings.Contains(text, "{") || receiver != "api" && receiver != "r"
					}
				}
			}
		}
		return strings.Contains(text, "/:") || receiver == "route" || receiver == "router"
	}
	return receiver == "" && verbOf(last) != "" && strings.Contains(text, "/:")
}

// sends says whether a call sends a request, as far as its name says so.
func (c *around) sends() bool {
	if len(c.callee) == 0 {
		return false
	}
	last := simple(c.callee[len(c.callee)-1])
	if queries[last] {
		return false
	}
	if sendCalls[last] || verbOf(last) != "" {
		return true
	}
	for _, word := range []string{"request", "http", "curl", "fetch", "url", "uri", "api", "rest", "call", "send"} {
		if strings.Contains(last, word) {
			return true
		}
	}
	if last == "new" || last == "open" || last == "start" {
		for _, name := range c.callee[:len(c.callee)-1] {
			if low := simple(name); strings.Contains(low, "http") || strings.Contains(low, "request") || strings.Contains(low, "uri") || verbOf(low) != "" {
				return true
			}
		}
	}
	return false
}

// receiver returns the name of the object of a call, "" for none.
func (c *around) receiver() string {
	if len(c.callee) < 2 {
		return ""
	}
	return simple(c.callee[len(c.callee)-2])
}

// named says whether the name of a variable or a key says that it holds an address.
func named(name string) bool {
	for _, word := range []string{"url", "uri", "path", "endpoint", "resource", "route", "address", "adresse", "target", "link", "href", "api", "request", "query", "service", "action", "location"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// mentions says whether nodes contain one of some names.
func mentions(nodes []node, names []string) bool {
	for i := range nodes {
		n := &nodes[i]
		switch {
		case n.token == nil:
			if mentions(n.kids, names) {
				return true
			}
		case n.kind == tokenName:
			if slices.Contains(names, simple(n.token.text)) {
				return true
			}
		case n.kind == tokenText:
			for j := range n.parts {
				for k := range n.parts[j].code {
					if t := &n.parts[j].code[k]; t.kind == tokenName && slices.Contains(names, simple(t.text)) {
						return true
					}
				}
			}
		}
	}
	return false
}
