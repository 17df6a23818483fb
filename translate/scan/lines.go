package scan

import (
	"iter"
	"slices"
	"strings"

	"sellerd/translate"
)

// This file finds every place that may be a call: each expression whose text has a path of the tables. What the place is worth is
// decided in evidence.go.

// candidate is a place that may be a call.
type candidate struct {
	match
	file     *file
	from, to int // its tokens
	at       int // of the path in the source
	text     string
	value    value
	parts    int    // how many arguments after the expression are parts of its path
	command  string // the text up to the path, when it is a command
	verb     verb
	fields   []string
	next     int    // the first token of the next candidate
	before   int    // the last token of the candidate before
	said     bool   // a command on its line prints it
	shorter  *match // without the arguments
}

// candidates finds the candidates of a file, in order. It keeps none but the one that waits for the next.
func (f *file) candidates() iter.Seq[*candidate] {
	return func(yield func(*candidate) bool) {
		var waiting *candidate
		for found := range f.expressions() {
			for _, c := range found {
				if waiting != nil {
					waiting.next, c.before = max(c.from, waiting.to), min(waiting.to, c.from)
					if !yield(waiting) {
						return
					}
				}
				waiting = c
			}
		}
		if waiting != nil {
			waiting.next = len(f.tokens)
			yield(waiting)
		}
	}
}

// expressions finds the expressions that have paths.
func (f *file) expressions() iter.Seq[[]*candidate] {
	return func(yield func([]*candidate) bool) {
		m := f.scan.matcher
		done := 0
		var last value
		for i := 1; i < len(f.tokens); i++ {
			t, start := &f.tokens[i], i
			switch {
			case i < done && !f.aside(i, done, last):
				continue
			case t.kind == aText:
				if name := f.keyed(i); name > 0 {
					start = name
				} else if !f.mayBegin(i) {
					continue
				}
			case t.kind == aName:
				if name := f.keyed(i); name > 0 {
					start = name
				} else if !f.uses(i) {
					continue
				}
			default:
				continue
			}
			from, to := f.extent(start)
			v := f.evaluate(from, to, 0)
			v = f.appended(v, to)
			text := v.flat()
			text = text[:min(len(text), maxText)]
			matches := m.find(text)
			if len(matches) > maxPaths && strings.IndexByte(text, '\n') < 0 {
				matches = matches[:maxPaths]
			}
			parts, short := 0, matches
			if more, n := f.arguments(text, from, to); n > 0 {
				if longer := m.find(more); len(longer) > 0 && len(longer) >= len(matches) &&
					(len(matches) == 0 || longer[len(longer)-1].route != matches[len(matches)-1].route || matches[0].open) {
					text, matches, parts = more, longer, n
				}
			}
			done, last = max(done, to), v
			var found []*candidate
			for _, p := range matches {
				c := &candidate{match: p, file: f, from: from, to: max(to, i+1), text: text, value: v, parts: parts, at: int(v.place(p.at))}
				if parts > 0 && len(short) > 0 {
					c.shorter = &short[len(short)-1]
				}
				found = append(found, c)
			}
			if len(found) > 0 && !yield(found) {
				return
			}
		}
	}
}

// keyed returns where the expression begins that takes a path out of a table: x['key'], x.get('key'), 0 when there is none.
func (f *file) keyed(i int) int {
	open := int(f.tokens[i].up)
	if open != i-1 && !(open == i-2 && f.sgn(i-1, ":")) || open < 1 || int(f.tokens[open].pair) != i+1 || f.tokens[i].to-f.tokens[i].from > 60 ||
		f.sgn(open, "{") && f.family != families["perl"] {
		return 0
	}
	table := open - 1
	if f.sgn(open, "(") && f.linkAt(open-2) > 0 {
		table = open - 3
	}
	if !f.is(table, aName) || !f.isTable(f.str(table)) {
		return 0
	}
	if text, ok := f.constant(f.str(i)); !ok || strings.Contains(text, "://") || strings.Contains(f.str(i), "://") {
		return 0
	}
	return f.begin(i + 2)
}

// aside says whether a text or a name in an expression has no part in its value: f("x", g("y")).
func (f *file) aside(i, end int, v value) bool {
	t := &f.tokens[i]
	return t.kind <= aText && end < len(f.tokens) && t.up != f.tokens[end].up &&
		!slices.ContainsFunc(v, func(p piece) bool { return p.at >= t.from && p.at <= t.to })
}

// mayBegin says whether a text may have a path, or end one that a constant began.
func (f *file) mayBegin(i int) bool {
	t := &f.tokens[i]
	raw := f.text[t.from:t.to]
	if len(raw) > maxText {
		return f.scan.matcher.mayHave(raw[:maxText])
	}
	return f.scan.matcher.mayHave(raw) || !t.plain || strings.Contains(raw, "/")
}

// maxPaths is how many paths of a line of a text are places of their own. The others say nothing new.
const maxPaths = 10

// maxText is how much of a text is looked at, in bytes.
const maxText = 64 << 10

// uses says whether a name stands for a path, at a place where it is used, and not where it gets its value.
func (f *file) uses(i int) bool {
	if !f.named(i) {
		return false
	}
	text, _ := f.member(i)
	if len(f.scan.matcher.find(text)) == 0 || f.sgn(i+1, "=:") && !f.sgn(i+2, "=:") || f.sgn(i+1, "(") && !f.ofTable(i) {
		return false
	}
	joined := f.joinAt(i+1) > 0 || f.joinAt(i-1) > 0
	return joined || f.tokens[i].up > 0 && f.sgn(int(f.tokens[i].up), "([")
}

// appended adds what the statements after the expression append to the same variable.
func (f *file) appended(v value, to int) value {
	for range 4 {
		i := to
		if f.sgn(i, ";") {
			i++
		}
		if !f.is(i, aName) || !f.sgn(i+1, ".+&") || !f.sgn(i+2, "=") || !f.tokens[i+2].glued || f.is(to, aName) && !f.tokens[i].fresh {
			return v
		}
		names := f.holders(i+3, false)
		if len(names) == 0 || !slices.Contains(f.holders(to-1, false), names[0]) {
			return v
		}
		from, end := f.extentRight(i + 3)
		v = append(v, f.evaluate(from, end, 0)...)
		to = end
	}
	return v
}

// arguments returns the path that an expression and the arguments after it make: join(base, 'item', id, 'buyer'). n is how many
// arguments it took.
func (f *file) arguments(text string, from, to int) (path string, n int) {
	last := text[strings.LastIndexByte(strings.TrimRight(text, "/"), '/')+1:]
	m := f.scan.matcher
	if !m.first[strings.Trim(last, "/")] || strings.ContainsAny(last, "?=") {
		return "", 0
	}
	path = strings.TrimRight(text, "/")
	i := to
	if chain := f.chainName(from); chain != "" && f.sgn(to, ")") { // .addPathSegment('item').addPathSegment(id)
		for i = to + 1; n < 4 && f.linkAt(i) > 0 && f.is(i+f.linkAt(i), aName) && f.sgn(i+f.linkAt(i)+1, "("); n++ {
			i += f.linkAt(i)
			open := i + 1
			if f.str(i) != chain || f.tokens[open].pair == 0 {
				break
			}
			a, b := f.extentRight(open + 1)
			path += "/" + f.segment(a, b)
			i = int(f.tokens[open].pair) + 1
		}
		return path, n
	}
	for n < 3 && f.sgn(i, ",") {
		a, b := f.extentRight(i + 1)
		if b == a || f.sgn(b, "=:") || f.is(b, aName) || f.sgn(a, "[{") {
			break
		}
		part := f.segment(a, b)
		if strings.ContainsAny(part, " =&:") || part == "" || strings.Contains(part, "/") {
			break
		}
		path += "/" + part
		i = b
		n++
		if f.sgn(i, ")") && f.sgn(i+1, ")") && f.sgn(i+2, ",") && !f.sgn(i+2, ")") { // a tuple
			break
		}
	}
	if n > 0 && len(m.find(path)) == 0 && n > 1 {
		path, n = path[:strings.LastIndexByte(path, '/')], n-1
	}
	return path, n
}

// segment returns the value of an argument that is a part of a path.
func (f *file) segment(from, to int) string {
	if f.is(from, aText) && to == from+1 {
		return strings.Trim(f.evaluate(from, to, 0).flat(), "/")
	}
	return string(hole)
}

// chainName returns the name of the function whose only argument a token is.
func (f *file) chainName(i int) string {
	if f.sgn(i-1, "(") && f.is(i-2, aName) {
		return f.str(i - 2)
	}
	return ""
}

// plan returns the calls that a candidate makes, and whether its method is one that the path has.
func (c *candidate) calls() (plans []*translate.Plan, fits bool) {
	pick := func(method string) (plans []*translate.Plan) {
		for _, p := range c.plans() {
			if p.Method == method && p.Match == (translate.Match{}) {
				plans = append(plans, p)
			}
		}
		for _, p := range c.plans() { // a call for some values of a field
			if p.Method == method && p.Match != (translate.Match{}) && c.says(p.Match.Prefix) {
				return []*translate.Plan{p}
			}
		}
		return plans
	}
	if c.verb.method != "" {
		if plans = pick(c.verb.method); len(plans) > 0 {
			return plans, true
		}
	}
	all := c.plans()
	for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
		if plans = pick(method); len(plans) > 0 {
			break
		}
	}
	one := !slices.ContainsFunc(all, func(p *translate.Plan) bool { return p.Method != all[0].Method })
	return plans, c.verb.method == "" || one && c.verb.force < 3
}

// says says whether a text of the statement begins with a prefix.
func (c *candidate) says(prefix string) bool {
	f := c.file
	for i := max(c.before, c.from-60); i < min(c.next, c.to+60); i++ {
		if f.is(i, aText) {
			if text := f.str(i); len(text) > len(prefix) && strings.EqualFold(text[:len(prefix)], prefix) || strings.Contains(text, "notificationType="+prefix) {
				return true
			}
		}
	}
	return false
}
