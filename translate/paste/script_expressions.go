package paste

import (
	"cmp"
	"slices"
	"strings"
)

// This file evaluates the expressions of a script: texts, variables, lists and maps, and calls of functions.

// expression evaluates terms that are joined.
func (s *script) expression() (*value, bool) {
	if s.depth++; s.depth > maxDepth {
		s.depth--
		return nil, false
	}
	defer func() { s.depth-- }()
	v, ok := s.term()
	for ok {
		at := s.at
		s.skip()
		operator, second := s.next(0), s.next(1)
		switch {
		case s.dialect == powerShell && operator == '|' && s.match(toJSON) != nil:
			s.match(flagsOfJSON)
			v = v.asJSON()
			continue
		case operator == '+' && second != '+' && second != '=', operator == '.' && s.dialect == php && second != '=', operator == '%' && s.dialect == javaScript:
			s.pass(1)
		case s.depth > 1 && s.dialect == javaScript && !v.isMap && !v.isList && prefixed().MatchString(s.rest()): // Python joins texts in a row
		default:
			s.at = at
			return v, true
		}
		var other *value
		switch other, ok = s.term(); {
		case !ok:
		case operator == '%':
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
		if s.dialect == php { // which keeps the first of two values
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

// filled puts values into the places of a format: %s and %d, and {} outside of PHP. It is not whole if it has other places or more
// values, or says how a value is written.
func (s *script) filled(format *value, with []*value) (v *value, whole bool) {
	v, whole = (&value{}).like(append(with, format)...), true
	v.text = formatted().ReplaceAllStringFunc(format.text, func(place string) string {
		switch last := place[len(place)-1]; {
		case place == "%%":
			return "%"
		case last == '}' && s.dialect == php:
			return place
		case strings.IndexByte("sdifu}", last) < 0 || len(with) == 0 || !s.spend(len(with[0].text)):
			whole = false
			return place
		}
		next := with[0]
		with, whole = with[1:], whole && len(place) == 2 && !next.isMap && !next.isList
		return next.text
	})
	return v, whole && len(with) == 0
}

// term evaluates a literal, a variable or a call, and the calls behind it.
func (s *script) term() (*value, bool) {
	s.skip()
	for !(s.dialect == cSharp && making().MatchString(s.rest())) && s.match(keyword) != nil {
		s.skip()
	}
	var v *value
	ok := false
	if s.dialect == cSharp && s.match(making) != nil {
		v, ok = s.made()
	} else {
		v, ok = s.primary()
	}
	for ok && s.at < len(s.text) {
		at := s.at
		s.skip()
		m := s.match(chained)
		if m == nil {
			s.at = at
			break
		}
		args := s.arguments(")")
		switch name := m[1]; {
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
	rest := s.rest()
	if rest == "" {
		return nil, false
	}
	switch {
	case s.dialect == powerShell && cmdlet().MatchString(rest):
		return s.cmdlet()
	case s.dialect == powerShell && s.match(toJSON) != nil:
		s.match(flagsOfJSON)
		v, ok := s.term()
		if s.match(flagsOfJSON); !ok {
			return nil, false
		}
		return v.asJSON(), true
	case rest[0] == '`' && s.dialect == javaScript:
		return s.quoted("")
	case s.dialect == powerShell && (strings.HasPrefix(rest, "@\"\n") || strings.HasPrefix(rest, "@'\n")):
		inside, _, ok := strings.Cut(rest[3:], "\n"+rest[1:2]+"@")
		s.pass(len(inside) + 6)
		return &value{text: s.unescaped(inside, rest[1:2], "")}, ok
	case prefixed().MatchString(rest):
		prefix := prefixed().FindString(rest)
		s.pass(len(prefix) - 1)
		return s.quoted(strings.ToLower(prefix[:len(prefix)-1]))
	case s.match(number) != nil:
		return &value{text: rest[:len(rest)-len(s.rest())]}, true
	case s.take("@{"), s.take("{"):
		v := s.entries("}")
		v.isMap = s.dialect != cSharp || len(v.list) == 0
		v.isList = !v.isMap
		return v, true
	case s.dialect == powerShell && s.match(ofType) != nil, s.dialect == cSharp && s.match(cast) != nil:
		return s.term()
	case s.take("@("), s.take("["):
		v := s.entries(map[byte]string{'@': ")", '[': "]"}[rest[0]])
		v.isList = !v.isMap
		return v, true
	case s.take("("):
		v := s.entries(")")
		if len(v.list) == 1 && len(v.pairs) == 0 {
			return v.list[0].like(v), true
		}
		return v, true
	}
	return s.named()
}

// named evaluates a name: a variable, or a function with its arguments.
func (s *script) named() (*value, bool) {
	start := s.at
	m := s.match(nameForm)
	if m == nil {
		return nil, false
	}
	path := dots().Split(m[0], -1)
	last := path[len(path)-1]
	if s.take("(") {
		return s.invoked(path, start), true
	}
	if method := csharpMethod(path); method != "" && s.dialect == cSharp {
		return &value{text: method}, true
	}
	if v := s.known[s.name(path[0])]; v != nil {
		for _, name := range path[1:] {
			if next := v.member(name); next != nil {
				v = next
			}
		}
		if m := s.match(index); m != nil && v.member(m[1]) != nil {
			v = v.member(m[1])
		}
		return v, true
	}
	switch strings.ToLower(strings.TrimPrefix(m[0], "$")) {
	case "true", "false":
		return &value{text: strings.ToLower(strings.TrimPrefix(m[0], "$"))}, true
	case "null", "undefined", "none": // the field is sent empty, or not at all
		return &value{}, true
	}
	for s.match(index) != nil {
		last = s.text[start:s.at]
	}
	return &value{text: s.mark(last, s.text[start:s.at])}, true
}

// invoked evaluates a function with its arguments, or a method of a value that is known.
func (s *script) invoked(path []string, start int) *value {
	last := path[len(path)-1]
	if last == "array" {
		v := s.entries(")")
		v.isList = !v.isMap
		return v
	}
	args := s.arguments(")")
	of := s.known[s.name(path[0])]
	switch {
	case s.dialect == cSharp && s.calledOn(of, last, args):
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

// arguments evaluates the arguments of a call up to its closing bracket. Arguments that are not understood are passed over.
func (s *script) arguments(end string) *value {
	start := s.at
	if v := s.entries(end); v != nil && s.at > start && strings.HasSuffix(s.text[:s.at], end) {
		return v
	}
	s.at = start
	s.close()
	return &value{doubt: "an argument"}
}

// close passes over everything up to the bracket that closes.
func (s *script) close() {
	s.passTo(")]}")
	s.pass(1)
}

// passTo passes over everything up to one of some characters, outside of quotes and of brackets that open meanwhile.
func (s *script) passTo(ends string) {
	for depth := 0; s.at < len(s.text); s.pass(1) {
		c := s.text[s.at]
		switch {
		case depth == 0 && strings.IndexByte(ends, c) >= 0:
			return
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case c == '"' || c == '\'':
			if inside, _, ok := strings.Cut(s.text[s.at+1:], string(c)); ok {
				s.pass(len(inside) + 1)
			}
		}
	}
}

// entries evaluates the entries of a list, a map or a call, up to a closing bracket.
func (s *script) entries(end string) *value {
	v := &value{}
	for {
		s.skip()
		for s.take(",") || s.take(";") {
			s.skip()
		}
		spread := s.take("...") || s.take("**")
		if s.take(end) || s.at >= len(s.text) {
			return v
		}
		start := s.at
		if s.isCallback() {
			s.passEntry()
			continue
		}
		key, ok := s.key()
		if !ok {
			s.at = start
			key = ""
		}
		if s.skip(); ok && s.isCallback() {
			s.passEntry()
			continue
		}
		e, fine := s.expression()
		source := s.text[start:s.at]
		if !fine {
			s.at, e = start, &value{}
		}
		if !fine || !s.ended(end) {
			if s.passEntry(); s.at < len(s.text) && s.text[s.at] != ',' && !strings.HasPrefix(s.rest(), end) {
				return v
			}
			if e = (&value{text: e.text, doubt: "an expression"}); s.whole { // a placeholder for what only the program knows
				e = &value{text: s.mark(cmp.Or(key, memberName().FindString(source)), s.text[start:s.at])}
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
		case s.dialect == cSharp && end == "}" && fine:
			v.list = append(v.list, e)
		case spread, !fine, end == "}" && memberName().FindString(source) != strings.TrimSpace(source):
			v.doubt = "what stands among its fields"
		case end == "}":
			v.pairs = append(v.pairs, pair{memberName().FindString(source), e}) // {url} stands for {url: url}
		default:
			v.list = append(v.list, e)
		}
	}
}

// isCallback says whether a function comes next.
func (s *script) isCallback() bool {
	return callback().MatchString(s.rest()) || (s.dialect == javaScript || s.dialect == cSharp) && arrow().MatchString(s.rest())
}

// ended says whether an entry ends here.
func (s *script) ended(end string) bool {
	at := s.at
	rest := strings.TrimLeft(s.rest(), " \t\r")
	if s.skip(); s.at >= len(s.text) || strings.HasPrefix(s.rest(), end) || strings.IndexByte(",;", s.text[s.at]) >= 0 {
		return true
	}
	s.at = at
	return s.dialect == powerShell && rest[0] == '\n'
}

// passEntry passes over an entry, up to the comma or the bracket behind it.
func (s *script) passEntry() { s.passTo(",)]}") }

// key reads the name of an entry, with what stands between the name and the value.
func (s *script) key() (string, bool) {
	key := ""
	if strings.IndexByte(`'"`, s.text[s.at]) >= 0 {
		v, ok := s.quoted("")
		if !ok {
			return "", false
		}
		key = v.text
	} else if m := s.match(memberName); m != nil {
		key = m[0]
	} else if m := s.match(number); m != nil {
		key = m[0]
	}
	s.skip()
	if s.take("=>") {
		return key, true
	}
	if mark, second := s.next(0), s.next(1); key == "" || mark != ':' && mark != '=' || second == ':' || second == '=' {
		return "", false
	}
	s.pass(1)
	return key, true
}
