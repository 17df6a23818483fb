package scan

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"sellerd/translate"
)

// This file decides which candidates are findings, and how sure they are.

// search finds the calls in all sources.
func (s *scanner) search(ctx context.Context) error {
	s.prepare()
	for range 4 {
		sent := make([][]*sender, len(s.sources))
		s.parallel(ctx, len(s.sources), func(i int) { sent[i] = s.world.findSenders(s.sources[i]) })
		added := false
		for _, senders := range sent {
			for _, one := range senders {
				added = s.world.addSender(one) || added
			}
		}
		if !added || ctx.Err() != nil {
			break
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	candidates := make([][]candidate, len(s.sources))
	s.parallel(ctx, len(s.sources), func(i int) {
		a := analysis{world: s.world, file: s.sources[i]}
		a.run()
		candidates[i] = a.found
	})
	used := map[*source]map[int]bool{} // literals that other expressions name
	for i, f := range s.sources {
		for k := range candidates[i] {
			c := &candidates[i][k]
			if c.far && c.source != nil && (c.source == f || c.source.lang != langSettings) && s.accepted(f, c) != "" {
				if used[c.source] == nil {
					used[c.source] = map[int]bool{}
				}
				used[c.source][c.origin] = true
			}
		}
	}
	s.parallel(ctx, len(s.sources), func(i int) {
		f := s.sources[i]
		found := s.decide(f, candidates[i], used[f])
		s.mu.Lock()
		defer s.mu.Unlock()
		s.findings = append(s.findings, found...)
	})
	return ctx.Err()
}

// prepare gathers the names of all files.
func (s *scanner) prepare() {
	w := s.world
	for _, f := range s.sources {
		if f.hints.evidence {
			for folder := f.folder; ; folder = folderOf(folder) {
				if w.evidence[folder] {
					break
				}
				w.evidence[folder] = true
				if folder == "." || folder == "/" {
					break
				}
			}
		}
	}
	for range 2 {
		for _, f := range s.sources {
			f.heat(w)
			for name := range f.hints.hot {
				for _, i := range f.byName[name] {
					if a := &f.assign[i]; a.constant && len(name) > 2 {
						w.hot[name] = w.hot[name] || !generalNames[name] || a.holder != "" || startsUpper(a.written)
					}
				}
				for range f.funcs[name] {
					w.hot[name] = true
				}
			}
		}
	}
	for _, f := range s.sources {
		for i := range f.assign {
			if a := &f.assign[i]; a.constant && !a.appends && addressLike(a.value) {
				folders(f.folder, func(folder string) bool {
					if at := (spot{a.name, folder}); len(w.names[at]) < maxSpot {
						w.names[at] = append(w.names[at], farName{f, a.holder, a.value, a.statement})
					}
					return true
				})
			}
		}
		for name, fns := range f.funcs {
			for _, fn := range fns {
				folders(f.folder, func(folder string) bool {
					if at := (spot{name, folder}); len(w.funcs[at]) < maxSpot {
						w.funcs[at] = append(w.funcs[at], farFunction{f, fn})
					}
					return true
				})
			}
		}
	}
}

// addressLike says whether an expression may be an address or a part of one.
func addressLike(nodes []node) bool {
	for i := range nodes {
		n := &nodes[i]
		if n.token == nil && i < 6 && addressLike(n.kids) {
			return true
		}
		if n.isText() && len(n.parts) > 0 {
			if text := n.parts[0].text; strings.ContainsAny(text, "/.") || len(n.parts) > 1 {
				return true
			}
		}
	}
	return len(nodes) > 0 && len(nodes) <= 5 && nodes[0].isName()
}

// decide returns the findings of a file. used are its literals that are found where an expression names them.
func (s *scanner) decide(f *source, candidates []candidate, used map[int]bool) (findings []Finding) {
	type key struct{ at int }
	groups := map[key][]*candidate{}
	var order []key
	for i := range candidates {
		c := &candidates[i]
		if !c.far && used[c.origin] && !c.sends {
			continue // a constant that is found where it is used
		}
		if s.accepted(f, c) == "" {
			continue
		}
		k := key{c.at}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], c)
	}
	for _, k := range order {
		findings = append(findings, s.chosen(f, groups[k])...)
	}
	return merged(findings)
}

// merged joins like findings of a line.
func merged(findings []Finding) []Finding {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Call, b.Call), cmp.Compare(a.Column, b.Column))
	})
	var out []Finding
	for _, f := range findings {
		if n := len(out); n > 0 && out[n-1].Line == f.Line && out[n-1].Call == f.Call && out[n-1].File == f.File {
			out[n-1].Count += f.Count
			if rank(f.Confidence) > rank(out[n-1].Confidence) {
				out[n-1].Confidence = f.Confidence
			}
			continue
		}
		out = append(out, f)
	}
	return out
}

func rank(c Confidence) int { return map[Confidence]int{Possible: 0, Likely: 1, Certain: 2}[c] }

// accepted says how sure it is that a candidate is about our service, "" when it is not.
func (s *scanner) accepted(f *source, c *candidate) Confidence {
	near := f.hints.evidence
	around := near || s.world.evidence[f.folder]
	switch {
	case c.base == baseForeign:
		return ""
	case c.base == baseOurs:
		return Certain
	case c.bare && !c.ours && !c.sender:
		return ""
	case c.method != "" && !c.sends && !c.table && !c.root:
		return "" // a sentence
	case f.lang == langShell && !c.sends && !c.table:
		return ""
	case c.ours || c.sender && near:
		return Certain
	case c.sender && around:
		return Likely
	case c.level == 3 && near:
		return Certain
	case c.level == 3 && (c.sends || c.root || around || c.table || c.joined):
		return Likely
	case c.level == 2 && near && (c.sends || c.joined || c.table || c.root):
		return Likely
	case c.level == 2 && (c.sends || c.joined) && (c.root || around):
		return Likely
	case near && (c.sends || c.joined && c.root):
		return Likely
	case near && (c.joined || c.root && c.table || c.hint.force == 3):
		return Likely
	case c.sends && c.joined && c.root && around:
		return Likely
	}
	return ""
}

// chosen returns the findings of the candidates of one place.
func (s *scanner) chosen(f *source, group []*candidate) (findings []Finding) {
	longest, complete := 0, false
	for _, c := range group {
		complete = complete || !c.open
	}
	for _, c := range group {
		if !c.open || !complete {
			longest = max(longest, c.parts)
		}
	}
	group = slices.DeleteFunc(group, func(c *candidate) bool { return c.open && complete || c.parts < longest })
	// The candidates of one path agree on the method that the clearest of them says. Methods that are equally clear are
	// different calls.
	clear := 0
	for _, c := range group {
		clear = max(clear, c.hint.force)
	}
	seen := map[string]int{}
	for _, c := range group {
		if c.hint.force < clear && clear > 1 {
			continue
		}
		for _, plan := range s.plans(c) {
			confidence := s.accepted(f, c)
			if c.several || c.open {
				confidence = Possible
			} else if c.hint.force == 0 && len(plan.Variants()) == 0 && len(methodsOf(c.plans)) > 1 && !c.sends {
				confidence = min3(confidence, Likely)
			} else if c.hint.force == 0 && len(methodsOf(c.plans)) > 1 {
				confidence = min3(confidence, Likely)
			}
			if i, ok := seen[plan.ID]; ok {
				if rank(confidence) > rank(findings[i].Confidence) && !c.several {
					findings[i].Confidence = confidence
				}
				findings[i].Fields = append(findings[i].Fields, s.fieldsOf(f, plan, c)...)
				continue
			}
			line, column := f.place(c.at)
			seen[plan.ID] = len(findings)
			findings = append(findings, Finding{
				File: f.path, Line: line, Column: column, Call: plan.ID, Method: plan.Method, Confidence: confidence, Fields: s.fieldsOf(f, plan, c), Count: 1,
				Notes: notesOf(c, confidence),
			})
		}
	}
	for i := range findings {
		findings[i].Fields = inOrder(s.table.Lookup(findings[i].Call), findings[i].Fields)
	}
	return findings
}

func min3(a, b Confidence) Confidence {
	if rank(a) < rank(b) {
		return a
	}
	return b
}

// inOrder returns fields once each, in the order of the tables.
func inOrder(plan *translate.Plan, fields []string) []string {
	out := []string{}
	for _, name := range plan.FieldNames() {
		if slices.Contains(fields, name) {
			out = append(out, name)
		}
	}
	return out
}

func methodsOf(plans []*translate.Plan) (methods []string) {
	for _, p := range plans {
		methods = append(methods, p.Method)
	}
	slices.Sort(methods)
	return slices.Compact(methods)
}

// plans returns the calls that a candidate makes: that of its method, or the usual one of the path.
func (s *scanner) plans(c *candidate) []*translate.Plan {
	pick := func(method string) (plans []*translate.Plan) {
		for _, p := range c.plans {
			if p.Method == method && p.Match == (translate.Match{}) {
				plans = append(plans, p)
			}
		}
		for _, p := range c.plans { // a call for some values of a field
			if p.Method == method && p.Match != (translate.Match{}) && s.saysPrefix(c, p.Match.Prefix) {
				return []*translate.Plan{p}
			}
		}
		return plans
	}
	if plans := pick(c.hint.method); len(plans) > 0 {
		return plans
	}
	all := methodsOf(c.plans)
	switch {
	case c.hint.force >= 3 && c.base != baseOurs:
		return nil // a method that the path does not have: another interface
	case len(all) == 1:
		return pick(all[0])
	case slices.Contains(all, "GET") && c.hint.force < 2:
		return pick("GET")
	case c.hint.force > 0 && c.base != baseOurs:
		return nil
	}
	return pick(all[0])
}

// maxNodes is how much of the code around a candidate is read for fields.
const maxNodes = 3000

// saysPrefix says whether the arguments of a call have a text that begins with a prefix.
func (s *scanner) saysPrefix(c *candidate, prefix string) bool {
	found := false
	var visit func(nodes []node)
	left := maxNodes
	visit = func(nodes []node) {
		for i := range nodes {
			if left--; left < 0 {
				return
			}
			switch n := &nodes[i]; {
			case n.token == nil:
				visit(n.kids)
			case n.isText():
				text := n.literal()
				found = found || len(text) > len(prefix) && strings.EqualFold(text[:len(prefix)], prefix) || strings.Contains(text, "notificationType="+prefix)
			}
		}
	}
	for _, arg := range c.args[:min(len(c.args), maxFew)] {
		visit(arg)
	}
	if !found && c.file != nil && c.st < len(c.file.statements) {
		visit(c.file.statements[c.st].nodes)
		fn := c.file.statements[c.st].fn
		for i := max(c.st-12, 0); i < min(c.st+12, len(c.file.statements)); i++ {
			if c.file.statements[i].fn == fn && fn != nil {
				visit(c.file.statements[i].nodes)
			}
		}
	}
	return found
}

// notesOf says what is not sure.
func notesOf(c *candidate, confidence Confidence) (notes []string) {
	if c.several {
		notes = append(notes, "A part of the path is only known to the running program: it may be any of several calls.")
	}
	if c.open {
		notes = append(notes, "Only the beginning of the path is written here.")
	}
	if c.hint.force == 0 && len(methodsOf(c.plans)) > 1 {
		notes = append(notes, "The method is not written near the path. GET is what most functions send.")
	}
	if confidence != Certain && c.base != baseOurs {
		notes = append(notes, "The host is only known to the running program.")
	}
	return notes
}

// fieldsOf returns the fields of a call that the code around a candidate writes.
func (s *scanner) fieldsOf(f *source, plan *translate.Plan, c *candidate) []string {
	known := plan.FieldNames()
	fields := slices.Clone(c.fields)
	e := &evaluator{file: f, world: s.world}
	var visit func(nodes []node, level int)
	left := maxNodes
	visit = func(nodes []node, level int) {
		for i := range nodes {
			if left--; left < 0 {
				return
			}
			n := &nodes[i]
			switch {
			case n.token == nil:
				visit(n.kids, level)
			case n.kind == tokenText:
				text := n.literal()
				if name, _, _ := strings.Cut(text, "["); slices.Contains(known, name) {
					fields = append(fields, name)
				}
				if strings.IndexByte(text, '=') > 0 {
					for pair := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '&' || r == '?' || r == ' ' }) {
						if name, _, ok := strings.Cut(pair, "="); ok {
							name, _, _ = strings.Cut(name, "[")
							fields = append(fields, name)
						}
					}
				}
			case n.kind == tokenName:
				if slices.Contains(known, n.token.text) && i+1 < len(nodes) && nodes[i+1].is(":", "=", "=>") {
					fields = append(fields, n.token.text)
				}
				if level > 2 || c.st >= len(f.statements) {
					continue
				}
				key := simple(n.token.text)
				fn := f.statements[c.st].fn
				for _, k := range few(f.byName[key]) {
					if a := &f.assign[k]; a.fn == fn && !a.member && a.statement != c.st {
						visit(a.value, level+1)
					}
				}
				for _, k := range few(f.byHold[key]) {
					if a := &f.assign[k]; a.fn == fn {
						for _, name := range known {
							if simple(name) == a.name {
								fields = append(fields, name)
							}
						}
					}
				}
			}
		}
	}
	for _, arg := range c.args[:min(len(c.args), maxFew)] {
		visit(arg, 0)
	}
	if c.st < len(f.statements) {
		visit(f.statements[c.st].nodes, 1)
		if !c.sender {
			names, objects := s.world.handles(f, c.st, nil)
			_, used := e.flow(c.st, names, objects)
			for _, i := range used {
				visit(f.statements[i].nodes, 1)
			}
		}
	}
	return fields
}
