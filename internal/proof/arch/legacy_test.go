package arch

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// withLegacy are the files of the bridge, which serves what the folder legacy has, and goes with it.
var withLegacy = []string{"internal/bridge/*.go", "internal/bridge/command/*.go", "internal/command/seller/bridge.go"}

// TestWithoutLegacyTheRestCompiles builds everything as if the folder legacy were deleted, together with the lines that
// mount it, for the service and for its start: all in the mount file. The bridge goes, too, with the lines that are its command.
// Nothing is deleted; the compiler is shown other files.
func TestWithoutLegacyTheRestCompiles(t *testing.T) {
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{} // what the compiler sees in place of a file, "" for none
	gone, err := filepath.Glob(filepath.Join(top, "legacy", "*.go"))
	if err != nil || len(gone) == 0 {
		t.Fatalf("there is no folder legacy: %v", err)
	}
	for _, pattern := range withLegacy {
		files, err := filepath.Glob(filepath.Join(top, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("there is no %s: %v", pattern, err)
		}
		gone = append(gone, files...)
	}
	for _, file := range gone {
		seen[file] = ""
	}
	scratch := t.TempDir()
	for _, program := range []string{"sellerd", "seller"} {
		commands := filepath.Join(top, "cmd", program, "main.go")
		text, err := os.ReadFile(commands)
		if err != nil {
			t.Fatal(err)
		}
		var others []string
		for line := range strings.Lines(string(text)) {
			if !strings.Contains(line, "seller.Bridge") {
				others = append(others, line)
			}
		}
		seen[commands] = filepath.Join(scratch, program+".go")
		if err := os.WriteFile(seen[commands], []byte(strings.Join(others, "")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	mount := filepath.Join(top, "internal", "server", "server.go")
	source, err := os.ReadFile(mount)
	if err != nil {
		t.Fatal(err)
	}
	var kept, dropped []string
	for line := range strings.Lines(string(source)) {
		if strings.Contains(line, `"sellerd/legacy"`) || strings.Contains(line, "legacy.") {
			dropped = append(dropped, strings.TrimSpace(line))
			continue
		}
		kept = append(kept, line)
	}
	if len(dropped) != 3 {
		t.Errorf("want an import and two mount lines, got %q", dropped)
	}
	seen[mount] = filepath.Join(scratch, "server.go")
	overlay, err := json.Marshal(map[string]any{"Replace": seen})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"server.go": strings.Join(kept, ""), "overlay.json": string(overlay)} {
		if err := os.WriteFile(filepath.Join(scratch, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-overlay", filepath.Join(scratch, "overlay.json"), "./...")
	build.Dir = top
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
}

// TestWhatSellersRunHasNoDatabase lists what the program of sellers and their commands are made of when they are built without
// cgo.
func TestWhatSellersRunHasNoDatabase(t *testing.T) {
	for _, of := range []string{"cmd/seller", "internal/command/seller"} {
		t.Run(of, func(t *testing.T) {
			list := exec.Command("go", "list", "-deps", module+of)
			list.Env = append(os.Environ(), "CGO_ENABLED=0")
			out, err := list.Output()
			if err != nil {
				t.Fatalf("go list: %v", err)
			}
			for _, path := range strings.Fields(string(out)) {
				for _, stray := range []string{"sellerd/internal/store", "sellerd/internal/server", "mattn/go-sqlite3", "jackc/pgx", "go-playground/validator"} {
					if strings.Contains(path, stray) {
						t.Errorf("it imports %s", path)
					}
				}
			}
		})
	}
}

// TestOnlyTheAdapterKnowsTheService reads the folder legacy: its calls run where there is no service, too, so the type is
// named in one file.
func TestOnlyTheAdapterKnowsTheService(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "legacy", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		knows := false
		ast.Inspect(file, func(n ast.Node) bool {
			if selector, ok := n.(*ast.SelectorExpr); ok && selector.Sel.Name == "Service" {
				of, ok := selector.X.(*ast.Ident)
				knows = knows || ok && of.Name == "v1"
			}
			return true
		})
		if adapter := filepath.Base(path) == "service_api.go"; knows != adapter {
			t.Errorf("%s: knows v1.Service: %t", path, knows)
		}
	}
}
