//go:build !windows

// Package filelock locks files between processes. The system releases a lock when its file is closed, however the process ends.
package filelock

import (
	"errors"
	"os"
	"syscall"
)

// Try locks a file that is open for writing, or fails at once. held says whether that is because another has the lock.
func Try(file *os.File) (held bool, err error) {
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return errors.Is(err, syscall.EWOULDBLOCK), err
}
