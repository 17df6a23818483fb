package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/installed"
)

// make build says which commit it builds, whether the Go command finds the repository or not; the line `serving` shows it.
func TestTheBuildStampsTheCommit(t *testing.T) {
	installed.Require(t, "THE STAMP OF A BUILD WAS NOT READ", "make", "git")
	folder := t.TempDir()
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	makefile, err := filepath.Abs("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(folder, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module stamp\n\ngo 1.26\n")
	for _, program := range []string{"sellerd", "seller"} {
		write("cmd/"+program+"/main.go", "package main\n\nvar stamped string\n\nfunc main() { println(stamped) }\n")
	}
	write(".gitignore", "bin\n")
	built := func() string {
		t.Helper()
		run("make", "-s", "-f", makefile, "build", "GO=go")
		return run("bin/sellerd")
	}
	if diff := cmp.Diff("", built()); diff != "" {
		t.Errorf("outside of a repository (-want +got):\n%s", diff)
	}
	run("git", "init", "-q")
	run("git", "add", ".")
	run("git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "one")
	commit := run("git", "rev-parse", "HEAD")
	if diff := cmp.Diff(commit, built()); diff != "" {
		t.Errorf("of a commit (-want +got):\n%s", diff)
	}
	write("go.mod", "module stamp\n\ngo 1.26 // changed\n")
	if diff := cmp.Diff(commit+", with changes", built()); diff != "" {
		t.Errorf("of changed files (-want +got):\n%s", diff)
	}
}
