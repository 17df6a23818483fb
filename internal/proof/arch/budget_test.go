package arch

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// size is how large a package is. Only code that is written by hand counts, and no test. Files are not counted.
type size struct {
	lines     int
	methods   int      // of the type that has the most
	variables int      // of the package
	long      []string // functions of more than longFunction lines, in order
}

// longFunction is how many lines a function may have.
const longFunction = 60

// usual is what a package may have without a reason.
var usual = size{lines: 4_000, methods: 60, variables: 40}

// budget is what one package may have. A number of 0 is the usual one. A number rises only here, and with a reason.
type budget struct {
	folder string
	size
	why string
}

var budgets = []budget{
	{"internal/server", size{lines: 4_380, methods: 70}, "a handler is a method, and there are pages for the account, for what is left, and in six languages with a search index for each; listeners speak TLS, operators have roles, requests have spans"},
	{"internal/store", size{long: []string{"openSQLite"}}, "two databases; a file is opened under one lock, step by step"},
	{"translate", size{variables: 80}, "a table for each call of /rest, which is a variable"},
	{"translate/paste", size{lines: 4_300, variables: 98, long: []string{
		"pasted.meaning", "script.call", "script.options", "script.statement",
	}}, "the forms and words of seven languages with C#, a switch over each, programs of several calls, values that only their programs know, and the names of calls without a path"},
	{"v1", size{variables: 98}, "names of the rooms for callers outside: an operation is a variable"},
	{"v1/accounts", size{variables: 45}, "the operations of sellers and of operators, which are variables"},
	{"v1/core", size{lines: 4_295, methods: 105}, "the service under all rooms: keys, operators and their audit log, limits, changes of one owner and of several, idempotency, HTTP, spans of transactions"},
	{"v1/hooks", size{long: []string{"SampleEvent"}}, "one example of each object"},
	{"v1/sunset", size{long: []string{"Usage.complete"}}, "goes in October 2027"},
	{"v1/trade", size{variables: 45}, "an operation is a variable"},
}

func TestPackagesKeepToTheirBudgets(t *testing.T) {
	sizes := packageSizes(t)
	left := map[string]budget{}
	for _, b := range budgets {
		left[b.folder] = b
	}
	for folder, found := range sizes {
		for _, problem := range overBudget(found, left[folder].size) {
			t.Errorf("%s has %s", folder, problem)
		}
	}
	for _, b := range budgets {
		if _, found := sizes[b.folder]; !found || b.why == "" {
			t.Errorf("the entry of %s is of no package, or has no reason", b.folder)
		}
	}
}

// overBudget compares a package with its entry, and the entry with the package: it lists what is too much on either side.
func overBudget(found, entry size) (problems []string) {
	for _, n := range []struct {
		what                  string
		found, entered, usual int
	}{
		{"lines", found.lines, entry.lines, usual.lines},
		{"methods on one type", found.methods, entry.methods, usual.methods},
		{"variables", found.variables, entry.variables, usual.variables},
	} {
		switch limit := cmp.Or(n.entered, n.usual); {
		case n.found > limit:
			problems = append(problems, fmt.Sprintf("%d %s, over %d: divide it, or raise the entry with a reason", n.found, n.what, limit))
		case n.entered > 0 && n.found <= n.usual:
			problems = append(problems, fmt.Sprintf("%d %s, no more than usual: take the number out of the entry", n.found, n.what))
		case n.entered > 0 && n.found*10 < n.entered*9:
			problems = append(problems, fmt.Sprintf("%d %s, well under %d: lower the entry", n.found, n.what, n.entered))
		}
	}
	if diff := gocmp.Diff(entry.long, found.long); diff != "" {
		problems = append(problems, fmt.Sprintf("other functions of more than %d lines (-entry +code):\n%s", longFunction, diff))
	}
	return problems
}

func TestOverBudget(t *testing.T) {
	for name, c := range map[string]struct {
		found, entry size
		want         int // problems
	}{
		"as usual":                       {size{lines: 4_000, methods: 60, variables: 40}, size{}, 0},
		"too much of everything":         {size{lines: 4_001, methods: 61, variables: 41, long: []string{"New"}}, size{}, 4},
		"as entered":                     {size{lines: 5_000, long: []string{"New"}}, size{lines: 5_000, long: []string{"New"}}, 0},
		"more than entered":              {size{lines: 5_001}, size{lines: 5_000}, 1},
		"a little less":                  {size{lines: 4_500}, size{lines: 5_000}, 0},
		"much less":                      {size{lines: 4_499}, size{lines: 5_000}, 1},
		"so little that no entry is due": {size{methods: 60}, size{methods: 62}, 1},
		"a function that became short":   {size{}, size{long: []string{"New"}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			if got := overBudget(c.found, c.entry); len(got) != c.want {
				t.Errorf("%d problems: %q", len(got), got)
			}
		})
	}
}

// packageSizes measures the packages of the module, by their folders.
func packageSizes(t *testing.T) map[string]size {
	t.Helper()
	sizes, methods := map[string]size{}, map[string]map[string]int{}
	eachGoFile(t, nil, func(file string, source []byte) {
		if strings.HasSuffix(file, "_test.go") || strings.Contains(file, "/testdata/") {
			return
		}
		places := token.NewFileSet()
		parsed, err := parser.ParseFile(places, file, source, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if ast.IsGenerated(parsed) {
			return
		}
		folder := path.Dir(file)
		of := sizes[folder]
		if methods[folder] == nil {
			methods[folder] = map[string]int{}
		}
		of.lines += strings.Count(string(source), "\n")
		for _, declared := range parsed.Decls {
			switch d := declared.(type) {
			case *ast.GenDecl:
				of.variables += variables(d)
			case *ast.FuncDecl:
				name := d.Name.Name
				if on := receiver(d); on != "" {
					methods[folder][on]++
					of.methods = max(of.methods, methods[folder][on])
					name = on + "." + name
				}
				if lines := places.Position(d.End()).Line - places.Position(d.Pos()).Line + 1; lines > longFunction {
					of.long = append(of.long, name)
				}
			}
		}
		slices.Sort(of.long)
		sizes[folder] = of
	})
	return sizes
}

// variables are how many variables a declaration has.
func variables(d *ast.GenDecl) (n int) {
	for _, spec := range d.Specs {
		if values, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.VAR {
			n += len(slices.DeleteFunc(slices.Clone(values.Names), func(name *ast.Ident) bool { return name.Name == "_" }))
		}
	}
	return n
}

// receiver is the name of the type that a method is on.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	on := d.Recv.List[0].Type
	if pointer, ok := on.(*ast.StarExpr); ok {
		on = pointer.X
	}
	switch generic := on.(type) {
	case *ast.IndexExpr:
		on = generic.X
	case *ast.IndexListExpr:
		on = generic.X
	}
	return on.(*ast.Ident).Name
}
