package paste

import (
	"regexp"
	"slices"
	"strings"

	"sellerd/translate"
)

// This file knows the functions that make requests: fetch, axios and jQuery, requests of Python, PHP's curl, and the cmdlets of
// PowerShell.

// call evaluates a call. A call that makes a request is remembered, and is nothing else.
func (s *script) call(path []string, args *value) *value {
	last := path[len(path)-1]
	first := &value{isMap: true}
	if len(args.list) > 0 {
		first = args.list[0]
	}
	switch name := strings.ToLower(last); name {
	case "stringify", "dumps", "json_encode":
		if strings.EqualFold(path[0], "qs") || strings.EqualFold(path[0], "querystring") {
			return first
		}
		v := *first
		v.isJSON = true
		return &v
	case "urlsearchparams", "formdata", "headers", "http_build_query", "dict", "getbytes", "str", "string", "object", "from", "param", "urlencode":
		if name == "dict" && len(args.pairs) > 0 {
			return args
		}
		if name == "urlencode" && !first.isMap && !first.isList {
			return escapedText(first)
		}
		return first
	case "encodeuricomponent", "rawurlencode", "quote", "quote_plus":
		return escapedText(first)
	case "curl_init", "curl_setopt", "curl_setopt_array":
		s.ofCurl(name, args)
		return &value{}
	case "fetch", "axios", "got", "ky", "ajax", "request":
		s.request(last, "", args)
		return &value{}
	case "open": // of XMLHttpRequest
		if methodForm.MatchString(first.text) {
			s.request("request", "", args)
		}
		return &value{}
	case "send", "sendasync":
		if n := len(s.requests); n > 0 && len(args.list) > 0 {
			body := args.list[len(args.list)-1]
			if len(args.list) == 1 {
				body = &value{isMap: true, pairs: []pair{{"body", body}}}
			}
			s.options(s.requests[n-1], body)
		}
		return &value{}
	case "get", "post", "put", "delete", "patch", "head":
		if len(path) > 1 && !first.isMap && !first.isList && strings.Contains(first.text, "/") {
			s.request(path[0], strings.ToUpper(name), args)
			return &value{}
		}
	}
	switch {
	case strings.EqualFold(last, "get") || strings.EqualFold(last, "getenv"):
		last = first.text // of the environment
	case len(path) > 1:
		last = path[len(path)-2] // price.toFixed(2)
	}
	return &value{text: s.mark(last)}
}

// request remembers a request: an address and options in any order that these functions have.
func (s *script) request(of, method string, args *value) {
	p := &pasted{vars: s.vars, method: method}
	options := &value{isMap: true, pairs: slices.Clone(args.pairs)}
	list := args.list
	if len(list) > 1 && methodForm.MatchString(list[0].text) { // request("PUT", url)
		p.method, list = strings.ToUpper(list[0].text), list[1:]
	}
	for i, arg := range list {
		switch {
		case i == 0 && !arg.isMap:
			options.add("url", arg)
		case i == 1 && method != "" && !(strings.EqualFold(of, "axios") && bodiless[method]) && !isOptions(arg):
			if bodiless[method] {
				options.add("params", arg)
			} else {
				options.add("data", arg)
			}
		case arg.isMap:
			options.pairs = append(options.pairs, arg.pairs...)
		case of != "Request" || len(s.vars.in(arg.text)) == 0: // whose second argument is headers
			options.add("data", arg)
		}
	}
	s.requests = append(s.requests, p)
	s.options(p, options)
}

// bodiless are the methods whose second argument is no body.
var bodiless = map[string]bool{"GET": true, "DELETE": true, "HEAD": true}

// sends are the options that have fields of the request.
var sends = map[string]bool{
	"body": true, "data": true, "form": true, "form_params": true, "files": true, "params": true, "query": true, "qs": true, "searchparams": true,
}

// isOptions says whether a map has the options of a request, and no fields.
func isOptions(v *value) bool {
	return v.member("headers", "form", "form_params", "params", "query", "json", "searchParams") != nil
}

// options reads the options of a request.
func (s *script) options(p *pasted, options *value) {
	for _, option := range options.pairs {
		v, name := option.value, strings.ToLower(option.name)
		if unknown := s.vars.in(v.text); unknown != nil && s.vars.marks.FindString(v.text) == v.text && sends[name] {
			s.keep(refusePaste("request", "What it sends is in "+unknown[0]+", which is not here. Paste the lines that set it as well."))
			continue
		}
		switch name {
		case "url", "uri":
			p.address += v.text
		case "baseurl":
			p.address = strings.TrimSuffix(v.text, "/") + p.address
		case "method", "type", "custommethod":
			p.method = strings.ToUpper(v.text)
		case "headers", "header":
			s.keep(s.headers(p, v))
		case "contenttype":
			p.media = v.text
		case "params", "query", "qs", "searchparams":
			p.query = append(p.query, s.form("", v, 0)...)
		case "json":
			s.keep(refusePaste("request", sendsJSON))
		case "body", "data", "form", "form_params", "files":
			if v.isJSON || strings.HasPrefix(strings.TrimSpace(v.text), "{") {
				s.keep(refusePaste("request", sendsJSON))
			}
			for i := range v.pairs {
				if of := v.pairs[i].value; name == "files" && len(of.list) > 1 {
					v.pairs[i].value = of.list[1] // (None, text): a part without a file
				}
			}
			p.addForm(s.form("", v, 0)...)
		case "auth", "credential", "token":
			s.keep(p.user("", v.text))
			for _, part := range append(v.list, v.member("username"), v.member("password")) {
				if part != nil {
					p.secret(part.text)
				}
			}
		}
	}
	if strings.HasPrefix(p.media, translate.MediaMultipart) && !strings.Contains(p.media, "boundary=") {
		p.media = "" // the fields were parts, whose boundary is not known
	}
	if p.method != "" && !methodForm.MatchString(p.method) {
		p.method = ""
	}
}

func (s *script) keep(err error) {
	if s.err == nil && err != nil {
		s.err = err
	}
}

// headers reads headers: a map, or a list of lines or of pairs.
func (s *script) headers(p *pasted, v *value) error {
	var lines []string
	for _, header := range v.pairs {
		lines = append(lines, header.name+": "+header.value.text)
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
func (s *script) ofCurl(function string, args *value) {
	if function == "curl_init" || len(s.requests) == 0 {
		s.requests = append(s.requests, &pasted{vars: s.vars})
	}
	p := s.requests[len(s.requests)-1]
	options := &value{}
	switch list := args.list; {
	case function == "curl_init" && len(list) > 0:
		p.address = list[0].text
	case function == "curl_setopt" && len(list) == 3:
		options.add(s.vars.restore(list[1].text), list[2])
	case function == "curl_setopt_array" && len(list) == 2:
		options = list[1]
	}
	for _, option := range options.pairs {
		switch v := option.value; strings.TrimPrefix(option.name, "$") {
		case "CURLOPT_URL":
			p.address = v.text
		case "CURLOPT_CUSTOMREQUEST":
			p.method = strings.ToUpper(v.text)
		case "CURLOPT_POSTFIELDS":
			p.addForm(s.form("", v, 0)...)
		case "CURLOPT_HTTPHEADER":
			s.keep(s.headers(p, v))
		case "CURLOPT_USERPWD", "CURLOPT_COOKIE":
			s.keep(p.user("", v.text))
		}
	}
}

var (
	cmdlet        = regexp.MustCompile(`^(?i:invoke-webrequest|invoke-restmethod|iwr|irm|curl|wget)\b`)
	splatted      = regexp.MustCompile(`^@(\w+)`)
	sameCommand   = regexp.MustCompile("^(?:[ \\t]|`[ \\t]*\\n)+")
	parameterForm = regexp.MustCompile(`^-([A-Za-z]+):?`)
	bareWord      = regexp.MustCompile("^[^\\s;|`]+")
)

// parameters are the parameters of the cmdlets that describe the request. PowerShell understands every beginning of a name.
var parameters = []string{"uri", "method", "headers", "body", "form", "contenttype", "custommethod", "credential", "token"}

// cmdlet reads a command of PowerShell.
func (s *script) cmdlet() (*value, bool) {
	s.match(cmdlet)
	options := &value{isMap: true}
	for s.at < len(s.text) {
		s.match(sameCommand)
		if m := s.match(splatted); m != nil {
			if splat := s.known[s.name(m[1])]; splat != nil {
				options.pairs = append(options.pairs, splat.pairs...)
			}
			continue
		}
		name := "uri"
		if m := s.match(parameterForm); m != nil {
			s.match(sameCommand)
			name = strings.ToLower(m[1])
			if i := slices.IndexFunc(parameters, func(known string) bool { return strings.HasPrefix(known, name) }); i >= 0 {
				name = parameters[i]
			}
			if parameterForm.MatchString(s.rest()) {
				continue // a switch
			}
		}
		if s.at >= len(s.text) || strings.IndexByte("\n;|)}", s.text[s.at]) >= 0 {
			break
		}
		v, ok := s.parameter()
		if !ok {
			return nil, false
		}
		options.add(name, v)
	}
	p := &pasted{vars: s.vars}
	s.requests = append(s.requests, p)
	s.options(p, options)
	return &value{}, true
}

// parameter evaluates the value of a parameter, which may be a bare word.
func (s *script) parameter() (*value, bool) {
	if strings.IndexByte(`'"$@([`, s.text[s.at]) >= 0 {
		return s.term()
	}
	m := s.match(bareWord)
	if m == nil {
		return nil, false
	}
	return &value{text: s.unescaped(m[0], `"`, "")}, true
}
