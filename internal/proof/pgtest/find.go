package pgtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// ErrNotInstalled says that this machine has no PostgreSQL server.
var ErrNotInstalled = errors.New("no PostgreSQL server is installed (looked for initdb and postgres in PATH, in /usr/lib/postgresql and where pg_config points)")

// errSwitchedOff is that error where tests are asked to go on without PostgreSQL.
var errSwitchedOff = fmt.Errorf("%w: %s is %s", ErrNotInstalled, EnvAdminURL, None)

// binaries returns the folder that holds initdb and postgres.
func binaries() (string, error) {
	if os.Getenv(EnvAdminURL) == None {
		return "", errSwitchedOff
	}
	for _, dir := range candidates() {
		if executable(filepath.Join(dir, "initdb")) && executable(filepath.Join(dir, "postgres")) {
			return dir, nil
		}
	}
	return "", ErrNotInstalled
}

// candidates lists folders that may hold a server, the preferred first: what the user has put in PATH, then Debian's
// place, which is not in PATH, newest version first, then what the development package says.
func candidates() []string {
	var dirs []string
	if path, err := exec.LookPath("initdb"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			dirs = append(dirs, filepath.Dir(real))
		}
	}
	debian, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // the pattern is well formed
	slices.SortFunc(debian, func(a, b string) int { return version(b) - version(a) })
	dirs = append(dirs, debian...)
	if out, err := exec.Command("pg_config", "--bindir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(out)))
	}
	return dirs
}

// version reads the major version from a folder such as /usr/lib/postgresql/17/bin; 0 if it is none.
func version(dir string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(dir)))
	return n
}

// executable says whether path is a file that can be run.
func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
