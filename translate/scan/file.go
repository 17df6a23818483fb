package scan

import (
	"slices"
	"strings"
	"sync"

	"sellerd/internal/base/pattern"
	"sellerd/translate"
	"sellerd/translate/source"
)

// This file reads one file: which of its parts are code, and whether it knows the service.

// file is a file that is scanned.
type file struct {
	*source.File
	listing
	scan   *scanner
	top    string // the folder of its program
	consts map[string]constant
	known  map[string]constant // by names as they are written
	used   []use               // of constants whose paths are used where they are named
	alone  bool                // what other files know is not known yet
	knows  bool                // it names the service, or fields that nobody else has
	test   bool
	serves bool // it declares routes
	client bool // it declares clients by annotations
}

// parse turns a file into tokens.
func (s *scanner) parse(kind, inner, text string) *file {
	return &file{File: source.Parse(kind, text, *buffers.Get().(*[]source.Token)), scan: s, top: s.top(inner), test: isTest(inner)}
}

// buffers are tokens of files that were read.
var buffers = sync.Pool{New: func() any { return new([]source.Token) }}

// release gives the memory of the tokens to the next file.
func (f *file) release() {
	tokens := f.Tokens[:0]
	buffers.Put(&tokens)
	f.Tokens = nil
}

// rooted finds an address that ends with the root of the old interface. Programs keep their base address so, at any host.
var rooted = pattern.Late(`://[\w.:/-]+/` + translate.Root + `/?(?:["'` + "`" + `<\s]|$)`)

// knowsService says whether a text names the service: a host of it, the root of the old interface at any host, a type of its
// notifications, or several fields that no other interface has. Some are those of the new interface as well.
func (m *matcher) knowsService(text string) bool {
	if m.namesHost(text) || rooted().MatchString(text) || strings.Contains(text, "Curl_Seller_") || strings.Contains(text, translate.TypeDefault) {
		return true
	}
	seen, moved := 0, strings.Contains(text, "/v1")
	for name := range m.fields {
		if !(moved && has("newer", name)) && strings.Contains(text, name) {
			seen++
		}
	}
	return seen > 1
}

// namesHost says whether a text has a host of the service, and not only addresses of the new interface.
func (m *matcher) namesHost(text string) bool {
	return slices.ContainsFunc(m.hosts, func(host string) bool { return strings.Count(text, host) > strings.Count(text, host+"/v1") })
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

// top returns the folder of the program that a file belongs to: the one that is scanned, if it has programs, or else the first below.
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
	for i := range f.Tokens {
		if f.Is(i, source.Name) && f.Tokens[i].To-f.Tokens[i].From < 20 && f.Sign(i-1, "@.[;") {
			low := strings.ToLower(f.Str(i))
			f.client = f.client || has("declares", low)
			f.serves = f.serves || has("answers", low)
		}
	}
}
