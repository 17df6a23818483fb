package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sellerd/internal/base/filelock"
	"sellerd/internal/base/pause"
)

// lockFile is a lock between processes: an empty file beside the database, whose lock ends
// with the process, however it ends. The database file itself must not be used for this, because closing
// any descriptor of it would drop the locks that SQLite holds there.
type lockFile struct{ file *os.File }

// tryLock takes the lock or fails at once with errLocked and the holder's process id.
func tryLock(path string) (*lockFile, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the lock file: %w", err)
	}
	held, err := filelock.Try(f)
	if err == nil {
		// The process id is for the reader of the message below; the lock does not depend on it.
		_ = f.Truncate(0)
		_, _ = fmt.Fprintln(f, os.Getpid())
		return &lockFile{f}, nil
	}
	holder, _ := os.ReadFile(path)
	_ = f.Close()
	if !held {
		return nil, fmt.Errorf("lock %s: %w", filepath.Base(path), err)
	}
	return nil, fmt.Errorf("%s is %w by process %s", filepath.Base(path), errLocked, strings.TrimSpace(string(holder)))
}

// waitLock takes the lock, and waits for another holder until ctx ends.
func waitLock(ctx context.Context, path string) (*lockFile, error) {
	for {
		l, err := tryLock(path)
		if err == nil || !errors.Is(err, errLocked) {
			return l, err
		}
		if ended := pause.For(ctx, 20*time.Millisecond); ended != nil {
			return nil, fmt.Errorf("%w: %w", ended, err)
		}
	}
}

// unlock releases the lock. The file stays: another process may just have opened it.
func (l *lockFile) unlock() error {
	if l == nil {
		return nil
	}
	return l.file.Close()
}
