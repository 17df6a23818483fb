package scan

import (
	"cmp"
	"iter"
	"strings"

	"sellerd/internal/base/pattern"
)

// This file finds the expressions of a file and joins their operands: texts, holes in them, and names of constants.

// piece is a part of a value. at is where it stands in the source, or where the name of its constant stands.
type piece struct {
	text string
	at   int32
	here bool   // it stands in the source as it is
	name string // of the constant
}

// value is what an expression becomes.
type value []piece

// flat returns the text of a value.
func (v value) flat() string {
	if len(v) == 1 {
		return v[0].text
	}
	var b strings.Builder
	for _, p := range v {
		b.WriteString(p.text)
	}
	return b.String()
}

// with appends a piece. A scheme stands there once: 'https://' . HOST, and http:// + url.
func (v value) with(p piece) value {
	var last piece
	if len(v) > 0 {
		last = v[len(v)-1]
	}
	switch _, rest, ok := strings.Cut(p.text, "://"); {
	case strings.HasSuffix(last.text, "://") && !p.here && ok:
		p.text = rest
	case last.name != "" && strings.HasPrefix(p.text, "://"): // conf.protocol . '://'
		v[len(v)-1] = piece{text: string(hole), at: last.at}
	case last.name != "" && strings.Contains(last.text, "://") && !strings.HasSuffix(last.text, "/") && p.text != "" && isWord(p.text[0]):
		p.text = "/" + p.text // a client that adds the slash
		p.at--
	}
	return append(v, p)
}

// find returns the piece that has a byte of a value, and where the byte stands in the source.
func (v value) find(i int) (p piece, at int32) {
	for _, p := range v {
		if i < len(p.text) {
			if p.here {
				return p, p.at + int32(i)
			}
			return p, p.at
		}
		i -= len(p.text)
	}
	return piece{}, v[len(v)-1].at
}

// These bound the work on an expression.
const (
	maxOperands = 60
	maxValue    = 4 << 10
	maxNested   = 6
)

// sgn says whether a token is a sign.
func (s *source) sgn(i int, signs string) bool {
	return i >= 0 && i < len(s.tokens) && s.tokens[i].kind == aSign && strings.IndexByte(signs, s.tokens[i].sign) >= 0
}

func (s *source) is(i int, k kind) bool { return i >= 0 && i < len(s.tokens) && s.tokens[i].kind == k }

// wordy says whether a token is a name or a text.
func (s *source) wordy(i int) bool { return i >= 0 && i < len(s.tokens) && s.tokens[i].kind <= aText }

// str returns the source of a token.
func (s *source) str(i int) string {
	if i < 0 || i >= len(s.tokens) {
		return ""
	}
	return s.text[s.tokens[i].from:s.tokens[i].to]
}

// pair returns the other bracket, 0 when there is none.
func (s *source) pair(i int) int {
	if i < 0 || i >= len(s.tokens) {
		return 0
	}
	return int(s.tokens[i].pair)
}

// expressions are those of a file, with the expressions in their brackets. Of one with very many operands the rest is another one.
func (s *source) expressions() iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		cut := 0
		for i := 1; i < len(s.tokens); i++ {
			if t := &s.tokens[i]; t.kind == aSign && t.sign != '(' && t.sign != '[' {
				continue
			}
			if i != cut+1 && (s.sgn(i-1, ".") || s.joins(i-1) && (s.is(i-2, aNumber) || s.wordy(i-2) || s.sgn(i-2, ")]}"))) {
				continue
			}
			to := s.expressionEnd(i)
			if to > i && !yield(i, to) {
				return
			} else if to > i && s.joins(to) {
				cut = to
			}
		}
	}
}

// joins says whether a token joins what stands before and after it. A slash beside a text joins the parts of a path.
func (s *source) joins(i int) bool {
	texts := s.is(i+1, aText) || s.is(i-1, aText) || s.sgn(i+2, "/") && s.is(i+3, aText)
	return s.sgn(i, "+") || texts && s.sgn(i, "/")
}

// expressionEnd returns the token after the expression that begins at i.
func (s *source) expressionEnd(i int) int {
	to := s.operandEnd(i)
	for n := 0; to > i && n < maxOperands && s.joins(to); n++ {
		next := s.operandEnd(to + 1)
		if next == to+1 {
			break
		}
		to = next
	}
	return to
}

// operandEnd returns the token after the operand that begins at i.
func (s *source) operandEnd(i int) int {
	switch {
	case s.wordy(i), s.is(i, aNumber):
		i++
	case s.sgn(i, "([") && s.pair(i) > 0:
		i = s.pair(i) + 1
	default:
		return i
	}
	for range maxOperands {
		switch {
		case s.sgn(i, ".") && s.is(i+1, aName):
			i += 2
		case s.sgn(i, ".") && s.sgn(i+1, "{[(") && s.pair(i+1) > 0: // ->{x}, ->[x]
			i = s.pair(i+1) + 1
		case s.calls(i), s.sgn(i, "{") && s.family == families()["perl"] && s.pair(i) > 0 && s.tokens[i].glued:
			i = s.pair(i) + 1
		default:
			return i
		}
	}
	return i
}

// calls says whether a bracket belongs to the operand before it.
func (s *source) calls(i int) bool {
	return s.sgn(i, "([") && s.pair(i) > 0 && !s.tokens[i].fresh && (!s.family.Loose || s.tokens[i].glued)
}

// begin returns the first token of the operand that ends before i.
func (s *source) begin(i int) int {
	for steps := 0; i > 0 && steps < maxOperands; steps++ {
		j := i - 1
		switch {
		case s.wordy(j), s.is(j, aNumber):
			i = j
		case s.sgn(j, ")]}") && s.pair(j) > 0:
			if i = s.pair(j); s.wordy(i-1) && !s.tokens[i].fresh || s.sgn(i-1, ")]") {
				continue
			}
		default:
			return i
		}
		if !s.sgn(i-1, ".") {
			return i
		}
		i--
	}
	return i
}

// evaluate joins the operands of an expression.
func (f *file) evaluate(from, to, depth int) (v value) {
	size, dive := 0, depth > 0 || f.operandEnd(from) < to
	for i, steps := from, 0; i < to && steps < maxOperands && size < maxValue; steps++ {
		if f.joins(i) {
			if n := len(v); f.sgn(i, "/") && n > 0 && !strings.HasSuffix(v[n-1].text, "/") {
				v = append(v, piece{text: "/", at: f.tokens[i].from})
			}
			i++
		}
		end := f.operandEnd(i)
		if end == i {
			break
		}
		for _, p := range f.operand(i, end, depth, dive) {
			size += len(p.text)
			v = v.with(p)
		}
		i = end
	}
	return v
}

// unknown is the value of what only the running program knows.
func (f *file) unknown(i int) value { return value{{text: string(hole), at: f.tokens[i].from}} }

// operand returns the value of an operand: a text, the constant that a name has, what is in brackets, or a hole.
func (f *file) operand(from, to, depth int, dive bool) value {
	switch {
	case f.is(from, aText):
		return f.textValue(from)
	case f.is(from, aNumber):
		return f.unknown(from)
	}
	text, at := f.chain(from, to)
	if text != "" {
		return value{{text: text, at: f.tokens[from].from, name: f.str(at)}}
	}
	for i := from; i < to && dive && depth < maxNested; i++ {
		if f.sgn(i, "([{") && f.pair(i) > 0 {
			if inner := f.inside(i, depth); inner != nil && !f.sgn(i, "{") {
				return inner
			}
			i = f.pair(i)
		}
	}
	return f.unknown(from)
}

// chain returns the constant that an operand is: of a chain of names the last; before a function is called, the one that it is called on.
func (f *file) chain(from, to int) (found string, at int) {
	for i := from; i < to; i++ {
		if f.sgn(i, "([{") && f.pair(i) > 0 {
			k := f.pair(i) - 1
			if i > from && (k == i+1 || k == i+2 && f.sgn(i+1, ":")) { // x['key'], x[:key], x.get('key')
				if text := f.meaning(k); text != "" && f.tableOf(k) != "" {
					found, at = text, k
				}
			}
			i = k + 1
		} else if f.is(i, aName) && (found == "" || !f.sgn(i+1, "(")) {
			if text := f.meaning(i); text != "" && (found == "" || strings.Contains(found, "://") || !strings.Contains(text, "://")) {
				found, at = text, i
			}
		}
	}
	return found, at
}

// inside returns the value in brackets, when it has an address or a path. Of several arguments it is the one that has a host.
func (f *file) inside(open, depth int) value {
	closing := f.pair(open)
	for i, n := open+1, 0; i < closing && n < 8; n++ {
		to := f.expressionEnd(i)
		if to > i {
			v := f.evaluate(i, to, depth+1)
			text := v.flat()
			whole := n == 0 && to == closing && (strings.ContainsRune(text, '/') && f.scan.matcher.mayHave(text) || strings.HasPrefix(text, "/"))
			if strings.Contains(text, "://") || whole || closing == open+2 && isMethod(text) != "" { // escapeshellarg('PUT')
				return v
			}
		}
		i = max(to, i+1)
	}
	return nil
}

// textValue returns the parts of a text, with the constants that its holes name.
func (f *file) textValue(i int) (v value) {
	t := &f.tokens[i]
	if t.plain && strings.IndexByte(f.text[t.from:t.to], '{') < 0 {
		return value{{text: f.text[t.from:t.to], at: t.from, here: true}}
	}
	start := int(t.from)
	for at := start; at < int(t.to) && len(v) < maxOperands; {
		rest, size := f.text[at:t.to], 0
		switch c := rest[0]; {
		case c == '\\' && f.family.Templates == `\` && strings.HasPrefix(rest, `\(`):
			size = f.hole(at+1, int(t.to)) - at
		case (c == '$' || c == '#' || c == '{') && f.isHole(at, t.braces):
			size = f.hole(at, int(t.to)) - at
		case strings.HasPrefix(rest, "{{"):
			size = strings.Index(rest, "}}") + 2
		case c == '{': // {base}, whose value follows, or is a name of the program
			if end := strings.IndexByte(rest[:min(len(rest), 40)], '}'); end > 1 && f.address(rest[1:end]) != "" {
				size = end + 1
			}
		}
		if size < 2 {
			at++
			continue
		}
		text, name := f.holeText(rest[:size])
		if start < at {
			v = append(v, piece{text: f.text[start:at], at: int32(start), here: true})
		}
		v = v.with(piece{text: cmp.Or(text, string(hole)), at: int32(at), name: name})
		at += size
		start = at
	}
	return append(v, piece{text: f.text[start:t.to], at: int32(start), here: true})
}

// An address that is written in a hole, and the last names in one.
var (
	addressInHole = pattern.Late("\\w+://[^'\"`})]*")
	namesInHole   = pattern.Late(`(?:(\w+)[.:'"\[{>-]+)?(\w+)\W*$`)
)

// holeText returns what a hole becomes: the address that is written in it, or the constant that it names, as in $paths{item}.
func (f *file) holeText(inner string) (text, name string) {
	names := namesInHole().FindStringSubmatch(inner)
	if text = addressInHole().FindString(inner); text != "" || names == nil {
		return text, ""
	}
	if text, name = f.address(names[2]), names[2]; text == "" && names[1] != "" && f.constant(name).table == simple(names[1]) {
		text = f.constant(name).text
	}
	if text == "" {
		name = ""
	}
	return text, name
}
