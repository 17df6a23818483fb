package paste

import (
	"cmp"
	"slices"
	"strings"

	"sellerd/internal/base/pattern"
	"sellerd/translate/source"
)

// This file evaluates the expressions of a script: texts, variables, lists and maps, and calls of functions.

var (
	number      = pattern.Late(`^-?[0-9][0-9_]*(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?`)
	textPrefix  = pattern.Late(`^(?i:[frbu]{1,2})$`) // of Python
	keyword     = pattern.Late(`^(?:await|return|yield|async|echo|print)\s+`)
	index       = pattern.Late(`^\[\s*['"]?(\w*)['"]?\s*\]`)
	ofType      = pattern.Late(`^\[[\w.]+\](?:::[\w.]+)?`)
	memberName  = pattern.Late(`^[A-Za-z_$][\w-]*`)
	callback    = pattern.Late(`^(?:(?:static\s+|async\s+)?(?:function\b|fn\s*\()|lambda\b|\w+\s*\([^()]*\)\s*\{)`)
	arrow       = pattern.Late(`^(?:async\s+)?(?:\([^()]*\)|\w+)\s*=>`)
	toJSON      = pattern.Late(`^(?:\|\s*)?(?i:ConvertTo-Json)\b`)
	flagsOfJSON = pattern.Late(`^(?:[ \t]*-\w+(?:[ \t:]+\d+)?)+`)
	formatted   = pattern.Late(`\{[\w:.]*\}|%[-+.\d]*[a-zA-Z%]?`)
)

// expression evaluates terms that are joined.
func (s *script) expression() (*value, bool) {
	if s.depth++; s.depth > maxDepth {
		s.depth--
		return nil, false
	}
	defer func() { s.depth-- }()
	v, ok := s.term()
	for ok {
		isFormat := s.Sign(s.at, "%") && (s.language == javaScript || s.language == python)
		switch {
		case s.language == powerShell && s.Sign(s.at, "|") && s.match(toJSON) != nil:
			s.match(flagsOfJSON)
			v = v.asJSON()
			continue
		case !s.Sign(s.at, "+") && !isFormat:
			return v, true
		}
		s.at++
		var other *value
		switch other, ok = s.term(); {
		case !ok:
		case isFormat:
			if !other.isList && len(other.list) == 0 {
				other = &value{list: []*value{other}}
			}
			v, _ = s.filled(v, other.list)
		default:
			v = s.joined(v, other)
		}
	}
	return nil, false
}

// joined returns two texts joined, or two maps.
func (s *script) joined(a, b *value) *value {
	if !s.spend(len(a.text) + len(b.text) + len(a.pairs) + len(b.pairs)) {
		return a
	}
	if a.isMap {
		v := (&value{isMap: true, pairs: slices.Concat(a.pairs, b.pairs)}).like(a, b)
		if s.language == php { // which keeps the first of two values
			v.pairs = slices.Concat(b.pairs, a.pairs)
		}
		if !b.isMap {
			v.doubt = "what is added to its fields"
		}
		return v
	}
	if b.isForm && b.isMap {
		b = (&value{text: strings.Join(s.form("", b, 0), "&")}).like(b)
	}
	v := &value{text: a.text + b.text}
	if a.isList || b.isList || b.isMap {
		v.doubt = "what is joined"
	}
	return v.like(a, b)
}

// filled puts values into the places of a format: %s and %d, and {} and {0} outside of PHP. It is not whole if it has other places or more
// values, or says how a value is written.
func (s *script) filled(format *value, with []*value) (v *value, whole bool) {
	v, whole = (&value{}).like(append(with, format)...), true
	next, used := 0, 0
	v.text = formatted().ReplaceAllStringFunc(format.text, func(place string) string {
		i, last := next, place[len(place)-1]
		numbered := last == '}' && place[1] >= '0' && place[1] <= '9'
		if numbered {
			i = int(place[1] - '0')
		}
		switch {
		case place == "%%":
			return "%"
		case last == '}' && s.language == php:
			return place
		case strings.IndexByte("sdifu}", last) < 0 || i >= len(with) || !s.spend(len(with[i].text)):
			whole = false
			return place
		}
		next, used = i+1, max(used, i+1)
		whole = whole && (len(place) == 2 || numbered && len(place) == 3) && !with[i].isMap && !with[i].isList
		return with[i].text
	})
	return v, whole && used == len(with)
}

// term evaluates a literal, a variable or a call, and the calls behind it.
func (s *script) term() (*value, bool) {
	if s.at >= len(s.Tokens) || !s.spend(1+int(s.Tokens[s.at].To-s.Tokens[s.at].From)) {
		return nil, false
	}
	for !s.isVariable(s.at) && s.match(keyword) != nil {
	}
	var v *value
	ok := false
	if s.language == cSharp && s.at < len(s.Tokens) && (s.Tokens[s.at].Made || s.Str(s.at) == "new") {
		v, ok = s.made(), true
	} else {
		v, ok = s.primary()
	}
	for ok && s.Sign(s.at, ".") && s.Is(s.at+1, source.Name) && s.Sign(s.at+2, "(") {
		at, name := s.at, s.method(s.Str(s.at+1))
		s.at += 2
		args := s.arguments()
		switch {
		case name == "format":
			v, _ = s.filled(v, args.list)
		case isAdding(name):
			v.fieldOf(args)
		case v.request != nil && extending[name] && len(args.list)+len(args.pairs) > 0:
			s.keep(s.notUnderstood("." + name + "()"))
		case v.request == nil && isVerb(name):
			v = s.call([]string{"", name}, args, at)
		case v.request == nil && !neutral[name]:
			copied := *v
			v, copied.doubt = &copied, "."+s.vars.clean(name)+"()"
		}
	}
	return v, ok
}

// isVerb says whether a method of a client makes a request, and isAdding whether one of a form adds a field.
func isVerb(name string) bool { return name == "request" || methodForm().MatchString(name) }

func isAdding(name string) bool {
	return strings.EqualFold(name, "append") || strings.EqualFold(name, "set") || strings.EqualFold(name, "add")
}

func (s *script) primary() (*value, bool) {
	prefix := ""
	isPrefix := s.Sign(s.at, "$@") || s.Is(s.at, source.Name) && textPrefix().MatchString(s.Str(s.at))
	if isPrefix && s.Is(s.at+1, source.Text) && s.Tokens[s.at+1].Glued {
		prefix = strings.ToLower(s.Str(s.at)) // r'…', $"…" of C#
		s.at++
	}
	if s.Is(s.at, source.Text) {
		return s.literal(prefix)
	}
	isList := s.language == powerShell && s.Sign(s.at, "@") && s.Sign(s.at+1, "{(") // @(…) and @{…}
	if isList {
		s.at++
	}
	open := s.at
	switch {
	case s.isCmdlet():
		return s.cmdlet()
	case s.language == powerShell && s.match(toJSON) != nil:
		s.match(flagsOfJSON)
		v, ok := s.term()
		if s.match(flagsOfJSON); !ok {
			return nil, false
		}
		return v.asJSON(), true
	case s.Is(open, source.Number), s.Sign(open, "-") && s.Is(open+1, source.Number):
		m := s.match(number)
		if m == nil { // a pattern, which is one token
			return nil, false
		}
		return &value{text: m[0]}, true
	case s.language == powerShell && s.match(ofType) != nil, s.language == cSharp && s.match(cast) != nil:
		return s.term()
	case s.Sign(open, "{["), s.Sign(open, "(") && s.Pair(open) > 0:
		v := s.entries()
		if s.Sign(open, "(") && !isList && len(v.list) == 1 && len(v.pairs) == 0 {
			return v.list[0].like(v), true
		}
		v.isMap = v.isMap || s.Sign(open, "{") && (s.language != cSharp || len(v.list) == 0)
		v.isList = !v.isMap && (isList || !s.Sign(open, "("))
		return v, true
	}
	return s.named()
}

// literal evaluates a text with letters or signs before its quote.
func (s *script) literal(prefix string) (*value, bool) {
	t, quote := &s.Tokens[s.at], `"`
	if t.Sign != 0 {
		quote = string(t.Sign)
		if end := int(t.To); end == len(s.Text) || s.Text[end] != t.Sign && s.Text[end] != '\n' {
			return nil, false // it never ends
		}
	}
	s.at++
	if strings.ContainsAny(prefix, "r@") && !strings.Contains(prefix, "$") {
		return &value{text: s.Str(s.at - 1)}, true
	}
	return &value{text: s.unescaped(s.Str(s.at-1), quote, t.Braces || strings.ContainsAny(prefix, "f$"))}, true
}

// method returns the name of a method, as the languages have it in common: GetStringAsync of C# is Get.
func (s *script) method(name string) string {
	if s.language == cSharp {
		return downloads().ReplaceAllString(waiting().ReplaceAllString(name, "$1$2"), "Get")
	}
	return name
}

// named evaluates a name: a variable, or a function with its arguments.
func (s *script) named() (*value, bool) {
	start := s.at
	m := s.match(nameForm)
	if m == nil {
		return nil, false
	}
	path := dots().Split(m[0], -1)
	if s.Sign(s.at-1, "+") { // x.concat(y) is x + y
		path = path[:len(path)-1]
		s.at--
	} else if s.isGlued("(") {
		path[len(path)-1] = s.method(path[len(path)-1])
		return s.invoked(path, start), true
	}
	if method := csharpMethod(path); method != "" && s.language == cSharp {
		return &value{text: method}, true
	}
	if v := s.known[s.name(path[0])]; v != nil {
		for _, name := range path[1:] {
			if next := v.member(name); next != nil {
				v = next
			}
		}
		if m := s.index(); m != nil && v.member(m[1]) != nil {
			v = v.member(m[1])
		}
		return v, true
	}
	switch low := strings.ToLower(m[0]); low {
	case "true", "false":
		return &value{text: low}, true
	case "null", "undefined", "none": // the field is sent empty, or not at all
		return &value{}, true
	}
	last := path[len(path)-1]
	for s.index() != nil {
		last = s.written(start)
	}
	return &value{text: s.mark(last, s.written(start))}, true
}

// index passes over the index behind a name.
func (s *script) index() []string {
	if !s.isGlued("[") {
		return nil
	}
	return s.match(index)
}

// invoked evaluates a function with its arguments, or a method of a value that is known.
func (s *script) invoked(path []string, start int) *value {
	last := path[len(path)-1]
	if last == "array" {
		v := s.entries()
		v.isList = !v.isMap
		return v
	}
	args := s.arguments()
	of := s.known[s.name(path[0])]
	if sent := s.sent(last, args); sent != nil && s.language == cSharp {
		return sent
	}
	switch {
	case s.language == cSharp && s.calledOn(of, last, args):
		return of
	case of == nil || len(path) > 3:
	case len(path) == 3 && path[1] == "searchParams" && isAdding(last) && len(args.list) == 2:
		separator := map[bool]string{true: "&", false: "?"}[strings.Contains(of.text, "?")]
		of.text += separator + strings.Join(s.form(args.list[0].text, args.list[1], 0), "&")
		return of.like(args, args.list[1])
	case len(path) == 3 && path[1] == "params" && last == "update" && len(args.list) == 1:
		of.add("params", args.list[0])
		return of
	case len(path) != 2:
	case isAdding(last):
		of.branch = of.branch || s.conditional(start)
		of.fieldOf(args)
		return of
	case neutral[last] && of.request == nil:
		return of
	case of.isMap || of.isList:
		s.client = of
		v := s.call(path, args, start)
		if s.client = nil; v.request == nil && !reading[last] {
			of.doubt = "." + s.vars.clean(last) + "()"
		}
		return v
	}
	return s.call(path, args, start)
}

// arguments evaluates the arguments of a call. When the bracket is never closed, they are not understood.
func (s *script) arguments() *value {
	if s.Pair(s.at) == 0 {
		s.at = len(s.Tokens)
		return &value{doubt: "an argument"}
	}
	return s.entries()
}

// entries evaluates the entries of a list, a map or a call, whose bracket comes next.
func (s *script) entries() *value {
	v, braces, end := &value{}, s.Sign(s.at, "{"), s.Pair(s.at)
	if end == 0 { // it is never closed
		end = len(s.Tokens)
	}
	for s.at++; s.at < end && *s.left >= 0; {
		if s.take(",;") {
			continue
		}
		spread := strings.HasPrefix(s.rest(), "...") || strings.HasPrefix(s.rest(), "**")
		for spread && s.take(".+*") {
		}
		start := s.at
		if s.isCallback() {
			s.passEntry(end)
			continue
		}
		key, ok := s.key()
		if !ok {
			s.at, key = start, ""
		} else if s.isCallback() {
			s.passEntry(end)
			continue
		}
		e, fine := s.expression()
		word := memberName().FindString(s.written(start))
		alone := word == strings.TrimSpace(s.written(start))
		if !fine {
			s.at, e = start, &value{}
		}
		if !fine || s.at < end && !s.Sign(s.at, ",;") && !(s.language == powerShell && s.Tokens[s.at].Fresh) {
			s.passEntry(end)
			if e = (&value{text: e.text, doubt: "an expression"}); s.whole { // a placeholder for what only the program knows
				e = &value{text: s.mark(cmp.Or(key, word), s.written(start))}
			}
		}
		switch {
		case strings.HasPrefix(key, "$"):
			v.doubt = "a field whose name is in a variable"
		case ok:
			v.isMap = true
			v.pairs = append(v.pairs, pair{key, e})
		case spread && e.isMap && s.spend(len(e.pairs)):
			v.isMap = true
			v.pairs = append(v.pairs, e.pairs...)
			v.like(e)
		case s.language == cSharp && braces && fine:
			v.list = append(v.list, e)
		case spread, !fine, braces && !alone:
			v.doubt = "what stands among its fields"
		case braces:
			v.pairs = append(v.pairs, pair{word, e}) // {url} stands for {url: url}
		default:
			v.list = append(v.list, e)
		}
	}
	s.at = min(end+1, len(s.Tokens))
	return v
}

// isCallback says whether a function comes next.
func (s *script) isCallback() bool {
	return callback().MatchString(s.rest()) || s.language != php && s.language != powerShell && arrow().MatchString(s.rest())
}

// passEntry passes over the rest of an entry, up to the comma behind it or the end of the brackets.
func (s *script) passEntry(end int) {
	for ; s.at < end && !s.Sign(s.at, ",;"); s.at++ {
		if closing := s.Pair(s.at); closing > s.at {
			s.at = closing
		}
	}
}

// key reads the name of an entry, with what stands between the name and the value.
func (s *script) key() (string, bool) {
	key, at := "", s.at
	switch {
	case s.language == cSharp && s.Sign(at, "[") && s.Is(at+1, source.Text) && s.Pair(at) == at+2: // ["title"] = …
		key, s.at = s.Str(at+1), at+3
	case s.Is(at, source.Text):
		v, ok := s.literal("")
		if !ok {
			return "", false
		}
		key = v.text
	case s.Is(at, source.Name), s.Is(at, source.Number):
		s.at++
		if key = s.written(at); s.isVariable(at) {
			key = "$" + key
		}
	}
	return key, s.take(":=") && key != ""
}
