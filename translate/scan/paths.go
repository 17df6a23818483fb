package scan

import (
	"slices"
	"strings"

	"sellerd/translate"
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
	first  map[string]bool   // the first parts of patterns
	fields map[string]bool   // names of fields that no other interface has
	named  map[string]string // names of all fields by themselves in small letters
}

func newMatcher(table *translate.Table, hosts []string) *matcher {
	m := &matcher{hosts: []string{HostName(translate.OldHost)}, first: map[string]bool{}, fields: map[string]bool{}, named: map[string]string{}}
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
		}
		m.routes[i].plans = append(m.routes[i].plans, p)
		for _, name := range p.FieldNames() {
			m.named[strings.ToLower(name)] = name
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
		case i > 0 && (part == "reference" || part == "fields" || part == "feedback" || part == "settings" || part == "time"):
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
	if i := strings.LastIndexByte(text, '@'); i >= 0 {
		text = text[i+1:]
	}
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
}

// find returns the paths of a text.
func (m *matcher) find(text string) (found []match) {
	for at := 0; at < len(text); {
		size := 0
		for at+size < len(text) && isWord(text[at+size]) {
			size++
		}
		if size == 0 {
			at++
			continue
		}
		if m.first[text[at:at+size]] && (at == 0 || strings.IndexByte("/\x00}])>\"'= \n", text[at-1]) >= 0 || m.afterName(text, at)) {
			if p, ok := m.at(text, at); ok {
				found = append(found, p)
				at = max(p.end, at+size)
				continue
			}
		}
		at += size
	}
	return found
}

// afterName says whether a placeholder of letters such as %s or $base stands before a place.
func (m *matcher) afterName(text string, at int) bool {
	return at >= 2 && (text[at-1] == 's' || text[at-1] == 'd') && text[at-2] == '%'
}

// at compares the path that begins at a place.
func (m *matcher) at(text string, at int) (match, bool) {
	p := match{at: at}
	p.before = at
	for p.before > 0 && strings.IndexByte(" \t\r\n\"'`,;|<>[=", text[p.before-1]) < 0 {
		p.before--
	}
	base, ok := m.baseOf(text[p.before:at])
	if !ok {
		return p, false
	}
	p.base = base
	var parts []string
	p.end = at
	for p.end < len(text) {
		from := p.end
		for depth := 0; p.end < len(text); p.end++ {
			c := text[p.end]
			switch {
			case c == '{' || c == '(' || c == '<' || c == '[':
				depth++
			case depth > 0 && (c == '}' || c == ')' || c == '>' || c == ']'):
				depth--
			case depth > 0 && p.end-from < 60 && c != '\n':
			case strings.IndexByte(" \t\r\n\"'`/?#&;,|)}]>\\", c) >= 0:
				goto cut
			}
		}
	cut:
		if strings.ContainsAny(text[from:p.end], "<") && text[from] != '<' { // the end of an element
			p.end = from + strings.IndexByte(text[from:p.end], '<')
		}
		parts = append(parts, text[from:p.end])
		if p.end == len(text) || text[p.end] != '/' {
			break
		}
		p.end++
		if p.end == len(text) || strings.IndexByte(" \t\r\n\"'`?", text[p.end]) >= 0 {
			p.open = true
			break
		}
	}
	p.whole = p.before == 0 && (p.end == len(text) || strings.IndexByte("?#&", text[p.end]) >= 0)
	return p, m.compare(&p, parts)
}

// baseOf says what stands before a path. ok is false when it is a path of something else.
func (m *matcher) baseOf(before string) (base baseKind, ok bool) {
	before = strings.TrimLeft(before, "=(")
	rest := before
	if scheme, after, found := strings.Cut(before, "://"); found && !strings.Contains(scheme, "/") {
		host, path, _ := strings.Cut(after, "/")
		host = strings.TrimPrefix(host, "www.")
		switch {
		case m.ours(HostName(host)):
			base = baseOurs
		case isHole(host) || strings.IndexByte(host, hole) >= 0 || hasHole(host) && !strings.Contains(host, "."):
			base = baseHole
		default:
			return baseForeign, true
		}
		rest = path
	} else if host, path, found := strings.Cut(strings.TrimPrefix(before, "//"), "/"); found && m.ours(HostName(host)) {
		base, rest = baseOurs, path
	} else if strings.HasPrefix(before, "//") {
		return baseForeign, true
	}
	for part := range strings.SplitSeq(strings.Trim(rest, "/"), "/") {
		switch {
		case part == "":
		case part == translate.Root:
			base = max(base, baseRest)
		case hasHole(part) && (isHole(part) || isHole(part[strings.IndexAny(part, "\x00{<%$("):])):
			if base < baseHole {
				base = baseHole
			}
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
	if n := len(parts); n > 0 { // what follows a word at once is a query
		if last := parts[n-1]; strings.IndexByte(last, hole) > 0 {
			parts[n-1] = last[:strings.IndexByte(last, hole)]
		}
	}
	best := -1
	for _, r := range m.routes {
		length := len(r.parts)
		if len(parts) != length && !(p.open && len(parts) == length-1 && length == 2 && strings.HasPrefix(r.parts[1], "{")) {
			continue
		}
		score, guessed, loose := 0, 0, false
		for i, part := range parts {
			pattern := r.parts[i]
			switch {
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
	if p.route != nil {
		p.others = nil
		return true
	}
	if len(p.others) > 0 {
		p.route, p.others = p.others[0], p.others[1:]
		if p.vague = len(p.others) > 4; p.vague {
			p.others = nil
		}
		return true
	}
	return false
}

// isValue says whether a part of a path may be a value: a number, or a name in capitals that stands for one.
func isValue(part string) bool {
	letters := false
	for i := range len(part) {
		switch c := part[i]; {
		case c >= '0' && c <= '9':
			return true
		case c >= 'a' && c <= 'z':
			letters = true
		}
	}
	return !letters || strings.HasSuffix(strings.ToLower(part), "id")
}

// plansOf returns the plans of a match.
func (p *match) plans() []*translate.Plan {
	plans := slices.Clone(p.route.plans)
	for _, r := range p.others {
		plans = append(plans, r.plans...)
	}
	return plans
}
