//go:build !linux

package pgtest

import (
	"os"
	"syscall"
)

// quickFolder is where throw-away clusters go: where temporary files go.
func quickFolder() string { return os.TempDir() }

// endWithUs does nothing where a process cannot ask to end with its parent: it ends with the test alone.
func endWithUs(*syscall.SysProcAttr) {}
