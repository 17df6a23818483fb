package scan

import (
	"iter"
	"slices"
	"strings"

	"sellerd/translate"
	"sellerd/translate/source"
)

// This file finds every place that may be a call: each expression whose text has a path of the tables. evidence.go ranks the place.

// candidate is a place that may be a call.
type candidate struct {
	match
	file     *file
	from, to int // its tokens
	at       int // of the path in the source
	text     string
	value    value
	parts    int    // how many arguments after the expression are parts of its path
	shorter  *match // without the arguments
	next     int    // the first token of the next candidate
	before   int    // the last token of the candidate before
	clues
}

// candidates finds the expressions that have paths, in order. What stands in the brackets of one is not found again. It keeps none but the
// one that waits for the next.
func (f *file) candidates() iter.Seq[*candidate] {
	return func(yield func(*candidate) bool) {
		var waiting *candidate
		seen, end := map[int]bool{}, 0
		for from, to := range f.expressions() {
			if !f.promising(from, to) || f.filler(from-2) == from || f.filler(from-3) == from { // the path is that of the format
				continue
			}
			if from >= end {
				clear(seen)
			}
			for _, c := range f.paths(from, to) {
				if piece, _ := c.value.find(c.match.at); piece.name != "" && !f.isUse(from, to) || seen[c.at] {
					continue
				}
				seen[c.at], end = true, max(end, to)
				if waiting != nil && !yield(waiting.until(c)) {
					return
				}
				waiting = c
			}
		}
		if waiting != nil {
			yield(waiting)
		}
	}
}

// until bounds a candidate and the next one by each other. What stands in the brackets of the first belongs to it.
func (c *candidate) until(next *candidate) *candidate {
	f := c.file
	c.next, next.before = max(next.from, c.to), min(c.to, next.from)
	for up, n := int(f.Tokens[c.from].Up), 0; f.Pair(up) > next.before && f.Pair(up) < next.from && n < source.MaxOperands; n++ {
		next.before, up = f.Pair(up), int(f.Tokens[up].Up)
	}
	return c
}

// paths returns the paths of an expression.
func (f *file) paths(from, to int) (found []*candidate) {
	m := f.scan.matcher
	v := f.appended(f.evaluate(from, to, 0), from, to)
	text := v.flat()
	text = text[:min(len(text), maxText)]
	matches := m.find(text)
	if len(matches) > maxPaths && strings.IndexByte(text, '\n') < 0 {
		matches = matches[:maxPaths]
	}
	var shorter *match
	more, parts := f.arguments(text, from, to)
	longer, last := m.find(more), len(matches)-1
	if parts == 0 || len(longer) <= last || last >= 0 && longer[len(longer)-1].route == matches[last].route && !matches[0].open {
		longer, parts = matches, 0
	} else if text = more; last >= 0 {
		shorter = &matches[last]
	}
	for _, p := range longer {
		_, at := v.find(p.at)
		if first, _ := v.find(p.before); p.base == baseForeign && first.name != "" && rooted().MatchString(text[p.before:p.at]) {
			p.base, p.unnamed = baseRest, true
		}
		found = append(found, &candidate{
			match: p, file: f, from: from, to: to, text: text, value: v, parts: parts, at: int(at), shorter: shorter, next: len(f.Tokens),
		})
	}
	return found
}

// promising says whether an expression may have a path. It reads a bounded part of it.
func (f *file) promising(from, to int) bool {
	if f.OperandEnd(from) == to {
		if f.Is(from, source.Text) {
			return f.mayBegin(from)
		}
		text, _ := f.chain(from, to)
		return text != ""
	}
	for i := from; i < min(to, from+2*source.MaxOperands); i++ {
		if f.Is(i, source.Text) && f.mayBegin(i) || f.Wordy(i) && f.meaning(i) != "" {
			return true
		}
	}
	return false
}

// mayBegin says whether a text may have a path, or end one that a constant began.
func (f *file) mayBegin(i int) bool {
	raw := f.Str(i)
	raw = raw[:min(len(raw), maxText)]
	return !f.Tokens[i].Plain || strings.IndexByte(raw, '/') >= 0 || f.scan.matcher.mayHave(raw) || f.scan.matcher.namesHost(raw)
}

// maxPaths is how many paths of a line of a text are places of their own. The others say nothing new.
const maxPaths = 10

// maxText is how much of a text is looked at, in bytes.
const maxText = 64 << 10

// isUse says whether an expression with the path of a constant stands where it is used, and not where it gets its value.
func (f *file) isUse(from, to int) bool {
	return !f.Sign(to, "=:") && (f.OperandEnd(from) < to || f.Tokens[from].Up > 0 && f.Sign(int(f.Tokens[from].Up), "([") ||
		f.Sign(from-1, "=:>") || f.Str(from-1) == "return")
}

// appended adds what the statements after the expression append to the same variable.
func (f *file) appended(v value, from, to int) value {
	if !f.Sign(from-1, "=a") || !f.Is(from-2, source.Name) {
		return v
	}
	for range 4 {
		if f.Sign(to, ";") {
			to++
		}
		if f.Str(to) != f.Str(from-2) || !f.Sign(to+1, "a") {
			break
		}
		end := f.ExpressionEnd(to + 2)
		v = append(v, f.evaluate(to+2, end, 0)...)
		to = end
	}
	return v
}

// arguments returns the path that an expression and what follows make: join(base, 'item', id, 'buyer'), or
// .addPathSegment('item').addPathSegment(id). n is how many parts it took.
func (f *file) arguments(text string, from, to int) (path string, n int) {
	path = strings.TrimRight(text, "/")
	last := path[strings.LastIndexByte(path, '/')+1:]
	if !f.scan.matcher.first[last] {
		return "", 0
	}
	chained := ""
	if f.Sign(from-1, "(") && f.Is(from-2, source.Name) && f.Sign(to, ")") {
		chained = f.Str(from - 2)
	}
	for i := to; n < 4; n++ {
		a := i + 1
		if chained != "" {
			if a = i + 4; !f.Sign(i+1, ".") || f.Str(i+2) != chained || !f.Sign(i+3, "(") {
				break
			}
		} else if !f.Sign(i, ",") {
			break
		}
		if f.Sign(a, "&*") { // a reference
			a++
		}
		b := f.ExpressionEnd(a)
		part := string(hole)
		if f.Is(a, source.Text) && b == a+1 {
			part = strings.Trim(f.evaluate(a, b, 0).flat(), "/")
		}
		if b == a || f.Sign(b, "=:") || f.Is(b, source.Name) || f.Sign(a, "[{") ||
			strings.ContainsAny(part, " =&:/") || part == "" || isMethod(part) != "" {
			break
		}
		path += "/" + part
		if i = b; f.Sign(i, ")") && f.Sign(i+1, ")") && f.Sign(i+2, ",") { // a tuple
			n++
			break
		}
	}
	for ; n > 1 && len(f.scan.matcher.find(path)) == 0; n-- {
		path = path[:strings.LastIndexByte(path, '/')]
	}
	return path, n
}

// calls returns the calls that a candidate makes, and whether its method is one that the path has.
func (c *candidate) calls() (plans []*translate.Plan, fits bool) {
	all := c.plans()
	pick := func(method string) (plans []*translate.Plan) {
		for _, p := range all {
			switch {
			case p.Method != method:
			case p.Match == (translate.Match{}):
				plans = append(plans, p)
			case c.says(p.Match.Prefix): // a call for some values of a field
				return []*translate.Plan{p}
			}
		}
		return plans
	}
	if plans = pick(c.method); len(plans) > 0 {
		return plans, true
	}
	for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
		if plans = pick(method); len(plans) > 0 {
			break
		}
	}
	return plans, c.method == "" || oneMethod(all) && c.force < 3
}

func oneMethod(plans []*plan) bool {
	return !slices.ContainsFunc(plans, func(p *plan) bool { return p.Method != plans[0].Method })
}

// says says whether a text of the statement begins with a prefix.
func (c *candidate) says(prefix string) bool {
	f := c.file
	for i := max(c.before, c.from-60); i < min(c.next, c.to+60); i++ {
		if f.Is(i, source.Text) {
			text := f.Str(i)
			if len(text) > len(prefix) && strings.EqualFold(text[:len(prefix)], prefix) || strings.Contains(text, "notificationType="+prefix) {
				return true
			}
		}
	}
	return false
}
