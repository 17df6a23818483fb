package scan

import "strings"

// This file knows clients that a program registers by a name: AddHttpClient("jira", c => c.BaseAddress = …), CreateClient("jira").

// registerClients remembers whose hosts the named clients of a file have.
func (w *world) registerClients(f *source) {
	if f.lang != langCSharp {
		return
	}
	e := &evaluator{file: f, world: w, budget: f.budget}
	for st := range f.statements {
		nodes := f.statements[st].nodes
		for i := range nodes {
			if !nodes[i].is("AddHttpClient", "AddRefitClient") {
				continue
			}
			for j := i + 1; j < len(nodes); j++ {
				if !nodes[j].isGroup('(') {
					continue
				}
				args := split(nodes[j].kids, ",")
				if len(args) == 0 || len(args[0]) != 1 || !args[0][0].isText() {
					break
				}
				kind := e.hostKind(nodes[j:], st)
				for next := st + 1; next < min(st+5, len(f.statements)) && kind == baseNone; next++ { // the body of a function
					if after := f.statements[next].nodes; mentions(after, []string{"baseaddress"}) {
						kind = e.hostKind(after, next)
					}
				}
				if name := args[0][0].literal(); kind != baseNone {
					w.clients[name] = kind
				}
				break
			}
		}
	}
}

// hostKind says whose host the texts and the settings in an expression name.
func (e *evaluator) hostKind(nodes []node, st int) (kind baseKind) {
	eachLeaf(nodes, func(leaf []node) {
		for _, v := range e.values(leaf, st) {
			text, _ := v.flat()
			if m := (matched{}); strings.Contains(text, "://") {
				_, k := e.world.scan.matcher.host(text, &m)
				kind = max(kind, k)
			}
		}
	})
	return kind
}

// clientKind says whose host a client has that an expression asks for by its name.
func (w *world) clientKind(nodes []node) (kind baseKind) {
	for i := range nodes {
		if nodes[i].is("CreateClient") && i+1 < len(nodes) && nodes[i+1].isGroup('(') && len(nodes[i+1].kids) == 1 && nodes[i+1].kids[0].isText() {
			kind = max(kind, w.clients[nodes[i+1].kids[0].literal()])
		}
	}
	return kind
}
