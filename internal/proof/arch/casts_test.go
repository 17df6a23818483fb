package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestResultsOfOperationsAreNotCast looks outside v1 for assertions that something is a pointer to one of v1's types.
// The inputs and results of operations are such pointers, and v1.Op knows their types.
func TestResultsOfOperationsAreNotCast(t *testing.T) {
	eachGoFile(t, []string{"v1", "ent"}, func(file string, source []byte) {
		for _, place := range castsToV1(t, file, string(source)) {
			t.Errorf("%s casts to a type of v1: use Call, Input or Result of the operation", place)
		}
	})
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

// castsToV1 returns the places in a file that assert a pointer to a type of v1.
func castsToV1(t *testing.T, name, source string) (places []string) {
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
