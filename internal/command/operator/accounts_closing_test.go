package operator

import (
	"archive/zip"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

func TestAnExportIsWholeOrNotThere(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	for name, open := range map[string]func(path string) (fs.FS, error){
		"anna":     func(path string) (fs.FS, error) { return os.DirFS(path), nil },
		"anna.zip": func(path string) (fs.FS, error) { return zip.OpenReader(path) },
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			c := accountExport{To: filepath.Join(folder, name)}
			if _, err := c.write(t.Context(), w.Service, w.Account+1); err == nil {
				t.Error("an account was exported that is not there")
			}
			wantFiles(t, folder)
			done, err := c.write(t.Context(), w.Service, w.Account)
			if err != nil {
				t.Fatal(err)
			}
			wantFiles(t, folder, name)
			if _, err := c.write(t.Context(), w.Service, w.Account); err == nil {
				t.Error("an export took the place of another")
			}
			wantFiles(t, folder, name)
			files, err := open(c.To)
			if err != nil {
				t.Fatal(err)
			}
			want := []string{"export.json"}
			for _, file := range done.Files {
				want = append(want, file.Name)
			}
			slices.Sort(want)
			var got []string
			err = fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
				if err == nil && !entry.IsDir() {
					got = append(got, path)
				}
				return err
			})
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" || err != nil || len(got) < 4 {
				t.Errorf("%v, the files (-want +got):\n%s", err, diff)
			}
		})
	}
}

// wantFiles fails unless a folder has some files, which only their owner can read, and no others.
func wantFiles(t *testing.T, folder string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, entry := range entries {
		got = append(got, entry.Name())
		if info, err := entry.Info(); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("others can read %s: %v", entry.Name(), err)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("in the folder (-want +got):\n%s", diff)
	}
}
