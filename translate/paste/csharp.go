package paste

import (
	"cmp"
	"strings"

	"sellerd/internal/base/pattern"
)

// This file reads what C# has of its own: types before names, what is made with new, and the clients HttpClient, RestSharp and WebClient.

var (
	ofCSharp = pattern.Late(`\bnew\s+(?:HttpClient|HttpRequestMessage|FormUrlEncodedContent|RestClient|RestRequest|WebClient|NameValueCollection|Dictionary\s*<|List\s*<)|` +
		`\b(?:HttpMethod|Method)\.[A-Z]\w+|\.(?:Get|Post|Put|Delete|Send|Patch|UploadValuesTask)\w*Async\s*\(|\bWebRequest\.Create\b|^\s*using\s+System\b`)
	cast = pattern.Late(`^\((?:string|int|long|decimal|double|object|HttpWebRequest)\??\)`)
	// waiting are the methods of clients that wait for the answer, or say what it is read as.
	waiting = pattern.Late(`^(?:(Get|Post|Put|Delete|Patch)(?:String|Stream|ByteArray)?(?:AsJson|FromJson)?Async|` +
		`(Upload(?:Values|String|Data))(?:Task)?Async)$`)
	downloads = pattern.Late(`^Download(?:String|Data)(?:Task)?(?:Async)?$`)
	// sending are the methods of RestSharp that send a request, with the method that they set.
	sending  = pattern.Late(`^(?:execute(?:as)?(get|post|put|delete|patch|head)?|(get|post|put|delete|patch|head))(?:task)?(?:async)?$`)
	madeType = pattern.Late(`^([A-Za-z_][\w.]*)?(?:<[\w\s,.?<>\[\]]+>)?(?:\[\])?`)
	segment  = pattern.Late(`\{(\w+)\}`)
)

// made evaluates what stands behind new: a type, its arguments, and the members in braces.
func (s *script) made() *value {
	start := s.at
	name := s.match(madeType)[1]
	name = strings.TrimPrefix(name[strings.LastIndexByte(name, '.')+1:], "new") // new[] and new()
	args := &value{}
	if s.Sign(s.at, "(") {
		args = s.arguments()
	}
	s.callAt = start
	v := s.construct(strings.ToLower(name), args)
	if !s.Sign(s.at, "{") {
		return v
	}
	members := s.entries()
	switch {
	case v.request != nil:
		s.options(v.request, members)
	case members.list != nil:
		for _, entry := range members.list {
			if len(entry.list) == 2 {
				v.add(entry.list[0].text, entry.list[1])
			} else {
				v.isList, v.list = true, append(v.list, entry)
			}
		}
	default:
		v.isMap, v.pairs = true, append(v.pairs, members.pairs...)
	}
	return v.like(members)
}

// construct is what a type makes of its arguments.
func (s *script) construct(name string, args *value) *value {
	first := &value{}
	if len(args.list) > 0 {
		first = args.list[0]
	}
	switch name {
	case "httprequestmessage", "restrequest":
		call := &value{list: args.list}
		if name == "restrequest" && len(args.list) > 0 { // whose path has places for values
			path := *first
			path.text = segment().ReplaceAllStringFunc(path.text, func(place string) string { return s.mark(strings.Trim(place, "{}"), place) })
			call = &value{list: []*value{&path}}
			if len(args.list) > 1 && methodForm().MatchString(args.list[1].text) {
				call.list = []*value{args.list[1], &path}
			}
		}
		return s.request("Request", "", call)
	case "restclient", "restclientoptions":
		return &value{isMap: true, pairs: []pair{{"baseurl", first}}}
	case "httpclient", "webclient":
		return &value{isMap: true}
	case "keyvaluepair":
		return &value{isList: true, list: args.list}
	case "multipartformdatacontent", "":
		return &value{isMap: name != ""}
	}
	if len(args.list) > 0 { // a Uri, a content, a copy
		copied := *first
		return &copied
	}
	return &value{isMap: true}
}

// sent returns the request that a method of a client sends, as Execute and PutAsync of RestSharp do. It is nil for others.
func (s *script) sent(method string, args *value) *value {
	verb := sending().FindStringSubmatch(strings.ToLower(method))
	if verb == nil || len(args.list) == 0 || args.list[0].request == nil {
		return nil
	}
	of := args.list[0]
	of.request.method = cmp.Or(strings.ToUpper(verb[1]+verb[2]), of.request.method)
	return of
}

// calledOn evaluates a method of a request or of a form: request.AddParameter("title", title). It says whether it is one that is known.
func (s *script) calledOn(of *value, method string, args *value) bool {
	if of == nil {
		return false
	}
	list := args.list
	switch name := strings.ToLower(method); {
	case of.request != nil && strings.HasPrefix(name, "add") && len(list) > 1:
		switch {
		case name == "addheader" || name == "adddefaultheader":
			s.keep(of.request.header("", list[0].text+": "+list[1].text))
		case name == "addurlsegment":
			of.request.address = strings.ReplaceAll(of.request.address, s.mark(list[0].text, "{"+list[0].text+"}"), list[1].text)
		case name == "addqueryparameter":
			of.request.query = append(of.request.query, s.form(list[0].text, list[1], 0)...)
		default:
			s.options(of.request, &value{pairs: []pair{{"body", &value{isMap: true, isForm: true, pairs: []pair{{list[0].text, list[1]}}}}}})
		}
		return true
	case name == "add" && len(list) == 1 && len(list[0].list) == 2: // pairs.Add(new KeyValuePair("title", title))
		of.add(list[0].list[0].text, list[0].list[1])
		return true
	}
	return false
}

// csharpMethod is the method that a name says: HttpMethod.Put, Method.PUT, RestSharp.Method.Post.
func csharpMethod(path []string) string {
	if n := len(path); n > 1 && (path[n-2] == "HttpMethod" || path[n-2] == "Method" || path[n-2] == "Http") && methodForm().MatchString(path[n-1]) {
		return strings.ToUpper(path[n-1])
	}
	return ""
}
