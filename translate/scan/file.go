package scan

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"sellerd/translate"
)

// This file reads one file: which of its parts are code, and whether it knows the service.

// file is a file that is scanned.
type file struct {
	*source
	listing
	scan   *scanner
	top    string // the folder of its program
	base   string // its name
	consts map[string]constant
	known  map[string]constant // by names as they are written
	used   []string            // constants whose paths are used where they are named
	alone  bool                // what other files know is not known yet
	knows  bool                // it names the service, or fields that nobody else has
	test   bool
	serves bool // it declares routes
	client bool // it declares clients by annotations
	based  bool // a name of it is the service's address

	lineAt, line, column int // the last place that was counted to
}

// isBlock says whether a brace begins a block of statements, and not an object.
func (s *source) isBlock(open int) bool {
	switch {
	case !s.sgn(open, "{") || s.family.Objects:
		return false
	case s.sgn(open-1, ")>"):
		return true
	case s.is(open-1, aName) && s.family == families["go"]:
		first := open - 1
		for first > 1 && !s.tokens[first].fresh && open-first < 40 {
			first--
		}
		return has("blocks", s.str(first)) || s.sgn(first, "}")
	case s.is(open-1, aName):
		name := strings.ToLower(s.str(open - 1))
		return name != "return" && name != "in" && !s.family.Loose && !s.sgn(int(s.tokens[open].up), "(") // f(Url{…})
	}
	return s.sgn(open-1, ";{}") && open > 1 && !s.family.Loose
}

// embedded are the parts of a page, or of a file of PHP, that are code.
var embedded = regexp.MustCompile(`(?is)<script[^>]*>(.*?)(?:</script>|\z)|<%(.*?)(?:%>|\z)|<\?(?:php|=)?(.*?)(?:\?>|\z)`)

// parse turns a file into tokens. Of a page only the scripts are read, and what stands in the tags of its server.
func (s *scanner) parse(kind, inner, text string) *file {
	f := &file{
		source: &source{text: text, tokens: *buffers.Get().(*[]token)}, scan: s, line: 1,
		top: s.top(inner), base: path.Base(inner), test: isTest(inner),
	}
	switch kind {
	case "page", "php":
		parts := []*family{nil, families["js"], families["c"], families["php"]}
		f.lex(families["js"], 0, 0)
		for _, at := range embedded.FindAllStringSubmatchIndex(text, -1) {
			for group := 1; group < len(parts); group++ {
				if from := at[2*group]; from >= 0 && (kind == "php" || group < 3) {
					f.lex(parts[group], from, at[2*group+1])
				}
			}
		}
		f.family = map[string]*family{"page": families["js"], "php": families["php"]}[kind]
	case "json":
		f.lex(families["js"], 0, len(text))
	default:
		f.lex(families[kind], 0, len(text))
	}
	return f
}

// buffers are tokens of files that were read.
var buffers = sync.Pool{New: func() any { return new([]token) }}

// release gives the memory of the tokens to the next file.
func (f *file) release() {
	tokens := f.tokens[:0]
	buffers.Put(&tokens)
	f.tokens = nil
}

// serviceName is the word by which programs name the service.
var serviceName = func() string {
	parts := strings.Split(HostName(translate.OldHost), ".")
	return parts[len(parts)-2]
}()

// knowsService says whether a text names the service: a host of it, a type of its notifications, or fields that nobody else has.
func (m *matcher) knowsService(text string) bool {
	if m.namesHost(text) || strings.Contains(text, "Curl_Seller_") || strings.Contains(text, translate.TypeDefault) {
		return true
	}
	seen := 0
	for name := range m.fields {
		if strings.Contains(text, name) {
			seen++
		}
	}
	return seen > 1
}

// namesHost says whether a text has a host of the service.
func (m *matcher) namesHost(text string) bool {
	return slices.ContainsFunc(m.hosts, func(host string) bool { return strings.Contains(text, host) })
}

// learn is the first pass over a file.
func (s *scanner) learn(kind, inner, text string) {
	knows := s.matcher.knowsService(text)
	if !knows && !strings.Contains(text, "://") && !s.matcher.mayHave(text) {
		return
	}
	f := s.parse(kind, inner, text)
	f.alone = true
	f.constants()
	defer f.release()
	w := s.world
	w.mu.Lock()
	defer w.mu.Unlock()
	for name, c := range f.consts {
		name, c.text, c.table = strings.Clone(name), strings.Clone(c.text), strings.Clone(c.table) // and not a part of the file
		note(w.consts, f.top+"/"+name, c, s.matcher.ours)
		w.paths[f.top] = w.paths[f.top] || c.path
		if strings.Contains(c.text, "://") { // a path is that of one program
			note(w.consts, name, c, s.matcher.ours)
		}
	}
	if knows {
		w.any, w.knows[f.top] = true, true
	}
}

// top returns the folder of the program that a file belongs to: that which is scanned, if it has programs itself, or else the first
// below it.
func (s *scanner) top(inner string) string {
	if s.single {
		return ""
	}
	return inner[:max(strings.IndexByte(inner, '/'), 0)]
}

// mayHave says whether a text has a word that begins a path of the tables.
func (m *matcher) mayHave(text string) bool {
	for word := range m.first {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// declare reads what the annotations of a file are for.
func (f *file) declare() {
	seen := map[string]bool{}
	for i := range f.tokens {
		if f.is(i, aName) && f.tokens[i].to-f.tokens[i].from < 40 {
			seen[f.str(i)] = true
		}
	}
	for name := range seen {
		low := strings.ToLower(name)
		f.client = f.client || has("declares", low)
		f.serves = f.serves || low == "controller" || low == "restcontroller"
	}
}
