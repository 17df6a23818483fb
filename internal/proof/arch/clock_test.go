package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// clockReaders are the files that may ask the machine what time it is, with the reason. All other code is given a
// clock, so that tests can move it. Tests are free: those of network code have real deadlines.
var clockReaders = map[string]string{
	"internal/store/standby/watch.go":   "how long a standby was in use: it comes back by itself, whatever the service's clock says",
	"internal/store/connect/silence.go": "deadlines of connections, which are the kernel's, and how long they wait",
	"v1/client/client.go":               "it is copied to programs that have no other clock; our own commands give it theirs",
	"v1/core/core.go":                   "SystemClock, which is the clock that the program gives to all other code",
}

// clockFolders are tools beside the service, which measure with a real clock.
var clockFolders = []string{"internal/proof/bench", "internal/proof/blackbox", "internal/proof/crashtest", "conformance/release"}

func TestOnlyTheInjectedClockIsRead(t *testing.T) {
	found := map[string]bool{}
	eachGoFile(t, clockFolders, func(file string, source []byte) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		for _, place := range clockReads(t, file, string(source)) {
			found[file] = true
			if clockReaders[file] == "" {
				t.Errorf("%s reads the machine's clock: use the one that is injected", place)
			}
		}
	})
	for file := range clockReaders {
		if !found[file] {
			t.Errorf("%s reads no clock any more: take it off the list", file)
		}
	}
}

func TestClockReads(t *testing.T) {
	for name, c := range map[string]struct {
		source string
		want   []string
	}{
		"each of the three functions is found":      {`import "time"; var _, _, _ = time.Now(), time.Since(x), time.Until(x)`, []string{"a.go:1:41", "a.go:1:53", "a.go:1:68"}},
		"another name of the package hides nothing": {`import clock "time"; var _ = clock.Now()`, []string{"a.go:1:41"}},
		"the function without a call counts":        {`import "time"; var now = time.Now`, []string{"a.go:1:37"}},
		"a clock's own Now is fine":                 {`import "time"; var _ = clock.Now(); var _ time.Time`, nil},
		"another package called time is fine":       {`import "example.org/time"; var _ = time.Now()`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, clockReads(t, "a.go", "package a; "+c.source)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// clockReads returns the places in a file that mention time.Now, time.Since or time.Until.
func clockReads(t *testing.T, name, source string) (places []string) {
	t.Helper()
	positions := token.NewFileSet()
	file, err := parser.ParseFile(positions, name, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	local := "" // what the file calls the package time
	for _, spec := range file.Imports {
		if path, _ := strconv.Unquote(spec.Path.Value); path == "time" {
			local = "time"
			if spec.Name != nil {
				local = spec.Name.Name
			}
		}
	}
	if local == "" {
		return nil
	}
	ast.Inspect(file, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok || !slices.Contains([]string{"Now", "Since", "Until"}, selector.Sel.Name) {
			return true
		}
		if of, ok := selector.X.(*ast.Ident); ok && of.Name == local {
			places = append(places, positions.Position(selector.Pos()).String())
		}
		return true
	})
	return places
}
