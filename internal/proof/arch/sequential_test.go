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
// name out, and it is in a file that itself starts no goroutine other than by t.Parallel, of a package whose readers run.
func TestReadersAreOneTestEachAndStartNoGoroutine(t *testing.T) {
	names, packages := listOf(t, "READERS"), listOf(t, "READ")
	found := map[string][]string{}
	eachGoFile(t, nil, func(file string, source []byte) {
		for _, name := range names {
			if !strings.Contains(string(source), "\nfunc "+name+"(t *testing.T)") {
				continue
			}
			found[name] = append(found[name], filepath.ToSlash(filepath.Dir(file)))
			for _, place := range goroutines(t, file, string(source)) {
				t.Errorf("%s starts a goroutine: take %s out of READERS in the Makefile", place, name)
			}
		}
	})
	for _, name := range names {
		if in := found[name]; len(in) != 1 || !slices.Contains(packages, "./"+in[0]) {
			t.Errorf("%s is in %q, and has to be in one of %s", name, in, packages)
		}
	}
}

// goroutines are the places in a file that start a goroutine: by a go statement or by a method named Go, as groups have it.
func goroutines(t *testing.T, name, source string) (places []string) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.GoStmt:
			places = append(places, files.Position(n.Pos()).String())
		case *ast.CallExpr:
			if method, ok := n.Fun.(*ast.SelectorExpr); ok && method.Sel.Name == "Go" {
				places = append(places, files.Position(n.Pos()).String())
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
