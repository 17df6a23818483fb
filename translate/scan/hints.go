package scan

import (
	"strings"
)

// This file decides which code is worth an evaluation, so that most of a file costs little.

// hints are what a file says about whom it calls.
type hints struct {
	evidence bool // it knows our service
	hot      map[string]bool
}

// worth says whether an expression may be a path of a call.
func (h *hints) worth(f *source, w *world, nodes []node) bool {
	f.budget.spend(4 * len(nodes))
	for i := range nodes {
		n := &nodes[i]
		switch {
		case n.token == nil:
			if h.worth(f, w, n.kids) {
				return true
			}
		case n.kind == tokenText:
			for j := range n.parts {
				f.budget.spend(8 + len(n.parts[j].text) + len(n.parts[j].code))
				if w.scan.matcher.pathLike(n.parts[j].text) {
					return true
				}
				for k := range n.parts[j].code {
					if t := &n.parts[j].code[k]; t.kind == tokenName && h.isHot(w, t.text) {
						return true
					}
				}
			}
		case n.kind == tokenName:
			if h.isHot(w, n.token.text) {
				return true
			}
		}
	}
	return false
}

func (h *hints) isHot(w *world, name string) bool {
	key := simple(name)
	return h.hot[key] || w.hot[key]
}

// pathLike says whether a text may be a part of a path of a call.
func (m *matcher) pathLike(text string) bool {
	for word := range m.first {
		for from := 0; ; {
			i := strings.Index(text[from:], word)
			if i < 0 {
				break
			}
			i += from
			end := i + len(word)
			before := i == 0 || strings.IndexByte("/ \x01}", text[i-1]) >= 0
			behind := end == len(text) || strings.IndexByte("/?\x01{ #&%", text[end]) >= 0
			if before && behind {
				return true
			}
			from = end
		}
	}
	return false
}

// heat finds the names of a file whose values may be a path of a call.
func (f *source) heat(w *world) {
	f.hints.hot = map[string]bool{}
	for range 3 {
		changed := false
		for i := range f.assign {
			a := &f.assign[i]
			if !f.hints.hot[a.name] && f.hints.worth(f, w, a.value) {
				f.hints.hot[a.name], changed = true, true
				if a.member && a.holder != "" {
					f.hints.hot[a.holder] = true
				}
			}
		}
		for _, fn := range f.functions {
			if fn.name == "" || f.hints.hot[simple(fn.name)] {
				continue
			}
			f.budget.spend(1 + max(min(fn.last, len(f.statements))-fn.first, 0))
			for _, r := range f.results(fn) {
				if f.hints.worth(f, w, r.nodes) {
					f.hints.hot[simple(fn.name)], changed = true, true
				}
			}
		}
		if !changed {
			return
		}
	}
}
