// Package signals says which signals end a program, and which do not.
package signals

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Context makes the context of a program. It ends with SIGINT, SIGTERM and, unless nohup started the program, with SIGHUP, which a terminal
// sends that is closed.
func Context() (ctx context.Context, stop context.CancelFunc) {
	ending := []os.Signal{syscall.SIGINT, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		ending = append(ending, syscall.SIGHUP)
	}
	return signal.NotifyContext(context.Background(), ending...)
}

// OutliveReaders lets a program go on when nobody reads what it prints any more, such as its log. Without it, the next line ends the
// program by SIGPIPE, even under a supervisor that has SIGPIPE ignored.
func OutliveReaders() { signal.Ignore(syscall.SIGPIPE) }
