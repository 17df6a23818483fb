package connect

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// unacknowledgedLimit is how long the network may take to acknowledge what was sent. A machine that is gone acknowledges
// nothing; the kernel would try again for a quarter of an hour.
const unacknowledgedLimit = 10 * time.Second

// giveUpUnacknowledged is a net.Dialer's Control. A Unix socket has no such limit, and needs none.
func giveUpUnacknowledged(network, _ string, conn syscall.RawConn) error {
	if network == "unix" {
		return nil
	}
	return conn.Control(func(fd uintptr) {
		// Without it the connection works, and is only slower to end.
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(unacknowledgedLimit.Milliseconds()))
	})
}
