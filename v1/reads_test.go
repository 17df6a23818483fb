package v1_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// TestOnlyGETsReadFromReads follows the names in the program from each use of Reads to everything that may come there. The
// operations among them must be GETs, and they are listed here, so that no read begins to use a standby unnoticed. Workers and
// the operator's acts must not be among them.
func TestOnlyGETsReadFromReads(t *testing.T) {
	var paths []string
	for _, room := range []string{"core", "items", "publishing", "trade", "hooks", "accounts", "privacy"} {
		found, err := filepath.Glob(room + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	uses, methods := map[string]map[string]bool{}, map[string]string{} // names in functions; the methods of operations
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declared := range file.Decls {
			if fn, ok := declared.(*ast.FuncDecl); ok && fn.Body != nil {
				if uses[fn.Name.Name] == nil {
					uses[fn.Name.Name] = map[string]bool{}
				}
				maps.Copy(uses[fn.Name.Name], namesIn(fn.Body))
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) < 5 {
				return true
			}
			name, isName := call.Args[0].(*ast.BasicLit)
			method, isMethod := call.Args[4].(*ast.SelectorExpr)
			if callee, ok := call.Fun.(*ast.SelectorExpr); ok && callee.Sel.Name == "NewOp" && isName && isMethod {
				methods[method.Sel.Name] = strings.Trim(name.Value, `"`)
			}
			return true
		})
	}
	reaches := map[string]bool{"Reads": true, "readEvents": true} // the reader of the feed has a copy of the field
	for grown := true; grown; {
		grown = false
		for fn, names := range uses {
			if !reaches[fn] && fn != "New" && fn != "setDefaults" && slices.ContainsFunc(slices.Collect(maps.Keys(names)), func(name string) bool { return reaches[name] }) {
				reaches[fn], grown = true, true
			}
		}
	}
	var found, others []string
	for fn := range reaches {
		switch {
		case methods[fn] != "":
			found = append(found, methods[fn])
		case strings.HasSuffix(fn, "Once"):
			others = append(others, fn)
		}
	}
	slices.Sort(found)
	want := []string{
		"BrowseBills", "BrowseDeliveries", "BrowseEvents", "BrowseItems", "BrowseSales", "BrowseShippingModels", "BrowseTrackings",
		"GetBatch", "GetBill", "GetDelivery", "GetEvent", "GetItem", "GetRating", "GetSale", "GetSubmission", "GetTracking", "GetWebhook",
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("operations that may read from a standby (-want +got):\n%s", diff)
	}
	if len(others) > 0 {
		t.Errorf("workers that may read from a standby: %v", others)
	}
	for _, o := range v1.Operations {
		if slices.Contains(found, o.Name) && o.Method != "GET" {
			t.Errorf("%s is a %s, and may read from a standby", o.Name, o.Method)
		}
	}
}

// namesIn are all names in a part of the program.
func namesIn(part ast.Node) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(part, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			names[id.Name] = true
		}
		return true
	})
	return names
}

// watchedReads is a Store in the place of a standby that keeps the statements of hot reads.
type watchedReads struct {
	v1.Store
	mu    sync.Mutex
	texts []string
}

func (r *watchedReads) Query(ctx context.Context, query string, args ...any) (v1.Rows, error) {
	r.mu.Lock()
	r.texts = append(r.texts, query)
	r.mu.Unlock()
	return r.Store.Query(ctx, query, args...)
}

// TestNoKeyIsReadFromReads reads with a key that the process remembers. Without Reads, the statements of such reads also find
// out whether the key is still valid.
func TestNoKeyIsReadFromReads(t *testing.T) {
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		reads := &watchedReads{}
		w := servertest.New(t, database(t), func(c *v1.Config) {
			reads.Store = c.Store
			c.Reads = reads
		})
		item := w.List(t, servertest.FixedPrice())
		paths := []string{"/v1/items/" + item, "/v1/items", "/v1/sales", "/v1/events"}
		for range 2 { // the second time with a claim
			for _, path := range paths {
				if got := w.Do(t, servertest.Request{Method: "GET", Path: path}); got.Status != 200 {
					t.Fatalf("GET %s: %d", path, got.Status)
				}
			}
		}
		if len(reads.texts) < 2*len(paths) {
			t.Errorf("%d statements for %d GETs", len(reads.texts), 2*len(paths))
		}
		for _, text := range reads.texts {
			if strings.Contains(text, "api_keys") {
				t.Errorf("the statement reads a key: %s", text)
			}
		}
	})
}
