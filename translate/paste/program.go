package paste

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"sellerd/internal/base/pattern"
	"sellerd/translate"
	"sellerd/translate/scan"
	"sellerd/v1"
)

// This file translates each request of a program: those that the evaluator of scripts understands, and those that package scan finds beyond.

// ofPath is a function of a program that gets a path of the old interface.
var ofPath = pattern.Late(`\w\s*\(\s*(?:['"]\w+['"]\s*,\s*)?['"]/?(?:rest/)?(?:items?|notification|seller|category|shippingModels)\b`)

// maxCalls is the largest number of calls of a program that are translated.
const maxCalls = 50

// mayBeProgram says whether a paste that is not one request may be a program.
func mayBeProgram(in Input, p *pasted, err error) bool {
	readable := len(in.Request)+len(in.Body) <= MaxBytes && checkText("request", in.Request) == nil && in.Body == ""
	if !readable || p == nil && err == nil {
		return false
	}
	return p != nil && p.program || ofScript().MatchString(in.Request) || ofCSharp().MatchString(in.Request) || ofPath().MatchString(in.Request)
}

// programCalls returns what each call of a program means, in the order of the text.
func programCalls(t *translate.Table, in Input, p *pasted, err error) (all []Meaning) {
	if !mayBeProgram(in, p, err) {
		return nil
	}
	text := spaces.Replace(in.Request)
	if strings.Contains(text, "```") {
		text = tidy(in.Request)
	}
	s := newProgram(t, text)
	requests := s.run()
	var secrets []string
	for again := range 2 { // so that a key which one request shows is removed from the others
		all = all[:0]
		for _, p := range requests {
			one := *p
			one.whole = true
			one.secrets, one.cleaner, one.form, one.query = secrets, nil, slices.Clone(p.form), slices.Clone(p.query)
			s.vars.about = &one
			m, err := one.meaning(t, in)
			if secrets = one.secrets; again == 0 || err != nil || len(all) == maxCalls {
				continue
			}
			m.Line = 1 + strings.Count(text[:min(p.at, len(text))], "\n")
			all = append(all, *m)
		}
	}
	all = slices.SortedStableFunc(slices.Values(append(all, s.found(t, in, text, all, secrets)...)), func(a, b Meaning) int { return a.Line - b.Line })
	var lines []string
	for _, c := range s.pathless {
		if s.own[c.function] && !slices.ContainsFunc(all, func(m Meaning) bool { return m.Line == c.line }) && len(lines) < maxCalls {
			lines = append(lines, strconv.Itoa(c.line))
		}
	}
	if len(all) > 0 && len(lines) > 0 {
		all[0].Notes = append(all[0].Notes, translate.Note{Kind: translate.NoteUnknown, Text: "Other calls get a path that is not in the paste. Their lines: " +
			strings.Join(slices.Compact(lines), ", ") + ". Paste what sets it, too."})
	}
	return all
}

// newProgram is a script with the requests of a whole program.
func newProgram(t *translate.Table, text string) *script {
	language := languageOf(text)
	if ofCSharp().MatchString(text) {
		language = cSharp
	}
	s := newScript(text, language, newVariables(text))
	s.vars.most, s.whole = maxProgramVariables, true
	s.isPath = func(text string) bool {
		path, _, _ := strings.Cut(text, "?")
		if _, rest, ok := strings.Cut(path, "://"); ok {
			_, path, _ = strings.Cut(rest, "/")
		}
		if host, rest, ok := strings.Cut(path, "/"); ok && s.vars.marks.FindString(host) == host && host != "" {
			path = rest
		}
		if path == "" || strings.ContainsAny(path, " \n\t") {
			return false
		}
		plans, _ := findCalls(t, segments(path))
		return len(plans) > 0
	}
	return s
}

// found are the calls that package scan finds and the evaluator does not: with the names of their fields.
func (s *script) found(t *translate.Table, in Input, text string, known []Meaning, secrets []string) (more []Meaning) {
	if s.language == php && !strings.Contains(text, "<?") {
		text = "<?php " + text
	}
	paired := make([]bool, len(known))
	for _, f := range scan.Text(t, s.language, text) {
		plan, best := t.Lookup(f.Call), -1
		for i := range known {
			near := func(i int) int { return max(known[i].Line-f.Line, f.Line-known[i].Line) }
			if !paired[i] && known[i].Method == plan.Method && known[i].Path == plan.Pattern && (best < 0 || near(i) < near(best)) {
				best = i
			}
		}
		if best >= 0 {
			paired[best] = true
			continue
		}
		if slices.ContainsFunc(known, func(m Meaning) bool { return m.Line == f.Line }) || len(known)+len(more) >= maxCalls {
			continue
		}
		p := &pasted{vars: s.vars, method: plan.Method, address: plan.Pattern, whole: true, secrets: secrets}
		for _, part := range segment().FindAllString(plan.Pattern, -1) {
			p.address = strings.ReplaceAll(p.address, part, s.vars.mark(strings.Trim(part, "{}")))
		}
		for _, name := range f.Fields {
			if name != "apikey" && !strings.Contains(plan.Pattern, "{"+name+"}") {
				p.form = append(p.form, name+"="+s.vars.mark(name))
			}
		}
		p.get, p.hasBody = plan.Method == "GET", plan.Method != "GET" && len(p.form) > 0
		s.vars.about = p
		s.vars.note("", "How this call is sent is not understood here: its fields were found by their names. Compare them with your program.")
		if m, err := p.meaning(t, in); err == nil {
			m.Line, m.doubtful = f.Line, true
			more = append(more, *m)
		}
	}
	return more
}

// lostCall is a call of a function without a path that is known.
type lostCall struct {
	function string
	line     int
}

// wrapped evaluates a function of the program's own that gets a path of the old interface, and perhaps a method and fields: api('PUT',
// '/item/4711', $fields), api('PUT', '/item/4711', data=fields), api('PUT', '/item/4711', title='A'). It returns nil for another one.
func (s *script) wrapped(function string, args *value) *value {
	if s.isPath == nil || harmless[function] || len(args.list) == 0 {
		return nil
	}
	method, named := "", &value{}
	var address *value
	var forms, all, options []pair
	for _, arg := range args.list {
		all = append(all, pair{"", arg})
	}
	for _, arg := range append(all, args.pairs...) {
		v, role := arg.value, cmp.Or(optionNames[arg.name], arg.name)
		unknown := len(forms) == 0 && s.vars.in(v.text) != nil
		switch {
		case v.request != nil:
			return nil
		case method == "" && methodForm().MatchString(v.text):
			method = strings.ToUpper(v.text)
		case address == nil && (strings.Contains(v.text, "/") || method != "") && s.isPath(v.text):
			address = v
		case v.isMap && !v.isForm && isOptions(v):
			options = append(options, v.pairs...)
		case role == "headers" || idle[role]:
			options = append(options, arg)
		case v.isMap || v.isList || role == "body" || role == "params" || address != nil && role == "" && (unknown || strings.Contains(v.text, "=")):
			forms = append(forms, pair{"body", v})
		case role != "":
			named.add(arg.name, v)
		}
	}
	if address == nil {
		if slices.ContainsFunc(args.list, s.isConstant) {
			line, _ := s.Place(s.from(s.callAt))
			s.pathless = append(s.pathless, lostCall{function, line})
		}
		return nil
	}
	s.own[function] = true
	if verb := ofVerb().FindStringSubmatch(function); method == "" && verb != nil {
		method = strings.ToUpper(verb[1] + verb[2])
	}
	if named.isMap {
		forms = append(forms, pair{"body", named})
	}
	for _, form := range forms {
		if bodiless(method) && method != "DELETE" {
			form.name = "params"
		}
		options = append(options, form)
	}
	return s.request("", method, &value{list: []*value{address}, pairs: options})
}

// isConstant says whether a value begins with a name in capitals, as constants have it.
func (s *script) isConstant(v *value) bool {
	names := s.vars.in(v.text)
	return len(names) > 0 && len(names[0]) > 3 && names[0] == strings.ToUpper(names[0])
}

// ofVerb is the method that the name of a function begins with, or ends with: putItem, do_delete.
var ofVerb = pattern.Late(`(?i)^(?:(get|post|put|delete|patch)|.*_(get|post|put|delete|patch)$)`)

// taking returns a plan that takes the fields that were refused as they are, and the fields with a placeholder for each that is missing. It
// returns no plan if an error is about no field of the request.
func (p *pasted) taking(plan *translate.Plan, fields translate.Fields, refused v1.Errors) (*translate.Plan, translate.Fields) {
	var names []string
	fields = slices.Clone(fields)
	for _, e := range refused {
		name, _, _ := strings.Cut(e.Field, "[")
		if plan.Each != "" || !slices.Contains(plan.FieldNames(), name) {
			return nil, nil
		}
		i := slices.IndexFunc(fields, func(f translate.Field) bool { return f.Name == name })
		switch {
		case i >= 0 && !slices.ContainsFunc(plan.In, func(row translate.Row) bool { return row.Legacy == name }): // where a list begins, and how long it is
			fields = slices.Delete(fields, i, i+1)
			continue
		case i < 0:
			fields = append(fields, translate.Field{Name: name, Text: p.vars.mark(name)})
		}
		names = append(names, name)
	}
	return plan.Taking(names), fields
}

// given are the fields of a request, with what is wrong with them.
func (p *pasted) given(given, taken translate.Fields, refused v1.Errors) []Given {
	fields := slices.Clone(given)
	for _, f := range taken { // with those that are missing
		if !slices.ContainsFunc(given, func(g translate.Field) bool { return g.Name == f.Name }) {
			fields = append(fields, f)
		}
	}
	out := make([]Given, 0, len(fields))
	var add func(prefix string, fields translate.Fields)
	add = func(prefix string, fields translate.Fields) {
		for _, f := range fields {
			name := f.Name
			if prefix != "" {
				name = prefix + "[" + name + "]"
			}
			if len(f.Parts) > 0 {
				add(name, f.Parts)
				continue
			}
			if translate.IsCredential(name) || len(out) == maxReported {
				continue
			}
			g := Given{Name: p.shown(name), Value: p.vars.restore(p.withoutSecrets(f.Text)), Variable: p.vars.in(f.Text) != nil}
			for _, e := range refused {
				if e.Field == g.Name {
					g.Error = v1.Some(e.Message)
				}
			}
			out = append(out, g)
		}
	}
	add("", fields)
	return out
}

// mark says which values the operation of /v1 rejects, of those that /rest takes.
func (m *Meaning) mark(plan *translate.Plan, request *translate.Request) {
	o := plan.Target.Operation()
	if o == nil || plan.Each != "" {
		return
	}
	c := &v1.Call{}
	_, err := o.Bind(c, request.Path, request.Query.Encode(), request.Body)
	for _, err := range []error{err, c.Problems.Err()} {
		var errs v1.Errors
		_ = errors.As(err, &errs)
		for _, e := range errs {
			name := plan.LegacyField(e.Field)
			for i := range m.Fields {
				if f := &m.Fields[i]; f.Name == name && !f.Variable && !f.Error.Set {
					f.Error = v1.Some(e.Message)
				}
			}
		}
	}
}
