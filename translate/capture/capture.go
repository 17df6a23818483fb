// Package capture reads requests that other programs recorded: HAR of browsers and proxies, collections of Postman, lines of
// access logs, requests as they are sent, and recordings of the bridge. It reads them piece by piece, so a record may be
// larger than memory. It sends nothing, and knows nothing of the requests' meaning.
package capture

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"sellerd/internal/base/pattern"
)

// Request is a recorded request.
type Request struct {
	Line, Column int // where its address, or its line, begins; both from 1; a column counts characters
	Method       string
	URL          string // an address, or a path with a query
	Host         string // of a log that has a field of its own for it
	Body         string // "" without one
	ContentType  string
	Call         string   // of a recording of the bridge: the id of the call
	Fields       []string // of a recording of the bridge: the fields that lost something
	Bare         bool     // the record names no host, so the request may be of any service
}

// Kind is a kind of records.
type Kind int

// The kinds of records.
const (
	Unknown Kind = iota
	HAR
	Postman
	Lines // of access logs and recordings
	HTTP
)

// Sniff says what a text is, by its beginning.
func Sniff(head []byte) Kind {
	text := bytes.TrimLeft(head, "\ufeff \t\r\n")
	switch {
	case bytes.HasPrefix(text, []byte("{")) && harHead().Match(text):
		return HAR
	case bytes.HasPrefix(text, []byte("{")) &&
		(bytes.Contains(text, []byte("getpostman.com")) || bytes.Contains(text, []byte(`"_postman_`)) || postmanItems().Match(text)):
		return Postman
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	line = bytes.TrimRight(line, "\r ")
	switch {
	case requestLine().Match(line):
		return HTTP
	case len(ofLine(string(line))) > 0, bytes.HasPrefix(line, []byte("{")) && bytes.HasSuffix(line, []byte("}")) && bytes.Contains(line, []byte(`"`)):
		return Lines
	}
	return Unknown
}

// postmanItems are the requests of a collection of Postman that names no schema.
var postmanItems = pattern.Late(`"item"\s*:\s*\[\s*\{(?s:.*)"request"\s*:`)

var harHead = pattern.Late(`^\{\s*"log"\s*:\s*\{`)

// Read calls a function with each request of a record. Its error is about a record that cannot be read to its end.
func Read(kind Kind, r io.Reader, visit func(Request)) error {
	switch kind {
	case HAR:
		return readHAR(r, visit)
	case Postman:
		return readPostman(r, visit)
	case HTTP:
		return readHTTP(r, visit)
	default:
		return readLines(r, visit)
	}
}

// maxLine is the largest size of a line that is read, in bytes. The rest of a longer line is skipped.
const maxLine = 256 << 10

// eachLine calls a function with each line and its number.
func eachLine(r io.Reader, visit func(number int, line string)) error {
	reader := bufio.NewReaderSize(r, maxLine)
	for number := 1; ; number++ {
		line, err := reader.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			kept := string(line)
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = reader.ReadSlice('\n')
			}
			visit(number, kept)
		} else if len(line) > 0 {
			visit(number, strings.TrimRight(string(line), "\r\n"))
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

func readLines(r io.Reader, visit func(Request)) error {
	var columns []string // of a log whose lines name them first, as those of IIS do (W3C Extended Log File Format)
	return eachLine(r, func(number int, line string) {
		if names, ok := strings.CutPrefix(line, "#Fields:"); ok {
			columns = strings.Fields(names)
			return
		}
		if request, ok := ofColumns(columns, line); ok {
			request.Line = number
			visit(request)
			return
		}
		for _, request := range ofLine(line) {
			request.Line = number
			visit(request)
		}
	})
}

var (
	// logged is the quoted request of common and combined logs: "GET /path HTTP/1.1" 200
	logged = pattern.Late(`"([A-Z]{3,7}) (\S+?)( HTTP/[\d.]+)?"(?: \d{3}\b)?`)
	// forwarded is the request of a proxy's log, behind a number, ] or a colon: 412 GET http://a.example/path
	forwarded = pattern.Late(`[\d\]:] (GET|HEAD|POST|PUT|DELETE) (https?://[^\s"]+)`)
	// logHost is a host before the client of a log with hosts: shop.example.org:443 10.0.0.1 - -
	logHost = pattern.Late(`^([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)(?::\d+)? \S+ \S+ \S+ \[`)
	// client is the beginning of common and combined logs.
	client = pattern.Late(`^\S+ \S+ \S+ \[|^\S+ \S+ \S+ \S+ \[|^\[|^\d`)
	onlyIP = pattern.Late(`^[\d.:a-fA-F]+$`)
)

// ofColumns returns the request of a line with named columns.
func ofColumns(columns []string, line string) (r Request, ok bool) {
	values := strings.Fields(line)
	if len(columns) == 0 || len(values) != len(columns) || strings.HasPrefix(line, "#") {
		return r, false
	}
	at := 0
	for i, name := range columns {
		at += strings.Index(line[at:], values[i])
		switch name {
		case "cs-method":
			r.Method = values[i]
		case "cs-uri-stem":
			r.URL, r.Column = values[i]+r.URL, utf8.RuneCountInString(line[:at])+1
		case "cs-uri-query":
			if values[i] != "-" {
				r.URL += "?" + values[i]
			}
		case "cs-host":
			if values[i] != "-" {
				r.Host = values[i]
			}
		}
		at += len(values[i])
	}
	r.Bare = r.Host == ""
	return r, r.Method != "" && strings.HasPrefix(r.URL, "/")
}

// ofLine returns the requests of a line of a log or a recording.
func ofLine(line string) []Request {
	trimmed := strings.TrimLeft(line, " \t\ufeff")
	if strings.HasPrefix(trimmed, "{") {
		if r, ok := ofObject(trimmed); ok {
			r.Column = 1 + utf8.RuneCountInString(line[:len(line)-len(trimmed)])
			return []Request{r}
		}
		return nil
	}
	at := logged().FindStringSubmatchIndex(line)
	if at == nil || at[6] < 0 && !client().MatchString(line) {
		if at = forwarded().FindStringSubmatchIndex(line); at == nil {
			return nil
		}
	}
	r := Request{Method: line[at[2]:at[3]], URL: line[at[4]:at[5]], Column: utf8.RuneCountInString(line[:at[4]]) + 1, Bare: true}
	if host := logHost().FindStringSubmatch(line); host != nil && !onlyIP().MatchString(host[1]) && !strings.HasPrefix(line[len(host[1]):], " - ") {
		r.Host, r.Bare = host[1], false
	}
	if strings.Contains(r.URL, "://") {
		r.Bare = false
	}
	if !strings.HasPrefix(r.URL, "/") && !strings.Contains(r.URL, "://") {
		return nil
	}
	return []Request{r}
}

// ofObject returns the request of a line of JSON.
func ofObject(line string) (Request, bool) {
	members, err := flatten(line)
	if err != nil {
		return Request{}, false
	}
	first := func(names ...string) string {
		for _, name := range names {
			if members[name] != "" {
				return members[name]
			}
		}
		return ""
	}
	r := Request{
		Method: strings.ToUpper(first("method", "request_method", "http_method", "verb", "request.method", "http.method", "req.method", "http.request.method", "requestmethod", "cs-method")),
		URL: first("url", "uri", "path", "request_uri", "request_url", "requesturi", "request.uri", "request.url", "request.path", "req.url", "http.url", "http.path", "url.original", "url.full", "url.path",
			"request_path", "cs-uri-stem", "requestpath", "target", "http.target"),
		Host: first("host", "http_host", "server_name", "vhost", "request.host", "req.headers.host", "req.host", "http.host", "authority", "url.domain", "request.headers.host", "domain", "server", "upstream_host", "servername"),
		Body: first("body", "request_body", "request.body", "req.body", "http.request.body", "payload", "form"),
	}
	if members["call"] != "" && members["at"] != "" && r.Method != "" {
		r.Call, r.Host = members["call"], ""
		for name, text := range members {
			if strings.HasPrefix(name, "lossy[") {
				r.Fields = append(r.Fields, text)
			}
		}
		return r, true
	}
	if text := first("request", "http_request", "requestline", "request_line"); r.URL == "" && text != "" {
		parts := strings.Fields(text)
		if len(parts) >= 2 {
			r.Method, r.URL = strings.ToUpper(parts[0]), parts[1]
		}
	}
	if r.URL == "" || r.Method == "" || !strings.HasPrefix(r.URL, "/") && !strings.Contains(r.URL, "://") {
		return Request{}, false
	}
	r.Bare = r.Host == "" && !strings.Contains(r.URL, "://")
	return r, true
}

// These bound what is kept of a line: the length of a member's name in bytes, and the number of members.
const (
	maxName    = 100
	maxMembers = 1000
)

// flatten returns the texts in a JSON object by their paths, in lower case: request.method, lossy[0].
//
// Members with long names, deep ones and those beyond a thousand are left out: nothing is looked up there.
func flatten(line string) (map[string]string, error) {
	var object any
	if err := json.UnmarshalDecode(jsontext.NewDecoder(strings.NewReader(line), jsontext.AllowDuplicateNames(true)), &object); err != nil {
		return nil, err
	}
	members := map[string]string{}
	var walk func(name string, member any, depth int)
	walk = func(name string, member any, depth int) {
		if depth > 7 || len(name) > maxName || len(members) > maxMembers {
			return
		}
		switch member := member.(type) {
		case string:
			members[name] = member
		case []any:
			for i, entry := range member {
				walk(name+"["+string(rune('0'+i%10))+"]", entry, depth+1)
			}
		case map[string]any:
			for _, inner := range slices.Sorted(maps.Keys(member)) {
				walk(strings.TrimPrefix(name+"."+strings.ToLower(inner), "."), member[inner], depth+1)
			}
		}
	}
	walk("", object, 0)
	return members, nil
}

// requestLine is the first line of a request as it is sent.
var requestLine = pattern.Late(`^(GET|POST|PUT|DELETE|HEAD|PATCH|OPTIONS) ((?:\{\{[^{}]*\}\}|\S)+)(?: HTTP/[\d.]+)?$`)

// definition is a variable of such a file: @base = https://…
var definition = pattern.Late(`^@([\w.-]{1,100})\s*=\s*(\S+)$`)

// readHTTP reads requests as they are sent, one or several behind each other.
func readHTTP(r io.Reader, visit func(Request)) error {
	var current *Request
	var body strings.Builder
	headers := false
	variables := map[string]string{}
	end := func() {
		if current != nil {
			current.URL = expanded(current.URL, variables)
			current.Body = strings.TrimSpace(body.String())
			visit(*current)
		}
		current = nil
		body.Reset()
	}
	err := eachLine(r, func(number int, line string) {
		line = strings.TrimRight(line, " \t")
		switch {
		case strings.HasPrefix(line, "###"):
			end()
		case current == nil && definition().MatchString(line):
			if m := definition().FindStringSubmatch(line); len(variables) < maxMembers && len(m[2]) < maxAddress {
				variables[m[1]] = m[2]
			}
		case strings.HasPrefix(line, "#") || strings.HasPrefix(line, "// ") || strings.HasPrefix(line, "@") && current == nil:
		case requestLine().MatchString(line) && (current == nil || !headers || strings.Contains(line, " HTTP/")):
			end()
			m := requestLine().FindStringSubmatchIndex(line)
			current = &Request{Line: number, Column: utf8.RuneCountInString(line[:m[4]]) + 1, Method: line[m[2]:m[3]], URL: line[m[4]:m[5]]}
			headers = true
		case current == nil:
		case headers && line == "":
			headers = false
		case headers:
			name, value, ok := strings.Cut(line, ":")
			switch value = strings.TrimSpace(value); {
			case !ok && strings.IndexAny(line, "?&") == 0: // a query on lines of its own
				if len(current.URL) < maxAddress {
					current.URL += strings.TrimSpace(line)
				}
			case !ok:
			case strings.EqualFold(name, "Host"):
				current.Host = value
			case strings.EqualFold(name, "Content-Type"):
				current.ContentType = value
			}
		case body.Len() < maxLine:
			body.WriteString(line + "\n")
		}
	})
	end()
	return err
}

// Address returns the address of a request, with its host if the record has one.
func (r *Request) Address() string {
	if r.Host == "" || strings.Contains(r.URL, "://") {
		return r.URL
	}
	return "https://" + r.Host + r.URL
}

// pairs encodes fields as a form.
type pairs struct{ b strings.Builder }

func (p *pairs) add(name, value string) {
	if p.b.Len() > 0 {
		p.b.WriteByte('&')
	}
	p.b.WriteString(url.QueryEscape(name) + "=" + url.QueryEscape(value))
}
