package scan

import (
	"slices"
	"strings"

	"sellerd/translate"
)

// This file chooses the calls that a path can be, and says which of their fields the code names.

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
	plans := pick(c.hint.method)
	if c.hint.other != "" {
		plans = append(plans, pick(c.hint.other)...)
	}
	if len(plans) > 0 {
		return plans
	}
	if c.hint.force == 0 {
		if plans := pick(methodOfLabel(c.label, slices.Contains(methodsOf(c.plans), "DELETE"))); len(plans) > 0 {
			return plans
		}
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

// methodOfLabel returns the method that the name of a constant or the key of a setting speaks for, "" for none. removes says
// whether the path has DELETE: then to close is to delete.
func methodOfLabel(label string, removes bool) string {
	switch {
	case containsAny(label, "login", "logon", "signin", "session", "auth", "opentoken", "gettoken", "tokenurl", "tokenpath"):
		return "POST"
	case removes && containsAny(label, "delete", "remove", "close", "withdraw", "unsubscribe", "cancel"):
		return "DELETE"
	case containsAny(label, "update", "edit", "modify", "change", "switch", "toggle"):
		return "PUT"
	case containsAny(label, "create", "add", "insert", "newitem", "publish", "upload", "subscribe", "register", "feedback", "restart"):
		return "POST"
	}
	return ""
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
	e := &evaluator{file: f, world: s.world, budget: f.budget}
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
				f.budget.spend(16 + len(text))
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
