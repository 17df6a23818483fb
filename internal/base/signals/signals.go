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

// IgnoreBrokenPipe keeps a program running when the reader of its output or its log ends. Otherwise the next line that it writes ends the
// program with SIGPIPE, even if a supervisor has SIGPIPE ignored.
func IgnoreBrokenPipe() { signal.Ignore(syscall.SIGPIPE) }
