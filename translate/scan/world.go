package scan

import (
	"path"
	"slices"
	"strings"
)

// This file knows the names of other files, by their folders.

// world is what is known of all files.
type world struct {
	scan     *scanner
	names    map[spot][]farName     // constants and settings
	funcs    map[spot][]farFunction // functions that return texts or send requests
	senders  map[spot][]*sender
	evidence map[string]bool     // folders with files that know our service
	hot      map[string]bool     // names of constants and functions whose values may be a path of a call
	clients  map[string]baseKind // see clients.go
}

// spot is a name in a folder or below it. What is looked up by it is found without a look at all files.
type spot struct{ name, folder string }

// maxSpot is how many values of a name are remembered for a folder.
const maxSpot = 16

// folders calls a function with a folder and with those above it, until it returns false.
func folders(folder string, visit func(folder string) bool) {
	for {
		if !visit(folder) {
			return
		}
		above := folderOf(folder)
		if above == folder {
			return
		}
		folder = above
	}
}

// farName is a constant or a setting of a file.
type farName struct {
	file   *source
	holder string
	value  []node
	st     int
}

type farFunction struct {
	file *source
	fn   *function
}

// far returns the values of a constant or a setting of other files, nil for none. Those of the nearest folder count.
func (e *evaluator) far(name, holder string, seen int) []value {
	if len(name) < 3 {
		return nil
	}
	best, bestScore := []farName(nil), -1
	folders(e.file.folder, func(folder string) bool {
		for _, c := range e.world.names[spot{name, folder}] {
			if c.file == e.file || c.file.apart(e.file) || c.file.lang != e.file.lang && c.file.lang != langSettings || generalNames[name] && !(c.holder == "" && e.file.knows(c.file)) && (holder == "" || c.holder != holder && !c.file.hasClass(holder) && !(c.file.lang == langSettings && generalHolders[holder])) {
				continue
			}
			score := nearness(e.file.folder, c.file.folder)*4 + 1
			if holder != "" && c.holder == holder {
				score += 2
			}
			if c.file.lang == e.file.lang {
				score++
			}
			switch {
			case score > bestScore:
				best, bestScore = []farName{c}, score
			case score == bestScore && len(best) < 4:
				best = append(best, c)
			}
		}
		return best == nil
	})
	var found []value
	for _, c := range best {
		inner := evaluator{file: c.file, world: e.world, budget: e.budget, steps: e.steps + 1, work: e.work}
		values := inner.values(c.value, c.st)
		e.work = max(e.work, inner.work)
		if isHole(values) {
			continue
		}
		for _, v := range values {
			found = append(found, farther(v, seen))
		}
	}
	return found
}

// nearness says how near two folders are: the number of their common parents, less for a longer way.
func nearness(a, b string) int {
	if a == b {
		return 64
	}
	same := 0 // bytes of common folders
	for i := 0; ; i++ {
		endA, endB := i == len(a) || a[i] == '/', i == len(b) || b[i] == '/'
		if endA && endB {
			same = i
		}
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			break
		}
	}
	levels := func(rest string) int {
		if rest == "" {
			return 0
		}
		return strings.Count(strings.TrimPrefix(rest, "/"), "/") + 1
	}
	return max(32-levels(a[same:])-levels(b[same:]), 0)
}

// function returns a function of the program by its name: of the file, or of the nearest other file. nil for none. holder is the name
// before it, "" for none.
func (w *world) function(from *source, holder, name string, args int) (*source, *function) {
	key := simple(name)
	if startsUpper(holder) && !from.hasClass(simple(holder)) && len(from.byName[simple(holder)]) == 0 { // of a class or a table of another file
		var owner farFunction
		folders(from.folder, func(folder string) bool {
			for _, f := range w.funcs[spot{key, folder}] {
				if f.file != from && f.file.lang == from.lang && !f.file.apart(from) && (f.file.hasClass(simple(holder)) || len(f.file.byName[simple(holder)]) > 0) {
					owner = f
				}
			}
			return owner.fn == nil
		})
		if owner.fn != nil {
			return owner.file, owner.fn
		}
	}
	if own := from.funcs[key]; len(own) > 0 {
		for _, fn := range own {
			if len(fn.params) >= args {
				return from, fn
			}
		}
		return from, own[0]
	}
	var best farFunction
	score := -1
	folders(from.folder, func(folder string) bool {
		for _, f := range w.funcs[spot{key, folder}] {
			if f.file == from || f.file.lang != from.lang || f.file.apart(from) || !from.knows(f.file) {
				continue
			}
			if s := nearness(from.folder, f.file.folder); s > score && s > 26 {
				best, score = f, s
			}
		}
		return best.fn == nil
	})
	return best.file, best.fn
}

// knows says whether a file names another file or a class of it.
func (f *source) knows(other *source) bool {
	f.once.Do(func() {
		f.words = map[string]bool{}
		var visit func(nodes []node)
		visit = func(nodes []node) {
			for i := range nodes {
				switch n := &nodes[i]; {
				case n.token == nil:
					visit(n.kids)
				case n.kind == tokenName:
					f.words[n.token.text] = true
				case n.kind == tokenText && len(n.parts) > 0:
					text := n.parts[len(n.parts)-1].text
					if f.lang == langJavaScript && len(text) < 200 {
						f.words[f.imported(text)] = true
						continue
					}
					text = text[strings.LastIndexAny(text, `/\`)+1:]
					text, _, _ = strings.Cut(text, ".")
					if len(text) > 2 && len(text) < 60 {
						f.words[text] = true
					}
				}
			}
		}
		for i := range f.statements {
			visit(f.statements[i].nodes)
		}
	})
	stem := other.path[strings.LastIndexByte(other.path, '/')+1:]
	stem, _, _ = strings.Cut(stem, ".")
	if f.lang == langJavaScript {
		whole := strings.TrimSuffix(path.Join(other.folder, stem), "/index")
		if f.words[whole] || len(stem) > 2 && f.words["/"+stem] {
			return true
		}
	} else if len(stem) > 2 && f.words[stem] {
		return true
	}
	near := nearness(f.folder, other.folder) > 30
	return slices.ContainsFunc(other.classes, func(class string) bool { return f.words[class] && (near || !generalClasses[simple(class)]) })
}

// generalClasses are names of classes that many programs have.
var generalClasses = words("client api http request service base config module settings helper utils market shop item items main program app response gateway connection")

// imported returns the file that the text of an import names, without its extension: relative to a file, or its last part with a
// slash before it.
func (f *source) imported(text string) string {
	file := text[strings.LastIndexByte(text, '/')+1:]
	stem, _, _ := strings.Cut(file, ".")
	if strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../") {
		return strings.TrimSuffix(path.Join(f.folder, text[:len(text)-len(file)], stem), "/index")
	}
	return "/" + stem
}

// folderOf returns the folder of a path.
func folderOf(name string) string { return path.Dir(name) }
