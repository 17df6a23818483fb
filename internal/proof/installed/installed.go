// Package installed checks for the programs that a test needs beside those of Go: a shell, curl, a browser. On a
// developer's machine the test is skipped if one is missing, with a line that is hard to miss. In CI, where no test may be
// skipped, it fails.
package installed

import (
	"os"
	"os/exec"
	"testing"
)

// EnvRequire is 1 where a test must fail, and not be skipped, for want of a program.
const EnvRequire = "SELLERD_REQUIRE_PROGRAMS"

// Require ends the test unless all programs are in PATH. what is the message of a skipped test, in capitals: "THE PAGES
// WERE NOT OPENED".
func Require(t testing.TB, what string, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			missing(t, what, program)
		}
	}
}

// Path finds a program that Debian keeps in /usr/sbin, which is not in every PATH. Without the program it ends the test as
// Require does.
func Path(t testing.TB, what, program string) (path string) {
	t.Helper()
	for _, candidate := range []string{program, "/usr/sbin/" + program} {
		if path, err := exec.LookPath(candidate); err == nil {
			return path
		}
	}
	missing(t, what, program)
	return ""
}

func missing(t testing.TB, what, program string) {
	t.Helper()
	if os.Getenv(EnvRequire) == "1" {
		t.Fatalf("%s is not installed", program)
	}
	t.Skipf("%s: %s is not installed.", what, program)
}
