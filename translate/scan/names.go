package scan

import (
	"slices"
	"sort"
	"strings"
	"sync"
)

// This file knows the values of names in all files of a scan: constants, members, settings, and functions.

// source is a file of a scan, with what is known of it.
type source struct {
	*program
	path   string // as findings show it, with slashes
	folder string
	root   string // the folder of its program, "" for all folders
	assign []assignment
	byName map[string][]int // assignments by name
	byHold map[string][]int // members by holder
	funcs  map[string][]*function
	hints  hints
	kept   bool // its statements are kept
	test   bool // it is a test

	inClass    []int           // see classOf
	classNames map[string]bool // simplified

	placed struct{ line, at, count int } // the last place that was asked for

	once  sync.Once
	words map[string]bool // names in the file, see knows
}

// index prepares the lookups of a file.
func (f *source) index() {
	f.assign = f.assignments()
	f.byName, f.byHold, f.funcs = map[string][]int{}, map[string][]int{}, map[string][]*function{}
	for i := range f.assign {
		a := &f.assign[i]
		f.byName[a.name] = append(f.byName[a.name], i)
		if a.holder != "" {
			f.byHold[a.holder] = append(f.byHold[a.holder], i)
		}
	}
	for _, fn := range f.functions {
		if fn.name != "" {
			key := simple(fn.name)
			f.funcs[key] = append(f.funcs[key], fn)
		}
	}
	if f.lang == langPerl {
		f.perlParams()
	}
	f.indexClasses()
	f.classNames = map[string]bool{}
	for _, class := range f.classes {
		f.classNames[simple(class)] = true
	}
}

// perlParams finds the parameters of Perl's functions: my ($self, $path) = @_; and my $path = shift;
func (f *source) perlParams() {
	for _, fn := range f.functions {
		for i := fn.first; i < min(fn.last, fn.first+8, len(f.statements)); i++ {
			nodes := f.statements[i].nodes
			n := len(nodes)
			if n < 3 || !nodes[0].is("my") {
				continue
			}
			switch {
			case nodes[1].isGroup('(') && nodes[n-1].is("_"):
				for _, part := range split(nodes[1].kids, ",") {
					if len(part) == 1 && !part[0].is("self", "class") {
						fn.params = append(fn.params, param{name: part[0].text(), rest: part[0].at < len(f.src) && f.src[part[0].at] == '@'})
					}
				}
			case nodes[1].isName() && n >= 4 && nodes[3].is("shift"):
				if !nodes[1].is("self", "class") {
					fn.params = append(fn.params, param{name: nodes[1].token.text})
				}
			case nodes[1].isName() && n == 4 && nodes[3].is("_"): // my @parts = @_;
				fn.params = append(fn.params, param{name: nodes[1].token.text, rest: nodes[1].at < len(f.src) && f.src[nodes[1].at] == '@'})
			case nodes[1].isName() && n >= 5 && nodes[3].is("_"): // $_[0]
				fn.params = append(fn.params, param{name: nodes[1].token.text})
			}
		}
	}
}

// lookup returns the values of a name at a statement. seen is where the name stands.
func (e *evaluator) lookup(name, holder, written string, seen, st int, member bool) []value {
	if name == "" || e.steps > maxSteps || e.work > maxWork {
		return hole("")
	}
	e.steps++
	defer func() { e.steps-- }()
	f := e.file
	var fn *function
	if st < len(f.statements) {
		fn = f.statements[st].fn
	}
	if e.within != nil && e.within.first == st {
		fn = e.within
	}
	if member && fn != nil && memberOfParameter[name] && slices.ContainsFunc(fn.params, func(p param) bool { return p.name != "" && simple(p.name) == holder }) {
		return hole(name) // of a request that the function is given
	}
	constant := isUpper(written) && f.lang != langShell
	if local := e.local(name, fn, st, constant, seen); local != nil {
		return local
	}
	if fn != nil && !member {
		for i := range fn.params {
			if simple(fn.params[i].name) == name {
				if given := e.args[fn]; given != nil && given[i] != nil {
					return given[i]
				}
				return []value{{{hole: true, name: name, param: i + 1}}}
			}
		}
	}
	if found := e.elsewhere(name, holder, seen, st, fn); found != nil {
		return found
	}
	for _, i := range few(f.byName[name]) {
		if a := &f.assign[i]; !a.member && (!constant || isUpper(a.written)) && (a.holder == holder || holder == "" || holder == "this" || holder == "self") {
			return hole(name) // the file gives it a value that only a running program knows
		}
	}
	if found := e.far(name, holder, seen); found != nil {
		return found
	}
	return hole(name)
}

// memberOfParameter are members that each request has.
var memberOfParameter = words("path resource route endpoint")

// maxFew is how many assignments of a name are looked at.
const maxFew = 64

// few returns the first assignments of a name.
func few(indices []int) []int { return indices[:min(len(indices), maxFew)] }

// isUpper says whether a name is written as constants are.
func isUpper(name string) bool { return len(name) > 2 && strings.ToUpper(name) == name }

// local returns the values that the function of a statement gave a name before it, nil for none.
func (e *evaluator) local(name string, fn *function, st int, constant bool, seen int) []value {
	e.budget.spend(50) // the values before are copied
	if e.work++; e.work > maxWork {
		return nil
	}
	f := e.file
	var found []value
	depth := 1 << 30
	if st < len(f.statements) {
		depth = f.statements[st].depth
	}
	indices := f.byName[name]
	k := sort.Search(len(indices), func(i int) bool { return f.assign[indices[i]].statement >= st }) - 1
	for tried := 0; k >= 0 && tried < maxFew; k, tried = k-1, tried+1 {
		a := &f.assign[indices[k]]
		if a.member || a.fn != fn || a.statement >= st || constant && a.written != "" && !isUpper(a.written) || f.lang == langPerl && fn != nil && isArgument(a.value) {
			continue
		}
		if a.appends {
			before := e.local(name, fn, a.statement, constant, seen)
			if before == nil {
				if before = e.elsewhere(name, "", seen, a.statement, fn); before == nil {
					before = []value{{}}
				}
			}
			found = append(found, concat(before, e.values(a.value, a.statement))...)
		} else {
			found = append(found, e.values(a.value, a.statement)...)
		}
		if a.depth <= depth || len(found) > maxValues {
			break
		}
	}
	if constant {
		for i := range found {
			found[i] = farther(found[i], seen)
		}
	}
	return found
}

// isArgument says whether a value is an argument of a function of Perl: shift, @_.
func isArgument(nodes []node) bool {
	return len(nodes) > 0 && len(nodes) <= 3 && nodes[0].is("shift", "_") && (len(nodes) == 1 || nodes[1].is("||", "//") || nodes[1].token == nil)
}

// farther marks the literals of a value as those of a constant that is named at a place.
func farther(v value, seen int) value {
	out := slices.Clone(v)
	for i := range out {
		if !out[i].hole {
			out[i].far, out[i].seen = true, seen
		}
	}
	return out
}

// elsewhere returns the values that other functions of the file give a name, nil for none.
func (e *evaluator) elsewhere(name, holder string, seen, st int, fn *function) []value {
	f := e.file
	var found []value
	classes := holder == "" || holder == "this" || holder == "self"
	for round := range 3 {
		strict, own := round < 2, round == 0
		if own && (!classes || f.classOf(st) < 0) {
			continue
		}
		for _, i := range few(f.byName[name]) {
			a := &f.assign[i]
			if own && (f.classOf(a.statement) != f.classOf(st)) {
				continue
			}
			if a.statement == st && !a.member || strict != (holder != "" && a.holder == holder || holder == "" && !a.member || own && a.holder == "" && !a.member) || a.appends {
				continue
			}
			if !a.constant && a.fn != nil && a.fn != fn && holder == "" && !isOuter(a.fn, fn) {
				continue // a variable of another function
			}
			if !a.constant && !a.member && a.fn != nil && a.fn == fn && a.statement > st && a.holder == "" {
				continue // what the variable holds later
			}
			if a.member && holder == "" && a.fn != nil && a.fn != fn {
				continue
			}
			e.steps++
			values := e.values(a.value, a.statement)
			e.steps--
			if isHole(values) {
				continue
			}
			for _, v := range values {
				found = append(found, farther(v, seen))
			}
			if len(found) > maxValues {
				return found
			}
		}
		if found != nil {
			return found
		}
	}
	return found
}

// isOuter says whether a function is around another one.
func isOuter(outer, inner *function) bool {
	return inner != nil && outer.first <= inner.first && outer.last >= inner.last
}

// anyMember returns the values of all members of a table: a key that only a running program knows selects one of them.
func (e *evaluator) anyMember(holder string, st int) []value {
	f := e.file
	var found []value
	for _, i := range few(f.byHold[holder]) {
		a := &f.assign[i]
		if a.member && len(found) < maxValues {
			found = append(found, e.values(a.value, a.statement)...)
		}
	}
	if found == nil {
		for _, i := range few(f.byName[holder]) {
			a := &f.assign[i]
			if len(a.value) == 1 && a.value[0].isGroup('[') || len(a.value) == 1 && a.value[0].isGroup('{') {
				for _, part := range split(a.value[0].kids, ",") {
					if len(part) > 0 && len(found) < maxValues {
						found = append(found, e.values(part, a.statement)...)
					}
				}
			}
		}
	}
	if found == nil {
		return hole(holder)
	}
	for i := range found {
		found[i] = slices.Clone(found[i])
		for j := range found[i] {
			found[i][j].any = true
		}
	}
	return found
}

// generalNames are names that mean something else in each file, and generalHolders are objects that hold settings.
var (
	generalNames = words("path url uri id name data method type key value item items title token link href text code body params query result response endpoint host base address route resource root " +
		"category seller notification server request options headers payload get post put delete patch head fetch list settings content json xml send all html run script command steps jobs uses title env on with new start stop")
	generalHolders = words("config settings cfg conf options env this self configuration appsettings params parameters properties props api")
)

// hasClass says whether a file declares a class.
func (f *source) hasClass(name string) bool {
	return f.classNames[name]
}

// weight returns how much there is to look at in a statement: its bytes.
func (f *source) weight(st int) int {
	end := len(f.src)
	if st+1 < len(f.statements) {
		end = f.statements[st+1].at
	}
	return max(end-f.statements[st].at, 0)
}

// classOf returns the number of the statement that begins the class around a statement, -1 outside of classes.
func (f *source) classOf(st int) int {
	if st >= len(f.inClass) {
		return -1
	}
	return f.inClass[st]
}

// indexClasses finds the class around each statement.
func (f *source) indexClasses() {
	f.inClass = make([]int, len(f.statements))
	type open struct{ st, depth int }
	var stack []open
	for i := range f.statements {
		s := &f.statements[i]
		depth := s.depth
		if f.lang.indented {
			depth = s.indent
		}
		for len(stack) > 0 && depth <= stack[len(stack)-1].depth {
			stack = stack[:len(stack)-1]
		}
		f.inClass[i] = -1
		if len(stack) > 0 {
			f.inClass[i] = stack[len(stack)-1].st
		}
		for j := range min(len(s.nodes)-1, 6) {
			if s.nodes[j].is("class", "Class", "module", "object", "interface") && s.nodes[j+1].isName() {
				stack = append(stack, open{i, depth})
				break
			}
		}
	}
}

// result is an expression that a function returns.
type result struct {
	nodes     []node
	statement int
}

// results returns the expressions that a function may return.
func (f *source) results(fn *function) (results []result) {
	if fn.body != nil {
		return []result{{fn.body, fn.first}}
	}
	for i := fn.first; i < min(fn.last, len(f.statements)); i++ {
		nodes := f.statements[i].nodes
		if f.statements[i].fn != fn {
			continue
		}
		switch {
		case len(nodes) > 1 && nodes[0].is("return", "Return"):
			results = append(results, result{nodes[1:], i})
		case f.lang == langVB && len(nodes) > 2 && nodes[1].is("=") && nodes[0].isName() && strings.EqualFold(nodes[0].token.text, fn.name):
			results = append(results, result{nodes[2:], i})
		case fn.lines && results == nil && !nodes[0].is("end") && i+2 >= min(fn.last, len(f.statements)) && !hasAssign(nodes):
			results = append(results, result{nodes, i})
		}
		if len(results) > 6 {
			break
		}
	}
	return results
}

func hasAssign(nodes []node) bool {
	return slices.ContainsFunc(nodes, func(n node) bool { return n.is("=", "+=", ".=") })
}
