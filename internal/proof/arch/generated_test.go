package arch

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEntIsFresh runs ent's generator on a copy of the schema and compares.
func TestEntIsFresh(t *testing.T) {
	scratch := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(scratch, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// Only what is written by hand goes along, so that a file the generator no longer writes is noticed, too.
	ent := filepath.Join(scratch, "ent")
	if err := os.CopyFS(filepath.Join(ent, "schema"), os.DirFS(filepath.Join(root, "ent", "schema"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"generate.go", "entc.go"} {
		text, err := os.ReadFile(filepath.Join(root, "ent", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(ent, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	generate := exec.Command("go", "generate", "./ent")
	generate.Dir = scratch
	if out, err := generate.CombinedOutput(); err != nil {
		t.Fatalf("go generate: %v\n%s", err, out)
	}
	if diff := cmp.Diff(goFiles(t, ent), goFiles(t, filepath.Join(root, "ent"))); diff != "" {
		t.Errorf("ent's code is stale, run make generate (- fresh, + committed):\n%s", diff)
	}
}

// goFiles reads the Go files of a folder and of those below it.
func goFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
