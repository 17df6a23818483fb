package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// problemOf is why a database cannot be opened, 0 for another error.
func problemOf(t *testing.T, c Config) Problem {
	t.Helper()
	db, err := Open(t.Context(), c)
	if err == nil {
		_ = db.Close()
		t.Fatalf("%s was opened", c.URL)
	}
	var problem *OpenError
	if !errors.As(err, &problem) {
		t.Errorf("%s: %v", c.URL, err)
		return 0
	}
	return problem.Problem
}

// One database has one server, by whatever path.
func TestASecondServerIsRefusedByEveryPath(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "sellerd.db")
	link := func(target, name string) string {
		t.Helper()
		path := filepath.Join(folder, name)
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	open(t, Config{URL: "sqlite:" + file, Server: true})
	same := link(file, "link.db")
	paths := map[string]string{
		"the path itself":            file,
		"a link":                     same,
		"a relative link":            link("sellerd.db", "relative.db"),
		"a link to a link":           link(same, "again.db"),
		"a linked folder":            filepath.Join(link(folder, "elsewhere"), "sellerd.db"),
		"a link in a linked folder":  filepath.Join(folder, "elsewhere", "link.db"),
		"a folder's link and a file": filepath.Join(folder, "elsewhere", "elsewhere", "sellerd.db"),
	}
	for name, path := range paths {
		if got := problemOf(t, Config{URL: "sqlite:" + path, Server: true}); got != ProblemServed {
			t.Errorf("%s: problem %d, want that a server is running", name, got)
		}
		b, _, err := openBulk(t.Context(), Config{URL: "sqlite:" + path}, false)
		if err != nil {
			t.Fatal(err)
		}
		if served, err := b.Served(t.Context()); served != Served || err != nil {
			t.Errorf("%s: a copy does not see the server: %d %v", name, served, err)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
	beside, err := filepath.Glob(filepath.Join(folder, "*.server"))
	if err != nil || len(beside) != 1 {
		t.Errorf("the locks are %q %v", beside, err)
	}
}

func TestAFileWithTwoNamesIsRefused(t *testing.T) {
	folder := t.TempDir()
	file, other := filepath.Join(folder, "sellerd.db"), filepath.Join(folder, "other.db")
	if err := open(t, Config{URL: "sqlite:" + file}).Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(file, other); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, other} {
		for _, c := range []Config{{URL: "sqlite:" + path, Server: true}, {URL: "sqlite:" + path, Existing: true}, {URL: "sqlite:" + path, copying: true}} {
			if got := problemOf(t, c); got != ProblemLinked {
				t.Errorf("%+v: problem %d, want that it has two names", c, got)
			}
		}
		var problem *OpenError
		if _, _, err := openBulk(t.Context(), Config{URL: "sqlite:" + path}, false); !errors.As(err, &problem) || problem.Problem != ProblemLinked {
			t.Errorf("a copy reads %s: %v", path, err)
		}
	}
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	if err := open(t, Config{URL: "sqlite:" + file, Server: true}).Close(); err != nil {
		t.Error(err)
	}
}

func TestAMissingFolderIsNotMade(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "mistyped", "sellerd.db")
	for _, c := range []Config{{URL: "sqlite:" + path}, {URL: "sqlite:" + path, Server: true}, {URL: "sqlite:" + path, copying: true}} {
		if got := problemOf(t, c); got != ProblemFolder {
			t.Errorf("%+v: problem %d, want that there is no folder", c, got)
		}
	}
	if got := problemOf(t, Config{URL: "sqlite:" + path, Existing: true}); got != ProblemMissing {
		t.Errorf("a command: problem %d, want that there is no database", got)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
}

func TestANewDatabaseIsAnnounced(t *testing.T) {
	url := sqliteURL(t)
	first := open(t, Config{URL: url})
	path := first.Created()
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(path, "/sellerd.db") {
		t.Errorf("the first one is at %q", path)
	}
	if again := open(t, Config{URL: url}); again.Created() != "" {
		t.Errorf("the second one is new, too: %q", again.Created())
	}
}
