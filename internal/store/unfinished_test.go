package store

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestCopiesThatWereKilledLeaveNoPileOfFiles begins copies that end before their file has its name, as a kill would.
func TestCopiesThatWereKilledLeaveNoPileOfFiles(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "copy.db")
	if err := os.Mkdir(path, 0o700); err != nil { // in the way of the new name
		t.Fatal(err)
	}
	left := filepath.Join(folder, "copy.db.unfinished-copy")
	for range 3 {
		if err := os.WriteFile(left, []byte("what a kill left"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := createCopy(t.Context(), path); err == nil {
			t.Fatal("a file was renamed to a folder")
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := createCopy(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if !slices.Equal(names, []string{"copy.db"}) {
		t.Errorf("the folder has %q", names)
	}
}
