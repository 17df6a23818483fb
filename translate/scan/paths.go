package scan

import (
	"slices"
	"strings"

	"sellerd/translate"
	"sellerd/translate/source"
)

// This file compares texts with the paths of the tables.

// hole stands in a value for what only the running program knows.
const hole = '\x00'

// baseKind is what the part before a path says of the service.
type baseKind uint8

// The bases: nothing (item/1), a slash, /rest/, something that only the running program knows, our host, and another one.
const (
	baseNone baseKind = iota
	baseSlash
	baseRest
	baseHole
	baseOurs
	baseForeign
)

// route is a pattern of the tables.
type route struct {
	parts []string
	plans []*translate.Plan
	level int // how much it is like no other interface: 3 for several words, or one that nobody else has; 2 for two words; 1
}

// matcher has the tables as routes.
type matcher struct {
	hosts  []string
	routes []*route
	first  map[string]bool // the first parts of patterns
	last   map[string]bool // the last two parts of long patterns
	known  map[string]bool // names of fields
	fields map[string]bool // of them those that no other interface has
}

func newMatcher(table *translate.Table, hosts []string) *matcher {
	m := &matcher{hosts: []string{HostName(translate.OldHost)}, first: map[string]bool{}, last: map[string]bool{}, fields: map[string]bool{}}
	m.known = map[string]bool{"apikey": true}
	for _, host := range hosts {
		if host = HostName(host); host != "" {
			m.hosts = append(m.hosts, host)
		}
	}
	for _, p := range table.Plans {
		parts := strings.Split(strings.TrimPrefix(p.Pattern, "/"+translate.Root+"/"), "/")
		i := slices.IndexFunc(m.routes, func(r *route) bool { return slices.Equal(r.parts, parts) })
		if i < 0 {
			i = len(m.routes)
			m.routes = append(m.routes, &route{parts: parts, level: levelOf(parts)})
			m.first[parts[0]] = true
			if n := len(parts); n > 2 && parts[n-1][0] != '{' {
				m.last[parts[n-1]], m.last[parts[n-2]] = true, true
			}
		}
		m.routes[i].plans = append(m.routes[i].plans, p)
		for _, name := range p.FieldNames() {
			m.known[name] = true
			if len(name) >= 10 && (strings.Contains(name, "_") || strings.ToLower(name) != name) {
				m.fields[name] = true
			}
		}
	}
	return m
}

// levelOf says how much a pattern is like no other interface.
func levelOf(parts []string) int {
	words := 0
	for i, part := range parts {
		switch {
		case strings.HasPrefix(part, "{"):
		case strings.ToLower(part) != part:
			return 3
		case i > 0 && has("rare", part):
			words += 2
		default:
			words++
		}
	}
	return min(max(words, 1), 3)
}

// HostName returns the host of an address such as https://api.example.com/v1 or of a host such as api.example.com:8443, in lower
// case. It is "" when there is none.
func HostName(text string) string {
	if _, rest, ok := strings.Cut(text, "://"); ok {
		text = rest
	}
	if i := strings.IndexAny(text, "/?#"); i >= 0 {
		text = text[:i]
	}
	text = text[strings.LastIndexByte(text, '@')+1:]
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		text = text[:i]
	}
	return strings.TrimSuffix(strings.TrimSpace(strings.ToLower(text)), ".")
}

// ours says whether a host is the service's.
func (m *matcher) ours(host string) bool {
	return slices.Contains(m.hosts, strings.TrimSuffix(host, "."))
}

// isHole says whether a part of a path, or the beginning of one, stands for a value.
func isHole(part string) bool {
	return part != "" && strings.IndexByte("\x00:{<%$@#([*=", part[0]) >= 0
}

// hasHole says whether something in a part stands for a value.
func hasHole(part string) bool { return strings.ContainsAny(part, "\x00{<%$(") }

// match is a path that a text has.
type match struct {
	at     int // of its first part in the text
	end    int
	base   baseKind
	before int // where its address begins
	route  *route
	others []*route // that it may be as well: a hole stands for a word of theirs
	open   bool     // it ends with a slash: more follows
	vague  bool     // it may be very many
	loose  bool     // a word stands where the tables have any value
	whole  bool     // the address is all of the text

	unnamed bool // the seller did not name its host
}

// find returns the paths of a text.
func (m *matcher) find(text string) (found []match) {
	for at := 0; at < len(text); at++ {
		size := 0
		for at+size < len(text) && source.IsWord(text[at+size]) {
			size++
		}
		if size == 0 {
			continue
		}
		begins := at == 0 || strings.IndexByte("/\x00}])>\"'= \n", text[at-1]) >= 0 || strings.HasSuffix(text[:at], "%s")
		if begins && (m.first[text[at:at+size]] || m.last[text[at:at+size]] && (strings.HasSuffix(text[:at], "\x00/") ||
			at == 0 && strings.HasPrefix(text[size:], "/"))) {
			if p, ok := m.at(text, at); ok {
				found = append(found, p)
				size = max(p.end-at, size)
			}
		}
		at += size - 1
	}
	return found
}

// segment returns the part of a path with which a text begins. What is in brackets may have any signs.
func segment(text string) string {
	for i := 0; i < len(text); i++ {
		closing := ""
		if k := strings.IndexByte("{([", text[i]); strings.HasPrefix(text[i:], "{{") {
			closing = "}}"
		} else if k >= 0 {
			closing = "})]"[k : k+1]
		}
		within := text[i:min(len(text), i+60)]
		if end := strings.Index(within, closing); closing != "" && end > 0 && strings.IndexByte(within[:end], '\n') < 0 {
			i += end + len(closing) - 1
		} else if strings.IndexByte(" \t\r\n\f\v\"'`/?#&;,|)}]>\\<", text[i]) >= 0 {
			return text[:i]
		}
	}
	return text
}

// at compares the path that begins at a place.
func (m *matcher) at(text string, at int) (match, bool) {
	p := match{at: at, end: at, before: strings.LastIndexAny(text[:at], " \t\r\n\"'`,;|<>[=") + 1}
	base, ok := m.baseOf(text[p.before:at])
	if !ok {
		return p, false
	}
	p.base = base
	var parts []string
	for p.end < len(text) {
		rest := text[p.end:min(len(text), p.end+maxConstant)]
		part := segment(rest)
		if part == "" && rest[0] == '<' { // <id>, and not the end of an element
			part = rest[:strings.IndexByte(rest, '>')+1]
		}
		parts = append(parts, part)
		if p.end += len(part); p.end == len(text) || text[p.end] != '/' {
			break
		}
		p.end++
		if p.open = p.end == len(text) || strings.IndexByte(" \t\r\n\"'`?", text[p.end]) >= 0; p.open {
			break
		}
	}
	p.whole = p.before == 0 && (p.end == len(text) || strings.IndexByte("?#&", text[p.end]) >= 0)
	return p, m.compare(&p, parts)
}

// baseOf says what stands before a path. ok is false when it is a path of something else.
func (m *matcher) baseOf(before string) (base baseKind, ok bool) {
	rest := strings.TrimLeft(before, "=(")
	scheme, after, found := strings.Cut(rest, "://")
	if found = found && !strings.Contains(scheme, "/"); !found {
		after = strings.TrimPrefix(rest, "//")
	}
	host, path, below := strings.Cut(after, "/")
	switch {
	case (found || below) && m.ours(HostName(strings.TrimPrefix(host, "www."))):
		if base, rest = baseOurs, path; strings.Contains("/"+path, "/"+translate.Root+"/") { // behind a proxy
			rest = path[strings.LastIndex("/"+path, "/"+translate.Root+"/"):]
		}
	case found && (isHole(host) || strings.IndexByte(host, hole) >= 0 || hasHole(host) && !strings.Contains(host, ".")):
		base, rest = baseHole, path
	case found, strings.HasPrefix(rest, "//"):
		return baseForeign, true
	}
	for part := range strings.SplitSeq(strings.Trim(rest, "/"), "/") {
		switch i := strings.IndexAny(part, "\x00{<%$("); {
		case part == "":
		case part == translate.Root && base < baseOurs: // it says more than a hole before it
			base = baseRest
		case part == translate.Root:
		case i >= 0 && (isHole(part) || isHole(part[i:])):
			base = max(base, baseHole)
		default:
			return base, false
		}
	}
	if base == baseNone && strings.HasPrefix(rest, "/") {
		base = baseSlash
	}
	return base, true
}

// compare finds the routes of a path.
func (m *matcher) compare(p *match, parts []string) bool {
	n := len(parts)
	if i := strings.IndexByte(parts[n-1], hole); i > 0 { // what follows a word at once is a query
		parts[n-1] = parts[n-1][:i]
	}
	best := -1
	for _, r := range m.routes {
		pattern, score, guessed, loose := r.parts, 0, 0, false
		switch more := len(pattern) - n; {
		case more == 0, p.open && n == 1 && more == 1 && strings.HasPrefix(pattern[1], "{"):
		case more > 0 && m.last[parts[0]] && !m.first[parts[0]]: // a hole, or a function, has what stands before it
			pattern, guessed = pattern[more:], 1
		default:
			continue
		}
		for i, part := range parts {
			switch pattern := pattern[i]; {
			case strings.HasPrefix(pattern, "{"):
				if !isHole(part) && !hasHole(part) && !isValue(part) {
					loose = true
					score--
				}
			case part == pattern:
				score += 2
			case i > 0 && isHole(part):
				guessed++
			default:
				score = -99
			}
		}
		switch {
		case score < 0 || guessed > 0 && loose && (guessed > 1 || r.level == 3):
		case guessed > 0:
			p.others = append(p.others, r)
		case score > best:
			best, p.route, p.loose = score, r, loose && r.level < 3
		}
	}
	if p.route == nil && len(p.others) == 0 && p.base > baseNone { // the beginning of one
		for _, r := range m.routes {
			if p.open = len(r.parts) > n && slices.Equal(r.parts[:n], parts); p.open {
				p.route = r
				return true
			}
		}
	}
	if p.route != nil {
		p.others = nil
	} else if len(p.others) > 0 {
		p.route, p.others = p.others[0], p.others[1:]
		if p.vague = len(p.others) > 4; p.vague {
			p.others = nil
		}
	}
	return p.route != nil
}

// isValue says whether a part of a path may be a value: a number, or a name in capitals that stands for one.
func isValue(part string) bool {
	return strings.ContainsAny(part, "0123456789") || part == strings.ToUpper(part) || strings.HasSuffix(strings.ToLower(part), "id")
}

// plans returns the plans of a match.
func (p *match) plans() []*translate.Plan {
	plans := slices.Clone(p.route.plans)
	for _, r := range p.others {
		plans = append(plans, r.plans...)
	}
	return plans
}
