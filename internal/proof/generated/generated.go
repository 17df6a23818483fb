// Package generated compares files that tests make from code with those of the repository. `make generate` has the tests write them.
package generated

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Writing says whether this run writes the files. make generate sets the variable.
func Writing() bool { return os.Getenv("SELLERD_GENERATE") != "" }

// Compare compares a file, by its name from the folder of the test, with what it has to be, or writes it.
func Compare(t testing.TB, name string, want []byte) {
	t.Helper()
	if Writing() {
		if err := os.WriteFile(name, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("%s is not up to date: run make generate (-want +got):\n%s", name, diff)
	}
}
