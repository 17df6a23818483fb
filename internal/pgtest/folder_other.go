//go:build !linux

package pgtest

import "os"

// quickFolder is where throw-away clusters go: where temporary files go.
func quickFolder() string { return os.TempDir() }
