package scan

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"sellerd/translate"
)

// This file gathers what is known before a line is read: which names are addresses, in a file and in all files, and which folders
// know the service. It is the first of two passes over the files. Of a file it keeps a few names, and nothing else.

// file is a file that is scanned.
type file struct {
	*source
	scan   *scanner
	top    string // the folder of its program
	consts map[string]constant
	used   []string        // constants whose paths are used where they are named
	alone  bool            // what other files know is not known yet
	tables map[string]bool // the names of tables that have paths
	knows  bool            // it names the service, or fields that nobody else has
	base   string          // its name
	test   bool

	last                 map[string]int // the last finding of a call
	lineAt, line, column int            // the last place that was counted to
	serves               bool           // it declares routes
	based                bool           // a name of it is the service's address
	client               bool           // it declares clients by annotations
}

// constant is an address or a path that a name has.
type constant struct {
	text string
	many bool // the name has several
}

// These bound what is kept of names.
const (
	maxConstants = 50_000
	maxConstant  = 300
	shortName    = 5 // a name up to this length means something else in another file
	longName     = 8 // one of this length means the same in another folder
)

// world is what all files know.
type world struct {
	mu     sync.Mutex
	consts map[string]constant
	knows  map[string]bool // the folders of programs that know the service
	any    bool
	used   map[string]bool // constants whose paths are used where they are named
	tables map[string]bool // the names of tables that have paths, by their programs
}

// simple returns a name as it is compared: without the case of letters, and without underscores. Of a.b it is b.
func simple(name string) string {
	if i := strings.LastIndexAny(name, ".:/"); i >= 0 {
		name = name[i+1:]
	}
	return strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(name, "_", ""), "-", ""))
}

// constant returns the address or path that a name has.
func (f *file) constant(name string) (string, bool) {
	if len(name) < 2 || len(name) > 60 {
		return "", false
	}
	key := simple(name)
	if c, ok := f.consts[key]; ok {
		return c.text, !c.many
	}
	if len(key) <= shortName && (name[0] < 'A' || name[0] > 'Z') && !f.tables[key] || f.alone {
		return "", false
	}
	consts := f.scan.world.consts
	for _, program := range []string{f.top, ""} {
		if c, ok := consts[program+"/"+key]; ok {
			return c.text, !c.many
		}
	}
	c, ok := consts[key]
	return c.text, ok && !c.many && len(key) >= longName && !anyPath(name)
}

// isTable says whether a name is that of a table with paths, in the file or in its program.
func (f *file) isTable(name string) bool {
	return f.tables[simple(name)] || !f.alone && f.scan.world.tables[f.top+"/"+simple(name)]
}

// member returns the address or path of a name that may be a member of a table: the table says what a short name is.
func (f *file) member(i int) (string, bool) {
	if text, ok := f.constant(f.str(i)); ok || f.alone || !f.ofTable(i) {
		return text, ok
	}
	c, ok := f.scan.world.consts[f.top+"/"+simple(f.str(i))]
	return c.text, ok && !c.many
}

// ofTable says whether a token is a member of a table with paths: x.key, X::key, x['key'], x{key}, x[:key], x.get('key').
func (f *file) ofTable(i int) bool {
	switch {
	case f.linkAt(i-1) == 1:
		return f.is(i-2, aName) && f.isTable(f.str(i-2))
	case f.linkAt(i-2) == 2:
		return f.is(i-3, aName) && f.isTable(f.str(i-3))
	}
	return f.keyed(i) > 0
}

// inProgram says whether a name is known to the file or to its program.
func (f *file) inProgram(name string) bool {
	_, here := f.consts[simple(name)]
	if here || f.alone {
		return here
	}
	_, near := f.scan.world.consts[f.top+"/"+simple(name)]
	return near
}

// note remembers that a name has an address or a path. A name with two hosts has none.
func note(consts map[string]constant, key, text string, ours func(string) bool) {
	old, ok := consts[key]
	if ok && old.text != text {
		if HostName(old.text) == HostName(text) || ours(HostName(old.text)) == ours(HostName(text)) && strings.Contains(old.text, "://") && strings.Contains(text, "://") {
			if len(old.text) < len(text) {
				return
			}
		} else {
			consts[key] = constant{old.text, true}
			return
		}
	}
	if len(consts) < maxConstants {
		consts[key] = constant{text: text, many: ok && old.many}
	}
}

// constants finds the names that have addresses and paths in a file.
func (f *file) constants() {
	m := f.scan.matcher
	f.consts, f.tables = map[string]constant{}, map[string]bool{}
	done := 0
	for i := range f.tokens {
		t := &f.tokens[i]
		if t.kind != aText || i < done && t.up == f.tokens[done-1].up || t.to-t.from > maxConstant || t.to-t.from < 3 {
			continue
		}
		raw := f.text[t.from:t.to]
		if !strings.Contains(raw, "://") && !m.ours(HostName(raw)) && !m.mayHave(raw) && f.joinAt(i-1) == 0 || strings.Contains(raw, "\n") {
			continue
		}
		from, to := f.extent(i)
		text := f.evaluate(from, to, 0).flat()
		done = to
		switch {
		case m.ours(HostName(text)):
			if !strings.Contains(text, "://") {
				text = "https://" + text
			}
			f.based = true
		case strings.Contains(text, "://") && !strings.HasPrefix(HostName(text), string(hole)):
		case len(m.find(text)) > 0:
		default:
			continue
		}
		if len(text) < maxConstant && strings.IndexByte(text, ' ') < 0 &&
			(strings.IndexByte(strings.TrimRight(text, "\x00"), hole) < 0 || text[0] == '/') {
			if open := int(f.tokens[from].up); len(m.find(text)) > 0 && open > 3 && f.sgn(open, "(") && f.linkAt(open-2) == 1 &&
				f.is(open+1, aText) && f.sgn(open+2, ",") && f.is(open-3, aName) && !m.ours(HostName(f.str(open+1))) {
				f.tables[simple(f.str(open-3))] = true // paths.put('x', …)
			}
			names := f.holders(from, len(m.find(text)) == 0)
			for _, name := range f.holders(from, true) {
				if len(names) > 0 && name != names[0] {
					f.tables[simple(name)] = true
				}
			}
			if len(m.find(text)) == 0 {
				text = strings.TrimRight(text, "\x00")
			}
			for _, name := range names {
				if len(m.find(text)) == 0 || !anyPath(name) {
					note(f.consts, simple(name), text, m.ours)
				}
			}
		}
	}
}

// key returns the name of the setting or the member that an expression is the value of: x: "…", 'x' => "…".
func (f *file) key(from int) string {
	i := from - 1
	if f.sgn(i, ">") && f.sgn(i-1, "=") {
		i--
	} else if !f.sgn(i, ":") && !(f.sgn(i, "=") && f.family.loose) {
		return ""
	}
	if f.is(i-1, aName) || f.is(i-1, aText) {
		return f.str(i - 1)
	}
	return ""
}

// holders returns the names that get what the expression at a token is a part of: X = "…", X: "…", define('X', "…"), and, when
// through is set, X = new Client("…").
func (f *file) holders(from int, through bool) (names []string) {
	crossed := false
	for i, steps := from-1, 0; i > 0 && steps < 40 && len(names) < 4; i, steps = i-1, steps+1 {
		t := &f.tokens[i]
		switch {
		case f.sgn(i, ";"), f.tokens[i+1].fresh && f.family.newlines && t.up < 0 && !f.continues(i+1):
			return names
		case f.sgn(i, ")]}") && t.pair > 0:
			if f.sgn(i, "}") || !through && crossed {
				return names
			}
			i = int(t.pair)
		case f.sgn(i, "{") && f.isBlock(i):
			return names
		case f.sgn(i, "(") && f.family == families["shell"]: // x=$(curl …) has an answer
			return names
		case f.sgn(i, "([{"):
			first := f.is(i+1, aText) && f.sgn(i+2, ",") && i+2 < from
			if name := f.str(i + 1); first && f.sgn(i, "(") && (!crossed || through) && isWordy(name) && isMethod(name) == "" &&
				!f.scan.matcher.ours(HostName(name)) {
				names = append(names, name) // define('X', …), env('X', …)
			} else if caller := f.str(i - 1); f.sgn(i, "(") && !crossed && f.is(i-1, aName) && caller == strings.ToUpper(caller) && f.sgn(i-2, "{,") && isMethod(caller) == "" {
				return append(names, caller) // a member of an enumeration
			}
			crossed = true
		case f.sgn(i, ",") && (i+1 != from || through):
			if !through || t.up <= 0 || f.isBlock(int(t.up)) {
				return names
			}
			i = int(t.up) + 1 // what stands before it belongs to others
		case f.sgn(i, "=") && !f.sgn(i-1, "=!<>") && !f.sgn(i+1, "=~"), f.sgn(i, ":") && !f.sgn(i-1, ":") && !f.sgn(i+1, ":"), f.sgn(i, ">") && f.sgn(i-1, "="):
			if crossed && !through && !f.sgn(i+1, "([{") {
				continue
			}
			j := i - 1
			if f.sgn(j, "=:?.+") {
				j--
			}
			if f.sgn(j, "]") && f.tokens[j].pair > 0 {
				j-- // a['x'] = …
			}
			if !f.is(j, aName) && !f.is(j, aText) || !isWordy(f.str(j)) || isMethod(f.str(j)) != "" {
				continue
			}
			if crossed && !through && len(names) > 0 {
				return names
			}
			names = append(names, f.str(j))
			for k := j - 1; k > max(j-4, 0) && f.sgn(i, "=") && !f.tokens[k+1].fresh; k-- { // x: String = …, x As String = …
				if (f.sgn(k, ":") || f.is(k, aName) && strings.EqualFold(f.str(k), "as")) && f.is(k-1, aName) {
					names[len(names)-1] = f.str(k - 1)
				}
			}
			if crossed && !through {
				return names
			}
		}
	}
	return names
}

// anyPath says whether a name may have any path: url, strUrl, request_path.
func anyPath(name string) bool {
	return !slices.ContainsFunc(wordsOf(name), func(word string) bool { return !has("any", word) })
}

// isWordy says whether a text may be a name.
func isWordy(text string) bool {
	return text != "" && len(text) < 60 && !strings.ContainsAny(text, " /%{}()<>,;'\"")
}

// isBlock says whether a brace begins a block of statements, and not an object.
func (s *source) isBlock(open int) bool {
	switch {
	case !s.sgn(open, "{"):
		return false
	case s.sgn(open-1, ")"):
		return true
	case s.sgn(open-1, ">"):
		return s.sgn(open-2, "=-") && !s.family.arrow && s.family != families["ruby"]
	case s.is(open-1, aName) && s.family == families["go"]:
		i := open - 1
		for i > 1 && !s.tokens[i].fresh && open-i < 40 {
			i--
		}
		switch s.str(i) {
		case "func", "if", "for", "switch", "else", "type", "select", "package":
			return true
		}
		return s.sgn(i, "}")
	case s.is(open-1, aName):
		name := strings.ToLower(s.str(open - 1))
		return name != "return" && name != "in" && !s.family.loose
	case s.sgn(open-1, ";{}"):
		return open > 1 && !s.family.loose
	}
	return false
}

var scriptTag = regexp.MustCompile(`(?is)<script[^>]*>(.*?)</script>`)

// parse turns a file into tokens. Of a page only the scripts are read, and what stands in the tags of its server.
func (s *scanner) parse(kind, inner, text string) *file {
	read := &source{text: text, tokens: *buffers.Get().(*[]token)}
	f := &file{source: read, scan: s, line: 1, top: top(inner), base: path.Base(inner), test: isTest(inner)}
	switch kind {
	case "page":
		for _, at := range scriptTag.FindAllStringSubmatchIndex(text, 1000) {
			f.lex(families["js"], at[2], at[3])
		}
		for at := 0; at < len(text); { // <% … %>, @{ … }
			open := strings.Index(text[at:], "<%")
			if open < 0 {
				break
			}
			closing := strings.Index(text[at+open:], "%>")
			if closing < 0 {
				break
			}
			f.lex(familyC, at+open+2, at+open+closing)
			at += open + closing + 2
		}
		if f.family == nil {
			f.lex(families["js"], 0, 0)
		}
		f.family = families["js"]
	case "php":
		f.lex(families["php"], 0, 0)
		for at := 0; at < len(text); {
			open := strings.Index(text[at:], "<?")
			outside := text[at:]
			if open >= 0 {
				outside = text[at : at+open]
			}
			for _, script := range scriptTag.FindAllStringSubmatchIndex(outside, 100) {
				f.lex(families["js"], at+script[2], at+script[3])
			}
			if open < 0 {
				break
			}
			at += open + 2
			closing := endOfPHP(text[at:])
			from := at
			if strings.HasPrefix(text[from:], "php") {
				from += len("php")
			}
			f.lex(families["php"], from, max(from, at+closing))
			at += closing
		}
		f.family = families["php"]
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

// endOfPHP returns where a part of PHP ends. ?> in a comment of a line ends it too; in a text it hardly ever stands.
func endOfPHP(text string) int {
	if i := strings.Index(text, "?>"); i >= 0 {
		return i
	}
	return len(text)
}

// serviceName is the word by which programs name the service.
var serviceName = func() string {
	parts := strings.Split(HostName(translate.OldHost), ".")
	return parts[len(parts)-2]
}()

// knowsService says whether a text names the service: a host of it, a type of its notifications, or fields that nobody else has.
func (m *matcher) knowsService(text string) bool {
	if m.namesHost(text) {
		return true
	}
	if strings.Contains(text, "Curl_Seller_") || strings.Contains(text, translate.TypeDefault) {
		return true
	}
	seen := 0
	for name := range m.fields {
		if strings.Contains(text, name) {
			if seen++; seen == 2 {
				return true
			}
		}
	}
	return false
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
	for key, c := range f.consts {
		key, text := strings.Clone(key), strings.Clone(c.text) // and not a part of the file
		if c.many {
			text += "\x00"
		}
		note(w.consts, f.top+"/"+key, text, s.matcher.ours)
		if strings.Contains(text, "://") { // a path is that of one program
			note(w.consts, key, text, s.matcher.ours)
		}
	}
	for name := range f.tables {
		w.tables[f.top+"/"+name] = true
	}
	if knows {
		w.any, w.knows[f.top] = true, true
	}
}

// top returns the first folder of a name below the folder that is scanned, which mostly is one program; "" for a file without one.
func top(inner string) string {
	first, _, below := strings.Cut(inner, "/")
	if !below {
		return ""
	}
	return first
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
		if !f.is(i, aName) || f.tokens[i].to-f.tokens[i].from > 40 {
			continue
		}
		name := f.str(i)
		if seen[name] {
			continue
		}
		seen[name] = true
		low := strings.ToLower(name)
		f.client = f.client || has("declares", low)
		f.serves = f.serves || low == "controller" || low == "restcontroller"
	}
}
