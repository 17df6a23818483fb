//go:build !linux

package pgtest

import (
	"os"
	"syscall"
)

// QuickFolder is where throw-away databases go: where temporary files go.
func QuickFolder() string { return os.TempDir() }

// endWithUs does nothing where a process cannot ask to end with its parent: it ends with the test alone.
func endWithUs(*syscall.SysProcAttr) {}
