package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestResultsOfOperationsAreNotCast looks outside v1 for assertions that something is a pointer to one of v1's types.
// The inputs and results of operations are such pointers, and v1.Op knows their types.
func TestResultsOfOperationsAreNotCast(t *testing.T) {
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		file, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		file = filepath.ToSlash(file)
		if entry.IsDir() {
			if file == "v1" || file == "ent" || file != "." && (strings.HasPrefix(entry.Name(), ".") || foreignModule(path)) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, ".go") {
			return nil
		}
		for _, place := range castsToV1(t, path, nil) {
			t.Errorf("%s casts to a type of v1: use Call, Input or Result of the operation", place)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestCastsToV1(t *testing.T) {
	for name, c := range map[string]struct {
		source string
		want   []string
	}{
		"a result is found":             {`var a = x.(*v1.Item)`, []string{"a.go:1:20"}},
		"a page of results is found":    {`var a = x.(*v1.Page[v1.Item])`, []string{"a.go:1:20"}},
		"an error's type is fine":       {`var a = x.(v1.Errors)`, nil},
		"a question for a type is fine": {`func f() { switch x.(type) { case *v1.Operation: } }`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, castsToV1(t, "a.go", "package a; "+c.source)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// castsToV1 returns the places in a file that assert a pointer to a type of v1. source is nil for the file on the disk.
func castsToV1(t *testing.T, name string, source any) (places []string) {
	t.Helper()
	positions := token.NewFileSet()
	file, err := parser.ParseFile(positions, name, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		cast, ok := n.(*ast.TypeAssertExpr)
		if !ok {
			return true
		}
		pointer, ok := cast.Type.(*ast.StarExpr)
		if !ok {
			return true
		}
		named := pointer.X
		switch generic := named.(type) {
		case *ast.IndexExpr:
			named = generic.X
		case *ast.IndexListExpr:
			named = generic.X
		}
		if selector, ok := named.(*ast.SelectorExpr); ok {
			if of, ok := selector.X.(*ast.Ident); ok && of.Name == "v1" {
				places = append(places, positions.Position(cast.Pos()).String())
			}
		}
		return true
	})
	return places
}
