package blackbox

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Earlier is the program of an earlier release, built from the commit that sealed it: the one that wrote its seal into the change log. That
// needs the repository's whole history, and the test fails without it.
func Earlier(tb testing.TB, release string) (program string) {
	tb.Helper()
	top := strings.TrimSpace(run(tb, ".", "git", "rev-parse", "--show-toplevel"))
	commit := sealedBy(tb, top, release)
	folder := tb.TempDir()
	archive := filepath.Join(folder, "sources.tar")
	run(tb, top, "git", "archive", "--output", archive, commit)
	sources := filepath.Join(folder, "sources")
	if err := os.Mkdir(sources, 0o700); err != nil {
		tb.Fatal(err)
	}
	run(tb, sources, "tar", "-xf", archive)
	program = filepath.Join(folder, "sellerd-"+release)
	run(tb, sources, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, "./cmd/sellerd")
	return program
}

// sealedBy is the first commit that has the seal of a release.
func sealedBy(tb testing.TB, top, release string) (commit string) {
	tb.Helper()
	const changes = "changelog/releases.json"
	text, err := os.ReadFile(filepath.Join(top, changes))
	if err != nil {
		tb.Fatal(err)
	}
	var releases []struct{ Version, Seal string }
	if err := json.Unmarshal(text, &releases); err != nil {
		tb.Fatal(err)
	}
	at := slices.IndexFunc(releases, func(r struct{ Version, Seal string }) bool { return r.Version == release })
	if at < 0 || releases[at].Seal == "" {
		tb.Fatalf("there is no sealed release %q", release)
	}
	commits := strings.Fields(run(tb, top, "git", "log", "--reverse", "--format=%H", "-S"+releases[at].Seal, "--", changes))
	if shallow := strings.TrimSpace(run(tb, top, "git", "rev-parse", "--is-shallow-repository")); shallow == "true" || len(commits) == 0 {
		tb.Fatalf("release %s is built from its commit, which is not in this clone: git fetch --unshallow", release)
	}
	return commits[0]
}

// run runs a program in a folder, and returns its output.
func run(tb testing.TB, folder, name string, args ...string) string {
	tb.Helper()
	command := exec.Command(name, args...)
	command.Dir = folder
	var said strings.Builder
	command.Stderr = &said
	out, err := command.Output()
	if err != nil {
		tb.Fatal(fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, said.String()))
	}
	return string(out)
}
