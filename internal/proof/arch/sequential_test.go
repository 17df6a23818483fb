package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// listOf is a list of words in the Makefile.
func listOf(t *testing.T, name string) []string {
	t.Helper()
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`(?m)^` + name + ` := ((?:.*\\\n)*.*)$`).FindSubmatch(makefile)
	if list == nil {
		t.Fatal("the Makefile has no list " + name)
	}
	return strings.Fields(strings.ReplaceAll(string(list[1]), "\\\n", " "))
}

// TestPackagesWithoutTheRaceDetectorStartNoGoroutine: neither the packages that `make test` tests without the race detector nor their
// tests start goroutines, other than by t.Parallel.
func TestPackagesWithoutTheRaceDetectorStartNoGoroutine(t *testing.T) {
	for _, folder := range listOf(t, "SEQUENTIAL") {
		files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has no files: %v", folder, err)
		}
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, place := range goroutines(t, file, string(source)) {
				t.Errorf("%s starts a goroutine: take %s out of SEQUENTIAL in the Makefile", place, folder)
			}
		}
	}
}

// TestReadersAreOneTestEachAndStartNoGoroutine: each name is that of one test, because the tests with the race detector leave all of that
// name out, in a package whose readers run. Neither its file, nor the functions of the package's tests that it calls, start a goroutine, and
// it runs no test beside others itself. What methods of other files and other packages start, such as httptest, is not seen.
func TestReadersAreOneTestEachAndStartNoGoroutine(t *testing.T) {
	names, packages := listOf(t, "READERS"), listOf(t, "READ")
	found := map[string][]string{}
	functions := map[string]map[string]called{} // by the package
	eachGoFile(t, nil, func(file string, source []byte) {
		folder := "./" + filepath.ToSlash(filepath.Dir(file))
		if slices.Contains(packages, folder) && strings.HasSuffix(file, "_test.go") {
			if functions[folder] == nil {
				functions[folder] = map[string]called{}
			}
			functionsOf(t, file, string(source), functions[folder])
		}
		for _, name := range names {
			if strings.Contains(string(source), "\nfunc "+name+"(t *testing.T)") {
				found[name] = append(found[name], folder)
				for _, place := range goroutines(t, file, string(source)) {
					t.Errorf("%s starts a goroutine: take %s out of READERS in the Makefile", place, name)
				}
			}
		}
	})
	for _, name := range names {
		in := found[name]
		if len(in) != 1 || !slices.Contains(packages, in[0]) {
			t.Errorf("%s is in %q, and has to be in one of %s", name, in, packages)
			continue
		}
		for _, place := range startedBy(name, functions[in[0]], map[string]bool{}) {
			t.Errorf("%s runs something beside %s: take that out of READERS in the Makefile", place, name)
		}
	}
}

// called is what a function starts itself, and what it names.
type called struct{ starts, calls []string }

// functionsOf adds the functions of a file by their names.
func functionsOf(t *testing.T, name, source string, into map[string]called) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, declared := range file.Decls {
		function, isFunction := declared.(*ast.FuncDecl)
		if !isFunction || function.Recv != nil {
			continue
		}
		var c called
		for _, at := range startsIn(function, "Go", "Parallel") {
			c.starts = append(c.starts, files.Position(at).String())
		}
		ast.Inspect(function, func(node ast.Node) bool {
			if name, isName := node.(*ast.Ident); isName {
				c.calls = append(c.calls, name.Name)
			}
			return true
		})
		into[function.Name.Name] = c
	}
}

// startedBy are the places that start something in a function and in what it names.
func startedBy(name string, functions map[string]called, seen map[string]bool) (places []string) {
	if seen[name] {
		return nil
	}
	seen[name] = true
	places = functions[name].starts
	for _, next := range functions[name].calls {
		places = append(places, startedBy(next, functions, seen)...)
	}
	return places
}

// goroutines are the places in a file that start a goroutine: by a go statement or by a method named Go, as groups have it.
func goroutines(t *testing.T, name, source string) (places []string) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range startsIn(file, "Go") {
		places = append(places, files.Position(at).String())
	}
	return places
}

// startsIn are the go statements below a node, and the calls of methods with these names.
func startsIn(node ast.Node, methods ...string) (places []token.Pos) {
	ast.Inspect(node, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.GoStmt:
			places = append(places, n.Pos())
		case *ast.CallExpr:
			if method, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains(methods, method.Sel.Name) {
				places = append(places, n.Pos())
			}
		}
		return true
	})
	return places
}

func TestGoroutinesAreFound(t *testing.T) {
	got := goroutines(t, "a.go", "package a\n\nfunc f() {\n\tgo f()\n\tvar group sync.WaitGroup\n\tgroup.Go(f)\n\tf()\n}\n")
	want := []string{"a.go:4:2", "a.go:6:2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWhatATestCallsIsFound(t *testing.T) {
	functions := map[string]called{}
	functionsOf(t, "a_test.go", "package a\n\nfunc TestA(t *testing.T) { help(t) }\n\nfunc help(t *testing.T) {\n\tserve()\n\thelp(t)\n}\n\n"+
		"func TestB(t *testing.T) {\n\tt.Parallel()\n}\n\nfunc TestC(t *testing.T) {}\n", functions)
	functionsOf(t, "b_test.go", "package a\n\nfunc serve() {\n\tgo listen()\n}\n", functions)
	for name, want := range map[string][]string{"TestA": {"b_test.go:4:2"}, "TestB": {"a_test.go:11:2"}, "TestC": nil} {
		if diff := cmp.Diff(want, startedBy(name, functions, map[string]bool{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
