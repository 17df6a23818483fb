package paste

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"sellerd/internal/base/pattern"
	"sellerd/translate"
	"sellerd/v1"
)

// This file knows the functions that make requests: fetch, axios and jQuery, requests of Python, and PHP's curl.

// lookup is a function that looks a value up, by a text that has its name.
var (
	lookup    = pattern.Late(`(?i)^(?:find|find_?text|get|get_?attribute|get_?value|getvalue|select_?(?:one|single_?node)|query_?selector|xpath|attr|val|post|input)$`)
	fieldName = pattern.Late(`^[./\[@"']*[A-Za-z]\w+["'\]]*$`)
)

// call evaluates a call. A call that makes a request is remembered, and is that request.
func (s *script) call(path []string, args *value, start int) *value {
	last := path[len(path)-1]
	s.callAt = start
	first := &value{isMap: true}
	if len(args.list) > 0 {
		*first = *args.list[0]
	}
	first.pairs = slices.Clip(first.pairs)
	first.like(args)
	name := strings.ToLower(last)
	if method, ok := strings.CutPrefix(name, "wp_remote_"); ok && len(args.list) > 0 {
		return s.request("options", strings.ToUpper(strings.TrimPrefix(method, "request")), args)
	}
	switch name {
	case "stringify", "dumps", "json_encode", "serializeobject", "serialize":
		first.isForm = strings.EqualFold(path[0], "qs") || strings.EqualFold(path[0], "querystring")
		first.isJSON = !first.isForm
		return first
	case "write":
		if n := len(s.requests); s.language == cSharp && n > 0 && first.text != "" {
			s.options(s.requests[n-1], &value{pairs: []pair{{"body", first}}})
			return &value{}
		}
	case "dict", "create", "client", "extend", "session", "asyncclient", "clientsession":
		switch {
		case path[0] == "WebRequest":
			return s.request("Request", "", args)
		case len(args.pairs) > 0:
			return s.joined(first, args)
		case first.isMap:
			return first
		}
	case "file_get_contents", "simplexml_load_file", "readfile", "fopen", "urlopen":
		if v := s.stream(name, args, first); v != nil {
			return v
		}
	case "url":
		if len(args.list) == 2 { // a path and its base
			first.text = joinedAddress(args.list[1].text, first.text)
		}
		return first
	case "urlencode", "urlsearchparams", "formdata", "http_build_query", "param", "formurlencodedcontent":
		if name == "urlencode" && !first.isMap && !first.isList {
			return escapedText(first)
		}
		first.isForm = true
		return first
	case "headers", "getbytes", "str", "string", "object", "from", "strval", "trim", "utf8_encode", "stream_context_create":
		if len(path) == 1 || len(args.list) > 0 { // and no method of a value: title.trim()
			return first
		}
	case "sprintf", "format":
		if v, whole := s.filled(first, args.list[min(1, len(args.list)):]); whole || s.isPath != nil && s.isPath(v.text) {
			return v
		}
	case "number_format", "round", "ceil", "floatval", "intval", "float", "int", "decimal", "parsefloat", "parseint", "number", "htmlspecialchars",
		"htmlentities", "strip_tags", "nl2br", "mb_convert_encoding": // the same value, written in another way
		if mark := s.vars.marks.FindString(first.text); mark != "" && mark == first.text {
			return first
		}
	case "encodeuricomponent", "escapedatastring", "rawurlencode", "quote", "quote_plus":
		return escapedText(first)
	case "curl_init", "curl_setopt", "curl_setopt_array":
		return s.ofCurl(name, args, start)
	case "fetch", "axios", "got", "ky", "ajax", "request":
		own := len(path) == 2 && (path[0] == "this" || path[0] == "self") || strings.Contains(s.Text, "function "+last+"(")
		if s.isPath == nil || !own || len(args.list) < 2 {
			return s.request(last, "", args)
		}
	case "open": // of XMLHttpRequest
		if methodForm().MatchString(first.text) {
			return s.request(name, "", args)
		}
	case "setrequestheader", "add_header":
		if n := len(s.requests); n > 0 && len(args.list) > 1 {
			s.keep(s.requests[n-1].header("", first.text+":"+args.list[1].text))
		}
		return &value{}
	case "send", "sendasync":
		if n := len(s.requests); n > 0 && len(args.list) > 0 {
			body := args.list[len(args.list)-1]
			switch {
			case len(args.list) == 1 && body.request != nil:
				return body
			case len(args.list) == 1:
				body = &value{isMap: true, pairs: []pair{{"body", body}}}
			}
			s.options(s.requests[n-1], body)
		}
		return &value{}
	case "uploadvalues", "uploadstring", "uploaddata": // of WebClient
		if n := len(args.list); n > 1 {
			p := s.request(path[0], cmp.Or(args.list[n-2].text, "POST"), &value{list: []*value{args.list[0], args.list[n-1]}}).request
			if n == 2 {
				p.method = "POST"
			}
			return &value{}
		}
	case "get", "post", "put", "delete", "patch", "head":
		isAddress := !first.isMap && !first.isList && strings.Contains(first.text, "/") || s.isPath != nil && s.isPath(first.text)
		if len(path) > 1 && (isAddress || args.member("url", "uri", "data", "params", "headers") != nil) {
			return s.request(path[0], strings.ToUpper(name), args)
		}
	}
	if v := s.wrapped(last, args); v != nil {
		return v
	}
	for _, arg := range args.list {
		switch {
		case harmless[last]:
		case arg.open && !strings.HasPrefix(last, "curl_"):
			s.keep(s.notUnderstood(last + "()"))
		case arg.isMap || arg.isList:
			arg.doubt = s.vars.clean(last) + "()"
		}
	}
	switch {
	case strings.EqualFold(last, "get") || strings.EqualFold(last, "getenv"):
		last = first.text // of the environment
	case lookup().MatchString(last) && fieldName().MatchString(first.text):
		last = first.text // answer.findtext('.//id_item')
	case len(path) > 1:
		last = path[len(path)-2] // price.toFixed(2)
	}
	written := s.written(start)
	if len(path) > 1 && neutral[path[len(path)-1]] {
		written = written[:strings.LastIndex(written, path[len(path)-1])-1]
	}
	return &value{text: s.mark(last, written)}
}

// stream reads a function that opens an address, in PHP with a context. It returns nil if it opens something else.
func (s *script) stream(function string, args, first *value) *value {
	context := args.member("context")
	for _, arg := range args.list[min(1, len(args.list)):] {
		if arg.isMap && !arg.isForm || s.vars.in(arg.text) != nil {
			context = arg
		}
	}
	scheme, _, absolute := strings.Cut(first.text, "://")
	isWeb := strings.HasPrefix(strings.ToLower(scheme), "http") || s.vars.in(scheme) != nil
	switch {
	case first.request != nil || absolute && !isWeb || !absolute && context == nil && (s.isPath == nil || !s.isPath(first.text)):
		return nil
	case function == "urlopen":
		return s.request(function, "", args)
	}
	call := &value{list: []*value{first}}
	if context != nil {
		if options := context.member("http", "https"); options != nil {
			call.list = append(call.list, options)
		} else {
			s.isKnown(context)
		}
	}
	return s.request("options", "", call.like(args))
}

// joinedAddress is the address of a path under a base.
func joinedAddress(base, path string) string {
	if strings.Contains(path, "://") {
		return path
	}
	return strings.TrimSuffix(base, "/") + "/" + strings.TrimPrefix(path, "/")
}

// notUnderstood is the error for what changes a request, and is not understood.
func (s *script) notUnderstood(what string) error {
	return refusePaste("request", "What it sends is changed by "+s.vars.clean(what)+", which is not understood here. Paste the curl command, or the method, the URL and the "+
		"form that it sends, such as title=Postcard&fixed_price=4.50")
}

// roles are what the arguments of a function are, behind a method and an address.
func (s *script) roles(of, method string, verb bool) []string {
	isAxios := strings.EqualFold(of, "axios")
	switch {
	case of == "fetch", of == "ajax", of == "options", !verb && (of == "axios" || of == "got" || of == "ky"):
		return []string{"options"}
	case method == "" && (of == "Request" || of == "urlopen"): // of urllib
		return []string{"data", "headers"}
	case of == "Request": // of Guzzle
		return []string{"headers", "data"}
	case of == "request" && (method == "" || s.language == php), isAxios && bodiless(method):
		return []string{"options"}
	case of == "request": // of http.client
		return []string{"data", "headers"}
	case bodiless(method):
		return []string{"params", "options"}
	case isAxios:
		return []string{"data", "options"}
	}
	return []string{"data", "json"}
}

// request remembers a request: a method or none, an address, and arguments as its function has them.
func (s *script) request(of, method string, args *value) *value {
	if len(args.list) == 1 && args.list[0].request != nil { // fetch(new Request(…))
		return args.list[0]
	}
	p := s.begin(method)
	if args.doubt != "" {
		s.keep(s.notUnderstood(args.doubt))
	}
	options := &value{isMap: true}
	list := args.list
	if method == "" && len(list) > 1 && methodForm().MatchString(list[0].text) { // request("PUT", url)
		p.method, list = strings.ToUpper(list[0].text), list[1:]
	}
	if len(list) > 0 && !list[0].isMap {
		options.add("url", list[0])
		list = list[1:]
	}
	if of == "open" {
		list = nil // asynchronous or not, a user and a password
	}
	roles := s.roles(of, p.method, method != "")
	for i, arg := range list {
		role := ""
		if i < len(roles) {
			role = roles[i]
		}
		switch isJQuery := of == "$" || strings.EqualFold(of, "jQuery"); {
		case arg.isMap && !arg.isForm && isOptions(arg), role == "options" && arg.isMap:
			options.pairs = append(options.pairs, arg.pairs...)
		case isJQuery && (i > 0 || answerTypes[arg.text]) && !arg.isMap, arg.text == "" && !arg.isMap && !arg.isList: // the type of the answer; None
		case role == "headers" && !arg.isMap && !arg.isList: // $headers
		case role == "options" && len(s.vars.in(arg.text)) > 0:
			options.add("data", arg)
		case role == "", role == "options":
			s.keep(s.notUnderstood("an argument"))
		default:
			if role == "data" && arg.isMap && !arg.isForm && strings.EqualFold(of, "axios") {
				s.vars.note("", "axios sends an object as JSON. "+readAsForm)
			}
			options.add(role, arg)
		}
	}
	options.pairs = append(options.pairs, args.pairs...)
	if s.client != nil {
		for _, option := range s.client.pairs {
			switch name := strings.ToLower(option.name); cmp.Or(optionNames[name], name) {
			case "baseurl", "params", "headers", "auth":
				options.pairs = append(options.pairs, option)
			}
		}
	}
	s.options(p, options)
	return &value{request: p, open: of == "Request"}
}

// bodiless says whether the second argument of a method is no body.
func bodiless(method string) bool { return method == "GET" || method == "DELETE" || method == "HEAD" }

// isOptions says whether a map has the options of a request, and no fields.
func isOptions(v *value) bool {
	return v.member("headers", "form", "multipart", "form_params", "params", "query", "json", "searchParams", "body", "data", "method") != nil
}

// optionNames are other names of options, idle are options that change nothing of what is sent, and answerTypes are what jQuery may expect.
var optionNames, idle, answerTypes = valuesOf("option-names"), setOf("idle"), setOf("answer-types")

// options reads the options of a request.
func (s *script) options(p *pasted, options *value) {
	s.turnTo(p)
	for _, option := range options.pairs {
		v, given := option.value, strings.ToLower(strings.TrimPrefix(option.name, "$"))
		name := cmp.Or(optionNames[given], given)
		if (name == "url" || name == "method" || name == "params" || name == "body") && !s.isKnown(v) {
			continue
		}
		switch name {
		case "url":
			p.address += v.text
			if given == "curlopt_url" {
				p.address = v.text
			}
		case "baseurl":
			p.address = joinedAddress(v.text, p.address)
		case "method":
			if p.method = strings.ToUpper(v.text); !methodForm().MatchString(p.method) {
				s.keep(refusePaste("request", "Its method is none of HTTP. Put the right one before the address, or behind -X."))
			}
		case "headers":
			s.keep(s.headers(p, v))
		case "contenttype":
			if !strings.EqualFold(v.text, "false") {
				p.media = v.text
			}
		case "params":
			p.query = append(p.query, s.form("", v, 0)...)
		case "body":
			p.members = p.members || v.isMap && !v.isForm
			if v.isMap && (v.isJSON || given == "json") {
				s.vars.note("", "It sends JSON. "+readAsForm)
			}
			if given == "multipart" {
				v = s.parts(p, v)
			}
			for i := range v.pairs {
				switch of := v.pairs[i].value; {
				case given != "files":
				case len(of.list) > 1 && of.list[0].text == "":
					v.pairs[i].value = of.list[1] // (None, text): a part without a file
				default:
					s.keep(p.unreadable(translate.RefuseFile(v.pairs[i].name)))
				}
			}
			if given == "curlopt_postfields" {
				p.form = nil // the last one counts
			}
			p.addForm(s.form("", v, 0)...)
		case "auth":
			s.keep(p.user("", v.text))
			for _, part := range append(v.list, v.member("username"), v.member("password")) {
				if part != nil {
					p.secret(part.text)
				}
			}
		case "curlopt_infile", "curlopt_readdata", "curlopt_readfunction", "curlopt_upload", "curlopt_put", "infile":
			s.keep(s.notUnderstood("its option " + option.name))
		default:
			if !idle[given] {
				s.vars.note(option.name, "This option of the call is not understood here. It is left out.")
			}
		}
		if given == "curlopt_post" && p.method == "" && v.text != "false" && v.text != "0" {
			p.hasBody = true // so it is a POST
		}
	}
	switch media := p.media; {
	case p.members && strings.HasPrefix(media, "application/json"):
		p.media = ""
	case strings.HasPrefix(media, translate.MediaMultipart) && !strings.Contains(media, "boundary="):
		p.media = "" // the fields were parts, whose boundary is not known
	}
}

// underCondition is the note about a value that was set under a condition.
const underCondition = "The program sets what it sends under a condition, and nothing is run here: the last value in its text was taken. Check that it is the right one."

// isKnown says whether all of a value that is sent is known. What is not is refused.
func (s *script) isKnown(v *value) bool {
	if unknown := s.vars.in(v.text); unknown != nil && s.vars.marks.FindString(v.text) == v.text {
		s.keep(refusePaste("request", "What it sends is in "+unknown[0]+", which is not here. Paste the lines that set it as well."))
		return false
	}
	s.check(v, 0)
	return true
}

// check refuses what was changed by something that is not understood, and notes what was set under a condition.
func (s *script) check(v *value, depth int) {
	if depth > maxDepth/4 || !s.spend(1) {
		return
	}
	if v.doubt != "" {
		s.keep(s.notUnderstood(v.doubt))
	}
	if v.branch {
		s.vars.note("", underCondition)
	}
	if v.request != nil {
		s.keep(s.notUnderstood("the answer to another request"))
	}
	for _, member := range v.pairs {
		s.check(member.value, depth+1)
	}
	for _, entry := range v.list {
		s.check(entry, depth+1)
	}
}

// keep remembers why the request cannot be translated. In a whole program that is a note about the request, and the others go on.
func (s *script) keep(err error) {
	switch {
	case err == nil:
	case s.whole:
		var errs v1.Errors
		_ = errors.As(err, &errs)
		for _, e := range errs {
			if s.vars.note("", e.Message); s.vars.about != nil {
				s.vars.about.doubtful = true
			}
		}
	case s.err == nil:
		s.err = err
	}
}

// begin remembers a request that begins.
func (s *script) begin(method string) *pasted {
	p := &pasted{vars: s.vars, method: method, at: s.from(s.callAt)}
	s.requests = append(s.requests, p)
	s.turnTo(p)
	return p
}

// turnTo lets what is noted be about a request, if there may be several.
func (s *script) turnTo(p *pasted) {
	if s.whole {
		s.vars.about = p
	}
}

// headers reads headers: a map, or a list of lines or of pairs.
func (s *script) headers(p *pasted, v *value) error {
	var lines []string
	for _, header := range v.pairs {
		lines = append(lines, header.name+": "+header.value.text)
	}
	for line := range strings.SplitSeq(v.text, "\n") { // of a stream
		lines = append(lines, strings.TrimSpace(line))
	}
	for _, line := range v.list {
		if len(line.list) == 2 {
			line = &value{text: line.list[0].text + ": " + line.list[1].text}
		}
		lines = append(lines, line.text)
	}
	for _, line := range lines {
		if err := p.header("", line); err != nil {
			return err
		}
	}
	return nil
}

// ofCurl reads a call of PHP's curl.
func (s *script) ofCurl(function string, args *value, start int) *value {
	if function == "curl_init" || len(s.requests) == 0 {
		s.callAt = start
		s.begin("")
	}
	p := s.requests[len(s.requests)-1]
	options := &value{}
	switch list := args.list; {
	case args.doubt != "":
		s.keep(s.notUnderstood(args.doubt))
	case function == "curl_init" && len(list) > 0:
		options.add("url", list[0])
	case function == "curl_setopt" && len(list) == 3:
		options.add(strings.TrimPrefix(s.vars.restore(list[1].text), "$"), list[2])
	case function == "curl_setopt_array" && len(list) == 2 && list[1].isMap:
		options = list[1]
	case function != "curl_init":
		s.keep(refusePaste("request", "The options of its "+function+" are not here. Paste the lines that set them as well."))
	}
	s.options(p, options)
	return &value{request: p, open: true}
}

// parts are the fields of Guzzle's multipart: a list of maps with a name and contents.
func (s *script) parts(p *pasted, list *value) *value {
	fields := (&value{isMap: true}).like(list)
	for _, part := range list.list {
		name, contents := part.member("name"), part.member("contents")
		switch {
		case name == nil || contents == nil:
			s.keep(s.notUnderstood("a part without a name"))
		case part.member("filename") != nil:
			s.keep(p.unreadable(translate.RefuseFile(name.text)))
		default:
			fields.add(name.text, contents)
		}
	}
	return fields
}
