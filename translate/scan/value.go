package scan

import (
	"cmp"
	"iter"
	"strings"

	"sellerd/internal/base/pattern"
	"sellerd/translate/source"
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
	case last.name != "" && strings.Contains(last.text, "://") && !strings.HasSuffix(last.text, "/") && p.text != "" && source.IsWord(p.text[0]):
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
	maxValue  = 4 << 10
	maxNested = 6
)

// expressions are those of a file, with the expressions in their brackets. Of one with very many operands the rest is another one.
func (f *file) expressions() iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		cut := 0
		for i := 1; i < len(f.Tokens); i++ {
			if t := &f.Tokens[i]; t.Kind == source.Sign && t.Sign != '(' && t.Sign != '[' {
				continue
			}
			called := f.Calls(i) && f.Tokens[i].Glued && (f.Is(i-1, source.Name) || f.Sign(i-1, ")]"))
			if i != cut+1 && (called || f.Sign(i-1, ".") || f.Joins(i-1) && (f.Is(i-2, source.Number) || f.Wordy(i-2) || f.Sign(i-2, ")]}"))) {
				continue
			}
			to := f.ExpressionEnd(i)
			if to > i && !yield(i, to) {
				return
			} else if to > i && f.Joins(to) {
				cut = to
			}
		}
	}
}

// evaluate joins the operands of an expression.
func (f *file) evaluate(from, to, depth int) (v value) {
	size, dive := 0, depth > 0 || f.OperandEnd(from) < to
	for i, steps := from, 0; i < to && steps < source.MaxOperands && size < maxValue; steps++ {
		if f.Joins(i) {
			if n := len(v); f.Sign(i, "/") && n > 0 && !strings.HasSuffix(v[n-1].text, "/") {
				v = append(v, piece{text: "/", at: f.Tokens[i].From})
			}
			i++
		}
		end := f.OperandEnd(i)
		if end == i {
			break
		}
		below := len(v) > 0 && strings.HasSuffix(v[len(v)-1].text, "/")
		for _, p := range f.operand(i, end, depth, dive, below) {
			size += len(p.text)
			v = v.with(p)
		}
		i = end
	}
	return v
}

// unknown is the value of what only the running program knows.
func (f *file) unknown(i int) value { return value{{text: string(hole), at: f.Tokens[i].From}} }

// operand returns the value of an operand: a text, the constant that a name has, what is in brackets, or a hole. below is after a slash.
func (f *file) operand(from, to, depth int, dive, below bool) value {
	switch {
	case f.Is(from, source.Text):
		return f.textValue(from)
	case f.Is(from, source.Number):
		return f.unknown(from)
	}
	text, at := f.chain(from, to)
	if text != "" {
		return value{{text: text, at: f.Tokens[from].From, name: f.Str(at)}}
	}
	for i := from; i < to && dive && depth < maxNested; i++ {
		if f.Sign(i, "([{") && f.Pair(i) > 0 {
			if inner := f.inside(i, depth, below); inner != nil && !f.Sign(i, "{") {
				return inner
			}
			i = f.Pair(i)
		}
	}
	return f.unknown(from)
}

// chain returns the constant that an operand is: of a chain of names the last; before a function is called, the one that it is called on.
func (f *file) chain(from, to int) (found string, at int) {
	for i := from; i < to; i++ {
		if f.Sign(i, "([{") && f.Pair(i) > 0 {
			k := f.Pair(i) - 1
			if i > from && (k == i+1 || k == i+2 && f.Sign(i+1, ":")) { // x['key'], x[:key], x.get('key')
				if text := f.meaning(k); text != "" && f.tableOf(k) != "" {
					found, at = text, k
				}
			}
			i = k + 1
		} else if f.Is(i, source.Name) && (found == "" || !f.Sign(i+1, "(")) {
			if text := f.meaning(i); text != "" && (found == "" || strings.Contains(found, "://") || !strings.Contains(text, "://")) {
				found, at = text, i
			}
		}
	}
	return found, at
}

// inside returns the value in brackets, when it has an address or a path. Of several arguments it is the one that has a host. What begins
// with a slash or a dot goes on no path that ends with a slash, and two slashes are none of a path: they look something up, as XPath does.
func (f *file) inside(open, depth int, below bool) value {
	closing := f.Pair(open)
	for i, n := open+1, 0; i < closing && n < 8; n++ {
		to := f.ExpressionEnd(i)
		if to > i {
			v := f.evaluate(i, to, depth+1)
			text := v.flat()
			queries := below && (strings.HasPrefix(text, "/") || strings.HasPrefix(text, ".")) || strings.Contains(text, "//")
			whole := n == 0 && !queries && to == closing && (strings.ContainsRune(text, '/') && f.scan.matcher.mayHave(text) || strings.HasPrefix(text, "/"))
			if strings.Contains(text, "://") || whole || closing == open+2 && isMethod(text) != "" { // escapeshellarg('PUT')
				return v
			}
		}
		i = max(to, i+1)
	}
	return nil
}

// filler returns the argument whose address or path begins what a format makes: sprintf("%s/x", BASE). It is 0 when there is none.
func (f *file) filler(i int) int {
	if !f.Is(i, source.Text) || !f.Sign(i+1, ",") || !strings.HasPrefix(f.Str(i), "%s/") && !strings.HasPrefix(f.Str(i), "{}/") {
		return 0
	}
	a := i + 2
	if f.Sign(a, "[") {
		a++
	}
	if text, _ := f.chain(a, f.OperandEnd(a)); text == "" {
		return 0
	}
	return a
}

// textValue returns the parts of a text, with the constants that its holes name.
func (f *file) textValue(i int) (v value) {
	t := &f.Tokens[i]
	if t.Plain && strings.IndexByte(f.Text[t.From:t.To], '{') < 0 && f.filler(i) == 0 {
		return value{{text: f.Text[t.From:t.To], at: t.From, here: true}}
	}
	start := int(t.From)
	if a := f.filler(i); a > 0 {
		text, at := f.chain(a, f.OperandEnd(a))
		v, start = value{{text: text, at: f.Tokens[a].From, name: f.Str(at)}}, start+2
	}
	for at := start; at < int(t.To) && len(v) < source.MaxOperands; {
		rest, size := f.Text[at:t.To], 0
		switch c := rest[0]; {
		case c == '\\' && f.Family.Templates == `\` && strings.HasPrefix(rest, `\(`):
			size = f.Hole(at+1, int(t.To)) - at
		case strings.IndexByte("$#{%", c) >= 0 && f.IsHole(at, t.Braces):
			size = f.Hole(at, int(t.To)) - at
		case strings.HasPrefix(rest, "{{"):
			if size = strings.Index(rest[:min(len(rest), maxConstant)], "}}") + 2; strings.HasPrefix(rest, "{{{") && strings.HasPrefix(rest[size:], "}") {
				size++
			}
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
			v = append(v, piece{text: f.Text[start:at], at: int32(start), here: true})
		}
		v = v.with(piece{text: cmp.Or(text, string(hole)), at: int32(at), name: name})
		at += size
		start = at
	}
	return append(v, piece{text: f.Text[start:t.To], at: int32(start), here: true})
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
	if text, name = f.address(names[2]), names[2]; text == "" && names[1] != "" {
		if c := f.constant(name); c.table == simple(names[1]) || c.table == "" && (names[1] == "this" || names[1] == "self") {
			text = c.text
		}
	}
	if text == "" {
		name = ""
	}
	return text, name
}
