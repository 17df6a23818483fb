// Package filelock locks files between processes. The system releases a lock when its file is closed, however the process ends.
package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Try locks a file that is open for writing, or fails at once. held says whether that is because another has the lock. Here a lock keeps
// others from reading, so it is of a byte far behind the end.
func Try(file *os.File) (held bool, err error) {
	err = windows.LockFileEx(windows.Handle(file.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0,
		&windows.Overlapped{OffsetHigh: 1 << 30})
	return errors.Is(err, windows.ERROR_LOCK_VIOLATION), err
}
