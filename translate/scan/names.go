package scan

import (
	"slices"
	"strings"
	"sync"

	"sellerd/translate/source"
)

// This file gathers what is known before a line is read: which names have addresses and paths, in a file and in all files, and which
// programs know the service. Of a file it keeps a few names, and nothing else.

// constant is an address or a path that a name has.
type constant struct {
	text  string
	path  bool
	many  bool   // the name has several
	table string // the name of the object or the list that has it as a member, compared as simple does
}

// These bound what is kept of names.
const (
	maxConstants = 50_000
	maxConstant  = 300
	shortName    = 5 // a name up to this length means something else in another file
	longName     = 8 // one of this length means the same in another folder
)

// world is what all files know.
type world struct {
	mu     sync.Mutex
	consts map[string]constant
	knows  map[string]bool // the folders of programs that know the service
	paths  map[string]bool // the folders of programs that have paths as constants
	any    bool
	used   map[string]map[string]bool // the calls of constants whose paths are used where they are named
}

// use is a call where the name of a constant stands for its path.
type use struct {
	name, call string
	sure       bool
}

// simple returns a name as it is compared: without the case of letters, and without underscores. Of a.b it is b.
func simple(name string) string {
	if i := strings.LastIndexAny(name, ".:/"); i >= 0 {
		name = name[i+1:]
	}
	return strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(name, "_", ""), "-", ""))
}

// constant returns the address or path that a name has.
func (f *file) constant(name string) constant {
	if len(name) < 2 || len(name) > 60 {
		return constant{}
	}
	c, ok := f.known[name]
	if !ok {
		if c = f.search(name); c.many {
			c = constant{}
		}
		f.known[name] = c
	}
	return c
}

func (f *file) search(name string) constant {
	key := simple(name)
	if c, ok := f.consts[key]; ok || f.alone {
		return c
	}
	short := len(key) <= shortName && (name[0] < 'A' || name[0] > 'Z')
	consts := f.scan.world.consts
	for _, program := range []string{f.top, ""} {
		if c, ok := consts[program+"/"+key]; ok && (!short || c.table != "") {
			return c
		}
	}
	if len(key) >= longName && !anyPath(name) {
		return consts[key]
	}
	return constant{}
}

// meaning returns the address or path that a name stands for, "" when it stands for none. An address may have any name; a path one that
// is written like a constant's: in capitals, as a member, or as the key of a table.
func (f *file) meaning(i int) string {
	if !f.Wordy(i) {
		return ""
	}
	name := f.Str(i)
	c := f.constant(name)
	if c.text == "" {
		return ""
	}
	table, called, isText := f.tableOf(i), f.Sign(i+1, "("), f.Is(i, source.Text)
	switch {
	case table != "" && table == c.table && c.path && !strings.Contains(name, "://"):
		return c.text
	case isText || called:
		return ""
	case !c.path, name[0] >= 'A' && name[0] <= 'Z', f.Sign(i-1, "."), f.Sign(i-1, ":") && f.Sign(i-2, "["), strings.HasSuffix(c.text, "/"),
		len(wordsOf(name)) > 1 && strings.ToLower(name) != name:
		return c.text
	}
	return ""
}

// tableOf returns the name of what a token is a member of: x.key, x['key'], x{key}, x[:key], x.get('key').
func (f *file) tableOf(i int) string {
	open := i - 1
	if f.Sign(open, ":") {
		open--
	}
	if !f.Sign(i-1, ".") && (!f.Sign(open, "([{") || f.Pair(open) != i+1) {
		return ""
	}
	if f.Sign(open, "(") {
		open -= 2
	}
	if f.Sign(open-1, ".") { // $x->{key}
		open--
	}
	if f.Sign(open, ".[{") && f.Is(open-1, source.Name) {
		return simple(f.Str(open - 1))
	}
	return ""
}

// address returns the address of a name in a text, or the path of a name in capitals.
func (f *file) address(name string) string {
	if c := f.constant(name); name != "" && (!c.path || name[0] >= 'A' && name[0] <= 'Z' || strings.HasSuffix(c.text, "/")) {
		return c.text
	}
	return ""
}

// note remembers that a name has an address or a path. A name with two hosts has none.
func note(consts map[string]constant, name string, c constant, ours func(string) bool) {
	old, ok := consts[name]
	if ok && old.text != c.text {
		a, b := HostName(old.text), HostName(c.text)
		if a != b && (ours(a) != ours(b) || !strings.Contains(old.text, "://") || !strings.Contains(c.text, "://")) {
			old.many = true
			consts[name] = old
			return
		} else if newer().MatchString(c.text) || len(old.text) < len(c.text) && !newer().MatchString(old.text) {
			return
		}
	}
	c.many = c.many || old.many
	if len(consts) < maxConstants {
		consts[name] = c
	}
}

// constants finds the names that have addresses and paths in a file.
func (f *file) constants() {
	m := f.scan.matcher
	f.consts, f.known = map[string]constant{}, map[string]constant{}
	for from, to := range f.expressions() {
		if !f.promising(from, to) || !f.Is(from, source.Text) && f.OperandEnd(from) == to {
			continue
		}
		c := constant{text: f.evaluate(from, to, 0).flat()}
		c.path = len(m.find(c.text)) > 0 || m.first[c.text]
		if host := HostName(c.text); m.ours(host) {
			if !strings.Contains(c.text, "://") {
				c.text = "https://" + c.text
			}
		} else if !c.path && (!strings.Contains(c.text, "://") || strings.HasPrefix(host, string(hole))) {
			continue
		}
		if !c.path {
			c.text = strings.TrimRight(c.text, "\x00")
		}
		if c.text == "" || len(c.text) >= maxConstant || strings.ContainsAny(c.text, " \n") ||
			strings.IndexByte(strings.TrimRight(c.text, "\x00"), hole) >= 0 && c.text[0] != '/' {
			continue
		}
		names := f.holders(from)
		for i, h := range names {
			c.table = ""
			if h.member && i+1 < len(names) {
				c.table = simple(names[i+1].name)
			} else if h.table != "" {
				c.table = simple(h.table)
			}
			if !c.path || i == 0 && !h.called && (c.table != "" || !anyPath(h.name)) {
				note(f.consts, simple(h.name), c, m.ours)
				delete(f.known, h.name)
			}
		}
	}
}

// key returns the name of the setting or the member that an expression is the value of: x: "…", 'x' => "…".
func (f *file) key(from int) string {
	if (f.Sign(from-1, ":") || f.Sign(from-1, "=") && f.Family.Loose) && f.Wordy(from-2) {
		return f.Str(from - 2)
	}
	return ""
}

// holder is a name that gets a value.
type holder struct {
	name   string
	member bool   // as the key of an object
	table  string // what a function adds it to
	called bool   // by a call that has the value
}

// holders returns the names that get what the expression at a token is a part of, from the inside out: X = "…", X: "…",
// define('X', "…"), X = new Client("…"), X = { y: "…" }, X("…") in an enumeration.
func (f *file) holders(from int) (names []holder) {
	if f.Is(from-1, source.Name) && f.Is(from-2, source.Name) && has("names", strings.ToLower(f.Str(from-2))) { // #define X "…", set x "…"
		return []holder{{name: f.Str(from - 1)}}
	}
	called, crossed := false, false
	for i, steps := from-1, 0; i > 0 && steps < 40 && len(names) < 4; i, steps = i-1, steps+1 {
		t := &f.Tokens[i]
		switch {
		case f.Sign(i, ";"), f.Tokens[i+1].Fresh && f.Family.Newlines && t.Up < 0 && !f.Continues(i+1), f.IsBlock(i), f.Sign(i, "}") && t.Pair > 0,
			f.Sign(i, "(") && f.Family == source.Families()["shell"], f.Sign(i, ",") && i+1 != from && (t.Up <= 0 || f.IsBlock(int(t.Up))):
			return names // x=$(curl …) has an answer
		case f.Sign(i, ")]") && t.Pair > 0:
			i = int(t.Pair)
		case f.Sign(i, ",") && i+1 != from:
			i = int(t.Up) + 1 // what stands before it belongs to others
		case f.Sign(i, "([{"):
			caller, name := f.Str(i-1), f.Str(i+1)
			if f.Sign(i, "(") && i+2 < from && f.Is(i+1, source.Text) && f.Sign(i+2, ",") && isWordy(name) && !f.scan.matcher.ours(HostName(name)) {
				h := holder{name: name, called: crossed} // define('X', …), env('X', …), paths.put('X', …)
				if f.Sign(i-2, ".") && !crossed {
					h.table = f.Str(i - 3)
				}
				names = append(names, h)
			} else if f.Sign(i, "(") && !crossed && f.Is(i-1, source.Name) && caller == strings.ToUpper(caller) && f.Sign(i-2, "{,") && isWordy(caller) {
				return append(names, holder{name: caller})
			}
			called, crossed = called || f.Sign(i, "("), true
		case f.Sign(i, "=:"):
			j := i - 1
			if f.Sign(j, "?+") {
				j--
			}
			if f.Sign(j, "]") && t.Up == f.Tokens[j].Up && f.Pair(j) == j-2 {
				j-- // a['x'] = …
			}
			if !f.Wordy(j) || !isWordy(f.Str(j)) {
				continue
			}
			h := holder{name: f.Str(j), called: called}
			h.member = t.Up > 0 && !f.Family.Loose && (f.Sign(i, ":") || f.Sign(int(t.Up), "(") && !anyPath(h.name)) // dict(x="…")
			for k := j - 1; k > max(j-4, 0) && f.Sign(i, "=") && !f.Tokens[k+1].Fresh; k-- {                         // x: String = …, x As String = …
				if (f.Sign(k, ":") || f.Is(k, source.Name) && strings.EqualFold(f.Str(k), "as")) && f.Is(k-1, source.Name) {
					h.name = f.Str(k - 1)
				}
			}
			names = append(names, h)
			crossed = true
		}
	}
	return names
}

// held returns the name that has the value of an expression, and not what a function makes of it.
func (f *file) held(from int) string {
	if names := f.holders(from); len(names) > 0 && !names[0].called {
		return names[0].name
	}
	return ""
}

// anyPath says whether a name may have any path: url, strUrl, request_path.
func anyPath(name string) bool {
	return !slices.ContainsFunc(wordsOf(name), func(word string) bool { return !has("any", word) })
}

// isWordy says whether a text may be a name, and is no method.
func isWordy(text string) bool {
	return text != "" && len(text) < 60 && !strings.ContainsAny(text, " /%{}()<>,;'\"") && isMethod(text) == ""
}
