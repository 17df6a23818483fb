package scan

import (
	"slices"
	"strings"

	"sellerd/translate"
)

// This file compares values with the patterns of the calls.

// baseKind is what is known of the host of an address.
type baseKind int

const (
	baseNone    baseKind = iota // there is no host
	baseHole                    // only a running program knows it
	baseForeign                 // it is another one
	baseOurs
)

// matched is an address whose path calls have.
type matched struct {
	plans   []*translate.Plan // of one pattern, or of several if a hole stands for a literal part
	base    baseKind
	hint    string // the name of the hole that is the host
	root    bool   // it has the part rest
	level   int    // how distinctive the path is, from 1 to 3
	open    bool   // it ends with a slash, and more may follow
	several bool   // a hole stands for a literal part
	method  string // before the path in the same text
	parts   int    // number of its parts
	literal piece  // has the first part
	fields  []string
	bare    bool // one word without a slash
	host    string
	holes   []string // the names of the holes that are whole parts, "" for other parts
}

// matcher compares addresses with the tables.
type matcher struct {
	routes []route
	hosts  []string
	first  map[string]bool // the first parts of all paths
	words  []string        // texts that an address of a call contains
}

// route is a pattern with its calls.
type route struct {
	parts []string // without rest
	plans []*translate.Plan
	level int
}

func newMatcher(table *translate.Table, hosts []string) *matcher {
	m := &matcher{first: map[string]bool{}}
	for _, host := range append([]string{translate.OldHost}, hosts...) {
		if name := hostOf(host); name != "" {
			m.hosts = append(m.hosts, name)
		}
	}
	for _, p := range table.Plans {
		parts := strings.Split(strings.TrimPrefix(p.Pattern, "/"+translate.Root+"/"), "/")
		i := slices.IndexFunc(m.routes, func(r route) bool { return slices.Equal(r.parts, parts) })
		if i < 0 {
			i = len(m.routes)
			m.routes = append(m.routes, route{parts: parts, level: levelOf(parts)})
			m.first[parts[0]] = true
		}
		m.routes[i].plans = append(m.routes[i].plans, p)
	}
	for word := range m.first {
		m.words = append(m.words, word)
	}
	m.words = append(m.words, translate.Root)
	m.words = append(m.words, m.hosts...)
	slices.Sort(m.words)
	return m
}

// HostName returns the host of an address such as https://api.example.com/v1 or of a host such as api.example.com:8443, in lower
// case. It is "" when there is none.
func HostName(text string) string { return strings.TrimSpace(hostOf(text)) }

// hostOf returns the host of an address or of a host, without its port, in lower case.
func hostOf(text string) string {
	if _, rest, ok := strings.Cut(text, "://"); ok {
		text = rest
	}
	text, _, _ = strings.Cut(text, "/")
	if i := strings.LastIndexByte(text, '@'); i >= 0 {
		text = text[i+1:]
	}
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		text = text[:i]
	}
	return strings.ToLower(text)
}

// levelOf says how distinctive a pattern is: 3 for several words, or one that no other interface has, 2 for two words.
func levelOf(parts []string) int {
	words := 0
	for _, part := range parts {
		if strings.HasPrefix(part, "{") {
			continue
		}
		words++
		if strings.ToLower(part) != part {
			return 3
		}
	}
	return min(words, 3)
}

// mark is the character of a hole in the text of a value.
const mark = '\x01'

// flat returns a value as a text with marks, and for each byte the number of its piece.
func (v value) flat() (text string, owner []int) {
	var b strings.Builder
	for i := range v {
		if v[i].hole {
			b.WriteByte(mark)
			owner = append(owner, i)
			continue
		}
		b.WriteString(strings.ReplaceAll(v[i].text, string(mark), " "))
		for range len(v[i].text) {
			owner = append(owner, i)
		}
	}
	return b.String(), owner
}

// methods are the methods of the calls, and those that programs use in their place.
var methods = []string{"GET", "POST", "PUT", "DELETE", "HEAD", "PATCH"}

// match compares a value with the calls. ok is false when no call has the path.
func (m *matcher) match(v value) (found matched, ok bool) {
	text, owner := v.flat()
	start := 0
	for start < len(text) && (isSpace(text[start]) || text[start] == '"' || text[start] == '\'') {
		start++
	}
	rest := text[start:]
	if i := strings.IndexAny(rest, " \t\r\n"); i > 0 { // POST /rest/item, and POST /rest/item HTTP/1.1
		if method := strings.ToUpper(rest[:i]); slices.Contains(methods, method) && i+1 < len(rest) {
			found.method = method
			start += i
			for start < len(text) && isSpace(text[start]) {
				start++
			}
			rest = text[start:]
		}
	}
	if i := strings.IndexAny(rest, " \t\r\n<>\"'|\\"); i >= 0 {
		after := strings.TrimLeft(rest[i:], " ")
		if rest[i] != '\r' && rest[i] != '\n' && !strings.HasPrefix(after, "HTTP/") && strings.TrimSpace(rest[i:]) != "" {
			return found, false
		}
		rest = rest[:i]
	}
	if len(rest) > 2000 {
		return found, false
	}
	path, query, _ := strings.Cut(rest, "?")
	path, _, _ = strings.Cut(path, "#")
	for pair := range strings.FieldsFuncSeq(query, func(r rune) bool { return r == '&' || r == mark || r == ';' }) {
		if name, _, ok := strings.Cut(pair, "="); ok && name != "" && len(name) < 40 {
			name, _, _ = strings.Cut(name, "[")
			found.fields = append(found.fields, name)
		}
	}
	offset, kind := m.host(path, &found)
	if kind == baseForeign {
		found.base = kind
		return found, false
	}
	found.base = kind
	if kind == baseHole {
		found.hint = v[owner[start]].name
	}
	segments := segmentsOf(path[offset:])
	if kind == baseNone || kind == baseHole {
		segments = m.withoutBase(segments, &found)
	}
	segments = m.underRoot(segments, &found)
	if len(segments) == 0 {
		return found, false
	}
	for _, s := range segments {
		name := ""
		if i := start + s.at + offset; i < len(owner) && isWholeHole(s.text) {
			name = v[owner[i]].name
		}
		found.holes = append(found.holes, name)
	}
	if !m.compare(segments, &found) {
		return found, false
	}
	found.parts = len(segments)
	if i := start + segments[0].at + offset; i < len(owner) {
		o := owner[i]
		begin := i
		for begin > 0 && owner[begin-1] == o {
			begin--
		}
		found.literal = v[o]
		found.literal.at += i - begin
	}
	found.bare = found.parts == 1 && kind == baseNone && !strings.HasPrefix(path, "/") && !found.root
	return found, true
}

// host finds the host at the beginning of an address, and returns where the path begins.
func (m *matcher) host(text string, found *matched) (offset int, kind baseKind) {
	if i := strings.Index(text, "://"); i >= 0 && i <= 8 || strings.HasPrefix(text, "//") && len(text) > 2 && strings.Contains(text[2:], ".") {
		from := 2
		if i >= 0 {
			from = i + 3
		}
		end := strings.IndexByte(text[from:], '/')
		if end < 0 {
			end = len(text)
		} else {
			end += from
		}
		host := hostOf(text[from:end])
		found.host = host
		for _, ours := range m.hosts { // a host that a part follows without a slash
			if rest, ok := strings.CutPrefix(host, ours); ok && m.first[rest] && strings.HasPrefix(strings.ToLower(text[from:]), ours) {
				return from + len(ours), baseOurs
			}
		}
		switch {
		case slices.Contains(m.hosts, host):
			return end, baseOurs
		case strings.IndexByte(host, mark) >= 0 || strings.ContainsAny(host, "{}%$<") || host == "localhost" || host == "127.0.0.1" || host == "::1":
			return end, baseHole
		default:
			return end, baseForeign
		}
	}
	for _, host := range m.hosts {
		if strings.HasPrefix(strings.ToLower(text), host) && len(text) > len(host) && (text[len(host)] == '/' || text[len(host)] == ':') {
			end := strings.IndexByte(text, '/')
			if end < 0 {
				end = len(text)
			}
			found.host = host
			return end, baseOurs
		}
	}
	if len(text) > 0 && (text[0] == mark || strings.HasPrefix(text, "{{") || text[0] == '{' || text[0] == '%' && len(text) > 1 && text[1] == 's') {
		return 0, baseHole
	}
	return 0, baseNone
}
