package blackbox

import (
	"os"
	"os/signal"
	"syscall"
	"testing"
)

// HearHangups has the programs that a test starts from now on end by SIGHUP, even if the test itself was started with nohup: what is ignored
// is inherited.
func HearHangups(tb testing.TB) {
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGHUP)
	tb.Cleanup(func() { signal.Stop(heard) })
}
