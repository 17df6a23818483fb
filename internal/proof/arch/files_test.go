package arch

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// root is the module's root, seen from here.
const root = "../../.."

// eachGoFile reads the Go files of the module, by their paths from its root. It passes over some folders with everything below them, over
// hidden folders, and over other modules.
func eachGoFile(t *testing.T, without []string, read func(file string, source []byte)) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(root), ".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && file != "." && (slices.Contains(without, file) || strings.HasPrefix(entry.Name(), ".") || foreignModule(file)):
			return fs.SkipDir
		case entry.IsDir() || filepath.Ext(file) != ".go":
			return nil
		}
		source, err := os.ReadFile(filepath.Join(root, file))
		if err == nil {
			read(file, source)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// foreignModule says whether a folder is the root of another module.
func foreignModule(folder string) bool {
	_, err := os.Stat(filepath.Join(root, folder, "go.mod"))
	return err == nil
}
