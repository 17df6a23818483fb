package scan

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// This file decides which candidates are findings, and how sure they are.

// search finds the calls in all sources.
func (s *scanner) search(ctx context.Context) error {
	s.prepare()
	for range 4 {
		sent := make([][]*sender, len(s.sources))
		s.parallel(ctx, len(s.sources), s.failed, func(i int) {
			f := s.sources[i]
			f.budget.within(func() { s.world.findSenders(f, &sent[i]) })
		})
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
	s.parallel(ctx, len(s.sources), s.failed, func(i int) {
		a := analysis{world: s.world, file: s.sources[i]}
		s.sources[i].budget.within(a.run)
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
	s.parallel(ctx, len(s.sources), s.failed, func(i int) {
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
	s.separate()
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
			f.budget.within(func() { f.heat(w) })
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
	for _, f := range s.sources {
		w.registerClients(f)
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
		if !c.far && used[c.origin] && (!c.sends || c.literal.any || c.table && c.label != "" && c.plain) {
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
	slices.SortFunc(order, func(a, b key) int { return a.at - b.at }) // a place is counted from the place before it
	f.budget.within(func() {
		for _, k := range order {
			findings = append(findings, s.chosen(f, groups[k])...)
		}
	})
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
	case c.base == baseForeign, f.test && (c.base != baseOurs || !c.sends):
		return ""
	case c.base == baseOurs:
		return Certain
	case c.bare && !c.ours && !c.sender && !(near && c.posts()):
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

// posts says whether a path of one word is sent with POST, which few functions do that send no requests.
func (c *candidate) posts() bool {
	return (c.sends || c.table && named(c.label) && c.hint.force == 3) && c.hint.method == "POST" && c.hint.force >= 2 && slices.Contains(methodsOf(c.plans), "POST")
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
	group = slices.DeleteFunc(group, func(c *candidate) bool { return c.open && complete || c.parts < longest && c.hint.other == "" })
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
